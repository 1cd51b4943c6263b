import type { Context } from "hono";
import { itemDocument } from "../documents/item";
import { searchItems } from "../actions/search/search-items";
import { isObject } from "../domain/json";
import { problem, type FieldError } from "../domain/problem/problem";
import { answerDownload, downloadOf } from "../http/answers/download";
import type { CollectionEnv } from "./doors";
import {
  nextUrl,
  readPosition,
  searchBinding,
  type Paging,
  type PagingInput,
} from "../http/doors/paging";
import { answerPage } from "./representation";

type SearchEnv = CollectionEnv & { Variables: { body: unknown } };

/** A page of matches; or, for `Accept: application/x-ndjson` or `text/csv`, all of them as one download. */
export async function answerSearch(c: Context<SearchEnv, string, PagingInput>): Promise<Response> {
  const { action, compiled, body } = c.var;
  const asked = c.req.valid("query");
  const paging = pagingOf(body, asked);
  const binding = await searchBinding(compiled.collection.id, body);
  const start = await readPosition(c, binding, paging);
  const { limit } = paging;
  const format = downloadOf(c);
  if (format) {
    const keys =
      isObject(body) && Array.isArray(body["fields"]) ? (body["fields"] as string[]) : null;
    const most = limit ?? null;
    const read = (from: typeof start, items: number) =>
      searchItems(action, compiled, body, from, items);
    return answerDownload(c, { keys, start, most, read }, format);
  }
  const { views, more } = await searchItems(action, compiled, body, start, limit);
  const next = more && (await nextUrl(c, binding, asked, more));
  return answerPage(c, views.map(itemDocument), next);
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
