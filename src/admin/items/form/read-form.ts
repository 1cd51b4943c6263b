import type { Field, LineItemsField } from "#domain/definition/field.ts";
import { problem } from "#domain/problem/problem.ts";
import { textOf, type Sent } from "#admin/form-input.ts";
import { instantInZone } from "#domain/time.ts";
import { writtenColumns, inputText, optionsFor, textsOf } from "./values.ts";

type Data = Record<string, unknown>;

/** Cells of line items that one page shows: more take too long to draw, and nobody reads them. */
const mostCells = 15_000;

/** How many rows of each list one page has room for, by the list's key. */
export function rowsShown(fields: readonly Field[], data: Data): Map<string, number> {
  const shown = new Map<string, number>();
  let left = mostCells;
  for (const field of fields) {
    if (field.type !== "line_items") continue;
    const rows = data[field.key];
    const columns = Math.max(1, field.fields.length);
    const count = Math.min(Array.isArray(rows) ? rows.length : 0, Math.floor(left / columns));
    shown.set(field.key, count);
    left -= count * columns;
  }
  return shown;
}

/** The fields that a form has inputs for: of lists with more rows than a page has room for it has none. */
export function fieldsWithInputs(fields: readonly Field[], data: Data): Field[] {
  const shown = rowsShown(fields, data);
  return fields.filter(({ key, type }) => {
    const rows = data[key];
    if (type !== "line_items" || !Array.isArray(rows)) return type !== "computed";
    return rows.length === shown.get(key);
  });
}

/** More than somebody adds to those of a page: a form that sends more cannot be drawn again. */
export const mostSentCells = 2 * mostCells;

/** A row as it is drawn. */
export interface Row {
  /** Its place among what is stored; null for a new one. */
  was: number | null;
  removed: boolean;
  cells: Sent;
  isSent: boolean;
}

export const blankRow = (): Row => ({ was: null, removed: false, cells: {}, isSent: false });

const mostRows = 1000;

/** Refuses a form with more cells, all its lists together, than one can be drawn with again. */
export function refuseTooMany(fields: readonly Field[], sent: Sent): void {
  let cells = 0;
  for (const field of fields) {
    if (field.type !== "line_items") continue;
    cells += indexesOf(field, sent).length * field.fields.length;
    if (cells <= mostSentCells) continue;
    const reason = `A form has at most ${mostSentCells} cells, and up to this list there are ${cells}. A program can send them.`;
    throw problem.invalidInput([{ field: field.key, code: "too_many_rows", reason }]);
  }
}

/** The places of a list's rows in a form that was sent, each once. */
export const indexesOf = ({ key }: LineItemsField, sent: Sent): number[] => [
  ...new Set(
    Object.keys(sent)
      .filter((name) => name.startsWith(`${key}[`))
      .map((name) => Number(/\[(\d+)\]/.exec(name)?.[1])),
  ),
];

/** The rows that were sent, in order; those in which nothing was written are left out, as they are not stored. */
export function rowsToDraw(field: LineItemsField, sent: Sent): Row[] {
  const { key, fields } = field;
  const rows = indexesOf(field, sent)
    .slice(0, mostRows)
    .flatMap((index): Row[] => {
      const at = `${key}[${index}].`;
      const cells = Object.fromEntries(fields.map((each) => [each.key, sent[at + each.key]]));
      const was = textOf(sent[`${at}#`]);
      const removed = sent[`${at}-`] !== undefined;
      const empty = Object.values(cells).every((value) => value === undefined || value === "");
      if (was === "" && empty) return [];
      return [{ was: was === "" ? null : Number(was), removed, cells, isSent: true }];
    });
  // What was wrong is told by the places of the rows that stay.
  return [...rows.filter(({ removed }) => !removed), ...rows.filter(({ removed }) => removed)];
}

export function storedRows(stored: unknown): Row[] {
  const rows = Array.isArray(stored) ? (stored as Sent[]) : [];
  return rows.map((cells, was) => ({ was, removed: false, cells, isSent: false }));
}

/** A row as a form sends it. */
export interface SentRow {
  /** The place that the row had when the form was drawn; null for a new one. */
  was: number | null;
  cells: Record<string, unknown>;
}

/** What a form sends for a field, as the API takes it; undefined where it sends nothing for it. */
export function sentValue(field: Field, name: string, sent: Sent, zone: string): unknown {
  if (field.type === "line_items") return sentRows(field, sent, zone).map(({ cells }) => cells);
  if (field.type === "multi_select") return textsOf(sent[name]);
  return scalarOf(field, sent[name], zone);
}

function scalarOf(field: Field, value: unknown, zone: string): unknown {
  const text = textOf(value).replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (text === "") return null;
  if (field.type === "boolean") return text === "true" || text === "yes";
  if (field.type === "number") return Number.isFinite(Number(text)) ? Number(text) : text;
  const local =
    field.type === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return local ? (instantInZone(text, zone) ?? text) : text;
}

const mostRowsOfItemInput = 1000;

/** The rows that were there, and the new ones in which something was written, in the order in which they were sent. */
export function sentRows(list: LineItemsField, sent: Sent, zone: string): SentRow[] {
  const { key, fields } = list;
  const places = indexesOf(list, sent).slice(0, mostRowsOfItemInput);
  return places.flatMap((index): SentRow[] => {
    const at = (name: string) => `${key}[${index}].${name}`;
    const was = textOf(sent[at("#")]);
    if (sent[at("-")] !== undefined) return [];
    const cells = Object.fromEntries(
      writtenColumns(fields).map((column) => [
        column.key,
        sentValue(column, at(column.key), sent, zone),
      ]),
    );
    if (was !== "") return [{ was: Number(was), cells }];
    // In a new row what is left empty is not sent: a column's default stands there.
    const filled = Object.entries(cells).filter(([, value]) => !isNothing(value));
    return filled.length === 0 ? [] : [{ was: null, cells: Object.fromEntries(filled) }];
  });
}

const isNothing = (value: unknown) =>
  value === null || (Array.isArray(value) && value.length === 0);

/** A stored value as an untouched form sends it back. */
export function untouched(field: Field, value: unknown, zone: string): unknown {
  if (field.type === "line_items") {
    const rows = Array.isArray(value) ? (value as Sent[]) : [];
    return rows.map((row) =>
      Object.fromEntries(
        writtenColumns(field.fields).map((column) => [
          column.key,
          untouched(column, row[column.key], zone),
        ]),
      ),
    );
  }
  if (field.type === "multi_select") {
    const chosen = textsOf(value);
    const checked = new Set(chosen);
    const shown = optionsFor(field.options, chosen).map((option) => option.value);
    return shown.filter((each) => checked.has(each));
  }
  return scalarOf(field, inputText(field, value, zone), zone);
}

/** All that a form sends, of a new item. */
export function sentData(
  fields: readonly Field[],
  sent: Sent,
  zone: string,
): Record<string, unknown> {
  const inputs = fields.filter(({ type }) => type !== "computed");
  return Object.fromEntries(
    inputs.map((field) => [field.key, sentValue(field, field.key, sent, zone)]),
  );
}
