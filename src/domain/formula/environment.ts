import * as decimals from "./arithmetic.ts";
import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { spend, longestText, spendCount, spendSearch, today, addDays, daysBetween, Decimal } from "./arithmetic.ts";

/** What it takes to throw and to catch. */
const stepsOfThrow = 30;

/** Thrown where a formula meets an empty operand: its result is empty then, unless `coalesce` says otherwise. */
class EmptyOperand extends Error {}

/** One for all: making an error for each empty value would cost more than the formula. */
const emptyOperand = new EmptyOperand("An operand is empty.");

export function empty(): never {
  throw emptyOperand;
}

export function isEmptyOperand(error: unknown): boolean {
  if (error instanceof EmptyOperand) return true;
  return error instanceof Error && error.cause !== undefined && isEmptyOperand(error.cause);
}

interface Checker {
  check(node: unknown, ctx: unknown): unknown;
  getType(name: string): unknown;
}
interface Evaluator {
  run(node: unknown, ctx: unknown): unknown;
}

/** What the language calls a macro: it is given expressions, and evaluates them itself. */
export interface Macro {
  args: unknown[];
  typeCheck(checker: Checker, macro: Macro, ctx: unknown): unknown;
  evaluate(evaluator: Evaluator, macro: Macro, ctx: unknown): unknown;
}

/** The first of its arguments that is not empty. */
export function coalesce({ args }: { args: unknown[] }): Macro {
  return {
    args,
    typeCheck(checker, macro, ctx) {
      const types = macro.args.map((each) => checker.check(each, ctx));
      const names = new Set(types.map(String));
      if (names.size > 1) {
        const summary = `coalesce takes values of one type, and not ${[...names].join(" and ")}`;
        throw Object.assign(new Error(summary), { summary });
      }
      return types[0];
    },
    evaluate(evaluator, macro, ctx) {
      for (const each of macro.args) {
        const found = valueOf(evaluator, each, ctx);
        if (found) return found.value;
      }
      return empty();
    },
  };
}

/** `node == null`, for whatever type: whether it is empty, or is not. */
export function emptiness(node: ASTNode, wanted: boolean): Macro {
  return {
    args: [node],
    typeCheck(checker, macro, ctx) {
      checker.check(macro.args[0], ctx);
      return checker.getType("bool");
    },
    evaluate: (evaluator, macro, ctx) =>
      (valueOf(evaluator, macro.args[0], ctx) === undefined) === wanted,
  };
}

function valueOf(
  evaluator: Evaluator,
  node: unknown,
  ctx: unknown,
): { value: unknown } | undefined {
  try {
    return { value: evaluator.run(node, ctx) };
  } catch (error) {
    if (!isEmptyOperand(error)) throw error;
    spend(stepsOfThrow);
    return undefined;
  }
}

/** What a formula can be long, and deep. */
const limits = { maxAstNodes: 300, maxDepth: 30, maxListElements: 100, maxMapEntries: 0 };

/** Functions that formulas can call, by name; whatever else the language has is refused. */
export const functions = new Set(
  "sum min max count avg round abs floor ceil concat coalesce today days_between add_days size string double int".split(
    " ",
  ),
);
export const methods = new Set(
  "map filter all exists exists_one contains startsWith endsWith size".split(" "),
);
/** Methods that run an expression for each row. */
export const comprehensions = new Set(["map", "filter", "all", "exists", "exists_one"]);

/**
 * Names of the language under which formulas reach functions of ours: where the language's own would give numbers of
 * other types, or take more steps than are counted.
 */
export const renamed: Record<string, string> = {
  size: "count",
  double: "number",
  int: "truncated",
  contains: "holds",
  startsWith: "begins",
  endsWith: "ends",
};

/** The language of formulas: CEL in which every number is an exact decimal, with `today()` and its kin. */
export function formulaEnvironment(): Environment {
  const environment = new Environment({ limits });
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
  for (const [sign, run] of arithmetic) {
    environment.registerOperator(`decimal ${sign} decimal: decimal`, run);
  }
  environment.registerOperator("-decimal: decimal", (value: Decimal) => value.neg());
  const comparisons: [string, (order: number) => boolean][] = [
    ["==", (order) => order === 0],
    ["<", (order) => order < 0],
    ["<=", (order) => order <= 0],
    [">", (order) => order > 0],
    [">=", (order) => order >= 0],
  ];
  for (const [sign, holds] of comparisons) {
    environment.registerOperator(`decimal ${sign} decimal: bool`, (a: Decimal, b: Decimal) =>
      holds(decimals.compare(a, b)),
    );
  }
}

const zero = new Decimal(0);
const least = (a: Decimal, b: Decimal) => (decimals.compare(b, a) < 0 ? b : a);
const most = (a: Decimal, b: Decimal) => (decimals.compare(b, a) > 0 ? b : a);
/** What has no value of nothing. */
const some = (run: (values: Decimal[]) => Decimal) => (values: Decimal[]) =>
  values.length > 0 ? run(values) : empty();
const counted = (values: unknown[]) => new Decimal(values.length);
const codePoints = (text: string) => {
  spendCount(text);
  return new Decimal(lengthOf(text));
};
/** In code points: all units but the first halves of pairs, as texts are well-formed. Nothing is made for it. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800) length -= 1;
  }
  return length;
}

const sum = (values: readonly Decimal[]) => values.reduce(decimals.plus, zero);

function registerNumbers(environment: Environment): void {
  const lists: [string, (values: Decimal[]) => Decimal][] = [
    ["sum", sum],
    ["min", some((values) => values.reduce(least))],
    ["max", some((values) => values.reduce(most))],
    ["avg", some((values) => decimals.quotient(sum(values), new Decimal(values.length)))],
  ];
  for (const [name, run] of lists) {
    environment.registerFunction(`${name}(list<decimal>): decimal`, run);
  }
  const single: [string, (value: Decimal) => Decimal][] = [
    ["abs", (value) => value.abs()],
    ["floor", decimals.floor],
    ["ceil", decimals.ceil],
    ["round", (value) => decimals.rounded(value, 0)],
    ["number", (value) => value],
    ["truncated", (value) => (value.lt(0) ? decimals.ceil(value) : decimals.floor(value))],
  ];
  for (const [name, run] of single) {
    environment.registerFunction(`${name}(decimal): decimal`, run);
  }
  const pairs: [string, (a: Decimal, b: Decimal) => Decimal][] = [
    ["min", least],
    ["max", most],
    ["round", (value, digits) => decimals.rounded(value, boundedDigits(digits))],
  ];
  for (const [name, run] of pairs) {
    environment.registerFunction(`${name}(decimal, decimal): decimal`, run);
  }
  environment.registerFunction("count(list): decimal", counted);
  environment.registerFunction("list.count(): decimal", counted);
}

function boundedDigits(digits: Decimal): number {
  return Math.max(-15, Math.min(15, Math.trunc(digits.toNumber())));
}

const mostArguments = 8;

function registerTexts(environment: Environment): void {
  environment.registerFunction("count(string): decimal", codePoints);
  environment.registerFunction("string.count(): decimal", codePoints);
  environment.registerFunction("string(decimal): string", decimals.written);
  environment.registerFunction("number(string): decimal", numberOf);
  environment.registerFunction("truncated(string): decimal", (text: string) =>
    numberOf(text).round(0, 0),
  );
  const searches: [string, (text: string, sought: string) => boolean][] = [
    ["holds", (text, sought) => text.includes(sought)],
    ["begins", (text, sought) => text.startsWith(sought)],
    ["ends", (text, sought) => text.endsWith(sought)],
  ];
  for (const [name, run] of searches) {
    environment.registerFunction(`string.${name}(string): bool`, (text: string, sought: string) => {
      spendSearch(text, sought);
      return run(text, sought);
    });
  }
  for (let count = 1; count <= mostArguments; count += 1) {
    const types = (type: string) => Array.from({ length: count }, () => type).join(", ");
    environment.registerFunction(`concat(${types("dyn")}): string`, (...values: unknown[]) =>
      values.map(textOf).join(""),
    );
    environment.registerFunction(`coalesce(${types("ast")}): dyn`, coalesce as never);
  }
}

/** A number as people write it; longer ones than any that is stored are none. */
function numberOf(text: string): Decimal {
  if (!/^-?\d{1,40}(\.\d{1,40})?$/.test(text)) throw new Error("This is no number.");
  return new Decimal(text);
}

function textOf(value: unknown): string {
  if (value instanceof Decimal) return decimals.written(value);
  if (typeof value === "string" || typeof value === "boolean") return String(value);
  throw new Error("Only texts, numbers and booleans can be joined.");
}

function registerDays(environment: Environment): void {
  environment.registerFunction("today(): string", today);
  environment.registerFunction(
    "days_between(string, string): decimal",
    (a: string, b: string) => new Decimal(daysBetween(a, b)),
  );
  environment.registerFunction("add_days(string, decimal): string", addDays);
}

/** Refuses a text that grows beyond what a formula can give. */
export function refuseLongText(text: string): void {
  if (text.length > longestText) throw new Error("The text is too long.");
}
