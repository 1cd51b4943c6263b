import * as z from "zod/mini";
import type { Context } from "hono";
import { knownCollection } from "#actions/collection-cache.ts";
import { foundCollection } from "#actions/visible.ts";
import { readChanges, type ChangesPage, type FeedStart } from "#actions/changes.ts";
import { ofPrimary } from "#store/db/session.ts";
import { defaultLimit } from "#domain/cursor.ts";
import { changeDocument } from "#documents/items.ts";
import type { CollectionEnv } from "./doors.ts";
import { nextUrl, page, readPosition } from "#http/paging.ts";
import type { Compiled } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { query, sentQuery } from "#http/query.ts";
import { asking, type Question } from "#http/doors/question.ts";

/** `all=true` tells each change; those of one item on one page are told as one otherwise. */
const feed = z.extend(page, { all: z._default(z.enum(["true", "false"]), "false") });
export const feedPaging = query(feed);

interface FeedInput {
  in: { query: z.input<typeof feed> };
  out: { query: z.output<typeof feed> };
}

const bindingOf = (compiled: Compiled) => `changes ${compiled.collection.id}`;

/** A page of the changes feed of a collection (contract, section 13). */
export function answerChanges(kind: CollectionKind) {
  const question: Question<ChangesPage> = async (ctx, { key = "" }, c) => {
    // What others wrote is to be told in full: no replica tells it.
    const ofAll = { ...ctx, db: ctx.primary, versions: ofPrimary };
    const compiled = knownCollection(kind, key) ?? (await foundCollection(ofAll, kind, key));
    const paging = sentQuery(c, feed);
    const isNow = paging.cursor === "now";
    const position = isNow ? null : await readPosition(c, bindingOf(compiled), paging);
    const start: FeedStart = isNow ? "now" : position && Number(position[0]);
    const limit = paging.limit ?? defaultLimit;
    return readChanges(ofAll, compiled, start, { limit, each: paging.all === "true" });
  };
  return asking(question, async (c: Context<CollectionEnv, string, FeedInput>) => {
    const paging = c.req.valid("query");
    const told = await c.var.read(question);
    const next = new URL(await nextUrl(c, bindingOf(c.var.compiled), paging, [told.next]));
    if (paging.all === "true") next.searchParams.set("all", "true");
    return c.json(
      {
        items: told.changes.map(changeDocument),
        schema_version: told.schemaVersion,
        links: { self: c.req.url, next: next.href },
      },
      200,
      { Link: `<${next.href}>; rel="next"` },
    );
  });
}
