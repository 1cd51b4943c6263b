import { Environment } from "@marcbachmann/cel-js";
import { decimalRound, withoutNoise } from "./decimal";

/** Thrown where a formula meets an empty operand: its result is empty then, unless `coalesce` says otherwise. */
class EmptyOperand extends Error {}

export function empty(): never {
  throw new EmptyOperand("An operand is empty.");
}

/** What a formula can be long, and deep: with lists of 500 rows that do not nest, its cost is bounded. */
const limits = { maxAstNodes: 300, maxDepth: 30, maxListElements: 100, maxMapEntries: 0 };

/** Functions that formulas can call, by name; whatever else the language has is refused. */
export const functions = new Set(
  "sum min max count avg round abs floor ceil concat coalesce today size string double int".split(
    " ",
  ),
);
export const methods = new Set(
  "map filter all exists exists_one contains startsWith endsWith size".split(" "),
);
/** Methods that run an expression for each row. */
export const comprehensions = new Set(["map", "filter", "all", "exists", "exists_one"]);

/** What a formula can give, and put together on the way. */
export const longestText = 20_000;

type Numeric = number | bigint;

/** The language of formulas: CEL with numbers that mix, decimals as people expect them, and `today()`. */
export function formulaEnvironment(): Environment {
  const environment = new Environment({ limits });
  const arithmetic: [string, (a: number, b: number) => number][] = [
    ["+", (a, b) => a + b],
    ["-", (a, b) => a - b],
    ["*", (a, b) => a * b],
    ["/", (a, b) => a / b],
    ["%", (a, b) => a % b],
  ];
  for (const [sign, run] of arithmetic) {
    const both = (a: Numeric, b: Numeric) => run(Number(a), Number(b));
    environment.registerOperator(`double ${sign} int: double`, both);
    environment.registerOperator(`int ${sign} double: double`, both);
    if (sign === "%") environment.registerOperator("double % double: double", both);
  }
  environment.registerOperator(
    "double == int: bool",
    (a: Numeric, b: Numeric) => Number(a) === Number(b),
  );
  registerNumbers(environment);
  registerTexts(environment);
  return environment;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}

function registerNumbers(environment: Environment): void {
  const lists: [string, (values: number[]) => number][] = [
    ["sum", sum],
    ["min", (values) => (values.length > 0 ? Math.min(...values) : empty())],
    ["max", (values) => (values.length > 0 ? Math.max(...values) : empty())],
    ["avg", (values) => (values.length > 0 ? sum(values) / values.length : empty())],
  ];
  for (const [name, run] of lists) {
    const over = (values: Numeric[]) => run(values.map(Number));
    environment.registerFunction(`${name}(list<double>): double`, over);
    environment.registerFunction(`${name}(list<int>): double`, over);
  }
  environment.registerFunction("count(list): double", (values: unknown[]) => values.length);
  const single: [string, (value: number) => number][] = [
    ["abs", Math.abs],
    ["floor", Math.floor],
    ["ceil", Math.ceil],
  ];
  for (const type of ["double", "int"]) {
    for (const [name, run] of single) {
      environment.registerFunction(`${name}(${type}): double`, (value: Numeric) =>
        run(Number(value)),
      );
    }
    environment.registerFunction(`round(${type}): double`, (value: Numeric) =>
      decimalRound(Number(value), 0),
    );
    environment.registerFunction(
      `round(${type}, double): double`,
      (value: Numeric, digits: number) =>
        decimalRound(Number(value), Math.max(-15, Math.min(15, Math.trunc(digits)))),
    );
    for (const other of ["double", "int"]) {
      const pair = (run: (a: number, b: number) => number) => (a: Numeric, b: Numeric) =>
        run(Number(a), Number(b));
      environment.registerFunction(`min(${type}, ${other}): double`, pair(Math.min));
      environment.registerFunction(`max(${type}, ${other}): double`, pair(Math.max));
    }
  }
}

const mostArguments = 8;

function registerTexts(environment: Environment): void {
  for (let count = 1; count <= mostArguments; count += 1) {
    const types = (type: string) => Array.from({ length: count }, () => type).join(", ");
    environment.registerFunction(`concat(${types("dyn")}): string`, (...values: unknown[]) =>
      bounded(values.map(written).join("")),
    );
    environment.registerFunction(`coalesce(${types("ast")}): dyn`, coalesce);
  }
}

function bounded(text: string): string {
  if (text.length > longestText) throw new Error("The text is too long.");
  return text;
}

function written(value: unknown): string {
  if (typeof value === "number") return String(withoutNoise(value));
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "bigint") {
    return String(value);
  }
  throw new Error("Only texts, numbers and booleans can be joined.");
}

interface Macro {
  args: unknown[];
  /** Whether whole numbers stand beside decimals. */
  mixed?: boolean;
}
interface Checker {
  check(node: unknown, ctx: unknown): unknown;
}
interface Evaluator {
  run(node: unknown, ctx: unknown): unknown;
}

/** The first of its arguments that is not empty. */
function coalesce({ args }: Macro) {
  return {
    args,
    typeCheck(checker: Checker, macro: Macro, ctx: unknown) {
      const types = macro.args.map((each) => checker.check(each, ctx));
      const names = new Set(types.map(String));
      macro.mixed = names.has("double") && names.delete("int");
      if (names.size > 1) {
        const summary = `coalesce takes values of one type, and not ${[...names].join(" and ")}`;
        throw Object.assign(new Error(summary), { summary });
      }
      // Numbers mix: where one of them is a decimal, so is the result.
      return types.find((each) => String(each) === "double") ?? types[0];
    },
    evaluate(evaluator: Evaluator, macro: Macro, ctx: unknown) {
      for (const each of macro.args) {
        try {
          const value = evaluator.run(each, ctx);
          return typeof value === "bigint" && macro.mixed ? Number(value) : value;
        } catch (error) {
          if (!isEmptyOperand(error)) throw error;
        }
      }
      return empty();
    },
  };
}

export function isEmptyOperand(error: unknown): boolean {
  if (error instanceof EmptyOperand) return true;
  return error instanceof Error && error.cause !== undefined && isEmptyOperand(error.cause);
}
