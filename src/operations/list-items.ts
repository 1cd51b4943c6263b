import type { ReadContext } from "#actions/context.ts";
import { listItemViews } from "#actions/list-items.ts";
import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import type { Prefetch, ReadRequest } from "#actions/read.ts";
import { itemDocument } from "#documents/items.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { hasWholeAccess } from "#domain/credential/credential.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import { defaultPageLimit, expandNames, type CursorPosition } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Download } from "#domain/download.ts";
import { assertNotExpanded, expandedPage } from "./included.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";
import {
  loadMatchingPage,
  viewFields,
  viewQuery,
  type MatchingPage,
  type ViewPaging,
} from "./matching-page.ts";

export const downloadText =
  "With `Accept: application/x-ndjson` or `text/csv`, all pages are one download.";

/**
 * Binds cursors to the key, which is known before the collection is loaded. Their positions contain its id, and
 * `assertPositionIn` rejects those of another collection.
 */
const listBinding = (kind: CollectionKind, key: string) => `list ${kind}:${key}`;

const listStep =
  (ctx: ReadContext, kind: CollectionKind, key: string) =>
  async (from: CursorPosition | null, count: number) => {
    const step = await listItemViews(ctx, kind, key, from && Number(from[0]), count);
    return { ...step, nextPosition: step.nextPosition === null ? null : [step.nextPosition] };
  };

/** Returns the query of a list. A view without a sort also lists the oldest items first. */
const storedOrderQuery = (view: string | undefined) => ({ body: {}, view, order: "asc" as const });

/** Loads the page of a list as a search without conditions in stored order. */
const searchPage = (
  ctx: ReadContext,
  kind: CollectionKind,
  request: ReadRequest<ViewPaging>,
  options: Pick<ItemQuery, "rights" | "expand">,
  isStartOnly: boolean,
): Promise<MatchingPage> => {
  const { key } = request.path;
  const { cursor, limit, view } = request.query();
  const binding = () => listBinding(kind, key);
  const query = { ...storedOrderQuery(view), ...options };
  return loadMatchingPage(ctx, request, { kind, key, query, cursor, limit, isStartOnly, binding });
};

const prefetchPage =
  (kind: CollectionKind) => async (ctx: ReadContext, request: ReadRequest<ViewPaging>) => {
    const { key } = request.path;
    const { cursor, limit = defaultPageLimit, view, expand } = request.query();
    // A download reads later. The caller's rights to other apps are known only after admission.
    const isStartOnly = request.format !== undefined || expand !== undefined;
    // Without a view, the list needs no definition before it reads.
    if (view === undefined && hasWholeAccess(ctx.resources, kind, key)) {
      const binding = listBinding(kind, key);
      const start = await request.position(binding, cursor, ctx.versions);
      const itemPage = isStartOnly ? null : await listStep(ctx, kind, key)(start, limit);
      return { binding, start, itemPage, queryPage: null, bookmark: ctx.versions.newestBookmark() };
    }
    const page = await searchPage(ctx, kind, request, {}, isStartOnly);
    return { ...page, itemPage: page.queryPage };
  };

/** Lists a page and the records that its items refer to. */
const expandList =
  (kind: CollectionKind, rights: ItemQuery["rights"]): Prefetch<MatchingPage, ViewPaging> =>
  (ctx, request) =>
    searchPage(ctx, kind, request, { rights, expand: expandNames(request.query().expand) }, false);

export const listItems = (kind: CollectionKind) => {
  const { plural } = resourceNames(kind);
  return operation({
    method: "GET",
    path: collectionPaths(kind).items,
    kind,
    tag: plural,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: viewQuery,
    formats: "downloads",
    prefetch: prefetchPage(kind),
    async run(ctx, { target, query: { view, limit, expand }, format, origin, prefetched, read }) {
      const { key } = target.collection;
      const { binding, start, itemPage, bookmark } = await prefetched();
      if (itemPage) {
        const { views, nextPosition } = itemPage;
        const items = views.map((itemView) => ({ document: itemDocument(itemView, origin) }));
        return { items, next: nextPosition && { binding, position: nextPosition, bookmark } };
      }
      if (!format) return expandedPage(await read(expandList(kind, ctx)), {}, expand, origin);
      assertNotExpanded({}, expand);
      const readPage: Download["read"] =
        view === undefined && target.extent === "whole"
          ? listStep(ctx, kind, key)
          : (from, count) => queryItems(ctx, target, storedOrderQuery(view), from, count);
      const keys = viewFields(target, view);
      return { format, download: { keys, start, view, maxItems: limit ?? null, read: readPage } };
    },
    summary: `List ${plural}`,
    description: `The ${plural} in stored order, oldest first. Follow \`links.next\` until it is null. ${downloadText}`,
    responses: {
      200: {
        description: "A page.",
        // A view may select fields, so items have the schema of search results.
        schema: ({ schemaName }) => `${schemaName}SearchPage`,
        example: ({ responses }) => responses?.page,
      },
    },
  });
};
