import type { Collection } from "../definition/collection";
import type { Data, Row, Scalar, Value } from "./values";

/**
 * One row of the search index: the number of a field, a value that the item has there, and for text its folded
 * form where that differs. Numbers of fields are unique across collections.
 */
export type SearchEntry = [field: number, value: string | number, folded: string | null];

/** What search knows of an item besides its data. */
export interface SystemValues {
  status: string | null;
  /** Milliseconds since 1970; null at creation, when the database gives it. */
  updatedAt: number | null;
}

/** System fields have numbers of their own, above those that definitions give. */
export const systemFields = { status: 65_001, updatedAt: 65_002 } as const;

/** The number of a field in the search index: room for 65,000 fields, ever, in each collection. */
export function fieldNumber(collectionId: number, fieldId: number): number {
  return collectionId * 65_536 + fieldId;
}

/** The entries of an item: of its searchable fields and of the system fields. */
export function searchEntries(
  collection: Collection,
  data: Data,
  system: SystemValues,
): SearchEntry[] {
  const searchable = new Set(
    collection.definition.fields.fields.flatMap((field) => {
      if (!field.searchable) return [];
      const rows = field.type === "line_items" ? field.fields : [];
      return [field, ...rows].filter((each) => each.searchable).map((each) => each.id);
    }),
  );
  return distinct([
    ...systemEntries(collection.id, system),
    ...dataEntries(data).flatMap(([id, value]) =>
      searchable.has(id) ? [entry(collection.id, id, value)] : [],
    ),
  ]);
}

/** Every entry that the item can have, under this definition or an earlier one: what a delete removes. */
export function possibleEntries(
  collectionId: number,
  data: Data,
  system: SystemValues,
): SearchEntry[] {
  return distinct([
    ...systemEntries(collectionId, system),
    ...dataEntries(data).map(([id, value]) => entry(collectionId, id, value)),
  ]);
}

function systemEntries(collectionId: number, system: SystemValues): SearchEntry[] {
  const values = [
    [systemFields.status, system.status],
    [systemFields.updatedAt, system.updatedAt],
  ] as const;
  return values.flatMap(([id, value]) => (value === null ? [] : [entry(collectionId, id, value)]));
}

function dataEntries(data: Record<string, Value>): [id: number, value: Scalar][] {
  return Object.entries(data).flatMap(([slot, value]) => valueEntries(Number(slot), value));
}

function valueEntries(id: number, value: Value): [number, Scalar][] {
  if (!Array.isArray(value)) return [[id, value]];
  return value.flatMap((each: string | Row) =>
    typeof each === "string" ? [[id, each] as [number, Scalar]] : dataEntries(each),
  );
}

function entry(collectionId: number, id: number, value: Scalar): SearchEntry {
  const kept = typeof value === "boolean" ? Number(value) : value;
  const folded = typeof kept === "string" ? fold(kept) : kept;
  const number = fieldNumber(collectionId, id);
  return [number, kept, typeof folded === "string" && folded !== kept ? folded : null];
}

/** Text without case, by Unicode's rules and not ASCII's. */
export function fold(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** Two rows of line items with one value make one entry. */
function distinct(entries: SearchEntry[]): SearchEntry[] {
  return [...new Map(entries.map((each) => [JSON.stringify(each), each])).values()];
}
