import type { CollectionKind, Collection } from "#domain/definition/collection.ts";
import { valueType, type Field, type LineItemsField, type Option } from "#domain/definition/field.ts";
import { instant, localDateTime } from "#domain/time.ts";

/** What CSV is made of: an item as the API shows it. */
export type CsvItem = { data: Record<string, unknown> } & Record<string, unknown>;

/** A way to write items as lines; an item can be several. */
export interface CsvLayout {
  header(): string;
  lines(item: CsvItem): string;
}

/** The members of an item besides its data, in the order of their columns. */
export const systemMembers: Record<CollectionKind, readonly string[]> = {
  app: ["id", "receipt_number", "version", "created_at", "created_by", "updated_at", "updated_by"],
  form: ["id", "status", "version", "created_at", "created_by", "updated_at", "updated_by"],
};

/**
 * RFC 4180 with a header, and lossless: what is stored is what is written. Nothing is an empty cell, and line items and
 * lists are JSON in theirs.
 */
export function losslessCsv(kind: CollectionKind, keys: readonly string[]): CsvLayout {
  const system = systemMembers[kind];
  return {
    header: () => csvLine([...system.map((name) => `$${name}`), ...keys]),
    lines: (item) =>
      csvLine([
        ...system.map((name) => cell(item[name])),
        ...keys.map((key) => cell(item.data[key])),
      ]),
  };
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function csvLine(cells: readonly string[], delimiter = ","): string {
  return `${cells.map((each) => quoted(each, delimiter)).join(delimiter)}\r\n`;
}

function quoted(text: string, delimiter: string): string {
  const isPlain = !/["\r\n]/.test(text) && !text.includes(delimiter) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const longestRepeated = 200;

/** Spreadsheets tell UTF-8 by it. */
const byteOrderMark = "\uFEFF";

/** How line items are laid out: each item with its rows in one cell, or each row of line items as a line of its own. */
export type SpreadsheetRows = "items" | "lines";

const systemLabels: Record<string, string> = {
  id: "Id",
  receipt_number: "Receipt number",
  status: "Status",
  version: "Version",
  created_at: "Created at",
  created_by: "Created by",
  updated_at: "Updated at",
  updated_by: "Updated by",
};

/**
 * CSV for people with spreadsheets: labels in place of keys and option values, days and times as spreadsheets read them
 * (in the zone of the collection), and cells that would be run as formulas made text. It cannot be read back.
 */
export function spreadsheetCsv(
  { kind, definition }: Collection,
  keys: readonly string[],
  layout: SpreadsheetRows,
): CsvLayout {
  const zone = definition.time_zone;
  const shown = keys.flatMap((key) =>
    definition.fields.fields.filter((field) => field.key === key),
  );
  const system = systemMembers[kind];
  const own = (item: CsvItem) => system.map((name) => systemCell(item[name], name, zone));
  const heads = system.map((name) => harmless(systemLabels[name] ?? name));
  if (layout === "items") {
    return {
      header: () =>
        byteOrderMark + csvLine([...heads, ...shown.map(({ label }) => harmless(label))]),
      lines: (item) =>
        csvLine([...own(item), ...shown.map((field) => cellOf(field, item.data[field.key], zone))]),
    };
  }
  const lists = shown.filter((field) => field.type === "line_items");
  const plain = shown.filter((field) => field.type !== "line_items");
  const columns = lists.flatMap((list) =>
    list.fields.map((column) => harmless(`${list.label}: ${column.label}`)),
  );
  return {
    header: () =>
      byteOrderMark +
      csvLine([...heads, ...plain.map(({ label }) => harmless(label)), "List", "Row", ...columns]),
    lines(item) {
      const before = [
        ...own(item),
        ...plain.map((field) => cellOf(field, item.data[field.key], zone)),
      ];
      // Long texts stand in the first line of their item alone.
      const repeated = before.map((text) => (text.length > longestRepeated ? "" : text));
      const rows = lists.flatMap((list) =>
        rowsOf(item.data[list.key]).map((row, index) => [
          ...(index === 0 ? before : repeated),
          harmless(list.label),
          String(index + 1),
          ...lists.flatMap((each) => rowCells(each, each === list ? row : {}, zone)),
        ]),
      );
      const none = [[...before, "", "", ...columns.map(() => "")]];
      return (rows.length > 0 ? rows : none).map((cells) => csvLine(cells)).join("");
    },
  };
}

type Row = Record<string, unknown>;

function rowsOf(value: unknown): Row[] {
  return Array.isArray(value) ? (value as Row[]) : [];
}

function rowCells(list: LineItemsField, row: Row, zone: string): string[] {
  return list.fields.map((column) => cellOf(column, row[column.key], zone));
}

function systemCell(value: unknown, name: string, zone: string): string {
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : "";
  return name.endsWith("_at") ? dateTimeCell(text, zone) : harmless(text);
}

/** `guarded` defuses what stands at the beginning of a cell; within one, nothing is run. */
function cellOf(field: Field, value: unknown, zone: string, guarded = harmless): string {
  if (value === null || value === undefined) return "";
  if (field.type === "line_items") {
    const rows = rowsOf(value).map((row) =>
      field.fields
        .filter((column) => row[column.key] !== null && row[column.key] !== undefined)
        .map((column) => `${column.label}: ${cellOf(column, row[column.key], zone, String)}`)
        .join("; "),
    );
    return guarded(rows.join("\n"));
  }
  if (field.type === "multi_select") {
    return guarded((value as string[]).map((each) => labelOf(field.options, each)).join(", "));
  }
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (field.type === "select") return guarded(labelOf(field.options, text));
  const type = valueType(field);
  if (type === "date") return text.slice(0, 10);
  return type === "datetime" ? dateTimeCell(text, zone) : guarded(text);
}

const labels = new WeakMap<readonly Option[], Map<string, string>>();

function labelOf(options: readonly Option[], value: string): string {
  const known =
    labels.get(options) ?? new Map(options.map((option) => [option.value, option.label]));
  labels.set(options, known);
  return known.get(value) ?? value;
}

function dateTimeCell(text: string, zone: string): string {
  const at = instant(text);
  return at === undefined ? harmless(text) : localDateTime(at, zone);
}

/** Spreadsheets run cells that begin like a formula (OWASP, CSV injection): a quote in front keeps them text. */
function harmless(text: string): string {
  return /^\s*[=+\-@]|^[\t\r\n]/.test(text) ? `'${text}` : text;
}
