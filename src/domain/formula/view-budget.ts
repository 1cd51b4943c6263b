import type { CollectionAccess } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import type { Item } from "#domain/item/item.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import type { matchSteps } from "#domain/search/match-steps.ts";
import { formulaBudgetErrors, spendFormulaSteps, type ComputeBudget } from "./compute.ts";
import { recalculate } from "./recalculate.ts";

/**
 * Counts the steps that decide which views an item matches. Throws 422 when they exceed the budget. Values that a narrow
 * caller does not see have a separate budget.
 */
export function spendViewSteps(
  { viewBudget, hidden, isShared }: ComputeBudget,
  access: CollectionAccess,
  steps: ReturnType<typeof matchSteps>,
): void {
  const shown = access.extent === "whole" ? null : access.parts.shown;
  for (const [slot, column, count] of steps) {
    const columns = shown?.get(slot);
    const isShown =
      !shown || (shown.has(slot) && (!columns || column === null || columns.includes(column)));
    (isShown ? viewBudget : hidden.viewBudget).stepsLeft -= count;
  }
  if (Math.min(viewBudget.stepsLeft, hidden.viewBudget.stepsLeft) >= 0) return;
  const advice = isShared ? "Send fewer operations in one batch, shorten" : "Shorten";
  const reason = `The conditions of the views take too long on these values. ${advice} the texts, or remove conditions from views.`;
  throw problem.invalidInput([errorAt(["data"], "too_complex", reason)]);
}

/**
 * Returns the former state of an item with the results of the current formulas. Throws 422 when a batch has no formula
 * steps left. All steps of a narrow caller count as hidden, because it does not see which results its view lacks.
 */
export function recalculateFormer(
  access: CollectionAccess,
  item: Item,
  budget: ComputeBudget | null,
): Item {
  const assertStepsLeft = () => {
    const errors = budget ? formulaBudgetErrors(budget) : [];
    if (errors.length > 0) throw problem.invalidInput(errors);
  };
  assertStepsLeft();
  const { after, formulaSteps } = recalculate(wholeCollection(access), item.data, item.updatedAt);
  const isWhole = access.extent === "whole";
  const [steps, hiddenSteps] = isWhole ? [formulaSteps, 0] : [0, formulaSteps];
  if (budget) spendFormulaSteps(budget, { steps, hiddenSteps });
  assertStepsLeft();
  return { ...item, data: after };
}
