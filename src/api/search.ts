import type { Context } from "hono";
import { itemDocument } from "#documents/items.ts";
import { likelyCollection } from "#actions/collection-cache.ts";
import { type BrowsedPage, searchItems } from "#actions/query-items.ts";
import type { Position } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { problem, type FieldError } from "#domain/problem/problem.ts";
import { answerDownload, wantedFormat, type Format } from "#http/download.ts";
import { sentBody } from "#http/body.ts";
import { sentQuery } from "#http/query.ts";
import { asking, type Question } from "#http/doors/question.ts";
import type { CollectionEnv } from "./doors.ts";
import { nextUrl, page, readPosition, searchBinding, type Paging, type PagingInput } from "#http/paging.ts";
import { answerPage } from "./representation.ts";

type SearchEnv = CollectionEnv & { Variables: { body: unknown } };

interface Searched {
  binding: string;
  start: Position | null;
  limit: number | undefined;
  bookmark: string | null;
  /** What was found, or the download that is wanted. */
  found: Pick<BrowsedPage, "views" | "more"> | Format;
}

/** A page of matches; or, for `Accept: application/x-ndjson` or `text/csv`, all of them as one download. */
export function answerSearch(kind: CollectionKind) {
  const question: Question<Searched> = async (ctx, { key = "" }, c) => {
    const body = await sentBody(c);
    const paging = pagingOf(body, sentQuery(c, page));
    const { limit } = paging;
    const likely = await likelyCollection(ctx, kind, key);
    if (!likely) throw problem.notFound();
    const binding = await searchBinding(likely.collection.id, body);
    const start = await readPosition(c, binding, paging, ctx.versions);
    const found = wantedFormat(c) ?? (await searchItems(ctx, likely, body, start, limit));
    return { binding, start, limit, found, bookmark: ctx.versions.reached() };
  };
  return asking(question, async (c: Context<SearchEnv, string, PagingInput>) => {
    const { binding, start, limit, found, bookmark } = await c.var.read(question);
    if ("type" in found) return download(c, start, limit, found);
    const { views, more } = found;
    const next = more && (await nextUrl(c, binding, c.req.valid("query"), more, bookmark));
    return answerPage(c, views.map(itemDocument), next);
  });
}

function download(
  c: Context<SearchEnv>,
  start: Position | null,
  limit: number | undefined,
  format: Format,
): Promise<Response> {
  const { action, compiled, body } = c.var;
  const keys =
    isObject(body) && Array.isArray(body["fields"]) ? (body["fields"] as string[]) : null;
  const read = (from: Position | null, items: number) =>
    searchItems(action, compiled, body, from, items);
  return answerDownload(c, { keys, start, most: limit ?? null, read }, format);
}

/**
 * `limit` and `cursor` stand in the query (as `links.next` has them) or in the body; where both have them, they must
 * agree. What the body has of its own is judged with the rest of the search.
 */
function pagingOf(body: unknown, paging: Paging): Paging {
  const { limit = null, cursor = null } = isObject(body) ? body : {};
  const errors: FieldError[] = [];
  if (limit !== null && paging.limit !== undefined && limit !== paging.limit) {
    const reason = `The query says ${paging.limit}: say the same, or say it once.`;
    errors.push({ field: "limit", pointer: "/limit", code: "out_of_range", reason });
  }
  if (cursor !== null && paging.cursor !== undefined && cursor !== paging.cursor) {
    const reason = "The query has another cursor: send one of them.";
    errors.push({ field: "cursor", pointer: "/cursor", code: "invalid_cursor", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  return {
    limit: paging.limit ?? (typeof limit === "number" ? limit : undefined),
    cursor: paging.cursor ?? (typeof cursor === "string" ? cursor : undefined),
  };
}
