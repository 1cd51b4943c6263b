import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { Query } from "./query.ts";

const defaultColumnCount = 5;

/** Separates the keys of columns in one value. No key contains it. */
export const columnSeparator = ".";

/** The fields to show as columns: those of the URL, of the view, of the member's choice, or the first few. */
export function visibleColumns(
  { definition }: Collection,
  { columns, view, tab }: Query,
  chosen: readonly string[] | null,
): Field[] {
  const { fields } = definition.fields;
  const viewed = (definition.views ?? []).find(({ key }) => key === (view ?? tab))?.fields;
  for (const keys of [columns, viewed, chosen]) {
    const found = fields.filter(({ key }) => keys?.includes(key));
    if (found.length > 0) return found;
  }
  return fields.filter(({ type }) => type !== "multiline_text").slice(0, defaultColumnCount);
}
