import { type CollectionDatabase } from "#store/db/database.ts";
import type { CursorPosition } from "#domain/cursor.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { gatherLeaves, rowLeaves, type Search } from "#domain/search/tree.ts";
import { tooHeavyMessage } from "./cost.ts";
import { narrowBudget, pageBudget } from "./budget.ts";
import { problem } from "#domain/problem/problem.ts";
import { choosePlan, chooseScan, needsSizes, emptyProbe, probeSizes, type Plan } from "./plan.ts";
import { resolveStart } from "./ranges.ts";
import { lacksRecords } from "./included.ts";
import { firstNames, includedFor, namesInOrder, type RecordName } from "./included-in-order.ts";
import { loadPage, type PageExtras, type SearchPage } from "./page.ts";

/**
 * The search cannot run: sorting by several keys would take too many items or bytes, or one item is too large for the
 * conditions.
 */
export interface SearchTooLarge {
  exceeded: "items" | "bytes" | "item";
}

/**
 * Finds at most `rows` matches after a position, in the order of the search. The page takes one round trip. Planning
 * and reloading truncated cursor texts may take one before it. A page that is too heavy to sort, or that refers to more
 * records than fit, takes another.
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
  const load = (chosen: Plan) => async (names: PageExtras["names"]) => {
    const options = { ...extras, names: names ?? null };
    if (!isTooLongFor(chosen, search) || start?.values[0] === null)
      return loadPage(db, chosen, scan, rows, options);
    const page = await loadPage(db, { ...chosen, includesEmpty: false }, scan, rows, options);
    const isEnd = page.edge === null && page.hits.length < rows;
    return isEnd ? { ...page, edge: [null, itemNumberRange(db.collectionId).above] } : page;
  };
  try {
    const page = await load(plan)(null);
    if (!page.isHeavy) return await withFittingRecords(page, load(plan), rows, extras);
    // With at most one sort key, a scan returns the same page without sorting.
    if (search.sort.length > 1) return { exceeded: "bytes" };
    const loadScan = load(chooseScan(search, []));
    return await withFittingRecords(await loadScan(null), loadScan, rows, extras);
  } catch (error) {
    if (String(error).includes(tooHeavyMessage)) return { exceeded: "item" };
    throw error;
  }
}

/** With more conditions, one statement for both scans of a sort would be too long, because it repeats the view. */
const maxConditionsOfBothScans = 40;

/** Whether a page needs another statement for the items without a value in the sort field. */
function isTooLongFor(plan: Plan, search: Search): plan is Extract<Plan, { scan: "sort" }> {
  if (plan.scan !== "sort" || !plan.includesEmpty || !search.shownBy) return false;
  const { leaves } = gatherLeaves(search.conditions);
  const inRows = leaves.reduce((sum, leaf) => sum + rowLeaves(leaf).length, 0);
  return leaves.length + inRows > maxConditionsOfBothScans;
}

/** The maximum number of reads of a page whose first item changes concurrently. */
const maxAttempts = 5;

/**
 * Returns the page with the records of its first items, if not all records fit. Reads the page again together with the
 * records, so that both show the same moment. The last of its `rows` only shows that another page follows.
 */
async function withFittingRecords(
  firstPage: SearchPage,
  load: (names: RecordName[]) => Promise<SearchPage>,
  rows: number,
  { expanded = [] }: PageExtras,
): Promise<SearchPage> {
  const itemsOf = (page: SearchPage) => page.hits.slice(0, rows - 1).map(({ item }) => item);
  if (!lacksRecords(firstPage.included, itemsOf(firstPage), expanded)) return firstPage;
  let items = itemsOf(firstPage);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const names = firstNames(namesInOrder(items, expanded), expanded);
    const page = await load(names);
    const [previousFirst] = items;
    items = itemsOf(page);
    const included = includedFor(items, expanded, names, page.included);
    const [first] = items;
    const isSameFirst =
      first?.id === previousFirst?.id && first?.version === previousFirst?.version;
    if (!page.isHeavy && (isSameFirst || included.overflow !== 1)) return { ...page, included };
  }
  throw problem.tryAgain();
}
