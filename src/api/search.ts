import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { itemDocument } from "../actions/item-document";
import { searchItems } from "../actions/search-items";
import { canonical, isObject } from "../domain/json";
import { sha256 } from "../domain/signature";
import type { CollectionEnv } from "./doors";
import { answerDownload } from "../middleware/download";
import { nextUrl, placeOf, type Paging, type PagingEnv } from "./paging";
import { answerPage } from "./representation";

type SearchEnv = CollectionEnv & PagingEnv & { Variables: { body: unknown } };

const page = "application/json";
const supported = [page, "application/x-ndjson", "text/csv"];

/** A page of matches; or, for `Accept: application/x-ndjson` or `text/csv`, all of them as one download. */
export async function answerSearch(c: Context<SearchEnv>): Promise<Response> {
  const type = accepts(c, { header: "Accept", supports: supported, default: page });
  const { action, compiled, paging } = c.var;
  const body = withPaging(c.var.body, paging);
  const binding = await bindingOf(compiled.collection.id, body);
  const position = await placeOf(c, binding, { ...paging, cursor: cursorOf(body, paging) });
  if (type !== page) return answerDownload(c, { action, compiled, body }, type, position);
  const { views, more } = await searchItems(action, compiled, body, position);
  const next = more && (await nextUrl(c, binding, paging, more));
  return answerPage(c, views.map(itemDocument), next);
}

/** `links.next` carries cursor and limit in the query, and the same body is posted to it. */
function withPaging(body: unknown, { limit }: Paging): unknown {
  return isObject(body) && limit !== null ? { ...body, limit } : body;
}

function cursorOf(body: unknown, { cursor }: Paging): string | null {
  if (cursor !== null) return cursor;
  return isObject(body) && typeof body["cursor"] === "string" ? body["cursor"] : null;
}

/** A cursor belongs to the conditions and the sort that it was made for. */
async function bindingOf(collectionId: number, body: unknown): Promise<string> {
  const { conditions = [], sort = [] } = isObject(body) ? body : {};
  return `search ${collectionId} ${await sha256(canonical({ conditions, sort }))}`;
}
