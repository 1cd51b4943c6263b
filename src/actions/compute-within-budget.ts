import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { Data, Warning } from "#domain/data/values.ts";
import {
  computeData,
  computeNarrow,
  formulaBudgetErrors,
  type ComputeBudget,
} from "#domain/formula/compute.ts";
import { withoutOversizedResults } from "#domain/item/part-limits.ts";
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
  access: CollectionAccess,
  data: Data,
  now: number,
): ComputedResult {
  const errors = formulaBudgetErrors(budget);
  if (errors.length > 0) return { ...emptyComputation, errors };
  const { steps, ...computed } = compute(access, data, now);
  budget.formulaBudget.stepsLeft -= steps;
  return { ...computed, errors: formulaBudgetErrors(budget) };
}

function compute(access: CollectionAccess, data: Data, now: number) {
  if (access.extent === "whole") return computeData(access, data, now);
  const computed = computeNarrow(access, data, now);
  return { ...computed, data: withoutOversizedResults(access, computed.data) };
}
