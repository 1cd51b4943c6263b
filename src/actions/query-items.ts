import type { CursorPosition, FullPosition } from "#domain/cursor.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { conditionsOf, wholeOf, type ReachedCollection } from "#domain/data/narrow.ts";
import { fieldNumber, presentData } from "#domain/data/values.ts";
import { countFittingItems, buildItemView, type ItemView } from "#domain/item/item.ts";
import { problem, type Problem } from "#domain/problem/problem.ts";
import { parseSearch } from "#domain/search/parse.ts";
import { findView, hasSort, inView } from "#domain/search/view.ts";
import { parseTextSearch } from "#domain/search/text.ts";
import { referencedFields, type Search } from "#domain/search/tree.ts";
import type { MatchCount, CollectionStatus, TextPrefixes } from "#store/data/search/count.ts";
import { cachedStamps } from "#store/data/definition-head.ts";
import { findPage, type SearchTooLarge } from "#store/data/search/find-page.ts";
import { maxKeyEntryBytes, maxKeyItemBytes, maxPageBytes } from "#store/data/search/cost.ts";
import { maxSortedItems } from "#store/data/search/plan.ts";
import type { SearchPage, UnindexedFields } from "#store/data/search/page.ts";
import type { ReadContext, ActionContext } from "./context.ts";
import { reach, type Caller } from "./reach.ts";
import { resumeBackfill } from "./backfill.ts";
import { confirmCollection, collectionRef, loadCollectionOfHead } from "./collection-cache.ts";
import {
  loadCurrentCollection,
  type CountedCollection,
  prepareItem,
  buildDraft,
  duplicateProblem,
  assertAccepting,
  assertTypeStable,
  storeItem,
} from "./create-item.ts";
import { retryOnConflict } from "./idempotent.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { listItems } from "#store/data/items.ts";
import { findItemConflicts } from "#store/data/item-ranges.ts";

export interface ItemQuery {
  /** A search in the API's format. */
  body: unknown;
  /** The key of a view. Its conditions apply too, and its sort and fields where the search has none. */
  view?: string | undefined;
  /** The order by number where nothing sorts. */
  order?: "asc" | "desc";
  /** Words to find in an item's texts, id or receipt number; empty for no text search. */
  text?: string;
  /** Whether people see the result. The query then counts all matches and finds prefix matches. */
  isForPeople?: boolean;
  /** Whether to return the status of the collection. */
  withStatus?: boolean;
}

export interface QueryPage {
  views: ItemView[];
  /** The position after which the next page starts; null at the end. Even an empty page can have one. */
  nextPosition: FullPosition | null;
  /** Items with a value that begins with the text, on an unsorted first page. `views` omits them. */
  prefixMatches: ItemView[];
  /** The count of all matches, if requested. */
  count: MatchCount | null;
  /** The collection by which the items are presented. */
  compiled: ReachedCollection;
  /** The status of the collection, if requested. */
  status: CollectionStatus | null;
}

/** Returns a page of matching items, newest first unless the search sorts them. */
export async function queryItems(
  ctx: ReadContext,
  cached: ReachedCollection,
  query: ItemQuery,
  after: CursorPosition | null,
  limit?: number,
): Promise<QueryPage> {
  let reached = cached;
  return retryOnConflict(ctx, async () => {
    const { collection } = reached;
    const parsed = await parseOrReload(ctx, reached, query);
    if ("reach" in parsed) {
      reached = parsed;
      return undefined;
    }
    const { search, prefixes } = parsed;
    const rows = limit ?? search.limit;
    const isNewestFirst = search.sort.length === 0 && search.order === "desc";
    const wantsPrefixMatches = query.isForPeople && after === null && isNewestFirst;
    const page = await findPage(ctx.databases.of(collection), search, after, rows + 1, {
      withCount: query.isForPeople ?? false,
      withStatus: query.withStatus ?? false,
      prefixes: wantsPrefixMatches ? prefixes : null,
      stamps: cachedStamps([collection]),
      // Whether hidden items have a value is none of a narrow caller's business.
      values:
        reached.reach === "narrow"
          ? []
          : search.unknownOptions.map(({ field, value }) => [field.number, value] as const),
    });
    if ("exceeded" in page) throw tooComplexProblem(page);
    reached = reach(ctx, confirmCollection(ctx, wholeOf(reached), page.head));
    if (page.head.freshDefinition) return undefined;
    assertIndexed(ctx, reached, search, page.unindexed);
    assertOptions(search, page.missingValues);
    return buildPage(reached, search, page, rows);
  });
}

interface ParsedQuery {
  search: Search;
  prefixes: TextPrefixes | null;
}

/** Parses the query. If that fails and the definition has changed, returns the current collection instead. */
async function parseOrReload(
  ctx: ReadContext,
  reached: ReachedCollection,
  query: ItemQuery,
): Promise<ParsedQuery | ReachedCollection> {
  try {
    return parseItemQuery(ctx, reached, query);
  } catch (error) {
    const current = await loadCurrentCollection(ctx, reached);
    if (current.compiled === wholeOf(reached)) throw error;
    return reach(ctx, current.compiled);
  }
}

/** Throws a problem when the query is invalid for this definition. */
export function validateSearch(
  ctx: Caller,
  cached: ReachedCollection,
  query: ItemQuery,
): void {
  parseItemQuery(ctx, cached, query);
}

function parseItemQuery(
  { actor }: Caller,
  reached: ReachedCollection,
  { body, view, order, text = "" }: ItemQuery,
): ParsedQuery {
  const { collection } = reached;
  const viewed = inView(collection, parseSearch(collection, body, actor), body, view, actor);
  const isSorted = hasSort(body) || (view !== undefined && hasSort(findView(collection, view)));
  const search: Search = {
    ...viewed,
    conditions: [...conditionsOf(reached), ...viewed.conditions],
    ...(order && !isSorted ? { order } : {}),
  };
  if (reached.reach === "narrow") assertKnownOptions(search);
  const textSearch = parseTextSearch(collection, text);
  if (!textSearch) return { search, prefixes: null };
  const conditions = [...search.conditions, ...textSearch.words];
  return { search: { ...search, conditions }, prefixes: textSearch.prefixes };
}

/**
 * Rejects a search over fields that have just become searchable, because it would miss items. Recalculations replace
 * values and entries of an item together, so searches continue during these.
 */
function assertIndexed(
  ctx: ReadContext,
  reached: ReachedCollection,
  search: Search,
  { ids, ...progress }: UnindexedFields,
): void {
  const { collection, fields } = reached;
  const numbers = new Set(ids.map((id) => fieldNumber(collection.id, id)));
  const unindexedFields = referencedFields(search).filter(({ number }) => numbers.has(number));
  if (unindexedFields.length === 0) return;
  resumeBackfill(ctx);
  const names = [...new Set(unindexedFields.map(({ name }) => name))];
  if (reached.reach === "whole") throw problem.indexing(names, progress);
  // The progress counts hidden items, and the conditions of the view may name hidden fields.
  const shownNames = names.filter((name) => fields.byKey.has(name));
  throw shownNames.length === 0
    ? problem.tryAgain()
    : problem.indexing(shownNames, { done: 0, total: 0 });
}

/** Rejects operands that no item has and that are neither current nor former options of their fields. */
function assertOptions({ unknownOptions }: Search, missingValues: readonly number[]): void {
  const errors = missingValues.flatMap((index) => unknownOptions[index]?.error ?? []);
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/** For a narrow caller, the definition alone decides what is an option. */
function assertKnownOptions({ unknownOptions }: Search): void {
  const errors = unknownOptions
    .filter(({ field }) => field.options?.isComplete)
    .map(({ error }) => error);
  if (errors.length > 0) throw problem.invalidInput(errors);
}

const tooComplexReasons: Record<SearchTooLarge["exceeded"], string> = {
  item: "An item is too large for these conditions. Search for shorter texts, or remove conditions on rows.",
  items: `With more than ${maxSortedItems} items, a second sort key needs conditions that the index narrows to at most ${maxSortedItems} items.`,
  bytes: `The items to sort are too large. A second sort key needs at most ${maxKeyItemBytes / 1e6} MB of items or, with up to ${maxSortedItems} items, at most ${maxKeyEntryBytes / 1e6} MB of values in the sort fields.`,
};

function tooComplexProblem({ exceeded }: SearchTooLarge): Problem {
  const location =
    exceeded === "item"
      ? { field: "conditions", pointer: "/conditions" }
      : { field: "sort[1]", pointer: "/sort/1" };
  return problem.invalidInput([
    { ...location, code: "too_complex", reason: tooComplexReasons[exceeded] },
  ]);
}

function buildPage(
  compiled: ReachedCollection,
  { fields }: Search,
  { hits, edge, count, prefixMatches, status }: SearchPage,
  rows: number,
): QueryPage {
  const items = hits.map(({ item }) => item);
  const pageHits = hits.slice(0, Math.min(rows, countFittingItems(items, compiled)));
  const hasMoreHits = hits.length > pageHits.length;
  const fittingMatches = prefixMatches.slice(0, countFittingItems(prefixMatches, compiled));
  const prefixMatchNumbers = new Set(fittingMatches.map(({ number }) => number));
  const otherHits = pageHits.filter(({ item }) => !prefixMatchNumbers.has(item.number));
  // An inexact count can miss prefix matches, so it is at least the number of items on the page.
  const pageSize = prefixMatchNumbers.size + otherHits.length;
  return {
    compiled,
    status,
    views: otherHits.map(({ item }) => pickFields(buildItemView(item, compiled), fields)),
    nextPosition: hasMoreHits ? (pageHits.at(-1)?.position ?? null) : edge,
    prefixMatches: fittingMatches.map((item) => pickFields(buildItemView(item, compiled), fields)),
    count: count && (count.exact ? count : { ...count, count: Math.max(count.count, pageSize) }),
  };
}

function pickFields(view: ItemView, fields: string[] | null): ItemView {
  if (!fields) return view;
  const { data } = view;
  const keys = fields.filter((key) => Object.hasOwn(data, key));
  return { ...view, data: Object.fromEntries(keys.map((key) => [key, data[key]])) };
}

/** Returns a page of items that match a search from the API. */
export async function searchItems(
  ctx: ReadContext,
  cached: ReachedCollection,
  query: Pick<ItemQuery, "body" | "view" | "order">,
  after: CursorPosition | null,
  limit?: number,
): Promise<Pick<QueryPage, "views" | "nextPosition" | "compiled">> {
  return queryItems(ctx, cached, query, after, limit);
}

export interface ItemViewPage {
  views: ItemView[];
  /** The item number after which the next page starts; null at the end. */
  nextPosition: number | null;
  compiled: CompiledCollection;
}

/** Lists a page of a collection in stored order, presented by the definition that the same read returns. */
export async function listItemViews(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  after: number | null,
  limit: number,
): Promise<ItemViewPage> {
  const query = {
    ...collectionRef(ctx.memory, kind, key),
    after,
    limit: limit + 1,
    maxBytes: maxPageBytes,
  };
  const result = await listItems(ctx.databases.named(kind, key), query);
  if (!result) throw problem.notFound();
  const { items, isTruncated, head } = result;
  const compiled = await loadCollectionOfHead(ctx, head);
  const page = items.slice(0, Math.min(limit, countFittingItems(items, compiled)));
  const last = page.at(-1);
  return {
    views: page.map((item) => buildItemView(item, compiled)),
    nextPosition: (isTruncated || items.length > page.length) && last ? last.number : null,
    compiled,
  };
}

/** Runs all checks of a create without storing anything. Throws the same problems as the create. */
export async function validateItem(
  ctx: ActionContext,
  cached: ReachedCollection,
  body: unknown,
): Promise<Pick<ItemView, "key" | "status" | "data" | "warnings">> {
  const current = await loadCurrentCollection(ctx, cached);
  assertAccepting(current, ctx.now());
  const compiled = reach(ctx, current.compiled);
  const draft = buildDraft(compiled, body, ctx.now());
  if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
  const { status, data, warnings } = draft;
  assertTypeStable(compiled, data);
  const { item } = prepareItem(ctx, compiled, draft);
  // Only the database can tell whether the item would be in the view, so it stores the item and takes that back.
  if (compiled.reach === "narrow") await storeItem(ctx, compiled, item, null, true);
  const { uniqueValues } = item;
  const db = ctx.databases.of(compiled.collection);
  const conflicts = uniqueValues.length > 0 ? await findItemConflicts(db, uniqueValues, null) : [];
  if (conflicts.length > 0) throw await duplicateProblem(ctx, compiled, conflicts);
  return { key: compiled.collection.key, status, data: presentData(compiled, data), warnings };
}
