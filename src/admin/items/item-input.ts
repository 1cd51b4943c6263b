import type { Field, RowField } from "../../domain/definition/field";
import { textOf, type Sent } from "../frame/sent";

/** What a form sends is text; this makes of it what the API would be sent. */
export function dataOf(fields: readonly Field[], sent: Sent): Record<string, unknown> {
  const entries = fields
    .filter(({ type }) => type !== "computed")
    .map((field) => [field.key, valueOf(field, field.key, sent)] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function valueOf(field: Field, name: string, sent: Sent): unknown {
  if (field.type === "line_items") return rowsOf(field.key, field.fields, sent);
  const value = sent[name];
  if (field.type === "multi_select") {
    if (Array.isArray(value)) return value;
    return value === undefined || value === "" ? [] : [value];
  }
  if (value === undefined || value === "") return null;
  const text = textOf(value);
  if (field.type === "boolean") return text === "true";
  if (field.type === "number") return Number.isFinite(Number(text)) ? Number(text) : text;
  // What the browser's own input for moments sends has no offset: it is UTC, as the label says.
  const local =
    field.type === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return local ? `${text}Z` : text.replaceAll("\r\n", "\n");
}

/** The rows in which something was written. */
function rowsOf(key: string, fields: readonly RowField[], sent: Sent): Record<string, unknown>[] {
  const names = Object.keys(sent).filter((name) => name.startsWith(`${key}[`));
  const indexes = names.map((name) => Number(/\[(\d+)\]/.exec(name)?.[1]));
  const rows = [...new Set(indexes)].toSorted((a, b) => a - b);
  return rows
    .map((index) => {
      const inputs = fields.filter(({ type }) => type !== "computed");
      const values = inputs.map((field) => {
        return [field.key, valueOf(field, `${key}[${index}].${field.key}`, sent)] as const;
      });
      return Object.fromEntries(values);
    })
    .filter((row) =>
      Object.values(row).some(
        (value) => value !== null && !(Array.isArray(value) && value.length === 0),
      ),
    );
}
