import { conditionsOf, type CollectionAccess } from "#domain/data/narrow.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import type { Search } from "#domain/search/tree.ts";
import { cachedStampsJson } from "#store/data/definition-head.ts";
import { deepBudget, maxKeyEntryBytes, maxKeyItemBytes } from "#store/data/search/budget.ts";
import { findPage, type SearchTooLarge } from "#store/data/search/find-page.ts";
import { joinIncluded } from "#store/data/search/included.ts";
import type { SearchPage } from "#store/data/search/page.ts";
import { maxSortedItems } from "#store/data/search/plan.ts";
import type { ReadContext } from "./context.ts";
import type { ReadableApps } from "./search-targets.ts";

/**
 * Whether an early end of a page would reveal values of hidden items, because it depends on how many hidden items have
 * a value or come first. A narrow caller could compare them with its own items.
 */
const endsWouldTell = (access: CollectionAccess, { sort, conditions }: Search): boolean =>
  access.extent === "narrow" &&
  (sort.length > 0 || conditions.length > conditionsOf(access).length);

/** A search that continues reads about 100,000 index entries, unless the database is slow. */
const maxDeepStatements = 4;
const maxDeepMs = 2000;

interface FilledSearch {
  query: { fillsPage?: boolean };
  search: Search;
  rows: number;
  apps: ReadableApps;
}

/** Continues a search that ended before its page was full. Returns undefined if a definition that it uses changed meanwhile. */
export async function fillPage(
  ctx: ReadContext,
  access: CollectionAccess,
  { query, search, rows, apps }: FilledSearch,
  firstPage: SearchPage,
): Promise<SearchPage | undefined> {
  if (!query.fillsPage && !endsWouldTell(access, search)) return firstPage;
  const { collection } = access;
  const db = ctx.databases.of(collection);
  const end = ctx.now() + maxDeepMs;
  const extras = {
    stamps: cachedStampsJson([collection]),
    targets: apps.pageTargets,
    expanded: apps.expanded(search),
  };
  let page = firstPage;
  for (let count = 0; count < maxDeepStatements && ctx.now() < end; count += 1) {
    const missingRows = rows + 1 - page.hits.length;
    if (page.edge === null || page.room === null || missingRows <= 0) break;
    const budget = { ...deepBudget, room: page.room };
    const more = await findPage(db, search, page.edge, missingRows, extras, budget);
    if ("exceeded" in more) throw tooComplexProblem(more);
    const hasOutdatedTarget = apps.confirm(ctx, more.targetHeads);
    if (more.head.freshCollection || hasOutdatedTarget) return undefined;
    page = {
      ...page,
      hits: [...page.hits, ...more.hits],
      edge: more.edge,
      room: more.room,
      included: joinIncluded(page.included, more.included, page.hits.length),
    };
  }
  return page;
}

const tooComplexReasons: Record<SearchTooLarge["exceeded"], string> = {
  item: "An item is too large for these conditions. Search for shorter texts, or remove conditions on rows.",
  items: `Sorting by two keys needs conditions that match at most ${maxSortedItems} items in the index.`,
  bytes: `The items to sort are too large. Sorting by two keys works with at most ${maxKeyItemBytes / 1e6} MB of items. With up to ${maxSortedItems} items, it also works with at most ${maxKeyEntryBytes / 1e6} MB of values in the sort fields.`,
};

export function tooComplexProblem({ exceeded }: SearchTooLarge): Problem {
  const location =
    exceeded === "item"
      ? { field: "conditions", pointer: "/conditions" }
      : { field: "sort[1]", pointer: "/sort/1" };
  return problem.invalidInput([
    { ...location, code: "too_complex", reason: tooComplexReasons[exceeded] },
  ]);
}
