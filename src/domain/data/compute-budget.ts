import { maxMatchSteps, type MatchBudget } from "#domain/pattern/pattern.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";

/** The remaining computation for one item, or for all items of a batch together. */
export interface ComputeBudget {
  matchBudget: MatchBudget;
  /** Formula steps. Each item has a limit of its own as well. */
  formulaBudget: { stepsLeft: number };
}

export const itemBudget = (): ComputeBudget => ({
  matchBudget: { stepsLeft: maxMatchSteps },
  formulaBudget: { stepsLeft: Infinity },
});

const maxBatchFormulaSteps = 1_000_000;

/** A batch may use the matching steps of one item and twice the formula steps of one item. */
export const batchBudget = (): ComputeBudget => ({
  matchBudget: { stepsLeft: maxMatchSteps },
  formulaBudget: { stepsLeft: maxBatchFormulaSteps },
});

/** The used share of a batch's budget. 1 is the whole budget; an exceeded budget gives slightly more. */
export function batchBudgetUsed({ matchBudget, formulaBudget }: ComputeBudget): number {
  return Math.max(
    1 - matchBudget.stepsLeft / maxMatchSteps,
    1 - formulaBudget.stepsLeft / maxBatchFormulaSteps,
  );
}

/** Returns an error when the formula steps are exceeded. */
export function formulaBudgetErrors({ formulaBudget }: ComputeBudget): FieldError[] {
  if (formulaBudget.stepsLeft >= 0) return [];
  const reason =
    "The formulas of these operations take too long together. Send fewer operations in one batch.";
  return [errorAt(["data"], "too_complex", reason)];
}
