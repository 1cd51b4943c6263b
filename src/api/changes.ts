import type { Context } from "hono";
import * as z from "zod/mini";
import { readChanges, type FeedStart } from "../actions/changes/read-changes";
import { defaultLimit } from "../domain/page-limit";
import { changeDocument } from "../documents/change";
import type { CollectionEnv } from "./doors";
import { nextUrl, page, readPosition } from "../http/doors/paging";
import { query } from "../http/doors/parameters";

/** `all=true` tells each change; those of one item on one page are told as one otherwise. */
const feed = z.extend(page, { all: z._default(z.enum(["true", "false"]), "false") });
export const feedPaging = query(feed);

interface FeedInput {
  in: { query: z.input<typeof feed> };
  out: { query: z.output<typeof feed> };
}

/** A page of the changes feed of a collection (contract, section 13). */
export async function answerChanges(
  c: Context<CollectionEnv, string, FeedInput>,
): Promise<Response> {
  const { action, compiled } = c.var;
  const paging = c.req.valid("query");
  const binding = `changes ${compiled.collection.id}`;
  const each = paging.all === "true";
  const position = paging.cursor === "now" ? null : await readPosition(c, binding, paging);
  const start: FeedStart = paging.cursor === "now" ? "now" : position && Number(position[0]);
  const limit = paging.limit ?? defaultLimit;
  const told = await readChanges(action, compiled, start, { limit, each });
  const next = new URL(await nextUrl(c, binding, paging, [told.next]));
  if (each) next.searchParams.set("all", "true");
  return c.json(
    {
      items: told.changes.map(changeDocument),
      schema_version: told.schemaVersion,
      links: { self: c.req.url, next: next.href },
    },
    200,
    { Link: `<${next.href}>; rel="next"` },
  );
}
