import { queryItems, type ItemQuery } from "#actions/query-items.ts";
import { readsOtherApps } from "#actions/search-targets.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { searchInput } from "#documents/openapi/tool-inputs.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import { expandNames, type CursorPosition, type ItemPaging } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Download } from "#domain/download.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { ActionContext, ReadContext } from "#actions/context.ts";
import type { Prefetch, ReadRequest } from "#actions/read.ts";
import { isObject, toCanonicalJson } from "#domain/json.ts";
import { pointAtMembers, truncate } from "#domain/problem/field-errors.ts";
import { problem, Problem, type FieldError } from "#domain/problem/problem.ts";
import { assertNotExpanded, expandedPage } from "./included.ts";
import { downloadText } from "./list-items.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";
import {
  loadMatchingPage,
  viewFields,
  viewQuery,
  type MatchingPage,
  type ViewPaging,
} from "./matching-page.ts";

/** Loads the page of a search. Without `rights`, reads no other app. */
async function searchPage(
  ctx: ReadContext,
  kind: CollectionKind,
  request: ReadRequest<ViewPaging>,
  rights: ItemQuery["rights"],
) {
  const body = await request.body();
  const query = request.query();
  const { limit, cursor, expand } = parsePaging(body, query);
  const position = query.cursor === undefined ? positionInBody(request) : request.position;
  const page = await loadMatchingPage(
    ctx,
    { position },
    {
      kind,
      key: request.path.key,
      query: { body, view: query.view, rights, expand: expandNames(expand) },
      cursor,
      limit,
      // A download reads later. The caller's rights to other apps are known only after admission.
      isStartOnly: request.format !== undefined || (!rights && readsOtherApps(body, expand)),
      binding: ({ collection }) => searchBinding(collection.id, body),
    },
  );
  return { ...page, limit };
}

/** Opens a cursor from the body. Its errors have pointers into the body. */
const positionInBody =
  ({ position }: Pick<ReadRequest, "position">): ReadRequest["position"] =>
  async (...args) =>
    position(...args).catch((error: unknown) => {
      throw error instanceof Problem ? pointAtMembers(error) : error;
    });

const prefetchMatches =
  (kind: CollectionKind) => (ctx: ReadContext, request: ReadRequest<ViewPaging>) =>
    searchPage(ctx, kind, request, undefined);

/** Runs a search that also reads other apps, as far as the caller may read them. */
const searchOtherApps =
  (kind: CollectionKind, rights: ItemQuery["rights"]): Prefetch<MatchingPage, ViewPaging> =>
  (ctx, request) =>
    searchPage(ctx, kind, request, rights);

/** Returns a page of matches, or all of them as a download. */
export const searchOperation = (kind: CollectionKind) => {
  const { plural } = resourceNames(kind);
  return operation({
    method: "POST",
    path: collectionPaths(kind).search,
    kind,
    tag: plural,
    permission: readPermission[kind],
    effect: "read",
    target: collectionTarget(kind),
    query: viewQuery,
    body: {
      schema: ({ key, schemaName }) => (key === undefined ? "Search" : `${schemaName}Search`),
      example: ({ search }) => search,
    },
    formats: "downloads",
    admissionKey: ({ key }) => `search ${kind}:${key}`,
    prefetch: prefetchMatches(kind),
    async run(ctx, { target, query, body, format, prefetched, read, origin }) {
      const prefetchedPage = await prefetched();
      if (format) {
        assertNotExpanded(body, query.expand);
        const search = { body, view: query.view, rights: ctx };
        const { start, limit } = prefetchedPage;
        return { format, download: downloadMatches(ctx, target, search, start, limit) };
      }
      const page = prefetchedPage.queryPage
        ? prefetchedPage
        : await read(searchOtherApps(kind, ctx));
      return expandedPage(page, body, query.expand, origin);
    },
    summary: `Search ${plural}`,
    description: `Returns the ${plural} that match all conditions, newest first or in the order of \`sort\`. For the next page, POST the same body to \`links.next\`. ${downloadText}`,
    responses: {
      200: {
        description: "A page.",
        schema: ({ schemaName }) => `${schemaName}SearchPage`,
        example: ({ responses }) => responses?.searchPage,
      },
    },
    problems: ["indexing"],
    tool: {
      name: `search_${plural}`,
      title: `Search ${plural}`,
      description: `Finds the ${plural} that match all conditions, newest first unless you sort them. Without conditions, returns all ${plural}.`,
      isPerCollection: true,
      input: searchInput,
    },
  });
};

function downloadMatches(
  ctx: ActionContext,
  collection: CollectionAccess,
  query: Pick<ItemQuery, "body" | "view" | "rights">,
  start: CursorPosition | null,
  limit: number | undefined,
): Download {
  const { body, view } = query;
  const requestedKeys =
    isObject(body) && Array.isArray(body["fields"]) ? (body["fields"] as string[]) : null;
  const keys = requestedKeys ?? viewFields(collection, view);
  const read: Download["read"] = (from, count) => queryItems(ctx, collection, query, from, count);
  return { keys, start, view, maxItems: limit ?? null, read };
}

/** Returns the binding of a search cursor to the conditions and the sort of its search. */
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
