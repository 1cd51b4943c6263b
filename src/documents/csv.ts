import type { Spreadsheet } from "#domain/download.ts";
import { spreadsheetWords } from "#domain/import/spreadsheet.ts";
import type { CollectionKind, Collection } from "#domain/definition/collection.ts";
import {
  valueType,
  type Field,
  type LineItemsField,
  type FieldOption,
} from "#domain/definition/field.ts";
import type { Status } from "#domain/item/item.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { toEpochMs, formatLocalDateTime } from "#domain/time.ts";

/** An item in the format of the API. */
type CsvItem = { data: Record<string, unknown> } & Record<string, unknown>;

/** Writes items as CSV lines. One item can take several lines. */
export interface CsvLayout {
  header(): string;
  lines(item: CsvItem): string;
}

/** The members of an item except `data`, in column order. */
const systemMembers = {
  app: ["id", "receipt_number", "version", "created_at", "created_by", "updated_at", "updated_by"],
  form: ["id", "status", "version", "created_at", "created_by", "updated_at", "updated_by"],
} as const satisfies Record<CollectionKind, readonly string[]>;

/**
 * Lossless CSV (RFC 4180) with a header. Values are written as stored. An empty value is an empty cell. Lists and
 * line items are JSON.
 */
export function losslessCsv(kind: CollectionKind, keys: readonly string[]): CsvLayout {
  const systemNames = systemMembers[kind];
  return {
    header: () => csvLine([...systemNames.map((name) => `$${name}`), ...keys]),
    lines: (item) =>
      csvLine([
        ...systemNames.map((name) => losslessCell(item[name])),
        ...keys.map((key) => losslessCell(item.data[key])),
      ]),
  };
}

function losslessCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function csvLine(cells: readonly string[], delimiter = ","): string {
  return `${cells.map((cell) => quoteCell(cell, delimiter)).join(delimiter)}\r\n`;
}

function quoteCell(text: string, delimiter: string): string {
  const isPlain = !/["\r\n]/.test(text) && !text.includes(delimiter) && text.trim() === text;
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const maxRepeatedLength = 200;

/** Spreadsheets recognize UTF-8 by this mark. */
const byteOrderMark = "\uFEFF";

/** The format of dates and numbers in a spreadsheet. */
interface CellStyle {
  words: (typeof spreadsheetWords)["en"];
  /** The time zone of times. */
  zone: string;
  delimiter: string;
  decimal: string;
  /** Formats a day like 2026-12-31. */
  formatDay: (day: string) => string;
}

/** Returns the style of a locale. Without a locale, the style of ISO 8601. */
function cellStyle(zone: string, { locale, language = "en" }: Spreadsheet): CellStyle {
  const words = spreadsheetWords[language];
  if (locale === undefined) {
    return { words, zone, delimiter: ",", decimal: ".", formatDay: (day) => day };
  }
  const latin = { numberingSystem: "latn" } as const;
  const number = new Intl.NumberFormat(locale, latin).formatToParts(1.5);
  const decimal = number.find(({ type }) => type === "decimal")?.value ?? ".";
  const dayFormat = new Intl.DateTimeFormat(locale, {
    ...latin,
    calendar: "gregory",
    timeZone: "UTC",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  return {
    words,
    zone,
    // A decimal comma would split a number into two cells.
    delimiter: decimal === "," ? ";" : ",",
    decimal,
    formatDay(day) {
      const time = Date.parse(`${day}T00:00:00Z`);
      return Number.isNaN(time) ? day : dayFormat.format(time);
    },
  };
}

/**
 * Writes CSV for spreadsheets: labels instead of keys and option values, and times in the collection's zone. Cells that
 * look like formulas become text. The import cannot read its line items.
 */
export function spreadsheetCsv(
  { kind, definition }: Collection,
  keys: readonly string[],
  spreadsheet: Spreadsheet,
): CsvLayout {
  const style = cellStyle(definition.time_zone, spreadsheet);
  const line = (cells: readonly string[]) => csvLine(cells, style.delimiter);
  const fields = keys.flatMap((key) =>
    definition.fields.fields.filter((field) => field.key === key),
  );
  const systemNames = systemMembers[kind];
  const metadata = (item: CsvItem) =>
    systemNames.map((name) => systemCell(item[name], name, style));
  const head = systemNames.map((name) => defuse(style.words.columns[name]));
  if (spreadsheet.layout === "items") {
    return {
      header: () => byteOrderMark + line([...head, ...fields.map(({ label }) => defuse(label))]),
      lines: (item) =>
        line([
          ...metadata(item),
          ...fields.map((field) => formatCell(field, item.data[field.key], style)),
        ]),
    };
  }
  return rowsLayout(fields, style, head, metadata);
}

/** Writes one line for each row of line items. An item without rows gets one line. */
function rowsLayout(
  fields: readonly Field[],
  style: CellStyle,
  head: readonly string[],
  metadata: (item: CsvItem) => string[],
): CsvLayout {
  const line = (cells: readonly string[]) => csvLine(cells, style.delimiter);
  const { list: listHeader, row: rowHeader } = style.words.rows;
  const lists = fields.filter((field) => field.type === "line_items");
  const scalars = fields.filter((field) => field.type !== "line_items");
  const columns = lists.flatMap((list) =>
    list.fields.map((column) => defuse(`${list.label}: ${column.label}`)),
  );
  return {
    header: () =>
      byteOrderMark +
      line([
        ...head,
        ...scalars.map(({ label }) => defuse(label)),
        listHeader,
        rowHeader,
        ...columns,
      ]),
    lines(item) {
      const itemCells = [
        ...metadata(item),
        ...scalars.map((field) => formatCell(field, item.data[field.key], style)),
      ];
      // Only the first line of an item contains its long texts.
      const repeated = itemCells.map((text) => (text.length > maxRepeatedLength ? "" : text));
      const rows = lists.flatMap((list) =>
        toRows(item.data[list.key]).map((row, index) => [
          ...(index === 0 ? itemCells : repeated),
          defuse(list.label),
          String(index + 1),
          ...lists.flatMap((other) => rowCells(other, other === list ? row : {}, style)),
        ]),
      );
      const emptyRow = [[...itemCells, "", "", ...columns.map(() => "")]];
      return (rows.length > 0 ? rows : emptyRow).map(line).join("");
    },
  };
}

type Row = Record<string, unknown>;

function toRows(value: unknown): Row[] {
  return Array.isArray(value) ? (value as Row[]) : [];
}

function rowCells(list: LineItemsField, row: Row, style: CellStyle): string[] {
  return list.fields.map((column) => formatCell(column, row[column.key], style));
}

function systemCell(value: unknown, name: string, style: CellStyle): string {
  if (typeof value === "number") return String(value);
  const text = typeof value === "string" ? value : "";
  if (name === "status") return style.words.statuses[text as Status] ?? text;
  return name.endsWith("_at") ? dateTimeCell(text, style) : defuse(text);
}

/** `escape` applies to the whole cell. Nested values pass `String`: formulas only run at the start of a cell. */
function formatCell(field: Field, value: unknown, style: CellStyle, escape = defuse): string {
  if (value === null || value === undefined) return "";
  if (field.type === "line_items") {
    const rows = toRows(value).map((row) =>
      field.fields
        .filter((column) => row[column.key] !== null && row[column.key] !== undefined)
        .map((column) => `${column.label}: ${formatCell(column, row[column.key], style, String)}`)
        .join("; "),
    );
    return escape(rows.join("\n"));
  }
  if (field.type === "files") {
    const files = value as StoredFile[];
    return escape(files.map(({ name, id }) => `${name} (${id})`).join(", "));
  }
  if (field.type === "multi_select") {
    return escape(
      (value as string[]).map((option) => optionLabel(field.options, option)).join(", "),
    );
  }
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  if (typeof value === "number") return String(value).replace(".", style.decimal);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (field.type === "select") return escape(optionLabel(field.options, text));
  const type = valueType(field);
  if (type === "date") return style.formatDay(text.slice(0, 10));
  return type === "datetime" ? dateTimeCell(text, style) : escape(text);
}

const labelsByOptions = new WeakMap<readonly FieldOption[], Map<string, string>>();

function optionLabel(options: readonly FieldOption[], value: string): string {
  const labels =
    labelsByOptions.get(options) ?? new Map(options.map((option) => [option.value, option.label]));
  labelsByOptions.set(options, labels);
  return labels.get(value) ?? value;
}

function dateTimeCell(text: string, { zone, formatDay }: CellStyle): string {
  const time = toEpochMs(text);
  if (time === undefined) return defuse(text);
  const local = formatLocalDateTime(time, zone);
  return formatDay(local.slice(0, 10)) + local.slice(10);
}

/**
 * Adds a leading quote to a text that begins like a formula. Spreadsheets would run it otherwise (OWASP, CSV
 * injection).
 */
export function defuse(text: string): string {
  const cell = text.replace(formulaAfterSeparator, "$1'");
  return /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
}

/** Spreadsheets that split cells at `;`, tabs or lines begin a new cell there, even inside quotes. */
const formulaAfterSeparator = /([;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g;
