import type { Context } from "hono";
import { likelyCollection } from "../../../actions/definitions/known-collections";
import { browseItems, checkSearch, type Browsed } from "../../../actions/search/browse-items";
import type { Compiled } from "../../../domain/data/compile";
import { makeCursor, readCursor } from "../../../domain/cursor";
import type { CollectionKind } from "../../../domain/definition/collection";
import { problem } from "../../../domain/problem/problem";
import { signingKeys } from "../../../domain/credential/signature";
import type { AdminEnv } from "../../../env";
import { keyOf, type opened } from "../opened";
import { clockOf } from "./filter/clock";
import { searchBody } from "./filter/conditions";
import { isNarrowed, searchParams, type Query } from "./query";

type C = Context<AdminEnv>;
type Opened = Awaited<ReturnType<typeof opened>>;

/**
 * A page of a list. What is known of the collection is searched at once; whether that is still so is learned on the
 * way. What it refuses is refused by the collection as it is now.
 */
export async function findItems(
  c: C,
  kind: CollectionKind,
  query: Query,
  now: () => Promise<Opened>,
) {
  const known = await likelyCollection(c.var.action, kind, keyOf(c));
  if (!known) throw problem.notFound();
  const browsed = (by: Compiled) => ({
    body: searchBody(by.collection, query, clockOf(c)),
    text: query.text,
    // Without a search, what it holds is all there is to count.
    forPeople: isNarrowed(query),
    withStanding: true,
  });
  let likely = known;
  let asked = browsed(likely);
  if (!isSearchable(likely, asked)) {
    likely = (await now()).compiled;
    asked = browsed(likely);
    checkSearch(likely, asked);
  }
  const page = await pageOf(c, likely, query, asked);
  const { compiled } = page;
  return compiled === likely ? page : pageOf(c, compiled, query, browsed(compiled));
}

function isSearchable(known: Compiled, browsed: Browsed): boolean {
  try {
    checkSearch(known, browsed);
    return true;
  } catch {
    return false;
  }
}

async function pageOf(c: C, compiled: Compiled, query: Query, browsed: Browsed) {
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const binding = `admin ${c.req.path}?${searchParams(query).toString()}`;
  const read = query.cursor ? await readCursor(keys, binding, query.cursor) : undefined;
  if (query.cursor && !read) {
    const reason = "This is no cursor of this list. Follow links.next as it was given.";
    throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
  }
  const page = await browseItems(c.var.action, compiled, browsed, read?.position ?? null);
  const { leading, views, more } = page;
  const next = more ? await makeCursor(keys, binding, more) : null;
  return { ...page, views: [...leading, ...views], next };
}
