import { likelyCollection } from "#actions/collection-cache.ts";
import { queryItems } from "#actions/query-items.ts";
import { readsOtherApps, type ReaderRights } from "#actions/search-targets.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { searchInput } from "#documents/openapi/tool-inputs.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import {
  expandNames,
  itemPageQuery,
  type CursorPosition,
  type ItemPaging,
} from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Download } from "#domain/download.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { ActionContext, ReadContext } from "#actions/context.ts";
import type { Prefetch, ReadRequest } from "#actions/read.ts";
import { isObject, toCanonicalJson } from "#domain/json.ts";
import { truncate } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { assertNotExpanded, expandedPage, type SearchedPage } from "./included.ts";
import { downloadText } from "./list-items.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";

const prefetchMatches =
  (kind: CollectionKind) => async (ctx: ReadContext, request: ReadRequest<ItemPaging>) => {
    const { path, body: readBody, query, format, position } = request;
    const body = await readBody();
    const { limit, cursor, expand } = parsePaging(body, query());
    const likely = await likelyCollection(ctx, kind, path.key);
    const binding = await searchBinding(likely.collection.id, body);
    const start = await position(binding, cursor, ctx.versions);
    // What a caller may read of other apps is known after the admission.
    const waits = readsOtherApps(body, expand);
    const found = format ?? (waits ? null : await queryItems(ctx, likely, { body }, start, limit));
    return { binding, start, limit, found, bookmark: ctx.versions.newestBookmark() };
  };

/** Runs a search that also reads other apps, as far as the caller may read them. */
const searchOtherApps =
  (kind: CollectionKind, rights: ReaderRights): Prefetch<SearchedPage, ItemPaging> =>
  async (ctx, { path, body: readBody, query, position }) => {
    const body = await readBody();
    const { limit, cursor, expand } = parsePaging(body, query());
    const likely = await likelyCollection(ctx, kind, path.key);
    const binding = await searchBinding(likely.collection.id, body);
    const start = await position(binding, cursor, ctx.versions);
    const search = { body, rights, expand: expandNames(expand) };
    const found = await queryItems(ctx, likely, search, start, limit);
    return { found, bookmark: ctx.versions.newestBookmark() };
  };

/** Returns a page of matches, or all of them as a download. */
export const searchOperation = (kind: CollectionKind) => {
  const { many } = resourceNames(kind);
  return operation({
    method: "POST",
    path: collectionPaths(kind).search,
    kind,
    tag: many,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: itemPageQuery,
    body: {
      schema: ({ key, one }) => (key === undefined ? "Search" : `${one}Search`),
      example: ({ search }) => search,
    },
    formats: "downloads",
    admissionKey: ({ key }) => `search ${kind}:${key}`,
    prefetch: prefetchMatches(kind),
    async run(ctx, { target, body, query, prefetched, read }) {
      const early = await prefetched();
      const { binding, start, limit } = early;
      if (early.found && "type" in early.found) {
        assertNotExpanded(body, query.expand);
        return { format: early.found, download: downloadMatches(ctx, target, body, start, limit) };
      }
      const page = early.found
        ? { found: early.found, bookmark: early.bookmark }
        : await read(searchOtherApps(kind, ctx));
      return expandedPage(page, binding, body, query.expand);
    },
    summary: `Search ${many}`,
    description: `Returns the ${many} that match all conditions, newest first or in the order of \`sort\`. For the next page, POST the same body to \`links.next\`. ${downloadText}`,
    responses: {
      200: {
        description: "A page.",
        schema: ({ one }) => `${one}SearchPage`,
        example: ({ responses }) => responses?.found,
      },
    },
    problems: ["indexing"],
    tool: {
      name: `search_${many}`,
      title: `Search ${many}`,
      description: `Finds the ${many} that match all conditions, newest first unless you sort them. Without conditions, returns all ${many}.`,
      isPerCollection: true,
      input: searchInput,
    },
  });
};

function downloadMatches(
  ctx: ActionContext,
  collection: CompiledCollection,
  body: unknown,
  start: CursorPosition | null,
  limit: number | undefined,
): Download {
  const keys =
    isObject(body) && Array.isArray(body["fields"]) ? (body["fields"] as string[]) : null;
  const read: Download["read"] = (from, count) =>
    queryItems(ctx, collection, { body, rights: ctx }, from, count);
  return { keys, start, maxItems: limit ?? null, read };
}

/** Binds a search cursor to the conditions and the sort of its search. */
async function searchBinding(collectionId: number, body: unknown): Promise<string> {
  const { conditions = [], sort = [] } = isObject(body) ? body : {};
  return `search ${collectionId} ${await sha256(toCanonicalJson({ conditions, sort }))}`;
}

/**
 * Reads `limit` and `cursor` from the query (as in `links.next`) or from the body. If both have them, they must agree.
 * The search validates the body itself.
 */
function parsePaging(body: unknown, paging: ItemPaging): ItemPaging {
  const { limit = null, cursor = null, expand = null } = isObject(body) ? body : {};
  const errors: FieldError[] = [];
  if (limit !== null && paging.limit !== undefined && limit !== paging.limit) {
    const reason = `limit is ${paging.limit} in the query but ${truncate(JSON.stringify(limit))} in the body. Send one.`;
    errors.push({ field: "limit", pointer: "/limit", code: "out_of_range", reason });
  }
  if (cursor !== null && paging.cursor !== undefined && cursor !== paging.cursor) {
    const reason = "cursor differs between the query and the body. Send one.";
    errors.push({ field: "cursor", pointer: "/cursor", code: "invalid_cursor", reason });
  }
  const names = Array.isArray(expand) ? expand.join() : null;
  if (expand !== null && paging.expand !== undefined && names !== paging.expand) {
    const reason = "expand differs between the query and the body. Send one.";
    errors.push({ field: "expand", pointer: "/expand", code: "invalid_condition", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  return {
    expand: paging.expand,
    limit: paging.limit ?? (typeof limit === "number" ? limit : undefined),
    cursor: paging.cursor ?? (typeof cursor === "string" ? cursor : undefined),
  };
}
