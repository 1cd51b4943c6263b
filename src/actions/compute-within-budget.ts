import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { Data, Warning } from "#domain/data/values.ts";
import {
  computeData,
  computeNarrow,
  formulaBudgetErrors,
  spendFormulaSteps,
  type ComputeBudget,
} from "#domain/formula/compute.ts";
import type { FieldError } from "#domain/problem/problem.ts";

interface ComputedResult {
  data: Data;
  warnings: Warning[];
  errors: FieldError[];
}

export const emptyComputation: ComputedResult = { data: {}, warnings: [], errors: [] };

/**
 * Runs the formulas of an item. Runs none when the budget is already exceeded. Operations on the same data share one
 * run. Each of them counts the steps of that run.
 */
export function computeWithinBudget(
  budget: ComputeBudget,
  access: CollectionAccess,
  data: Data,
  now: number,
): ComputedResult {
  const errors = formulaBudgetErrors(budget);
  if (errors.length > 0) return { ...emptyComputation, errors };
  const compute = () =>
    access.extent === "whole" ? computeData(access, data, now) : computeNarrow(access, data, now);
  const computed = budget.computations.get(data) ?? compute();
  budget.computations.set(data, computed);
  spendFormulaSteps(budget, computed);
  return { data: computed.data, warnings: computed.warnings, errors: formulaBudgetErrors(budget) };
}
