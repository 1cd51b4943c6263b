import type { Context } from "hono";
import { knownCollection } from "../../../actions/definitions/known-collections";
import { browseItems } from "../../../actions/search/browse-items";
import { itemDocument } from "../../../documents/item";
import type { Compiled } from "../../../domain/data/compile";
import { makeCursor, readCursor } from "../../../domain/cursor";
import type { CollectionKind } from "../../../domain/definition/collection";
import { problem } from "../../../domain/problem/problem";
import { signingKeys } from "../../../domain/credential/signature";
import type { AdminEnv } from "../../../env";
import { answer } from "../../frame/answers";
import { attempted } from "../../frame/attempted";
import { frameOf } from "../../frame/frame";
import { keyOf, opened } from "../opened";
import { chosenColumns } from "./columns";
import { searchBody } from "./filter/conditions";
import { ItemsPage } from "./page/items-page";
import { isNarrowed, searchParams, type Query } from "./query";
import { readQuery, refuseUnknown } from "./read-query";
import { clockOf } from "./filter/clock";

type C = Context<AdminEnv>;

export async function listItems(c: C, kind: CollectionKind): Promise<Response> {
  refuseUnknown(c.req.queries());
  const sent = readQuery(c.req.queries());
  const query = { ...sent, columns: chosenColumns(c, sent.columns) };
  // What is known of it is searched at once; whether that is still so is learned on the way.
  const known = knownCollection(kind, keyOf(c));
  const early = known && pageOf(c, known, query).catch((error: unknown) => ({ error }));
  const read = await opened(c, kind);
  const shown = {
    frame: frameOf(c),
    collection: read.compiled.collection,
    live: read.live,
    indexing: read.indexing,
    query,
  };
  return attempted(
    c,
    async () => {
      const found = known === read.compiled ? await early : undefined;
      if (found && "error" in found) throw found.error;
      const { views, next, count } = found ?? (await pageOf(c, read.compiled, query));
      const links = { self: c.req.url, next: next && addressOf(c, query, next) };
      const document = { items: views.map(itemDocument), count, links };
      return answer(c, document, () => <ItemsPage {...shown} {...{ views, next, count }} />);
    },
    (refusal) => <ItemsPage {...shown} views={[]} next={null} count={null} problem={refusal} />,
  );
}

function addressOf(c: C, query: Query, cursor: string): string {
  const address = new URL(c.req.path, c.req.url);
  const params = searchParams(query);
  params.set("cursor", cursor);
  address.search = params.toString();
  return address.href;
}

async function pageOf(c: C, compiled: Compiled, query: Query) {
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const binding = `admin ${c.req.path}?${searchParams(query).toString()}`;
  const read = query.cursor ? await readCursor(keys, binding, query.cursor) : undefined;
  if (query.cursor && !read) {
    const reason = "This is no cursor of this list. Follow links.next as it was given.";
    throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
  }
  const body = searchBody(compiled.collection, query, clockOf(c));
  // Without a search, the tally knows how many there are.
  const browsed = { body, text: query.text, forPeople: isNarrowed(query) };
  const page = await browseItems(c.var.action, compiled, browsed, read?.position ?? null);
  const { leading, views, more, count } = page;
  const next = more ? await makeCursor(keys, binding, more) : null;
  return { views: [...leading, ...views], next, count };
}
