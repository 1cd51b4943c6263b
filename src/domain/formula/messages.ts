import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { internalFunctionNames } from "./environment.ts";
import { findClosest } from "#domain/text-distance.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/** The parts of an error of the formula engine. Its messages name internal types, so they are rewritten here. */
interface EngineError {
  code?: string;
  summary?: string;
  range?: { start: number; end: number };
}

/** Explains an error of parsing or of the type check. `fieldKeys` are the fields that a formula can use. */
export function describeFormulaError(
  error: unknown,
  formula: string,
  fieldKeys: readonly string[],
): { reason: Reason; position: number | undefined } {
  const { code = "", summary = "", range } = error as EngineError;
  const position = range?.start;
  const reason =
    describeNameError(code, summary, fieldKeys) ??
    describeTypeError(code, summary, formula) ??
    describeSyntaxError(code, summary, formula, range);
  return { reason, position };
}

function describeNameError(
  code: string,
  summary: string,
  fieldKeys: readonly string[],
): Reason | undefined {
  const name = truncate(summary.slice(summary.indexOf(": ") + 2));
  switch (code) {
    case "unknown_variable": {
      const fields = formatChoices(fieldKeys);
      const closest = findClosest(name, fieldKeys);
      if (closest !== undefined) return reasonFor("unknownFieldLike", { name, closest, fields });
      return fields === ""
        ? reasonFor("unknownField", { name })
        : reasonFor("unknownFieldOf", { name, fields });
    }
    case "no_such_key":
      return reasonFor("unknownColumn", { name });
    case "reserved_identifier":
      return reasonFor("reservedWord", { name });
    default:
      return undefined;
  }
}

const binaryReasons = {
  "+": "cannotAdd",
  "-": "cannotSubtract",
  "*": "cannotMultiply",
  "/": "cannotDivide",
  "%": "cannotComputeRemainder",
  in: "cannotLookFor",
} as const;

function describeTypeError(code: string, summary: string, formula: string): Reason | undefined {
  const types = quotedTypes(summary);
  switch (code) {
    case "no_such_overload": {
      const [left = "", operator, right] = summary.replace("no such overload: ", "").split(" ");
      // A unary operator is joined to its operand: `no such overload: !int`.
      if (operator === undefined || right === undefined) {
        const operand = describeType(left.slice(1));
        return left.startsWith("!")
          ? reasonFor("cannotInvert", { a: operand })
          : reasonFor("cannotNegate", { a: operand });
      }
      const key =
        operator in binaryReasons
          ? binaryReasons[operator as keyof typeof binaryReasons]
          : "cannotCompare";
      return reasonFor(key, { a: describeType(left), b: describeType(right) });
    }
    case "no_matching_overload":
      return describeCallError(summary, formula);
    case "invalid_logical_operand":
      return reasonFor("notLogical", { types });
    case "invalid_condition_type":
      return reasonFor("notCondition", { types });
    case "incompatible_ternary_branches":
      return reasonFor("unequalBranches", { types });
    case "heterogeneous_list_element":
      return reasonFor("unequalEntries", { types });
    case "invalid_comprehension_range":
      return reasonFor("notList", { types });
    case "mixed_coalesce":
      return reasonFor("unequalCoalesce", { types });
    case "invalid_index_type":
      return reasonFor("notPosition", { types });
    case "cannot_index_type":
      return reasonFor("noParts", { types });
    case "invalid_macro_argument":
      return reasonFor("noRowName");
    default:
      return undefined;
  }
}

/** Explains `found no matching overload for 'list<decimal>.sum(string, bool)'`. */
function describeCallError(summary: string, formula: string): Reason {
  const [, receiver, alias = "", types = ""] = /'(?:(.+)\.)?(\w+)\((.*)\)'/.exec(summary) ?? [];
  const publicNames = Object.keys(internalFunctionNames).filter(
    (name) => internalFunctionNames[name] === alias,
  );
  const name =
    [alias, ...publicNames].find((candidate) => formula.includes(`${candidate}(`)) ?? alias;
  const type = receiver === undefined ? undefined : describeType(receiver);
  if (types === "")
    return type === undefined
      ? reasonFor("noArguments", { call: name })
      : reasonFor("noArgumentsOn", { call: name, type });
  const argumentTypes = joinTypes(types.split(", "));
  return type === undefined
    ? reasonFor("wrongArguments", { call: name, types: argumentTypes })
    : reasonFor("wrongArgumentsOn", { call: name, type, types: argumentTypes });
}

/** Describes the types that a message names in single quotes. */
function quotedTypes(summary: string): string {
  return joinTypes([...summary.matchAll(/'([^']*)'/g)].map(([, type = ""]) => type));
}

function joinTypes(types: readonly string[]): string {
  const names = types.map(describeType);
  return [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(" and ");
}

/** Names a type of the formula language in plain words. */
export function describeType(type: string): string {
  if (type.startsWith("list")) return "a list";
  if (/^row\d+$/.test(type)) return "a row";
  switch (type) {
    case "string":
      return "text";
    case "bool":
      return "true or false";
    case "decimal":
    case "double":
    case "int":
    case "uint":
      return "a number";
    case "null":
      return "an empty value";
    default:
      return "an unsupported value";
  }
}

const limitReasons: Record<string, (maximum: string) => Reason> = {
  maxAstNodes: (maximum) => reasonFor("tooManyParts", { maximum }),
  maxDepth: (maximum) => reasonFor("formulaTooDeep", { maximum }),
  maxListElements: (maximum) => reasonFor("listTooLong", { maximum }),
  maxMapEntries: () => reasonFor("maps"),
  maxCallArguments: (maximum) => reasonFor("tooManyArguments", { maximum }),
};

function describeSyntaxError(
  code: string,
  summary: string,
  formula: string,
  range: EngineError["range"],
): Reason {
  if (code === "limit_exceeded") {
    const [, name = "", limit = ""] = /^Exceeded (\w+) \((\d+)\)$/.exec(summary) ?? [];
    const describe = limitReasons[name];
    if (describe) return describe(limit);
  }
  if (!range) return reasonFor("formulaInvalid");
  const position = range.start;
  if (range.start >= formula.length) {
    const bracket = findMissingBracket(formula);
    return bracket === undefined
      ? reasonFor("endsTooEarly", { position })
      : reasonFor("unclosedBracket", { position, bracket });
  }
  if (code.startsWith("unterminated")) return reasonFor("unclosedText", { position });
  const unexpectedText = truncate(formula.slice(range.start, Math.max(range.end, range.start + 1)));
  return reasonFor("unexpectedText", { position, text: unexpectedText });
}

const closingBrackets: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/**
 * Returns the bracket that would close the last open one. Undefined if all are closed or if the formula lacks an
 * operand before it.
 */
function findMissingBracket(formula: string): string | undefined {
  const code = formula.replaceAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, "0");
  if (!/[\w)\]}]\s*$/.test(code)) return undefined;
  const open: string[] = [];
  for (const character of code) {
    const closing = closingBrackets[character];
    if (closing !== undefined) open.push(closing);
    else if (character === open.at(-1)) open.pop();
  }
  return open.at(-1);
}
