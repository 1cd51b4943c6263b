import type { Collection, NewUniqueField } from "#domain/definition/collection.ts";
import {
  computedFields,
  valueType,
  type Field,
  type FieldSet,
  uniqueIdOf,
} from "#domain/definition/field.ts";
import {
  fieldNumber,
  systemFieldIds,
  type Data,
  type LineItemRow,
  type Scalar,
  type Value,
} from "./values.ts";
import { isStoredFile, type StoredFile } from "#domain/files/file.ts";
import type { Status } from "#domain/item/item.ts";

/**
 * One row of the search index: the number of a field and a value of the item. A text also has its folded form if that
 * differs. Field numbers are unique across collections.
 */
export type SearchEntry = [field: number, value: string | number, folded: string | null];

/**
 * The system values with search entries. Searches find other system values by the order of items (`storedOrderFields`).
 */
export interface SystemValues {
  status: string | null;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/** Returns the entries of an item's searchable fields and of the system values in `system`. */
export function searchEntries(
  { id, definition }: Collection,
  data: Data,
  system: Partial<SystemValues>,
): SearchEntry[] {
  const searchable = searchableIds(definition.fields);
  return distinctEntries([
    ...systemEntries(id, system),
    ...dataEntries(id, definition.fields, data, (field) => searchable.has(field)),
  ]);
}

/** Caches a derived value for each definition, because every write needs it. */
function memoizePerFieldSet<T>(derive: (set: FieldSet) => T): (set: FieldSet) => T {
  const cache = new WeakMap<FieldSet, T>();
  return (set) => {
    const result = cache.get(set) ?? derive(set);
    cache.set(set, result);
    return result;
  };
}

/** Returns the ids of the searchable fields, including columns. */
export const searchableIds = memoizePerFieldSet(({ fields }): ReadonlySet<number> => {
  const ids = fields.flatMap((field) => {
    if (!field.searchable) return [];
    const columns = field.type === "line_items" ? field.fields : [];
    return [field, ...columns]
      .filter((candidate) => candidate.searchable)
      .map((candidate) => candidate.id);
  });
  return new Set(ids);
});

/** Returns the ids of the computed fields, including columns. */
export const computedIds = memoizePerFieldSet(
  (set): ReadonlySet<number> => new Set(computedFields(set).map(({ id }) => id)),
);

/**
 * Returns the entries of the searchable fields among `fields`. An item lacks these entries when the fields become
 * searchable.
 */
export function fieldEntries(
  { id, definition }: Collection,
  data: Data,
  fields: ReadonlySet<number>,
): SearchEntry[] {
  const searchable = searchableIds(definition.fields);
  const isSelected = (field: number) => fields.has(field) && searchable.has(field);
  return distinctEntries(dataEntries(id, definition.fields, data, isSelected));
}

/** Returns every entry that the item can have under this definition or an earlier one. A delete removes all of them. */
export function possibleEntries(
  collection: Collection,
  data: Data,
  system: Partial<SystemValues>,
): SearchEntry[] {
  const { id, definition } = collection;
  return distinctEntries([
    ...systemEntries(id, system),
    ...dataEntries(id, definition.fields, data, () => true),
    ...formerEntries(collection, data, computedIds(definition.fields)),
  ]);
}

/**
 * Returns the possible entries of these fields and of removed fields, for every type that their results may have had.
 */
export function formerEntries(
  { id: collectionId, definition }: Collection,
  data: Data,
  fields: ReadonlySet<number>,
): SearchEntry[] {
  const knownTypes = typesById(definition.fields);
  return flattenScalars(data)
    .filter(([id]) => fields.has(id) || !knownTypes.has(id))
    .flatMap(([id, value]) =>
      (["text", "date", "datetime"] as const).map((type) =>
        buildEntry(fieldNumber(collectionId, id), toComparable(type, value)),
      ),
    );
}

/** Returns the entries of the system values in `system`. */
export function systemEntries(collectionId: number, system: Partial<SystemValues>): SearchEntry[] {
  return (["status", "updatedAt"] as const).flatMap((name) => {
    const value = system[name] ?? null;
    return value === null
      ? []
      : [buildEntry(fieldNumber(collectionId, systemFieldIds[name]), value)];
  });
}

function dataEntries(
  collectionId: number,
  fields: FieldSet,
  data: Data,
  isSelected: (field: number) => boolean,
): SearchEntry[] {
  const types = typesById(fields);
  return flattenScalars(data)
    .filter(([id]) => isSelected(id))
    .map(([id, value]) =>
      buildEntry(fieldNumber(collectionId, id), toComparable(types.get(id), value)),
    );
}

/** Returns the types of all current and retired fields, including columns. */
const typesById = memoizePerFieldSet(({ fields, retired }) => {
  const allFields = [...retired, ...fields];
  const columns = allFields.flatMap((field) =>
    field.type === "line_items" ? [...field.retired, ...field.fields] : [],
  );
  return new Map([...columns, ...allFields].map((field) => [field.id, valueType(field)]));
});

function flattenScalars(data: Record<string, Value>): [id: number, value: Scalar][] {
  return Object.entries(data).flatMap(([slot, value]) => {
    if (!Array.isArray(value)) return [[Number(slot), value] as [number, Scalar]];
    return value.flatMap((entry: string | LineItemRow | StoredFile) => {
      if (typeof entry === "string") return [[Number(slot), entry] as [number, Scalar]];
      if (isStoredFile(entry)) return [[Number(slot), entry.id] as [number, Scalar]];
      return flattenScalars(entry);
    });
  });
}

/** Converts a value to the form that the index compares: a day without its offset, an instant without its `Z`. */
export function toComparable(type: Field["type"] | undefined, value: Scalar): string | number {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  if (type === "date") return value.slice(0, 10);
  return type === "datetime" ? value.slice(0, -1) : value;
}

function buildEntry(field: number, value: string | number): SearchEntry {
  if (typeof value === "number") return [field, value, null];
  const folded = foldCase(value);
  return [field, value, folded === value ? null : folded];
}

/**
 * Applies full case folding (C + F of Unicode's CaseFolding.txt). The result equals the lower case of the upper case,
 * except for final sigma, which depends on its neighbours, and dotless i, which has no folding.
 */
export function foldCase(text: string): string {
  const parts = text.split("ı").map((part) => part.toLowerCase().toUpperCase().toLowerCase());
  return parts.join("ı").replaceAll("ς", "σ").normalize("NFC");
}

/** Rows of line items with the same value share one entry. */
function distinctEntries(entries: SearchEntry[]): SearchEntry[] {
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()];
}

export type UniqueValue = [field: number, value: Scalar];

/** Returns the unique values of an item, including those of fields that become unique. Drafts have none. */
export function uniqueValues(
  { id, definition, pending }: Collection,
  data: Data,
  status: Status | null,
): UniqueValue[] {
  if (status === "draft") return [];
  const currentValues = definition.fields.fields.flatMap((field): UniqueValue[] => {
    const uniqueId = uniqueIdOf(field);
    return uniqueId === undefined ? [] : uniqueValue(id, { ...field, uniqueId }, data);
  });
  const pendingValues = pending?.gained.flatMap((field) => uniqueValue(id, field, data)) ?? [];
  return [...currentValues, ...pendingValues];
}

/** Returns the value of a field that is or becomes unique. Dates on the same calendar day are equal. */
export function uniqueValue(
  collectionId: number,
  { id, uniqueId, type }: Pick<NewUniqueField, "id" | "uniqueId" | "type">,
  data: Data,
): UniqueValue[] {
  const value = data[String(id)];
  if (value === undefined || Array.isArray(value)) return [];
  const comparable = type === "date" ? String(value).slice(0, 10) : value;
  return [[fieldNumber(collectionId, uniqueId), comparable]];
}

/**
 * Drops values of fields that are neither current nor retired, such as computed values from before a change of the result
 * type. No caller can see or restore them.
 */
export function withoutRemovedFields(fields: FieldSet, data: Data): Data {
  const knownTypes = typesById(fields);
  const lists = cleanLists(fields);
  const isKnown = ([slot]: [string, Value]) => knownTypes.has(Number(slot));
  const cleanRow = (row: LineItemRow): LineItemRow =>
    Object.fromEntries(Object.entries(row).filter(isKnown));
  const cleanList = (list: Value): Value => {
    const rows = rowsOf(list);
    const isClean = rows.every((row) => Object.entries(row).every(isKnown));
    return isClean ? list : rows.map(cleanRow);
  };
  const cleanValue = (value: Value): Value => {
    if (!Array.isArray(value)) return value;
    const list = lists.get(value) ?? cleanList(value);
    lists.set(value, list);
    return list;
  };
  const entries = Object.entries(data);
  const known = entries.filter(isKnown).map(([slot, value]) => [slot, cleanValue(value)] as const);
  const isClean =
    known.length === entries.length && known.every(([slot, value]) => data[slot] === value);
  return isClean ? data : Object.fromEntries(known);
}

/** The lists without values of removed columns. The operations of a batch share lists that they do not change. */
const cleanLists = memoizePerFieldSet(() => new WeakMap<object, Value>());

function rowsOf(value: Value): LineItemRow[] {
  if (!Array.isArray(value)) return [];
  return (value as (string | LineItemRow | StoredFile)[]).filter(
    (entry): entry is LineItemRow => typeof entry !== "string" && !isStoredFile(entry),
  );
}
