import type { Collection } from "#domain/definition/collection.ts";
import { uniqueIdOf, type Field } from "#domain/definition/field.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { foldImportedName } from "#domain/text.ts";
import { createCellReader, stripFormulaGuard, type CellFormat, type CellReader } from "./cells.ts";
import { findSpreadsheetWords, readStatus } from "./spreadsheet.ts";

/** The cells of a row in a CSV file. A row with quoted cells may span several lines. */
export interface CsvLine {
  /** The number of its first line in the file, from 1. */
  line: number;
  cells: string[];
}

export interface Csv {
  delimiter: string;
  /** The cells of the first line. */
  header: string[];
  rows: CsvLine[];
}

/** A syntax error in a CSV file, with its line. */
export class CsvError extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

const delimiters = [",", ";", "\t"];

/**
 * Parses CSV (RFC 4180). The default delimiter is the comma, semicolon or tab that occurs most often in the first line.
 * Converts every line end to \n, even in quotes, because browsers change line ends in forms. Skips empty lines.
 */
export function parseCsv(input: string, maxRows: number, chosenDelimiter?: string): Csv {
  const text = input.replace(/^\uFEFF/, "").replaceAll(/\r\n?/g, "\n");
  const delimiter = chosenDelimiter ?? detectDelimiter(text);
  const lines = splitLines(text, delimiter, maxRows + 1);
  const [headerLine, ...rows] = lines;
  if (!headerLine) throw new CsvError(1, "The file is empty.");
  return { delimiter, header: headerLine.cells.map((cell) => cell.trim()), rows };
}

function detectDelimiter(text: string): string {
  const [firstLine = ""] = text.trimStart().split("\n", 1);
  const unquotedText = firstLine.replaceAll(/"[^"]*"/g, "");
  const count = (delimiter: string) => unquotedText.split(delimiter).length;
  return delimiters.reduce((best, candidate) =>
    count(candidate) > count(best) ? candidate : best,
  );
}

function splitLines(text: string, delimiter: string, maxLines: number): CsvLine[] {
  const lines: CsvLine[] = [];
  let line = 1;
  for (let position = 0; position < text.length; position += 1) {
    const cells: string[] = [];
    const firstLine = line;
    for (;;) {
      const { cell, end } = readCell(text, position, delimiter, firstLine);
      cells.push(cell);
      line += text.slice(position, end).split("\n").length - 1;
      position = end;
      if (text[position] !== delimiter) break;
      position += 1;
    }
    line += 1;
    if (cells.length === 1 && cells[0] === "") continue;
    if (lines.length === maxLines)
      throw new CsvError(firstLine, `The file has more than ${maxLines - 1} rows.`);
    lines.push({ line: firstLine, cells });
  }
  return lines;
}

/** Reads the cell at `start`. It ends at a delimiter, a line end or the end of the text. */
function readCell(text: string, start: number, delimiter: string, line: number) {
  if (text[start] !== '"') {
    let end = start;
    while (end < text.length && text[end] !== delimiter && text[end] !== "\n") end += 1;
    return { cell: text.slice(start, end), end };
  }
  let cell = "";
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw new CsvError(line, "A quoted cell has no closing quote.");
    cell += text.slice(from, quote);
    if (text[quote + 1] !== '"')
      return { cell, end: assertCellEnd(text, quote + 1, delimiter, line) };
    cell += '"';
    from = quote + 2;
  }
}

function assertCellEnd(text: string, end: number, delimiter: string, line: number): number {
  const character = text[end];
  if (character === undefined || character === delimiter || character === "\n") return end;
  throw new CsvError(line, "Text follows a closing quote. Double the quotes inside a quoted cell.");
}

/** A column can set a field by its key, or one of these parts of the item itself. */
export const itemTargets = { id: "$id", status: "$status" } as const;

/** Returns all fields except computed ones. */
export function importableFields({ definition }: Collection): Field[] {
  return definition.fields.fields.filter(({ type }) => type !== "computed");
}

/** Returns the unique fields, whose values can identify existing items. */
export function lookupFields({ definition }: Collection): Field[] {
  return definition.fields.fields.filter((field) => uniqueIdOf(field) !== undefined);
}

function columnTargets(collection: Collection): string[] {
  const itemColumns = collection.kind === "form" ? Object.values(itemTargets) : [itemTargets.id];
  return [...itemColumns, ...importableFields(collection).map(({ key }) => key)];
}

/**
 * Returns the field that a column sets: by key, or a reference by a unique field of its app, as in `customer.email`.
 */
function targetField(target: string, collection: Collection): Field | undefined {
  const [key, nameKey] = target.split(".", 2);
  return importableFields(collection).find(
    (field) => field.key === key && (nameKey === undefined || field.type === "reference"),
  );
}

const referenceColumn = /^[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;

/** Whether a column can have this target. */
export const isColumnTarget = (target: string, collection: Collection): boolean =>
  columnTargets(collection).includes(target) ||
  (referenceColumn.test(target) && targetField(target, collection) !== undefined);

/** Returns the part of a target that only one column may set. */
export const targetKey = (target: string): string => target.split(".")[0] ?? "";

/**
 * Returns the target of each column, by key or label. Empty without a match, or if an earlier column has the target.
 */
export function matchColumns(header: readonly string[], collection: Collection): string[] {
  // Ignores the IDs and statuses of other systems, because they have other meanings.
  const words = findSpreadsheetWords(header)?.columns;
  const systemNames: [string, string][] = words
    ? [
        [foldImportedName(words.id), itemTargets.id],
        [foldImportedName(words.status), itemTargets.status],
      ]
    : [];
  const names = new Map<string, string>([
    ...systemNames,
    ...importableFields(collection).flatMap(({ key, label, previous_keys: formerKeys }) =>
      [label, ...formerKeys].map((name): [string, string] => [foldImportedName(name), key]),
    ),
  ]);
  const usedTargets = new Set<string>();
  return header.map((name) => {
    const target = isColumnTarget(name, collection)
      ? name
      : (names.get(foldImportedName(name)) ?? names.get(foldImportedName(stripFormulaGuard(name))));
    if (target === undefined || !isColumnTarget(target, collection)) return "";
    if (usedTargets.has(targetKey(target))) return "";
    usedTargets.add(targetKey(target));
    return target;
  });
}

/** Whether the service exported the file for programs. The header of such a file names system columns. */
export function isLosslessExport(header: readonly string[]): boolean {
  return header.includes("$id") && header.includes("$version");
}

/** The targets of a file's columns, and the field that finds existing items. */
export interface ImportPlan extends CellFormat {
  /** The target of each column; empty for a column that is not imported. */
  columns: readonly string[];
  /** `$id` or the key of a unique field. Empty when each row creates an item. */
  by: string;
}

/** Builds the operation of each row. A new item uses `rowId`, so that repeated imports create it only once. */
export function createOperationBuilder(
  collection: Collection,
  { columns, by, ...format }: ImportPlan,
): (row: CsvLine, rowId: string) => BatchOperation {
  const fields = importableFields(collection).flatMap((field) => {
    const column = columns.findIndex((target) => targetKey(target) === field.key);
    const [, nameKey] = columns[column]?.split(".", 2) ?? [];
    const read = createCellReader(field, format);
    return column === -1 ? [] : [{ key: field.key, column, read: namedBy(nameKey, read) }];
  });
  const idColumn = by === "" || by === itemTargets.id ? columns.indexOf(itemTargets.id) : -1;
  const statusColumn = collection.kind === "form" ? columns.indexOf(itemTargets.status) : -1;
  return ({ cells }, rowId) => {
    const id = cells[idColumn]?.trim() ?? "";
    const isNew = by === "" || (by === itemTargets.id && id === "");
    const data: Record<string, unknown> = {};
    for (const { key, column, read } of fields) {
      const value = read(cells[column] ?? "");
      // Omits empty cells of new items, so that defaults apply.
      if (value !== null || !isNew || format.isLossless) data[key] = value;
    }
    const status = readStatus(cells[statusColumn]?.trim() ?? "");
    const body = { data, ...(status === "" ? {} : { status }) };
    if (isNew) return { op: "create", rowId, ...(id === "" ? {} : { unless: id }), body };
    if (by === itemTargets.id) return { op: "update", id, body, ifMatch: null };
    return { op: "upsert", by, body };
  };
}

/** Returns the name of a record by a unique field, in the format of the API. */
const namedBy =
  (key: string | undefined, read: CellReader): CellReader =>
  (cell) => {
    const value = read(cell);
    return key === undefined || value === null ? value : { [key]: value };
  };

/** Identifies a file together with its import plan. */
export function importFingerprint(
  collection: Collection,
  { columns, by, numbers, dates }: ImportPlan,
  csv: Csv,
): string {
  const rows = csv.rows.map(({ cells }) => cells);
  const isUsual = numbers.startsWith("plain") && dates === "iso";
  const formats = isUsual ? [] : [numbers, dates];
  return JSON.stringify([collection.id, columns, by, csv.header, rows, ...formats]);
}
