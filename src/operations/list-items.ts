import type { ReadContext } from "#actions/context.ts";
import { listItemViews } from "#actions/list-items.ts";
import type { ReadRequest } from "#actions/read.ts";
import { searchItems } from "#actions/query-items.ts";
import { itemDocument } from "#documents/items.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { reachesWhole } from "#domain/credential/credential.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import { defaultPageLimit, type CursorPosition } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Download } from "#domain/download.ts";
import { downloadText } from "./items.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";
import { loadMatchingPage, viewFields, viewQuery, type ViewPaging } from "./viewed-page.ts";

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

const prefetchPage =
  (kind: CollectionKind) => async (ctx: ReadContext, request: ReadRequest<ViewPaging>) => {
    const { key } = request.path;
    const { cursor, limit = defaultPageLimit, view } = request.query();
    const binding = listBinding(kind, key);
    // Without a view, the list needs no definition before it reads.
    if (view === undefined && reachesWhole(ctx.resources, kind, key)) {
      const start = await request.position(binding, cursor, ctx.versions);
      const found = request.format ? null : await listStep(ctx, kind, key)(start, limit);
      return { binding, start, found, bookmark: ctx.versions.newestBookmark() };
    }
    const page = { kind, key, query: inStoredOrder(view), cursor, limit };
    return loadMatchingPage(ctx, request, {
      ...page,
      format: request.format,
      binding: () => binding,
    });
  };

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
    async run(ctx, { target, query: { view, limit }, format, prefetched }) {
      const { key } = target.collection;
      const { binding, start, found, bookmark } = await prefetched();
      if (found || !format) {
        const { views = [], nextPosition = null } = found ?? {};
        const items = views.map((each) => ({ document: itemDocument(each) }));
        return { items, next: nextPosition && { binding, position: nextPosition, bookmark } };
      }
      const read: Download["read"] =
        view === undefined && target.reach === "whole"
          ? listStep(ctx, kind, key)
          : (from, count) => searchItems(ctx, target, inStoredOrder(view), from, count);
      const keys = viewFields(target, view);
      return { format, download: { keys, start, maxItems: limit ?? null, read } };
    },
    summary: `List ${many}`,
    description: `Returns the ${many} in the order of creation, oldest first. Follow \`links.next\` until it is null. ${downloadText}`,
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
