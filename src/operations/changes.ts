import * as z from "zod/mini";
import { listChanges, type FeedStart } from "#actions/changes.ts";
import { findCollectionInMemory } from "#actions/collection-cache.ts";
import { primaryContext } from "#actions/context.ts";
import { loadCollection } from "#actions/visible.ts";
import { changeDocument } from "#documents/items.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import { defaultPageLimit, pageQuery } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";

/** With `all=true`, the feed returns each change. Otherwise, a page merges the changes of an item. */
const feedQuery = lazy(() =>
  z.extend(pageQuery(), { all: z._default(z.enum(["true", "false"]), "false") }),
);

const feedBinding = (collectionId: number) => `changes ${collectionId}`;

/** A page of the changes feed of a collection. */
export const listChangesOperation = (kind: CollectionKind) => {
  const { plural } = resourceNames(kind);
  return operation({
    method: "GET",
    path: collectionPaths(kind).changes,
    kind,
    tag: plural,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: feedQuery,
    async prefetch(ctx, { path: { key }, query, feedPosition }) {
      // The feed must not skip changes of other writers, so it reads only the primary.
      const primaryCtx = primaryContext(ctx);
      const compiled =
        findCollectionInMemory(primaryCtx.memory, kind, key) ??
        (await loadCollection(primaryCtx, kind, key));
      const { cursor, limit = defaultPageLimit, all } = query();
      const start: FeedStart =
        cursor === undefined || cursor === "now"
          ? (cursor ?? null)
          : await feedPosition(feedBinding(compiled.collection.id), cursor);
      return listChanges(primaryCtx, compiled, { start, limit, each: all === "true" });
    },
    async run(_, { prefetched, origin }) {
      const { changes, schemaVersion, collectionId, ...page } = await prefetched();
      const binding = feedBinding(collectionId);
      return {
        items: changes.map((change) => ({ document: changeDocument(change, origin) })),
        members: { schema_version: schemaVersion },
        next: { binding, position: [page.nextPosition, page.mark, page.seenUntil], isFeed: true },
      };
    },
    summary: `List changes of ${plural}`,
    description:
      "Returns changes in the order of commit, with the current items. `links.next` is never null: on an empty page, it returns the changes that follow. Changes are kept for 30 days.",
    responses: {
      200: {
        description: "A page.",
        schema: ({ schemaName }) => `${schemaName}Changes`,
        example: ({ responses }) => responses?.changes,
      },
    },
    parameterComponents: { cursor: "feedCursor" },
    problems: ["changes_expired"],
  });
};
