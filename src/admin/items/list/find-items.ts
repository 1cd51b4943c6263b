import type { Context } from "hono";
import type { ReadContext } from "../../../actions/context";
import { likelyCollection } from "../../../actions/definitions/known-collections";
import { browseItems, checkSearch, type Browsed } from "../../../actions/search/browse-items";
import type { Compiled } from "../../../domain/data/compile";
import { makeCursor, readCursor } from "../../../domain/cursor";
import type { CollectionKind } from "../../../domain/definition/collection";
import { problem } from "../../../domain/problem/problem";
import { signingKeys } from "../../../domain/credential/signature";
import type { Question } from "../../../http/doors/question";
import type { AppEnv } from "../../../env";
import { opened } from "../opened";
import { clockOf } from "./filter/clock";
import { searchBody } from "./filter/conditions";
import { isNarrowed, searchParams, type Query } from "./query";
import { readQuery, refuseUnknown } from "./read-query";

type C = Context<AppEnv>;
type Opened = Awaited<ReturnType<typeof opened>>;

/** A list that is asked for: its page is under way. */
export interface Listed {
  query: Query;
  page: ReturnType<typeof findItems>;
  /** The collection as it is, where the page does not tell it. */
  now: () => Promise<Opened>;
}

/** Asks for a page of a list, whoever it is for. */
export const listed =
  (kind: CollectionKind): Question<Listed> =>
  async (ctx, { key = "" }, c) => {
    refuseUnknown(c.req.queries());
    const query = readQuery(c.req.queries());
    let read: Promise<Opened> | undefined;
    const now = () => (read ??= opened(c, kind, key));
    const page = findItems(c, ctx, kind, key, query, now);
    page.catch(() => undefined);
    return { query, page, now };
  };

/**
 * What is known of the collection is searched at once; whether that is still so is learned on the way. What it refuses
 * is refused by the collection as it is now.
 */
async function findItems(
  c: C,
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  query: Query,
  now: Listed["now"],
) {
  const known = await likelyCollection(ctx, kind, key);
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
  const page = await pageOf(c, ctx, likely, query, asked);
  const { compiled } = page;
  return compiled === likely ? page : pageOf(c, ctx, compiled, query, browsed(compiled));
}

function isSearchable(known: Compiled, browsed: Browsed): boolean {
  try {
    checkSearch(known, browsed);
    return true;
  } catch {
    return false;
  }
}

async function pageOf(c: C, ctx: ReadContext, compiled: Compiled, query: Query, browsed: Browsed) {
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const binding = `admin ${c.req.path}?${searchParams(query).toString()}`;
  const read = query.cursor ? await readCursor(keys, binding, query.cursor) : undefined;
  if (query.cursor && !read) {
    const reason = "This is no cursor of this list. Follow links.next as it was given.";
    throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
  }
  const page = await browseItems(ctx, compiled, browsed, read?.position ?? null);
  const { leading, views, more } = page;
  const next = more ? await makeCursor(keys, binding, more) : null;
  return { ...page, views: [...leading, ...views], next };
}
