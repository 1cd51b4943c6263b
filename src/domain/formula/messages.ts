import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { internalFunctionNames } from "./environment.ts";
import { findClosest } from "#domain/text-distance.ts";

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
): { reason: string; position: number | undefined } {
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
): string | undefined {
  const name = truncate(summary.slice(summary.indexOf(": ") + 2));
  switch (code) {
    case "unknown_variable": {
      const choices = fieldKeys.length > 0 ? ` Fields: ${formatChoices(fieldKeys)}.` : "";
      const closest = findClosest(name, fieldKeys);
      const suggestion = closest === undefined ? "" : ` Did you mean "${closest}"?`;
      return `There is no field "${name}".${suggestion}${choices}`;
    }
    case "no_such_key":
      return `There is no column "${name}".`;
    case "reserved_identifier":
      return `"${name}" is a reserved word. Formulas cannot use it as a name.`;
    default:
      return undefined;
  }
}

const binaryMessages: Record<string, (a: string, b: string) => string> = {
  "+": (a, b) => `Cannot add ${a} and ${b}.`,
  "-": (a, b) => `Cannot subtract ${b} from ${a}.`,
  "*": (a, b) => `Cannot multiply ${a} by ${b}.`,
  "/": (a, b) => `Cannot divide ${a} by ${b}.`,
  "%": (a, b) => `Cannot compute ${a} % ${b}.`,
  in: (a, b) => `Cannot look for ${a} in ${b}.`,
};

function describeTypeError(code: string, summary: string, formula: string): string | undefined {
  switch (code) {
    case "no_such_overload": {
      const [left = "", operator, right] = summary.replace("no such overload: ", "").split(" ");
      // A unary operator is joined to its operand: `no such overload: !int`.
      if (operator === undefined || right === undefined) {
        const operand = describeType(left.slice(1));
        return left.startsWith("!")
          ? `"!" needs true or false, not ${operand}.`
          : `Cannot negate ${operand}.`;
      }
      const describe = binaryMessages[operator] ?? ((a, b) => `Cannot compare ${a} with ${b}.`);
      return describe(describeType(left), describeType(right));
    }
    case "no_matching_overload":
      return describeCallError(summary, formula);
    case "invalid_logical_operand":
      return `"&&" and "||" need true or false on both sides, not ${quotedTypes(summary)}.`;
    case "invalid_condition_type":
      return `A condition must be true or false, not ${quotedTypes(summary)}.`;
    case "incompatible_ternary_branches":
      return `Both results of "? :" must have the same type, not ${quotedTypes(summary)}.`;
    case "heterogeneous_list_element":
      return `All entries of a list must have the same type, not ${quotedTypes(summary)}.`;
    case "invalid_comprehension_range":
      return `map(), filter(), all(), exists() and exists_one() need a list, not ${quotedTypes(summary)}.`;
    case "mixed_coalesce":
      return `coalesce() needs values of the same type, not ${quotedTypes(summary)}.`;
    case "invalid_index_type":
      return `A position in a list must be a number, not ${quotedTypes(summary)}.`;
    case "cannot_index_type":
      return `There are no columns or positions in ${quotedTypes(summary)}.`;
    case "invalid_macro_argument":
      return "The first argument must be a name for the row, as in map(row, row.amount).";
    default:
      return undefined;
  }
}

/** Explains `found no matching overload for 'list<decimal>.sum(string, bool)'`. */
function describeCallError(summary: string, formula: string): string {
  const [, receiver, alias = "", types = ""] = /'(?:(.+)\.)?(\w+)\((.*)\)'/.exec(summary) ?? [];
  const publicNames = Object.keys(internalFunctionNames).filter(
    (name) => internalFunctionNames[name] === alias,
  );
  const name =
    [alias, ...publicNames].find((candidate) => formula.includes(`${candidate}(`)) ?? alias;
  const call = receiver === undefined ? `${name}()` : `${name}() on ${describeType(receiver)}`;
  if (types === "")
    return receiver === undefined
      ? `${call} needs at least one argument.`
      : `Cannot use ${call} without an argument.`;
  return `${call} does not accept ${joinTypes(types.split(", "))}.`;
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

const limitMessages: Record<string, (limit: string) => string> = {
  maxAstNodes: (limit) => `A formula may have at most ${limit} parts.`,
  maxDepth: (limit) => `A formula may be nested at most ${limit} levels deep.`,
  maxListElements: (limit) => `A list in a formula may have at most ${limit} entries.`,
  maxMapEntries: () => "Formulas cannot contain maps.",
  maxCallArguments: (limit) => `A function accepts at most ${limit} arguments.`,
};

function describeSyntaxError(
  code: string,
  summary: string,
  formula: string,
  range: EngineError["range"],
): string {
  if (code === "limit_exceeded") {
    const [, name = "", limit = ""] = /^Exceeded (\w+) \((\d+)\)$/.exec(summary) ?? [];
    const describe = limitMessages[name];
    if (describe) return describe(limit);
  }
  if (!range) return summary === "" ? "The formula is invalid." : `${summary}.`;
  const location = `Syntax error at position ${range.start}`;
  if (range.start >= formula.length) {
    const bracket = findMissingBracket(formula);
    return bracket === undefined
      ? `${location}: the formula ends too early.`
      : `${location}: the closing "${bracket}" is missing.`;
  }
  if (code.startsWith("unterminated")) return `${location}: the text has no closing quote.`;
  const unexpectedText = truncate(formula.slice(range.start, Math.max(range.end, range.start + 1)));
  return `${location}: unexpected "${unexpectedText}".`;
}

const closingBrackets: Record<string, string> = { "(": ")", "[": "]", "{": "}" };

/** The bracket that would close the last open one. Undefined if all are closed, or if an operand is missing before it. */
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
