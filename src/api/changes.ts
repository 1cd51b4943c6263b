import type { Context } from "hono";
import * as z from "zod/mini";
import { knownCollection } from "../actions/definitions/known-collections";
import { foundCollection } from "../actions/visible";
import { readChanges, type ChangesPage, type FeedStart } from "../actions/changes/read-changes";
import { ofPrimary } from "../store/db/versions";
import { defaultLimit } from "../domain/page-limit";
import { changeDocument } from "../documents/change";
import type { CollectionEnv } from "./doors";
import { nextUrl, page, readPosition } from "../http/request/paging";
import type { Compiled } from "../domain/data/compile";
import type { CollectionKind } from "../domain/definition/collection";
import { query, sentQuery } from "../http/request/parameters";
import { asking, type Question } from "../http/doors/question";

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
