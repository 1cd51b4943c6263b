import type { Position } from "../../domain/cursor";
import type { Search } from "../../domain/search/tree";
import { scanBudget } from "./cost";
import { choosePlan, chooseProbes } from "./plan";
import { nothingProbed, probeSizes } from "./probe";
import { readPage, type Page } from "./read-page";
import { resolveStart } from "./start";

/** What a second sort key would have to sort at once is too much: so many items, or so large ones. */
export interface TooMuch {
  tooMuch: "items" | "bytes";
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
): Promise<Page | TooMuch> {
  const { drivers, upTo } = chooseProbes(search);
  const probing = drivers.length > 0 || search.sort.length > 1;
  const [{ sizes, whole }, start] = await Promise.all([
    probing ? probeSizes(db, collectionId, drivers, upTo) : nothingProbed,
    after && resolveStart(db, search.sort, after),
  ]);
  const plan = choosePlan(search, sizes, whole);
  if (!plan) return { tooMuch: "items" };
  const page = await readPage(db, plan, { collectionId, search, start, budget: scanBudget }, rows);
  return page.heavy ? { tooMuch: "bytes" } : page;
}
