import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { itemDocument } from "#documents/items.ts";
import type { Download, DownloadStep, ExportFormat } from "#domain/download.ts";
import { losslessCsv, type CsvLayout, spreadsheetCsv } from "#documents/csv.ts";
import type { CursorPosition } from "#domain/cursor.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { findView, hasSameMeaning } from "#domain/search/view.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";

/** The number of items per read. Large steps save queries. A Worker may send 1,000 queries per request. */
const itemsPerStep = 500;
/** The size of a stream chunk. Between chunks, other requests run and a slow client can catch up. */
const charactersPerChunk = 250_000;

const pageMediaType = "application/json";
const supportedMediaTypes = [pageMediaType, "application/x-ndjson", "text/csv"];

/**
 * Returns the download format that `Accept` requests, or undefined for a page.
 * `text/csv; profile=spreadsheet` requests CSV for people.
 */
export function findRequestedFormat(c: Context): ExportFormat | undefined {
  let parameters: Record<string, string> = {};
  const type = accepts(c, {
    header: "Accept",
    supports: supportedMediaTypes,
    default: pageMediaType,
    match(ranges, { default: defaultType }) {
      const accepted = ranges.filter(({ q }) => q > 0).toSorted((a, b) => b.q - a.q);
      const supported = accepted.find((range) =>
        supportedMediaTypes.includes(range.type.toLowerCase()),
      );
      parameters = supported?.params ?? {};
      // A wildcard requests a page.
      const wildcard = accepted.findIndex((range) => /^(\*|application)\/\*$/.test(range.type));
      const isPreferred = supported && (wildcard === -1 || accepted.indexOf(supported) < wildcard);
      return isPreferred ? supported.type.toLowerCase() : defaultType;
    },
  });
  if (type === "application/x-ndjson") return { type };
  if (type !== "text/csv") return undefined;
  const { profile, rows } = parameters;
  if (profile !== "spreadsheet") return { type, spreadsheet: null };
  return { type, spreadsheet: { layout: rows === "lines" ? "lines" : "items" } };
}

/**
 * Streams the items step by step, with one step in memory. CSV has one header, so a change of the fields aborts the
 * download. A change of its view aborts every download.
 */
export async function sendDownload(
  c: Pick<Context, "body" | "req">,
  { keys, start, view, maxItems, read }: Download,
  format: ExportFormat,
): Promise<Response> {
  let remaining = maxItems ?? Infinity;
  const readNextStep = async (fromPosition: CursorPosition | null): Promise<DownloadStep> => {
    const step = await read(fromPosition, Math.min(itemsPerStep, remaining));
    remaining -= step.views.length;
    return remaining > 0 ? step : { ...step, nextPosition: null };
  };
  // The first read happens before the stream begins, so that its errors become problems.
  const firstStep = await readNextStep(start);
  const { collection } = firstStep.compiled;
  const exportedKeys = keys ?? collection.definition.fields.fields.map((field) => field.key);
  const layout = chooseLayout(firstStep.compiled, exportedKeys, format);
  const isCsv = format.type === "text/csv";
  const readSameStep = async (fromPosition: CursorPosition): Promise<DownloadStep> => {
    const step = await readNextStep(fromPosition);
    if (view !== undefined && hasChanged(view, collection, step.compiled.collection))
      throw new Error("The view changed, so the download would mix its items.");
    if (!isCsv || step.compiled.collection.fieldsVersion === collection.fieldsVersion) return step;
    throw new Error("The fields changed, so the rows no longer match the header.");
  };
  const { origin } = new URL(c.req.url);
  const profile = isCsv && format.spreadsheet !== null ? "; profile=spreadsheet" : "";
  return c.body(createStream(layout, firstStep, readSameStep, origin), 200, {
    "Content-Type": isCsv ? `text/csv; charset=utf-8; header=present${profile}` : format.type,
    Vary: "Accept",
    "Content-Disposition": `attachment; filename="${collection.key}.${isCsv ? "csv" : "ndjson"}"`,
  });
}

/** Whether a view now selects, shows or sorts items in another way. */
function hasChanged(key: string, former: Collection, current: Collection): boolean {
  const [before, after] = [findView(former, key), findView(current, key)];
  if (!before || !after) return before !== after;
  return (
    JSON.stringify(before.sort) !== JSON.stringify(after.sort) ||
    !hasSameMeaning({ collection: former, view: before }, { collection: current, view: after })
  );
}

function chooseLayout(
  { collection }: CollectionAccess,
  keys: readonly string[],
  format: ExportFormat,
): CsvLayout {
  if (format.type === "application/x-ndjson") {
    return { header: () => "", lines: (item) => `${JSON.stringify(item)}\n` };
  }
  return format.spreadsheet === null
    ? losslessCsv(collection.kind, keys)
    : spreadsheetCsv(collection, keys, format.spreadsheet);
}

function createStream(
  layout: CsvLayout,
  firstStep: DownloadStep,
  readNextStep: (fromPosition: CursorPosition) => Promise<DownloadStep>,
  origin: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let step: DownloadStep | undefined = firstStep;
  let viewIndex = 0;
  let text = layout.header();
  return new ReadableStream({
    async pull(controller) {
      while (step && text.length < charactersPerChunk) {
        const view = step.views[viewIndex];
        if (view) {
          text += layout.lines(itemDocument(view, origin));
          viewIndex += 1;
          continue;
        }
        // An error here aborts the download, so that the client notices that it is incomplete.
        step = step.nextPosition ? await readNextStep(step.nextPosition) : undefined;
        viewIndex = 0;
      }
      if (text !== "") controller.enqueue(encoder.encode(text));
      if (!step) controller.close();
      text = "";
    },
  });
}
