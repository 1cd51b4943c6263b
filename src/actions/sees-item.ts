import { isNarrow } from "#domain/credential/credential.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import { recalculate } from "#domain/formula/recalculate.ts";
import type { Item } from "#domain/item/item.ts";
import { ItemMatcher, type MatchedItem } from "#domain/search/matches.ts";
import { useResults } from "#domain/search/results.ts";
import { findViewBound } from "#domain/search/view-bound.ts";
import type { ReadContext } from "./context.ts";

/** 1 for a caller that sees views. Statements then read additional data. */
export const narrowFlag = ({ resources }: Pick<ReadContext, "resources">): 0 | 1 =>
  isNarrow(resources) ? 1 : 0;

/**
 * Whether the conditions of the caller's view use results that are being recalculated. Stored results may come from
 * former formulas, so they must not decide what the caller sees. `outdated` are the ids of the fields.
 */
export const dependsOnOutdated = (access: CollectionAccess, outdated: readonly number[]): boolean =>
  access.extent === "narrow" && useResults(access.whole.collection, access.conditions, outdated);

/** Whether an item with its current results is in the caller's view. */
export const isInView = (
  access: CollectionAccess,
  item: MatchedItem,
  matcher = new ItemMatcher(item),
): boolean =>
  access.extent === "whole" ||
  (matcher.fits(findViewBound(access.conditions), access.parts.shown) &&
    matcher.matches(access.conditions));

/** Whether the caller sees an item. Evaluates the current formulas instead of using stored results. */
export function seesItem(
  { now }: Pick<ReadContext, "now">,
  access: CollectionAccess,
  item: Item,
  outdated: readonly number[],
): boolean {
  if (access.extent === "whole") return true;
  const data = dependsOnOutdated(access, outdated)
    ? recalculate(access.whole, item.data, now()).after
    : item.data;
  return isInView(access, { ...item, data });
}
