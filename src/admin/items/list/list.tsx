import type { Context } from "hono";
import { likelyCollection } from "../../../actions/definitions/known-collections";
import { browseItems, checkSearch, type Browsed } from "../../../actions/search/browse-items";
import { itemDocument } from "../../../documents/item";
import type { Compiled } from "../../../domain/data/compile";
import { makeCursor, readCursor, type Position } from "../../../domain/cursor";
import type { CollectionKind } from "../../../domain/definition/collection";
import { oneOf } from "../../../domain/problem/field-errors";
import { problem } from "../../../domain/problem/problem";
import { signingKeys } from "../../../domain/credential/signature";
import type { AdminEnv } from "../../../env";
import { answerDownload, type Format } from "../../../http/answers/download";
import { answer, attempted } from "../../frame/answers";
import { frameOf } from "../../frame/frame";
import { keyOf, opened } from "../opened";
import { chosenColumns } from "./columns";
import { searchOf, type Clock } from "./conditions";
import { ItemsPage } from "./items-page";
import { isNarrowed, readQuery, refuseUnknown, searchParams, type Query } from "./query";

type C = Context<AdminEnv>;
type Opened = Awaited<ReturnType<typeof opened>>;

function clockOf(c: C): Clock {
  const { zone, now } = frameOf(c).reader;
  return { zone, now };
}

export async function listItems(c: C, kind: CollectionKind): Promise<Response> {
  refuseUnknown(c.req.queries());
  const sent = readQuery(c.req.queries());
  const query = { ...sent, columns: chosenColumns(c, sent.columns) };
  const frame = frameOf(c);
  let read: ReturnType<typeof opened> | undefined;
  const now = () => (read ??= opened(c, kind));
  return attempted(
    c,
    async () => {
      const { compiled, standing, views, next, count } = await foundPage(c, kind, query, now);
      const { collection } = compiled;
      const links = { self: c.req.url, next: next && addressOf(c, query, next) };
      const { live, indexing } = standing ?? (await now());
      const document = { items: views.map(itemDocument), count, links };
      const shown = { frame, collection, live, indexing, query, views, next, count };
      return answer(c, document, () => <ItemsPage {...shown} />);
    },
    async (refusal) => {
      const { compiled, live, indexing } = await now();
      const { collection } = compiled;
      const none = { views: [], next: null, count: null, problem: refusal };
      return <ItemsPage {...{ frame, collection, live, indexing, query }} {...none} />;
    },
  );
}

/**
 * What is known of the collection is searched at once; whether that is still so is learned on the way. What it refuses
 * is refused by the collection as it is now.
 */
async function foundPage(c: C, kind: CollectionKind, query: Query, now: () => Promise<Opened>) {
  const known = await likelyCollection(c.var.action, kind, keyOf(c));
  if (!known) throw problem.notFound();
  const browsed = (by: Compiled) => ({
    body: searchOf(by.collection, query, clockOf(c)),
    text: query.text,
    // Without a search, what it holds is all there is to count.
    forPeople: isNarrowed(query),
    withStanding: true,
  });
  const likely = isSearchable(known, browsed(known)) ? known : (await now()).compiled;
  checkSearch(likely, browsed(likely));
  const page = await pageOf(c, likely, query, browsed(likely));
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

function addressOf(c: C, query: Query, cursor: string): string {
  const address = new URL(c.req.path, c.req.url);
  const params = searchParams(query);
  params.set("cursor", cursor);
  address.search = params.toString();
  return address.href;
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

/** Downloads by their names in addresses. */
const formats = {
  ndjson: { type: "application/x-ndjson" },
  spreadsheet: { type: "text/csv", spreadsheet: "items" },
  lines: { type: "text/csv", spreadsheet: "lines" },
  csv: { type: "text/csv", spreadsheet: null },
} as const satisfies Record<string, Format>;

type FormatName = keyof typeof formats;
const isFormat = (name: string): name is FormatName => Object.hasOwn(formats, name);

export async function exportItems(c: C, kind: CollectionKind): Promise<Response> {
  refuseUnknown(c.req.queries(), ["format"]);
  const format = c.req.query("format") ?? "ndjson";
  if (!isFormat(format)) {
    const reason = `Must be one of ${oneOf(Object.keys(formats))}.`;
    throw problem.invalidInput([{ field: "format", code: "not_an_option", reason }]);
  }
  if (c.req.query("cursor") !== undefined) {
    const reason = "A download holds all that is found: it goes on nowhere.";
    throw problem.invalidInput([{ field: "cursor", code: "unknown_parameter", reason }]);
  }
  const { compiled } = await opened(c, kind);
  const query = readQuery(c.req.queries());
  const body = searchOf(compiled.collection, query, clockOf(c));
  return downloadOf(c, compiled, { body, text: query.text }, format);
}

export async function downloadOf(c: C, compiled: Compiled, browsed: Browsed, format: FormatName) {
  const read = (from: Position | null, items: number) =>
    browseItems(c.var.action, compiled, browsed, from, items);
  const download = { compiled, keys: null, start: null, most: null, read };
  return answerDownload(c, download, formats[format]);
}
