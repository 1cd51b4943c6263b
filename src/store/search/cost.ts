import type { Driver } from "../../domain/search/plan";
import type { Condition, Leaf } from "../../domain/search/tree";

/**
 * Rows that a page may read before it ends early: some 10 ms of D1's time, so that no search holds up the others,
 * and far above what a page of 200 needs where an index serves it.
 */
export const scanBudget = 10_000;

/** How many candidates the budget allows; one at the least, so that every page gets on. */
export function windowOf(budget: number, rowsPerCandidate: number): number {
  return Math.max(1, Math.floor(budget / rowsPerCandidate));
}

/** An entry, the same again to find the edge, and the item; few items are fetched where probes go before. */
export function perCandidate(probes: readonly Driver[], conditions: readonly Condition[]): number {
  return 2 + (probes.length > 0 ? 0.4 : 1) + lookUps(conditions);
}

/** Look-ups of folded text that judging one item can take; a row of line items counts as five. */
export function lookUps(conditions: readonly Condition[], weight = 1): number {
  return conditions.reduce((sum, each) => {
    if ("all" in each) return sum + lookUps(each.all, weight);
    if ("any" in each) return sum + lookUps(each.any, weight);
    if ("not" in each) return sum + lookUps([each.not], weight);
    return sum + leafLookUps(each, weight);
  }, 0);
}

function leafLookUps({ op, value }: Leaf, weight: number): number {
  if (op === "any" || op === "none") return lookUps([value], weight * 5);
  return op === "contains" || op === "starts_with" ? weight : 0;
}
