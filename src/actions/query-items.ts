import {
  assertPositionIn,
  type CursorPosition,
  type FullPosition,
  type NextPosition,
} from "#domain/cursor.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import {
  countItemsThatFit,
  buildItemView,
  itemNumberRange,
  type ItemView,
} from "#domain/item/item.ts";
import { Problem } from "#domain/problem/problem.ts";
import { parseSearch } from "#domain/search/parse.ts";
import { findView, hasSort, inView } from "#domain/search/view.ts";
import { parseTextSearch } from "#domain/search/text.ts";
import { referencedFields, type Search } from "#domain/search/tree.ts";
import type { MatchCount, CollectionStatus, TextPrefixes } from "#store/data/search/count.ts";
import { cachedStampsJson } from "#store/data/definition-head.ts";
import { findPage } from "#store/data/search/find-page.ts";
import type { SearchPage } from "#store/data/search/page.ts";
import type { ReadContext } from "./context.ts";
import { accessCollection, type Caller } from "./caller-access.ts";
import { askableOptions, assertIndexed, assertOptions, searchOfCaller } from "./search-checks.ts";
import {
  isSameDefinition,
  resolveCollection,
  loadCurrentCollection,
  type CountedCollection,
} from "./collection-cache.ts";
import { fillPage, tooComplexProblem } from "./fill-page.ts";
import { retryOnConflict } from "./idempotent.ts";
import {
  loadReadableApps,
  type IncludedView,
  type ReadableApps,
  type ReaderRights,
} from "./search-targets.ts";

export interface ItemQuery {
  /** A search in the API's format. */
  body: unknown;
  /** The key of a view. Its conditions apply in addition. Its sort and fields apply if the search has none. */
  view?: string | undefined;
  /** The order by number if the search does not sort. */
  order?: "asc" | "desc";
  /** The `expand` of the query string, in addition to the one in the body. */
  expand?: readonly string[] | undefined;
  /** The rights with which the search reads other apps. Without rights, it reads no other app. */
  rights?: ReaderRights | undefined;
  /** Words to find in an item's texts, id or receipt number; empty for no text search. */
  text?: string;
  /** Whether to count all matches and to find prefix matches, as pages of the administration area need. */
  isForPeople?: boolean;
  /** Whether to continue searching until the page is full, the items end, or the time is up. */
  fillsPage?: boolean;
  /** Whether to return the status of the collection. */
  withStatus?: boolean;
  /** Throws if the search must not run with this definition. */
  assertDefinition?: (collection: Collection) => void;
}

export interface QueryPage {
  views: ItemView[];
  /** The position of each view. */
  positions: FullPosition[];
  /** The records that the items refer to, for the references that the query expands. */
  included: IncludedView[];
  /** The position after which the next page starts; null at the end. Even an empty page can have one. */
  nextPosition: NextPosition | null;
  /** Set when the search ended before the page was full. `searched` is unknown for searches that a field sorts. */
  progress: { searched: number | null; total: number } | null;
  /** Items with a value that begins with the text, on an unsorted first page. `views` omits them. */
  prefixMatches: ItemView[];
  /** The count of all matches, if requested. */
  count: MatchCount | null;
  /** The definition with which `views` were built. */
  compiled: CollectionAccess;
  /** The status of the collection, if requested. */
  status: CollectionStatus | null;
}

/** Returns a page of matching items, newest first unless the search sorts them. */
export async function queryItems(
  ctx: ReadContext,
  cached: CollectionAccess,
  query: ItemQuery,
  after: CursorPosition | null,
  limit?: number,
): Promise<QueryPage> {
  let access = cached;
  return retryOnConflict(ctx, async () => {
    const { collection } = access;
    const { rights, body, expand = [] } = query;
    const apps = await loadReadableApps(ctx, rights, access, body, expand);
    const parse = () => parseItemQuery(ctx, access, query, apps);
    const parsed = await parseOrReload(ctx, access, parse, apps);
    if ("compiled" in parsed) {
      access = accessCollection(ctx, parsed.compiled);
      return undefined;
    }
    const { search, prefixes } = parsed;
    apps.assertFewConditions(search);
    const rows = limit ?? search.limit;
    const isNewestFirst = search.sort.length === 0 && search.order === "desc";
    const wantsPrefixMatches = query.isForPeople && after === null && isNewestFirst;
    const options = {
      withCount: query.isForPeople ?? false,
      withStatus: query.withStatus ?? false,
      prefixes: wantsPrefixMatches ? prefixes : null,
      stamps: cachedStampsJson([collection]),
      values: askableOptions(access, search),
      targets: apps.pageTargets,
      expanded: apps.expanded(search),
    };
    const db = ctx.databases.of(collection);
    const page = await findPage(db, search, after, rows + 1, options).catch(
      async (error: unknown) => {
        access = accessCollection(ctx, await findReplacement(ctx, access, error));
      },
    );
    if (!page) return undefined;
    if ("exceeded" in page) throw tooComplexProblem(page);
    access = accessCollection(ctx, resolveCollection(ctx, wholeCollection(access), page.head));
    const hasOutdatedTarget = apps.confirm(ctx, page.targetHeads);
    // The page is outdated, so the query repeats with the definitions that the read returned.
    if (page.head.freshCollection || hasOutdatedTarget) return undefined;
    assertPositionIn(page.head.id, after);
    assertAnswerable(ctx, access, search, page, apps);
    const filledPage = await fillPage(ctx, access, { query, search, rows, apps }, page);
    if (filledPage === undefined) return undefined;
    return buildPage(access, search, filledPage, rows, apps);
  });
}

/** Throws if the search would miss items, or if it names an option that no field ever had. */
function assertAnswerable(
  ctx: ReadContext,
  access: CollectionAccess,
  search: Search,
  page: SearchPage,
  apps: ReadableApps,
): void {
  for (const head of [page, ...page.targetHeads])
    assertIndexed(ctx, access, referencedFields(search), head.unindexed, head.head.id);
  apps.assertIndexed(ctx, page.targetHeads);
  assertOptions(search, page.missingValues);
}

/** Returns the collection that has the key now. Rethrows the error if the collection is unchanged. */
export async function findReplacement(
  ctx: ReadContext,
  access: CollectionAccess,
  error: unknown,
): Promise<CompiledCollection> {
  if (!(error instanceof Problem) || error.code !== "not_found") throw error;
  const current = await loadCurrentCollection(ctx, access);
  if (current.compiled.collection.id === access.collection.id) throw error;
  return current.compiled;
}

interface ParsedQuery {
  search: Search;
  prefixes: TextPrefixes | null;
}

/** Parses the query. If that fails and the definition has changed, returns the current collection instead. */
export async function parseOrReload<Parsed>(
  ctx: ReadContext,
  access: CollectionAccess,
  parse: () => Parsed,
  apps?: ReadableApps,
): Promise<Parsed | CountedCollection> {
  try {
    return parse();
  } catch (error) {
    const current = await loadCurrentCollection(ctx, access);
    const hasOutdatedTarget = (await apps?.reload(ctx)) ?? false;
    if (isSameDefinition(current.compiled, wholeCollection(access)) && !hasOutdatedTarget)
      throw error;
    return current;
  }
}

/** Throws a problem when the query is invalid for this definition. */
export function validateSearch(ctx: Caller, cached: CollectionAccess, query: ItemQuery): void {
  parseItemQuery(ctx, cached, query);
}

function parseItemQuery(
  { actor }: Caller,
  access: CollectionAccess,
  { body, view, order, text = "", expand, assertDefinition }: ItemQuery,
  apps?: ReadableApps,
): ParsedQuery {
  const { collection } = access;
  assertDefinition?.(collection);
  const parsed = parseSearch(collection, body, actor, { targets: apps?.targets, expand });
  const viewed = inView(collection, parsed, body, view, actor);
  const isSorted = hasSort(body) || (view !== undefined && hasSort(findView(collection, view)));
  const search = searchOfCaller(access, {
    ...viewed,
    ...(order && !isSorted ? { order } : {}),
  });
  const textSearch = parseTextSearch(collection, text);
  if (!textSearch) return { search, prefixes: null };
  const conditions = [...search.conditions, ...textSearch.words];
  return { search: { ...search, conditions }, prefixes: textSearch.prefixes };
}

/**
 * Marks the texts of the position where a page ends early, unless its item is on the page. A caller must not find out
 * whether an item that it got has changed since then, but it could never get past many others without their texts.
 */
function toNextPosition(edge: FullPosition | null, hits: SearchPage["hits"]): NextPosition | null {
  const number = edge?.at(-1);
  if (!edge || hits.some(({ item }) => item.number === number)) return edge;
  return edge.map((value) => (typeof value === "string" ? [value] : value));
}

function buildPage(
  access: CollectionAccess,
  search: Search,
  { hits, edge, count, prefixMatches, status, included }: SearchPage,
  rows: number,
  apps: ReadableApps,
): QueryPage {
  const items = hits.map(({ item }) => item);
  const fittingItems = items.slice(0, Math.min(rows, countItemsThatFit(items, access)));
  // An item that alone refers to too many records gets its own page, with the first of these records.
  const { count: pageCount, included: records } = apps.fit(fittingItems, search, included);
  const pageHits = hits.slice(0, pageCount);
  const { fields, sort, order } = search;
  const hasMoreHits = hits.length > pageHits.length;
  const fittingMatches = prefixMatches.slice(0, countItemsThatFit(prefixMatches, access));
  const prefixMatchNumbers = new Set(fittingMatches.map(({ number }) => number));
  const otherHits = pageHits.filter(({ item }) => !prefixMatchNumbers.has(item.number));
  // An inexact count can miss prefix matches, so it is at least the number of items on the page.
  const returnedCount = prefixMatchNumbers.size + otherHits.length;
  return {
    compiled: access,
    status,
    included: records,
    positions: otherHits.map(({ position }) => position),
    views: otherHits.map(({ item }) => pickFields(buildItemView(item, access), fields)),
    nextPosition: hasMoreHits
      ? (pageHits.at(-1)?.position ?? null)
      : toNextPosition(edge, pageHits),
    progress:
      hasMoreHits || edge === null || status === null
        ? null
        : {
            searched:
              sort.length > 0
                ? null
                : countSearched(wholeCollection(access), edge, order, status.itemCount),
            total: status.itemCount,
          },
    prefixMatches: fittingMatches.map((item) => pickFields(buildItemView(item, access), fields)),
    count:
      count && (count.exact ? count : { ...count, count: Math.max(count.count, returnedCount) }),
  };
}

/** Returns the approximate number of items on one side of a position in stored order. Deleted items make it inexact. */
function countSearched(
  { collection }: CompiledCollection,
  edge: FullPosition,
  order: Search["order"],
  itemCount: number,
): number {
  const sequence = Number(edge.at(-1)) - itemNumberRange(collection.id).above;
  return order === "asc" ? Math.min(sequence, itemCount) : Math.max(0, itemCount - sequence + 1);
}

function pickFields(view: ItemView, fields: string[] | null): ItemView {
  if (!fields) return view;
  const { data } = view;
  const keys = fields.filter((key) => Object.hasOwn(data, key));
  return { ...view, data: Object.fromEntries(keys.map((key) => [key, data[key]])) };
}
