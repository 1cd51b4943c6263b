import type { Field } from "#domain/definition/field.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import type { Query } from "./query.ts";

const defaultColumnCount = 5;

/** Separates the keys of columns in a parameter. No key contains it. */
export const columnSeparator = ".";

/** The id of the column picker. A link to it opens its menu. */
export const pickerId = "columns";

/** Returns the columns after `move`: `up:KEY` or `down:KEY`. */
export function moveColumn(columns: readonly string[], move: string | undefined): string[] {
  const [direction, key = ""] = (move ?? "").split(":");
  const index = columns.indexOf(key);
  const next = columns.filter((column) => column !== key);
  if (index === -1) return next;
  return next.toSpliced(Math.max(0, direction === "up" ? index - 1 : index + 1), 0, key);
}

/** The columns of a list that are not fields. They are visible unless the chosen columns contain them with a minus. */
export type PropertyColumn = "$status" | "$updated_at";

export const propertyColumns = (kind: CollectionKind): readonly PropertyColumn[] =>
  kind === "form" ? ["$status", "$updated_at"] : ["$updated_at"];

export const hiddenColumn = (property: PropertyColumn) => `-${property}`;

/** Returns the columns of the URL, of the view or of the member's choice. Undefined for the default columns. */
function chosenKeys(
  { definition }: Collection,
  { columns, view, tab }: Query,
  chosen: readonly string[] | null,
): readonly string[] | undefined {
  const viewed = (definition.views ?? []).find(({ key }) => key === (view ?? tab))?.fields;
  return columns ?? viewed ?? chosen ?? undefined;
}

/** Returns the fields to show as columns, in their order. */
export function visibleColumns(
  collection: Collection,
  query: Query,
  chosen: readonly string[] | null,
): Field[] {
  const { fields } = collection.definition.fields;
  const keys = new Set(chosenKeys(collection, query, chosen));
  const chosenFields = [...keys].flatMap((key) => fields.find((field) => field.key === key) ?? []);
  if (chosenFields.length > 0) return chosenFields;
  return fields.filter(({ type }) => type !== "multiline_text").slice(0, defaultColumnCount);
}

/** Returns the hidden columns that are not fields. */
export function hiddenProperties(
  collection: Collection,
  query: Query,
  chosen: readonly string[] | null,
): ReadonlySet<PropertyColumn> {
  const keys = chosenKeys(collection, query, chosen);
  const properties = propertyColumns(collection.kind);
  return new Set(properties.filter((property) => keys?.includes(hiddenColumn(property))));
}

/** Returns the chosen columns that are fields. */
export const fieldColumns = (keys: readonly string[]) => keys.filter((key) => !key.startsWith("-"));
