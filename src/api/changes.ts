import type { Context } from "hono";
import { readChanges, type FeedStart } from "../actions/changes/read-changes";
import { defaultLimit } from "../domain/page-limit";
import { problem } from "../domain/problem/problem";
import { changeDocument } from "../documents/change";
import type { CollectionEnv } from "./doors";
import { nextUrl, pagingWith, placeOf, type PagingEnv } from "./paging";

/** `all=true` tells each change; those of one item on one page are told as one otherwise. */
export const feedPaging = pagingWith("all");

/** A page of the changes feed of a collection (contract, section 13). */
export async function answerChanges(c: Context<CollectionEnv & PagingEnv>): Promise<Response> {
  const { action, compiled, paging } = c.var;
  const binding = `changes ${compiled.collection.id}`;
  const each = eachOf(c.req.query("all"));
  const place = paging.cursor === "now" ? null : await placeOf(c, binding, paging);
  const start: FeedStart = paging.cursor === "now" ? "now" : place && Number(place[0]);
  const limit = paging.limit ?? defaultLimit;
  const page = await readChanges(action, compiled, start, { limit, each });
  const next = new URL(await nextUrl(c, binding, paging, [page.next]));
  if (each) next.searchParams.set("all", "true");
  return c.json(
    {
      items: page.changes.map(changeDocument),
      schema_version: page.schemaVersion,
      links: { self: c.req.url, next: next.href },
    },
    200,
    { Link: `<${next.href}>; rel="next"` },
  );
}

function eachOf(sent = "false"): boolean {
  if (sent === "true" || sent === "false") return sent === "true";
  const reason = "Must be true or false.";
  throw problem.invalidInput([{ field: "all", code: "invalid_type", reason }]);
}
