import type { Context } from "hono";
import type { ReaderRights } from "#actions/search-targets.ts";
import { maxExpansions } from "#domain/search/expand.ts";
import type { ReadContext } from "#actions/context.ts";
import { requireCachedOrStoredCollection } from "#actions/collection-cache.ts";
import { queryItems, validateSearch, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import { findView } from "#domain/search/view.ts";
import { invalidCursorProblem } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv, PagePrefetch } from "#http/env.ts";
import { createCursor, openCursor } from "#http/paging.ts";
import { getStoredCollection } from "#admin/items/load-item.ts";
import { buildSearchBody, clockOf } from "./filters.ts";
import {
  assertKnownParameters,
  buildSearchParams,
  isFiltered,
  readQuery,
  type Query,
} from "./query.ts";

type AppContext = Context<AdminEnv>;
type StoredCollection = Awaited<ReturnType<typeof getStoredCollection>>;

/** A list request whose page is already loading. */
export interface ItemListPrefetch {
  query: Query;
  page: ReturnType<typeof loadItems>;
  /** Loads the current collection if the page does not provide it. */
  now: () => Promise<StoredCollection>;
}

/** Starts loading a page of a list before authentication ends. */
const prefetchItemList =
  (kind: CollectionKind): PagePrefetch<ItemListPrefetch> =>
  async (ctx, key, c) => {
    assertKnownParameters(c.req.queries());
    const query = readQuery(c.req.queries());
    let collection: Promise<StoredCollection> | undefined;
    const loadCurrent = () => (collection ??= getStoredCollection(c, kind, key));
    const page = loadItems(c, ctx, kind, key, query, loadCurrent);
    page.catch(() => undefined);
    return { query, page, now: loadCurrent };
  };

export const itemListReads = { app: prefetchItemList("app"), form: prefetchItemList("form") };

/**
 * Searches with the cached collection at once, and repeats the search if the read found it outdated. If the cached
 * collection rejects the search, the current collection decides.
 */
export async function loadItems(
  c: AppContext,
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  query: Query,
  loadCurrent: ItemListPrefetch["now"],
) {
  const cached = await requireCachedOrStoredCollection(ctx, kind, key);
  const queryFor = (compiled: CompiledCollection): ItemQuery => ({
    body: {
      ...buildSearchBody(compiled.collection, query, clockOf(c)),
      // The member may choose columns that a view omits.
      ...(query.view === undefined ? {} : { fields: allFields(compiled) }),
    },
    view: query.view,
    text: query.text,
    // Without filters, the collection's item count is the number of matches.
    isForPeople: isFiltered(query),
    fillsPage: true,
    withStatus: true,
    expand: referencesOf(compiled.collection),
    rights: memberReads,
  });
  let collection = cached;
  let itemQuery = queryFor(collection);
  if (!isSearchable(ctx, collection, itemQuery)) {
    collection = (await loadCurrent()).compiled;
    itemQuery = queryFor(collection);
    validateSearch(ctx, collection, itemQuery);
  }
  const load = (current: CompiledCollection, search: ItemQuery) =>
    loadPage(c, ctx, { kind, key, query }, current, search);
  const page = await load(collection, itemQuery);
  const { compiled } = page;
  return compiled === collection ? page : load(compiled, queryFor(compiled));
}

/** Every role may read all records. */
const memberReads: ReaderRights = { resources: "all", permissions: ["records:read"] };

const allFields = ({ collection }: CompiledCollection) =>
  collection.definition.fields.fields.map(({ key }) => key);

/** Returns the references whose titles a list shows. */
const referencesOf = ({ definition }: CompiledCollection["collection"]): string[] | undefined => {
  const references = definition.fields.fields.filter(({ type }) => type === "reference");
  const names = references.slice(0, maxExpansions).map(({ key }) => key);
  return names.length > 0 ? names : undefined;
};

function isSearchable(
  ctx: ReadContext,
  compiled: CompiledCollection,
  itemQuery: ItemQuery,
): boolean {
  try {
    validateSearch(ctx, compiled, itemQuery);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the part of a cursor's binding for the view. A change of the view's conditions or sort makes the cursor
 * invalid.
 */
function viewBinding({ collection }: CompiledCollection, { view: viewed, tab }: Query): string {
  const key = viewed ?? tab;
  const view = key === undefined ? undefined : findView(collection, key);
  return view ? JSON.stringify([view.conditions, view.sort]) : "";
}

async function loadPage(
  c: AppContext,
  ctx: ReadContext,
  { kind, key, query }: { kind: CollectionKind; key: string; query: Query },
  compiled: CompiledCollection,
  itemQuery: ItemQuery,
) {
  const search = buildSearchParams({ ...query, columns: undefined }).toString();
  const binding = `admin ${kind} ${key}?${search} ${viewBinding(compiled, query)}`;
  const cursor = query.cursor ? await openCursor(c, binding, query.cursor) : undefined;
  if (query.cursor && !cursor) throw invalidCursorProblem();
  const page = await queryItems(ctx, compiled, itemQuery, cursor?.position ?? null);
  const { prefixMatches, views, nextPosition: position } = page;
  const next = position ? await createCursor(c, binding, position) : null;
  const matches = [...prefixMatches, ...views];
  // A first page that is also the last page contains all matches.
  const isComplete = page.count !== null && query.cursor === undefined && position === null;
  const count = isComplete ? { count: matches.length, exact: true } : page.count;
  return { ...page, compiled: wholeCollection(page.compiled), views: matches, count, next };
}
