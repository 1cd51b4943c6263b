import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Data, Warning } from "#domain/data/values.ts";
import { computeData, formulaBudgetErrors, type ComputeBudget } from "#domain/formula/compute.ts";
import type { FieldError } from "#domain/problem/problem.ts";

interface ComputedResult {
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

export const emptyComputation: ComputedResult = { data: {}, warnings: [], errors: [] };

/** Runs the formulas of an item. Runs none when the budget is already exceeded. */
export function computeWithinBudget(
  budget: ComputeBudget,
  compiled: CompiledCollection,
  data: Data,
  now: number,
): ComputedResult {
  const errors = formulaBudgetErrors(budget);
  if (errors.length > 0) return { ...emptyComputation, errors };
  const { steps, ...computed } = computeData(compiled, data, now);
  budget.formulaBudget.stepsLeft -= steps;
  return { ...computed, errors: formulaBudgetErrors(budget) };
}
