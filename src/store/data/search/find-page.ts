import { type CollectionDatabase } from "#store/db/database.ts";
import type { CursorPosition } from "#domain/cursor.ts";
import type { Search } from "#domain/search/tree.ts";
import { tooHeavyMessage } from "./cost.ts";
import { narrowBudget, pageBudget } from "./budget.ts";
import { choosePlan, chooseScan, needsSizes, emptyProbe, probeSizes } from "./plan.ts";
import { resolveStart } from "./ranges.ts";
import { lacksRecords } from "./included.ts";
import { loadPage, type PageExtras, type SearchPage } from "./page.ts";

/**
 * The search cannot run. Sorting by several keys would take too many items or bytes, or one item is too large
 * for the conditions.
 */
export interface SearchTooLarge {
  exceeded: "items" | "bytes" | "item";
}

/**
 * Finds at most `rows` matches after a position, in the order of the search. The page takes one round trip. Planning and
 * reloading truncated cursor texts may take one before it. A page too heavy to sort, and one that refers to more records
 * than fit, take another.
 */
export async function findPage(
  db: CollectionDatabase,
  search: Search,
  after: CursorPosition | null,
  rows: number,
  extras: PageExtras = {},
  budget = search.shownBy ? narrowBudget : pageBudget,
): Promise<SearchPage | SearchTooLarge> {
  const [{ sizes, collectionSize }, start] = await Promise.all([
    needsSizes(search) ? probeSizes(db, search) : emptyProbe,
    after && resolveStart(db, search, after),
  ]);
  const plan = choosePlan(search, sizes, collectionSize);
  if (!plan) return { exceeded: "items" };
  const scan = { search, start, budget };
  try {
    const page = await loadPage(db, plan, scan, rows, extras);
    if (!page.isHeavy) {
      const items = page.hits.map(({ item }) => item);
      if (!lacksRecords(page.included, items, extras.expanded ?? [])) return page;
      return await loadPage(db, plan, scan, rows, { ...extras, ordersIncluded: true });
    }
    // With at most one sort key, a scan returns the same page without sorting.
    if (search.sort.length > 1) return { exceeded: "bytes" };
    const ordersIncluded = (extras.expanded ?? []).length > 0;
    return await loadPage(db, chooseScan(search, []), scan, rows, { ...extras, ordersIncluded });
  } catch (error) {
    if (String(error).includes(tooHeavyMessage)) return { exceeded: "item" };
    throw error;
  }
}
