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
} from "./viewed-page.ts";

export const downloadText =
  "With `Accept: application/x-ndjson` or `text/csv`, all pages are one download.";

/** Binds cursors to the key, which is known before the collection is loaded. */
const listBinding = (kind: CollectionKind, key: string) => `list ${kind}:${key}`;

const listStep =
  (ctx: ReadContext, kind: CollectionKind, key: string) =>
  async (from: CursorPosition | null, count: number) => {
    const step = await listItemViews(ctx, kind, key, from && Number(from[0]), count);
    return { ...step, nextPosition: step.nextPosition === null ? null : [step.nextPosition] };
  };

/** A view without a sort lists items oldest first, too. */
const inStoredOrder = (view: string | undefined) => ({ body: {}, view, order: "asc" as const });

/** Loads the page as a search of everything in stored order. */
const searchPage = (
  ctx: ReadContext,
  kind: CollectionKind,
  request: ReadRequest<ViewPaging>,
  others: Pick<ItemQuery, "rights" | "expand">,
  isStart: boolean,
): Promise<MatchingPage> => {
  const { key } = request.path;
  const { cursor, limit, view } = request.query();
  const binding = () => listBinding(kind, key);
  const query = { ...inStoredOrder(view), ...others };
  return loadMatchingPage(ctx, request, { kind, key, query, cursor, limit, isStart, binding });
};

const prefetchPage =
  (kind: CollectionKind) => async (ctx: ReadContext, request: ReadRequest<ViewPaging>) => {
    const { key } = request.path;
    const { cursor, limit = defaultPageLimit, view, expand } = request.query();
    // What a caller may read of other apps is known after the admission.
    const isStart = request.format !== undefined || expand !== undefined;
    // Without a view, the list needs no definition before it reads.
    if (view === undefined && hasWholeAccess(ctx.resources, kind, key)) {
      const binding = listBinding(kind, key);
      const start = await request.position(binding, cursor, ctx.versions);
      const listed = isStart ? null : await listStep(ctx, kind, key)(start, limit);
      return { binding, start, listed, found: null, bookmark: ctx.versions.newestBookmark() };
    }
    const page = await searchPage(ctx, kind, request, {}, isStart);
    return { ...page, listed: page.found };
  };

/** Lists a page and the records to which its items refer. */
const expandList =
  (kind: CollectionKind, rights: ItemQuery["rights"]): Prefetch<MatchingPage, ViewPaging> =>
  (ctx, request) =>
    searchPage(ctx, kind, request, { rights, expand: expandNames(request.query().expand) }, false);

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
    query: viewQuery,
    formats: "downloads",
    prefetch: prefetchPage(kind),
    async run(ctx, { target, query: { view, limit, expand }, format, origin, prefetched, read }) {
      const { key } = target.collection;
      const { binding, start, listed, bookmark } = await prefetched();
      if (listed) {
        const { views, nextPosition } = listed;
        const items = views.map((each) => ({ document: itemDocument(each, origin) }));
        return { items, next: nextPosition && { binding, position: nextPosition, bookmark } };
      }
      if (!format) return expandedPage(await read(expandList(kind, ctx)), {}, expand, origin);
      assertNotExpanded({}, expand);
      const readPage: Download["read"] =
        view === undefined && target.extent === "whole"
          ? listStep(ctx, kind, key)
          : (from, count) => queryItems(ctx, target, inStoredOrder(view), from, count);
      const keys = viewFields(target, view);
      return { format, download: { keys, start, maxItems: limit ?? null, read: readPage } };
    },
    summary: `List ${many}`,
    description: `The ${many} in stored order, oldest first. Follow \`links.next\` until it is null. ${downloadText}`,
    responses: {
      200: {
        description: "A page.",
        // A view may pick fields.
        schema: ({ one }) => `${one}SearchPage`,
        example: ({ responses }) => responses?.listed,
      },
    },
  });
};
