import { searchItems } from "#actions/query-items.ts";
import { itemDocument } from "#documents/items.ts";
import { resourceNames } from "#documents/openapi/names.ts";
import { searchInput } from "#documents/openapi/tool-inputs.ts";
import { collectionPaths } from "#domain/api-paths.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { readPermission } from "#domain/credential/permissions.ts";
import type { CursorPosition, Paging } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Download } from "#domain/download.ts";
import type { ReachedCollection } from "#domain/data/narrow.ts";
import type { ActionContext, ReadContext } from "#actions/context.ts";
import type { ReadRequest } from "#actions/read.ts";
import { isObject, toCanonicalJson } from "#domain/json.ts";
import { truncate } from "#domain/problem/field-errors.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { downloadText } from "./items.ts";
import { operation } from "./operation.ts";
import { collectionTarget } from "./targets.ts";
import { loadMatchingPage, viewFields, viewQuery, type ViewPaging } from "./viewed-page.ts";

const prefetchMatches =
  (kind: CollectionKind) => async (ctx: ReadContext, request: ReadRequest<ViewPaging>) => {
    const body = await request.body();
    const sent = request.query();
    const { limit, cursor } = parsePaging(body, sent);
    const page = await loadMatchingPage(ctx, request, {
      kind,
      key: request.path.key,
      query: { body, view: sent.view },
      cursor,
      limit,
      format: request.format,
      binding: ({ collection }) => searchBinding(collection.id, body),
    });
    return { ...page, limit };
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
    query: viewQuery,
    body: {
      schema: ({ key, one }) => (key === undefined ? "Search" : `${one}Search`),
      example: ({ search }) => search,
    },
    formats: "downloads",
    admissionKey: ({ key }) => `search ${kind}:${key}`,
    prefetch: prefetchMatches(kind),
    async run(ctx, { target, query, body, format, prefetched }) {
      const { binding, start, limit, found, bookmark } = await prefetched();
      if (found || !format) {
        const { views = [], nextPosition = null } = found ?? {};
        const items = views.map((view) => ({ document: itemDocument(view) }));
        return {
          items,
          next: nextPosition && { binding, position: nextPosition, bookmark },
        };
      }
      const search = { body, view: query.view };
      return { format, download: downloadMatches(ctx, target, search, start, limit) };
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
  collection: ReachedCollection,
  query: { body: unknown; view: string | undefined },
  start: CursorPosition | null,
  limit: number | undefined,
): Download {
  const { body, view } = query;
  const sentKeys =
    isObject(body) && Array.isArray(body["fields"]) ? (body["fields"] as string[]) : null;
  const keys = sentKeys ?? viewFields(collection, view);
  const read: Download["read"] = (from, count) => searchItems(ctx, collection, query, from, count);
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
function parsePaging(body: unknown, paging: Paging): Paging {
  const { limit = null, cursor = null } = isObject(body) ? body : {};
  const errors: FieldError[] = [];
  if (limit !== null && paging.limit !== undefined && limit !== paging.limit) {
    const reason = `limit is ${paging.limit} in the query but ${truncate(JSON.stringify(limit))} in the body. Send one.`;
    errors.push({ field: "limit", pointer: "/limit", code: "out_of_range", reason });
  }
  if (cursor !== null && paging.cursor !== undefined && cursor !== paging.cursor) {
    const reason = "cursor differs between the query and the body. Send one.";
    errors.push({ field: "cursor", pointer: "/cursor", code: "invalid_cursor", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  return {
    limit: paging.limit ?? (typeof limit === "number" ? limit : undefined),
    cursor: paging.cursor ?? (typeof cursor === "string" ? cursor : undefined),
  };
}
