import { viewOf, type CollectionAccess } from "#domain/data/narrow.ts";
import { partBytes, type PartSizes } from "#domain/item/part-limits.ts";
import { type ItemLookup, type ItemLookupResult, lookUpItems } from "#store/data/batch-read.ts";
import type { ActionContext } from "./context.ts";
import { nameFields } from "#domain/search/results.ts";
import { assertCalculated } from "./search-checks.ts";
import { seesItem } from "./sees-item.ts";

/**
 * The maximum stored data that a batch reads. A narrow caller has a separate limit of the same size for data that it
 * does not see.
 */
export const maxReadBytes = 8_000_000;

/** The named items that the caller sees. */
export interface VisibleItems extends Pick<ItemLookupResult, "items" | "owners" | "givenRowIds"> {
  /** The total sizes of all named items that the caller sees. Above a limit, `items` lacks some of them. */
  bytes: PartSizes;
}

export const exceedsReadLimit = ({ shown, hidden }: PartSizes): boolean =>
  Math.max(shown, hidden) > maxReadBytes;

/**
 * The maximum number of items that a batch may name while formulas decide which of them the caller sees. Their steps must
 * not count, because hidden items take them and missing ones do not. For 10 items, they take at most half a second.
 */
const maxRecalculatedItems = 10;

const noItems = (): VisibleItems => ({
  items: [],
  owners: [],
  givenRowIds: [],
  bytes: { shown: 0, hidden: 0 },
});

/**
 * Loads the named items that the caller sees. If possible, the statement evaluates the view, so that it does not load
 * hidden items, which may be large. Items outside a view must not make a batch too large, so for a view it looks up halves
 * of the names, down to single names.
 */
export async function lookUpVisible(
  ctx: ActionContext,
  access: CollectionAccess,
  names: ItemLookup,
): Promise<VisibleItems> {
  const db = ctx.databases.of(access.collection);
  const view = viewOf(access);
  let shownBy = view;
  const visible = noItems();
  const known = new Set<number>();
  const lookUp = async (part: ItemLookup): Promise<void> => {
    if (exceedsReadLimit(visible.bytes)) return;
    const found = await lookUpItems(db, part, {
      maxBytes: maxReadBytes,
      isNarrow: view !== null,
      shownBy,
    });
    const { items, owners, givenRowIds, totalBytes, outdated } = found;
    if (countNames(names) > maxRecalculatedItems) assertCalculated(ctx, access, outdated);
    // The stored results or search entries of these fields may be outdated or missing.
    if (shownBy && nameFields(shownBy.collection, shownBy.conditions, outdated)) {
      shownBy = null;
      return lookUp(part);
    }
    if (access.extent === "whole") {
      const bytes = { shown: totalBytes, hidden: 0 };
      Object.assign(visible, { items, owners, givenRowIds, bytes });
      return;
    }
    if (totalBytes > maxReadBytes && countNames(part) > 1) {
      for (const half of halvesOf(part)) await lookUp(half);
      return;
    }
    visible.owners.push(...owners);
    visible.givenRowIds.push(...givenRowIds);
    for (const item of items) {
      if (known.has(item.number) || !seesItem(ctx, access, item, outdated)) continue;
      known.add(item.number);
      visible.items.push(item);
      const { shown, hidden } = partBytes(access, item.data);
      visible.bytes.shown += shown;
      visible.bytes.hidden += hidden;
    }
  };
  await lookUp(names);
  return visible;
}

const countNames = ({ ids, receipts, uniqueValues, rowIds }: ItemLookup): number =>
  ids.length + receipts.length + uniqueValues.length + rowIds.length;

const half = <Name>(names: readonly Name[], parity: number) =>
  names.filter((_, index) => index % 2 === parity);

function halvesOf({ ids, receipts, uniqueValues, rowIds }: ItemLookup): ItemLookup[] {
  // Takes alternate entries of each list, so that two lists with a single name each are also split.
  return [0, 1].map((parity) => ({
    ids: half(ids, parity),
    receipts: half(receipts, 1 - parity),
    uniqueValues: half(uniqueValues, ids.length % 2 === 0 ? parity : 1 - parity),
    rowIds: half(rowIds, parity),
  }));
}
