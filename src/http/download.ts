import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { itemDocument } from "#documents/items.ts";
import type { ItemView } from "#domain/item/item.ts";
import { losslessCsv, type CsvLayout, spreadsheetCsv, type SpreadsheetRows } from "#documents/csv.ts";
import type { Position } from "#domain/cursor.ts";
import type { Compiled } from "#domain/data/compile.ts";

/** Items of one step; a step holds no more bytes than a page, and a Worker makes at most 1,000 queries a request. */
const itemsPerStep = 500;
/** What is written at once: whoever else asks comes in between, and it is no faster than it is read. */
const lettersPerPart = 250_000;

/** What can be had in place of a page. */
export type Format =
  | { type: "application/x-ndjson" }
  | { type: "text/csv"; spreadsheet: SpreadsheetRows | null };

const page = "application/json";
const supports = [page, "application/x-ndjson", "text/csv"];

/** The download that `Accept` asks for; nothing for a page. `text/csv; profile=spreadsheet` is CSV for people. */
export function wantedFormat(c: Context): Format | undefined {
  let parameters: Record<string, string> = {};
  const type = accepts(c, {
    header: "Accept",
    supports,
    default: page,
    match(sent, { default: otherwise }) {
      const wanted = sent.filter(({ q }) => q > 0).toSorted((a, b) => b.q - a.q);
      const found = wanted.find(({ type: each }) => supports.includes(each.toLowerCase()));
      parameters = found?.params ?? {};
      // Whoever takes anything is given a page.
      const first = wanted.findIndex(({ type: each }) => /^(\*|application)\/\*$/.test(each));
      const before = found && (first === -1 || wanted.indexOf(found) < first);
      return before ? found.type.toLowerCase() : otherwise;
    },
  });
  if (type === "application/x-ndjson") return { type };
  if (type !== "text/csv") return undefined;
  const { profile, rows } = parameters;
  if (profile !== "spreadsheet") return { type, spreadsheet: null };
  return { type, spreadsheet: rows === "lines" ? "lines" : "items" };
}

/** One step of a download. */
interface Step {
  views: ItemView[];
  /** The position to go on from; null at the end. */
  more: Position | null;
  /** The definition that the items are shown by. */
  compiled: Compiled;
}

interface Download {
  /** The keys to show; null for all. */
  keys: readonly string[] | null;
  start: Position | null;
  /** Items of the whole download; null for all. */
  most: number | null;
  read: (from: Position | null, items: number) => Promise<Step>;
}

/** Streams every item, page by page: no more than one page is in memory. CSV has one header, and so one definition. */
export async function answerDownload(
  c: Pick<Context, "body">,
  { keys, start, most, read }: Download,
  format: Format,
): Promise<Response> {
  let left = most ?? Infinity;
  const next = async (from: Position | null): Promise<Step> => {
    const step = await read(from, Math.min(itemsPerStep, left));
    left -= step.views.length;
    return left > 0 ? step : { ...step, more: null };
  };
  // What is wrong with the request is told before the stream begins.
  const first = await next(start);
  const { collection } = first.compiled;
  const shown = keys ?? collection.definition.fields.fields.map((field) => field.key);
  const layout = layoutOf(first.compiled, shown, format);
  const csv = format.type === "text/csv";
  const oneHeader = async (from: Position): Promise<Step> => {
    const step = await next(from);
    if (!csv || step.compiled.collection.fieldsVersion === collection.fieldsVersion) return step;
    throw new Error("The fields changed: they are not those of the header any more.");
  };
  const profile = csv && format.spreadsheet !== null ? "; profile=spreadsheet" : "";
  return c.body(streamOf(layout, first, oneHeader), 200, {
    "Content-Type": csv ? `text/csv; charset=utf-8; header=present${profile}` : format.type,
    "Content-Disposition": `attachment; filename="${collection.key}.${csv ? "csv" : "ndjson"}"`,
  });
}

function layoutOf({ collection }: Compiled, keys: readonly string[], format: Format): CsvLayout {
  if (format.type === "application/x-ndjson") {
    return { header: () => "", lines: (item) => `${JSON.stringify(item)}\n` };
  }
  return format.spreadsheet === null
    ? losslessCsv(collection.kind, keys)
    : spreadsheetCsv(collection, keys, format.spreadsheet);
}

function streamOf(
  layout: CsvLayout,
  first: Step,
  next: (from: Position) => Promise<Step>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let step: Step | undefined = first;
  let written = 0;
  let text = layout.header();
  return new ReadableStream({
    async pull(controller) {
      while (step && text.length < lettersPerPart) {
        const view = step.views[written];
        if (view) {
          text += layout.lines(itemDocument(view));
          written += 1;
          continue;
        }
        // An error here breaks the download off, so that nobody takes a part for the whole.
        step = step.more ? await next(step.more) : undefined;
        written = 0;
      }
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (!step) controller.close();
      text = "";
    },
  });
}
