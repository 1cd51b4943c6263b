import type { Field, LineItemsField } from "../../../domain/definition/field";
import { instantInZone } from "../../../domain/time-zone";
import { textOf, type Sent } from "../../frame/sent";
import { indexesOf } from "./drawn-rows";
import { writtenColumns, inputText, optionsFor, textsOf } from "./written";

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

const mostRows = 1000;

/** The rows that were there, and the new ones in which something was written, in the order in which they were sent. */
export function sentRows(list: LineItemsField, sent: Sent, zone: string): SentRow[] {
  const { key, fields } = list;
  const places = indexesOf(list, sent).slice(0, mostRows);
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
