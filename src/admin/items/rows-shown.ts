import type { Field } from "../../domain/definition/field";

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
