import type { CursorPosition, FullPosition } from "#domain/cursor.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { fieldNumber, presentData } from "#domain/data/values.ts";
import { countFittingItems, buildItemView, type ItemView } from "#domain/item/item.ts";
import { problem, Problem } from "#domain/problem/problem.ts";
import { parseSearch } from "#domain/search/parse.ts";
import { parseTextSearch } from "#domain/search/text.ts";
import { referencedFields, type Search } from "#domain/search/tree.ts";
import type { MatchCount, CollectionStatus, TextPrefixes } from "#store/data/search/count.ts";
import { cachedStamps } from "#store/data/definition-head.ts";
import { findPage, type SearchTooLarge } from "#store/data/search/find-page.ts";
import { maxKeyEntryBytes, maxKeyItemBytes, maxPageBytes } from "#store/data/search/cost.ts";
import { maxSortedItems } from "#store/data/search/plan.ts";
import type { SearchPage, UnindexedFields } from "#store/data/search/page.ts";
import type { ReadContext, ActionContext } from "./context.ts";
import { resumeBackfill } from "./backfill.ts";
import {
  confirmCollection,
  collectionRef,
  forgetCollection,
  loadCollectionOfHead,
} from "./collection-cache.ts";
import {
  loadCurrentCollection,
  type CountedCollection,
  prepareItem,
  buildDraft,
  duplicateProblem,
  assertAccepting,
  assertTypeStable,
} from "./create-item.ts";
import { retryOnConflict } from "./idempotent.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { listItems } from "#store/data/items.ts";
import { findItemConflicts } from "#store/data/item-ranges.ts";

export interface ItemQuery {
  /** A search in the API's format. */
  body: unknown;
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
  compiled: CompiledCollection;
  /** The status of the collection, if requested. */
  status: CollectionStatus | null;
}

/** Returns a page of matching items, newest first unless the search sorts them. */
export async function queryItems(
  ctx: ReadContext,
  cached: CompiledCollection,
  query: ItemQuery,
  after: CursorPosition | null,
  limit?: number,
): Promise<QueryPage> {
  let compiled = cached;
  return retryOnConflict(ctx, async () => {
    const { collection } = compiled;
    const parsed = await parseOrReload(ctx, compiled, query);
    if ("compiled" in parsed) {
      ({ compiled } = parsed);
      return undefined;
    }
    const { search, prefixes } = parsed;
    const rows = limit ?? search.limit;
    const isNewestFirst = search.sort.length === 0 && search.order === "desc";
    const wantsPrefixMatches = query.isForPeople && after === null && isNewestFirst;
    const options = {
      withCount: query.isForPeople ?? false,
      withStatus: query.withStatus ?? false,
      prefixes: wantsPrefixMatches ? prefixes : null,
      stamps: cachedStamps([collection]),
      values: search.unknownOptions.map(({ field, value }) => [field.number, value] as const),
    };
    const db = ctx.databases.of(collection);
    const page = await findPage(db, search, after, rows + 1, options).catch(
      async (error: unknown) => {
        // The key may belong to another collection now.
        const current = isNotFound(error) && (await loadCurrentCollection(ctx, compiled));
        if (!current || current.compiled.collection.id === collection.id) throw error;
        ({ compiled } = current);
      },
    );
    if (!page) return undefined;
    if ("exceeded" in page) throw tooComplexProblem(page);
    compiled = confirmCollection(ctx, compiled, page.head);
    if (page.head.freshDefinition) return undefined;
    assertIndexed(ctx, collection.id, search, page.unindexed);
    assertOptions(search, page.missingValues);
    return buildPage(compiled, search, page, rows);
  });
}

const isNotFound = (error: unknown) => error instanceof Problem && error.code === "not_found";

interface ParsedQuery {
  search: Search;
  prefixes: TextPrefixes | null;
}

/** Parses the query. If that fails and the definition has changed, returns the current collection instead. */
async function parseOrReload(
  ctx: ReadContext,
  compiled: CompiledCollection,
  query: ItemQuery,
): Promise<ParsedQuery | CountedCollection> {
  try {
    return parseItemQuery(compiled, query);
  } catch (error) {
    const current = await loadCurrentCollection(ctx, compiled);
    if (current.compiled === compiled) throw error;
    return current;
  }
}

/** Throws a problem when the query is invalid for this definition. */
export function validateSearch(cached: CompiledCollection, query: ItemQuery): void {
  parseItemQuery(cached, query);
}

function parseItemQuery(
  { collection }: CompiledCollection,
  { body, text = "" }: ItemQuery,
): ParsedQuery {
  const search = parseSearch(collection, body);
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
  collectionId: number,
  search: Search,
  { ids, ...progress }: UnindexedFields,
): void {
  const numbers = new Set(ids.map((id) => fieldNumber(collectionId, id)));
  const unindexedFields = referencedFields(search).filter(({ number }) => numbers.has(number));
  if (unindexedFields.length === 0) return;
  resumeBackfill(ctx);
  throw problem.indexing([...new Set(unindexedFields.map(({ name }) => name))], progress);
}

/** Rejects operands that no item has and that are neither current nor former options of their fields. */
function assertOptions({ unknownOptions }: Search, missingValues: readonly number[]): void {
  const errors = missingValues.flatMap((index) => unknownOptions[index]?.error ?? []);
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
  compiled: CompiledCollection,
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
  cached: CompiledCollection,
  body: unknown,
  after: CursorPosition | null,
  limit?: number,
): Promise<Pick<QueryPage, "views" | "nextPosition" | "compiled">> {
  return queryItems(ctx, cached, { body }, after, limit);
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
  const ref = collectionRef(ctx.memory, kind, key);
  const query = { ...ref, after, limit: limit + 1, maxBytes: maxPageBytes };
  const result = await listItems(ctx.databases.named(kind, key), query);
  if (!result) {
    if (ref.id === null) throw problem.notFound();
    // The cached collection is deleted. The key may belong to another one now.
    forgetCollection(ctx.memory, ref.id);
    return listItemViews(ctx, kind, key, after, limit);
  }
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
  cached: CompiledCollection,
  body: unknown,
): Promise<Pick<ItemView, "key" | "status" | "data" | "warnings">> {
  const current = await loadCurrentCollection(ctx, cached);
  assertAccepting(current, ctx.now());
  const { compiled } = current;
  const draft = buildDraft(compiled, body, ctx.now());
  if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
  const { status, data, warnings } = draft;
  assertTypeStable(compiled.collection, data);
  const { uniqueValues } = prepareItem(ctx, compiled, draft).item;
  const db = ctx.databases.of(compiled.collection);
  const conflicts = uniqueValues.length > 0 ? await findItemConflicts(db, uniqueValues, null) : [];
  if (conflicts.length > 0) throw duplicateProblem(ctx, compiled, conflicts);
  return { key: compiled.collection.key, status, data: presentData(compiled, data), warnings };
}
