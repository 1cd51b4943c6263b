import type { ASTNode } from "@marcbachmann/cel-js";
import { spend } from "./budget";

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
