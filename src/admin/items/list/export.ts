import type { Context } from "hono";
import type { AdminEnv } from "../../../env";
import { browseItems, type Browsed } from "../../../actions/search/browse-items";
import type { Compiled } from "../../../domain/data/compile";
import type { Position } from "../../../domain/cursor";
import type { CollectionKind } from "../../../domain/definition/collection";
import { oneOf } from "../../../domain/problem/field-errors";
import { problem } from "../../../domain/problem/problem";
import { answerDownload, type Format } from "../../../http/answers/download";
import { opened } from "../opened";
import { searchBody } from "./filter/conditions";
import { readQuery, refuseUnknown } from "./read-query";
import { clockOf } from "./filter/clock";

type C = Context<AdminEnv>;

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
  const body = searchBody(compiled.collection, query, clockOf(c));
  return answerFound(c, compiled, { body, text: query.text }, format);
}

export async function answerFound(c: C, compiled: Compiled, browsed: Browsed, format: FormatName) {
  const read = (from: Position | null, items: number) =>
    browseItems(c.var.action, compiled, browsed, from, items);
  const download = { compiled, keys: null, start: null, most: null, read };
  return answerDownload(c, download, formats[format]);
}
