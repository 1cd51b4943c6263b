import { mostMatchSteps, type MatchBudget } from "#domain/pattern/pattern.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";

/** What judging may still take: of one item, or of all the items of a batch together. */
export interface Effort {
  matching: MatchBudget;
  /** Steps of formulas; what one item may take is bounded besides. */
  formulas: { steps: number };
}

export const effortOfItem = (): Effort => ({
  matching: { steps: mostMatchSteps },
  formulas: { steps: Infinity },
});

const mostFormulaSteps = 1_000_000;

/** As much matching as one item may take, and twice its formulas. */
export const effortOfBatch = (): Effort => ({
  matching: { steps: mostMatchSteps },
  formulas: { steps: mostFormulaSteps },
});

/** How much of a batch's effort was spent: all of it is 1, and a little more where it did not suffice. */
export function spentOfBatch({ matching, formulas }: Effort): number {
  return Math.max(1 - matching.steps / mostMatchSteps, 1 - formulas.steps / mostFormulaSteps);
}

/** Where no steps are left for formulas, says so. */
export function spentFormulas({ formulas }: Effort): FieldError[] {
  if (formulas.steps >= 0) return [];
  const reason =
    "The formulas of these operations take too much together: send fewer in one batch.";
  return [errorAt(["data"], "too_complex", reason)];
}
