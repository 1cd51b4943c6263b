import type { Position } from "#domain/cursor.ts";
import type { Search } from "#domain/search/tree.ts";
import { scanBudget, tooHeavy } from "./cost.ts";
import { choosePlan, chooseWalk, isWeighed, nothingProbed, probeSizes } from "./plan.ts";
import { resolveStart } from "./ranges.ts";
import { readPage, type Besides, type Page } from "./page.ts";

/**
 * What a second sort key would have to sort at once is too much: so many items, or so large ones. Or a single item is
 * too large for so many conditions.
 */
export interface TooMuch {
  tooMuch: "items" | "bytes" | "item";
}

/**
 * At most `rows` items that match, in the order of the search, behind a position. At most two round trips: one to plan
 * and to read the texts that a cursor cut, where that is needed, and one for the page.
 */
export async function findPage(
  db: D1Database,
  collectionId: number,
  search: Search,
  after: Position | null,
  rows: number,
  besides: Besides = {},
): Promise<Page | TooMuch> {
  const [{ sizes, whole }, start] = await Promise.all([
    isWeighed(search) ? probeSizes(db, collectionId, search) : nothingProbed,
    after && resolveStart(db, search.sort, after),
  ]);
  const plan = choosePlan(search, sizes, whole);
  if (!plan) return { tooMuch: "items" };
  const walk = { collectionId, search, start, budget: scanBudget };
  try {
    const page = await readPage(db, plan, walk, rows, besides);
    if (!page.heavy) return page;
    // What is too much to be sorted can still be walked, where there is one order at the most.
    if (search.sort.length > 1) return { tooMuch: "bytes" };
    return await readPage(db, chooseWalk(search, []), walk, rows, besides);
  } catch (error) {
    if (String(error).includes(tooHeavy)) return { tooMuch: "item" };
    throw error;
  }
}
