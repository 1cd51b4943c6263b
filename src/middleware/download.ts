import type { Context } from "hono";
import { searchItems, type Found } from "../actions/search-items";
import type { ItemView } from "../actions/item-view";
import { csvHeader, csvRow } from "../domain/csv";
import type { ActionContext } from "../actions/context";
import { itemDocument } from "../actions/item-document";
import type { Compiled } from "../domain/data/compile";

/** Items of one step; a Worker makes at most 1,000 queries a request. */
const itemsPerStep = 500;

type Position = Found["more"];

/** What is downloaded: a search in a collection. */
interface Searched {
  action: ActionContext;
  compiled: Compiled;
  body: unknown;
}

/** Streams every match, page by page: no more than one page is in memory. */
export async function answerDownload(
  c: Pick<Context, "body">,
  { action, compiled, body }: Searched,
  type: string,
  start: Position,
): Promise<Response> {
  const read = (from: Position) => searchItems(action, compiled, body, from, itemsPerStep);
  // What is wrong with the search is told before the stream begins.
  const first = await read(start);
  const csv = type === "text/csv";
  const { kind, key, definition } = compiled.collection;
  const keys = first.fields ?? definition.fields.fields.map((field) => field.key);
  const line = (view: ItemView) =>
    csv ? csvRow(itemDocument(view), keys) : `${JSON.stringify(itemDocument(view))}\n`;
  const head = csv ? csvHeader(kind, keys) : "";
  const name = `${key}.${csv ? "csv" : "ndjson"}`;
  return c.body(streamOf(head, first, read, line), 200, {
    "Content-Type": csv ? "text/csv; charset=utf-8; header=present" : type,
    "Content-Disposition": `attachment; filename="${name}"`,
  });
}

function streamOf(
  head: string,
  first: Found,
  read: (from: Position) => Promise<Found>,
  line: (view: ItemView) => string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let page: Found | undefined = first;
  let before = head;
  return new ReadableStream({
    async pull(controller) {
      if (!page) return controller.close();
      controller.enqueue(encoder.encode(before + page.views.map(line).join("")));
      before = "";
      // An error here breaks the download off, so that nobody takes a part for the whole.
      page = page.more ? await read(page.more) : undefined;
      return undefined;
    },
  });
}
