import { likelyCollection } from "#actions/collection-cache.ts";
import type { ReadContext } from "#actions/context.ts";
import { listItemViews, type ItemViewPage } from "#actions/list-items.ts";
import { queryItems } from "#actions/query-items.ts";
import type { Prefetch } from "#actions/read.ts";
import type { ReaderRights } from "#actions/search-targets.ts";
import { itemDocument } from "#documents/items.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import {
  defaultPageLimit,
  expandNames,
  itemPageQuery,
  type CursorPosition,
  type ItemPaging,
} from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Download } from "#domain/download.ts";
import { assertNotExpanded, expandedPage, type SearchedPage } from "./included.ts";
import { operation, type PageResult } from "./operation.ts";
import { collectionTarget } from "./targets.ts";

export const downloadText =
  "With `Accept: application/x-ndjson` or `text/csv`, all pages are one download.";

/** Binds cursors to the key, which is known before the collection is loaded. */
const listBinding = (kind: CollectionKind, key: string) => `list ${kind}:${key}`;

export const listItems = (kind: CollectionKind) => {
  const { many } = resourceNames(kind);
  return operation({
    method: "GET",
    path: collectionPaths(kind).items,
    kind,
    tag: many,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: itemPageQuery,
    formats: "downloads",
    async prefetch(ctx, { path: { key }, query, format, position }) {
      const { cursor, limit = defaultPageLimit, expand } = query();
      const start = await position(listBinding(kind, key), cursor, ctx.versions);
      if (format) return format;
      // What a caller may read of other apps is known after the admission.
      if (expand !== undefined) return null;
      const page = await listItemViews(ctx, kind, key, start && Number(start[0]), limit);
      return { ...page, bookmark: ctx.versions.newestBookmark() };
    },
    async run(ctx, { target, query, position, prefetched, read }) {
      const { key } = target.collection;
      const binding = listBinding(kind, key);
      const listed = await prefetched();
      if (!listed)
        return expandedPage(await read(expandList(kind, ctx)), binding, {}, query.expand);
      if (!("type" in listed)) return plainPage(listed, binding);
      assertNotExpanded({}, query.expand);
      const start = await position(binding, query.cursor);
      const maxItems = query.limit ?? null;
      const download = { keys: null, start, maxItems, read: listPages(ctx, kind, key) };
      return { format: listed, download };
    },
    summary: `List ${many}`,
    description: `The ${many} in stored order, oldest first. Follow \`links.next\` until it is null. ${downloadText}`,
    responses: {
      200: {
        description: "A page.",
        schema: ({ one }) => `${one}Page`,
        example: ({ responses }) => responses?.listed,
      },
    },
  });
};

function plainPage(
  { views, nextPosition, bookmark }: ItemViewPage & { bookmark: string | null },
  binding: string,
): PageResult {
  const items = views.map((view) => ({ document: itemDocument(view) }));
  const next = nextPosition === null ? null : { binding, position: [nextPosition], bookmark };
  return { items, next };
}

const listPages =
  (ctx: ReadContext, kind: CollectionKind, key: string): Download["read"] =>
  async (from: CursorPosition | null, count: number) => {
    const step = await listItemViews(ctx, kind, key, from && Number(from[0]), count);
    return { ...step, nextPosition: step.nextPosition === null ? null : [step.nextPosition] };
  };

/** Lists a page and the records that its items refer to: a search of everything in stored order. */
const expandList =
  (kind: CollectionKind, rights: ReaderRights): Prefetch<SearchedPage, ItemPaging> =>
  async (ctx, { path: { key }, query, position }) => {
    const { cursor, limit = defaultPageLimit, expand } = query();
    const start = await position(listBinding(kind, key), cursor, ctx.versions);
    const sort = [{ field: "$id", direction: "asc" }];
    const search = { body: { sort }, rights, expand: expandNames(expand) };
    const compiled = await likelyCollection(ctx, kind, key);
    const found = await queryItems(ctx, compiled, search, start, limit);
    return { found, bookmark: ctx.versions.newestBookmark() };
  };
