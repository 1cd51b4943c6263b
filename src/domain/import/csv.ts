import type { Collection } from "#domain/definition/collection.ts";
import { uniqueIdOf, type Field } from "#domain/definition/field.ts";
import { newItemId } from "#domain/item/item.ts";
import type { Operation } from "#domain/item/body.ts";
import { cellReader, type Reading } from "./cells.ts";

/** A line of a CSV file, as its cells; a quoted cell may span several lines. */
export interface CsvLine {
  /** Where it begins; the first line is 1. */
  line: number;
  cells: string[];
}

export interface Csv {
  delimiter: string;
  /** What the first line says. */
  header: string[];
  rows: CsvLine[];
}

/** Why a text is no CSV, and where. */
export class CsvFault extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

const delimiters = [",", ";", "\t"];

/**
 * Reads CSV as RFC 4180 has it, with commas, semicolons or tabs, whichever the first line has most of. Line ends are all
 * read as \n, those within quotes too, since forms send them otherwise than they were. Empty lines are none.
 */
export function parseCsv(sent: string, mostRows: number): Csv {
  const text = sent.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const delimiter = delimiterOf(text);
  const lines = linesOf(text, delimiter, mostRows + 1);
  const [first, ...rows] = lines;
  if (!first) throw new CsvFault(1, "There is nothing in it.");
  return { delimiter, header: first.cells.map((cell) => cell.trim()), rows };
}

function delimiterOf(text: string): string {
  const [first = ""] = text.trimStart().split("\n", 1);
  const bare = first.replaceAll(/"[^"]*"/g, "");
  const count = (delimiter: string) => bare.split(delimiter).length;
  return delimiters.reduce((best, each) => (count(each) > count(best) ? each : best));
}

function linesOf(text: string, delimiter: string, most: number): CsvLine[] {
  const lines: CsvLine[] = [];
  let line = 1;
  for (let at = 0; at < text.length; at += 1) {
    const cells: string[] = [];
    const start = line;
    for (;;) {
      const { cell, end } = cellAt(text, at, delimiter, start);
      cells.push(cell);
      line += text.slice(at, end).split("\n").length - 1;
      at = end;
      if (text[at] !== delimiter) break;
      at += 1;
    }
    line += 1;
    if (cells.length === 1 && cells[0] === "") continue;
    if (lines.length === most) throw new CsvFault(start, `There are more than ${most - 1} rows.`);
    lines.push({ line: start, cells });
  }
  return lines;
}

/** The cell that begins here, and where it ends: at a delimiter, a line end, or the end of all. */
function cellAt(text: string, at: number, delimiter: string, line: number) {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
    return { cell: text.slice(at, end), end };
  }
  let cell = "";
  for (let from = at + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new CsvFault(line, "A quote is opened and not closed.");
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"') return { cell, end: closed(text, quote + 1, delimiter, line) };
    cell += '"';
    from = quote + 2;
  }
}

function closed(text: string, end: number, delimiter: string, line: number): number {
  const next = text[end];
  if (next === undefined || next === delimiter || next === "\n") return end;
  throw new CsvFault(line, "Something follows a closing quote; a quote within a cell is doubled.");
}

/** What a column can become: the key of a field, or one of these of the item itself. */
export const ownTargets = { id: "$id", status: "$status" } as const;

/** The fields that people write; what is calculated is not imported. */
export function importable({ definition }: Collection): Field[] {
  return definition.fields.fields.filter(({ type }) => type !== "computed");
}

/** How an item is found that a row changes: by its id, or by the value of a unique field. */
export function finders({ definition }: Collection): Field[] {
  return definition.fields.fields.filter((field) => uniqueIdOf(field) !== undefined);
}

export function targetsOf(collection: Collection): string[] {
  const own = collection.kind === "form" ? Object.values(ownTargets) : [ownTargets.id];
  return [...own, ...importable(collection).map(({ key }) => key)];
}

/** The target of each column, by key or label; empty where there is none, or where a column before has it. */
export function matchColumns(header: readonly string[], collection: Collection): string[] {
  const targets = targetsOf(collection);
  // Other systems have ids and states of their own.
  const own: [string, string][] = isSpreadsheet(header)
    ? [
        ["id", ownTargets.id],
        ["status", ownTargets.status],
      ]
    : [];
  const names = new Map<string, string>([
    ...own,
    ...importable(collection).flatMap(({ key, label, previous_keys: former }) =>
      [label, ...former].map((name): [string, string] => [name.toLowerCase(), key]),
    ),
  ]);
  const taken = new Set<string>();
  return header.map((name) => {
    const target = targets.includes(name) ? name : names.get(name.toLowerCase());
    if (target === undefined || !targets.includes(target) || taken.has(target)) return "";
    taken.add(target);
    return target;
  });
}

/** Whether the service wrote it for spreadsheets. */
const isSpreadsheet = (header: readonly string[]) =>
  ["Id", "Version", "Created at"].every((name) => header.includes(name));

/** Whether the service wrote it for programs: its header has the names of system columns. */
export function isLossless(header: readonly string[]): boolean {
  return header.includes("$id") && header.includes("$version");
}

/** What is to become of a file: which column is which field, and how items are found that are there already. */
export interface Plan extends Reading {
  /** The target of each column; empty for one that is not imported. */
  columns: readonly string[];
  /** `$id`, or the key of a unique field; empty where each row is a new item. */
  by: string;
}

/** What rows ask for. A new item has the id that is given, so that it is made once, however often it is sent. */
export function operationsBy(
  collection: Collection,
  { columns, by, ...reading }: Plan,
): (row: CsvLine, newId: string) => Operation {
  const fields = importable(collection).flatMap((field) => {
    const at = columns.indexOf(field.key);
    return at === -1 ? [] : [{ key: field.key, at, read: cellReader(field, reading) }];
  });
  const idAt = by === ownTargets.id ? columns.indexOf(ownTargets.id) : -1;
  const statusAt = collection.kind === "form" ? columns.indexOf(ownTargets.status) : -1;
  return ({ cells }, newId) => {
    const id = cells[idAt]?.trim() ?? "";
    const isNew = by === "" || (by === ownTargets.id && id === "");
    const data: Record<string, unknown> = {};
    for (const { key, at, read } of fields) {
      const value = read(cells[at] ?? "");
      // What is left empty in something new is not sent: its default stands there.
      if (value !== null || !isNew || reading.lossless) data[key] = value;
    }
    const status = cells[statusAt]?.trim() ?? "";
    const body = { data, ...(status === "" ? {} : { status }) };
    if (isNew) return { op: "create", id: newId, body };
    if (by === ownTargets.id) return { op: "update", id, body, ifMatch: null };
    return { op: "upsert", by, body };
  };
}

const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A file with what is to become of it, told from all others. */
export function fingerprint(collection: Collection, { columns, by }: Plan, csv: Csv): string {
  const rows = csv.rows.map(({ cells }) => cells);
  return JSON.stringify([collection.id, columns, by, csv.header, rows]);
}

/** The ids of what a file makes: each follows from the file and the row. */
export async function rowIds(
  { kind, id }: Collection,
  fileDigest: string,
  rows: readonly CsvLine[],
): Promise<string[]> {
  const encoder = new TextEncoder();
  return Promise.all(
    rows.map(async ({ line }) => {
      const named = encoder.encode(`${fileDigest} ${line}`);
      const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", named)).slice(0, 26);
      const text = [...bytes].map((byte, i) => letters[byte % (i === 0 ? 8 : 32)]).join("");
      return newItemId(kind, id, text);
    }),
  );
}
