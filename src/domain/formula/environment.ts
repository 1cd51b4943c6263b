import { lazy } from "#domain/lazy.ts";
import * as decimals from "./arithmetic.ts";
import type * as Cel from "@marcbachmann/cel-js";
import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import {
  spend,
  maxFormulaTextLength,
  spendCount,
  spendSearch,
  today,
  addDays,
  daysBetween,
  Decimal,
} from "./arithmetic.ts";

/** The cost of throwing and catching an error. */
const stepsPerThrow = 30;

/** Thrown when a formula meets an empty operand. The result is then empty, unless `coalesce` replaces it. */
class EmptyOperandError extends Error {}

/** Shared, because creating an error for each empty value would cost more than the formula. */
const emptyOperand = lazy(() => new EmptyOperandError("An operand is empty."));

export function throwEmpty(): never {
  throw emptyOperand();
}

export function isEmptyOperand(error: unknown): boolean {
  if (error instanceof EmptyOperandError) return true;
  return error instanceof Error && error.cause !== undefined && isEmptyOperand(error.cause);
}

interface Checker {
  check(node: unknown, ctx: unknown): unknown;
  getType(name: string): unknown;
}
interface Evaluator {
  run(node: unknown, ctx: unknown): unknown;
}

/** A macro of the language. It receives expressions and evaluates them itself. */
export interface Macro {
  args: unknown[];
  typeCheck(checker: Checker, macro: Macro, ctx: unknown): unknown;
  evaluate(evaluator: Evaluator, macro: Macro, ctx: unknown): unknown;
}

/** Returns the first argument that is not empty. */
function coalesce({ args }: { args: unknown[] }): Macro {
  return {
    args,
    typeCheck(checker, macro, ctx) {
      const types = macro.args.map((arg) => checker.check(arg, ctx));
      const names = new Set(types.map(String));
      if (names.size > 1) {
        const summary = [...names].map((name) => `'${name}'`).join(" and ");
        throw Object.assign(new Error(summary), { code: "mixed_coalesce", summary });
      }
      return types[0];
    },
    evaluate(evaluator, macro, ctx) {
      for (const arg of macro.args) {
        const result = tryEvaluate(evaluator, arg, ctx);
        if (result) return result.value;
      }
      return throwEmpty();
    },
  };
}

/** Implements `node == null` and `node != null` for every type. */
export function emptinessMacro(node: ASTNode, expectEmpty: boolean): Macro {
  return {
    args: [node],
    typeCheck(checker, macro, ctx) {
      checker.check(macro.args[0], ctx);
      return checker.getType("bool");
    },
    evaluate: (evaluator, macro, ctx) =>
      (tryEvaluate(evaluator, macro.args[0], ctx) === undefined) === expectEmpty,
  };
}

function tryEvaluate(
  evaluator: Evaluator,
  node: unknown,
  ctx: unknown,
): { value: unknown } | undefined {
  try {
    return { value: evaluator.run(node, ctx) };
  } catch (error) {
    if (!isEmptyOperand(error)) throw error;
    spend(stepsPerThrow);
    return undefined;
  }
}

/** Limits the length and depth of formulas. */
const parserLimits = { maxAstNodes: 300, maxDepth: 30, maxListElements: 100, maxMapEntries: 0 };

/** The functions that formulas can call. All other functions of the language are rejected. */
export const formulaFunctions = new Set(
  "sum min max count avg round abs floor ceil concat coalesce today days_between add_days size string double int".split(
    " ",
  ),
);
export const formulaMethods = new Set(
  "map filter all exists exists_one contains startsWith endsWith size".split(" "),
);
/** Methods that evaluate an expression for each row. */
export const comprehensions = new Set(["map", "filter", "all", "exists", "exists_one"]);

/**
 * Maps functions of the language to our own versions. The originals return other number types, or take more steps than
 * the service counts.
 */
export const internalFunctionNames: Record<string, string> = {
  size: "count",
  double: "number",
  int: "truncated",
  contains: "holds",
  startsWith: "begins",
  endsWith: "ends",
};

/** The formula language: CEL with exact decimals and with date functions like `today()`. */
export function createFormulaEnvironment(): Environment {
  // Evaluating the engine takes milliseconds, and only collections with formulas need it.
  const { Environment: CelEnvironment } = require("@marcbachmann/cel-js") as typeof Cel;
  const environment = new CelEnvironment({ limits: parserLimits });
  environment.registerType("decimal", { ctor: Decimal, fields: {} });
  registerOperators(environment);
  registerNumbers(environment);
  registerTexts(environment);
  registerDays(environment);
  return environment;
}

function registerOperators(environment: Environment): void {
  const arithmetic: [string, (a: Decimal, b: Decimal) => Decimal][] = [
    ["+", decimals.plus],
    ["-", decimals.minus],
    ["*", decimals.times],
    ["/", decimals.quotient],
    ["%", decimals.remainder],
  ];
  for (const [operator, run] of arithmetic) {
    environment.registerOperator(`decimal ${operator} decimal: decimal`, run);
  }
  environment.registerOperator("-decimal: decimal", (value: Decimal) => value.neg());
  const comparisons: [string, (order: number) => boolean][] = [
    ["==", (order) => order === 0],
    ["<", (order) => order < 0],
    ["<=", (order) => order <= 0],
    [">", (order) => order > 0],
    [">=", (order) => order >= 0],
  ];
  for (const [operator, accepts] of comparisons) {
    environment.registerOperator(`decimal ${operator} decimal: bool`, (a: Decimal, b: Decimal) =>
      accepts(decimals.compare(a, b)),
    );
  }
}

const zero = new Decimal(0);
const minDecimal = (a: Decimal, b: Decimal) => (decimals.compare(b, a) < 0 ? b : a);
const maxDecimal = (a: Decimal, b: Decimal) => (decimals.compare(b, a) > 0 ? b : a);
/** Wraps a function that has no result for an empty list. */
const requireNonEmpty = (run: (values: Decimal[]) => Decimal) => (values: Decimal[]) =>
  values.length > 0 ? run(values) : throwEmpty();
const countValues = (values: unknown[]) => new Decimal(values.length);
const countCodePoints = (text: string) => {
  spendCount(text);
  return new Decimal(codePointLength(text));
};
/** Counts all UTF-16 units except high surrogates, which equals the code points of well-formed text. */
function codePointLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    if ((text.charCodeAt(index) & 0xfc00) === 0xd800) length -= 1;
  }
  return length;
}

const sum = (values: readonly Decimal[]) => values.reduce(decimals.plus, zero);

function registerNumbers(environment: Environment): void {
  const listFunctions: [string, (values: Decimal[]) => Decimal][] = [
    ["sum", sum],
    ["min", requireNonEmpty((values) => values.reduce(minDecimal))],
    ["max", requireNonEmpty((values) => values.reduce(maxDecimal))],
    [
      "avg",
      requireNonEmpty((values) => decimals.quotient(sum(values), new Decimal(values.length))),
    ],
  ];
  for (const [name, run] of listFunctions) {
    environment.registerFunction(`${name}(list<decimal>): decimal`, run);
  }
  const unaryFunctions: [string, (value: Decimal) => Decimal][] = [
    ["abs", (value) => value.abs()],
    ["floor", decimals.floor],
    ["ceil", decimals.ceil],
    ["round", (value) => decimals.round(value, 0)],
    ["number", (value) => value],
    ["truncated", (value) => (value.lt(0) ? decimals.ceil(value) : decimals.floor(value))],
  ];
  for (const [name, run] of unaryFunctions) {
    environment.registerFunction(`${name}(decimal): decimal`, run);
  }
  const binaryFunctions: [string, (a: Decimal, b: Decimal) => Decimal][] = [
    ["min", minDecimal],
    ["max", maxDecimal],
    ["round", (value, digits) => decimals.round(value, clampDigits(digits))],
  ];
  for (const [name, run] of binaryFunctions) {
    environment.registerFunction(`${name}(decimal, decimal): decimal`, run);
  }
  environment.registerFunction("count(list): decimal", countValues);
  environment.registerFunction("list.count(): decimal", countValues);
}

function clampDigits(digits: Decimal): number {
  return Math.max(-15, Math.min(15, Math.trunc(digits.toNumber())));
}

const maxArguments = 8;

function registerTexts(environment: Environment): void {
  environment.registerFunction("count(string): decimal", countCodePoints);
  environment.registerFunction("string.count(): decimal", countCodePoints);
  environment.registerFunction("string(decimal): string", decimals.formatDecimal);
  environment.registerFunction("number(string): decimal", parseDecimal);
  environment.registerFunction("truncated(string): decimal", (text: string) =>
    parseDecimal(text).round(0, 0),
  );
  const searches: [string, (text: string, needle: string) => boolean][] = [
    ["holds", (text, needle) => text.includes(needle)],
    ["begins", (text, needle) => text.startsWith(needle)],
    ["ends", (text, needle) => text.endsWith(needle)],
  ];
  for (const [name, run] of searches) {
    environment.registerFunction(`string.${name}(string): bool`, (text: string, needle: string) => {
      spendSearch(text, needle);
      return run(text, needle);
    });
  }
  for (let count = 1; count <= maxArguments; count += 1) {
    const types = (type: string) => Array.from({ length: count }, () => type).join(", ");
    environment.registerFunction(`concat(${types("dyn")}): string`, (...values: unknown[]) =>
      values.map(formatValue).join(""),
    );
    environment.registerFunction(`coalesce(${types("ast")}): dyn`, coalesce as never);
  }
}

/** Parses a decimal number with at most 40 digits on each side of the point. */
function parseDecimal(text: string): Decimal {
  if (!/^-?\d{1,40}(\.\d{1,40})?$/.test(text)) throw new Error("The text is not a number.");
  return new Decimal(text);
}

function formatValue(value: unknown): string {
  if (value instanceof Decimal) return decimals.formatDecimal(value);
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  throw new Error("concat() accepts text, numbers and booleans only.");
}

function registerDays(environment: Environment): void {
  environment.registerFunction("today(): string", today);
  environment.registerFunction(
    "days_between(string, string): decimal",
    (a: string, b: string) => new Decimal(daysBetween(a, b)),
  );
  environment.registerFunction("add_days(string, decimal): string", addDays);
}

/** Throws when a text exceeds the length limit of formulas. */
export function assertTextLength(text: string): void {
  if (text.length > maxFormulaTextLength) throw new Error("The text is too long.");
}
