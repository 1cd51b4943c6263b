import type { Collection, Gained } from "#domain/definition/collection.ts";
import { computedFields, valueType, type Field, type FieldSet, uniqueIdOf } from "#domain/definition/field.ts";
import { fieldNumber, systemFieldIds, type Data, type Row, type Scalar, type Value } from "./values.ts";
import type { Status } from "#domain/item/item.ts";

/**
 * One row of the search index: the number of a field, a value that the item has there, and for text its folded
 * form where that differs. Numbers of fields are unique across collections.
 */
export type SearchEntry = [field: number, value: string | number, folded: string | null];

/** What has entries besides an item's data; the rest is found by the items themselves (`storedOrder`). */
export interface SystemValues {
  status: string | null;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

/** The entries of an item: of its searchable fields, and of what is given of the system fields. */
export function searchEntries(
  { id, definition }: Collection,
  data: Data,
  system: Partial<SystemValues>,
): SearchEntry[] {
  const searchable = searchableIds(definition.fields);
  return distinct([
    ...systemEntries(id, system),
    ...dataEntries(id, definition.fields, data, (field) => searchable.has(field)),
  ]);
}

/** Derives something from a definition once: every write asks for it. */
function oncePerDefinition<T>(derive: (set: FieldSet) => T): (set: FieldSet) => T {
  const known = new WeakMap<FieldSet, T>();
  return (set) => {
    const derived = known.get(set) ?? derive(set);
    known.set(set, derived);
    return derived;
  };
}

/** The ids of the fields whose values have entries, those of rows included. */
export const searchableIds = oncePerDefinition(({ fields }): ReadonlySet<number> => {
  const ids = fields.flatMap((field) => {
    if (!field.searchable) return [];
    const rows = field.type === "line_items" ? field.fields : [];
    return [field, ...rows].filter((each) => each.searchable).map((each) => each.id);
  });
  return new Set(ids);
});

/** The ids of the computed fields, those of rows included. */
export const computedIds = oncePerDefinition(
  (set): ReadonlySet<number> => new Set(computedFields(set).map(({ id }) => id)),
);

/** The entries of those of these fields that are searchable: what an item lacks when they become so. */
export function fieldEntries(
  { id, definition }: Collection,
  data: Data,
  fields: ReadonlySet<number>,
): SearchEntry[] {
  const searchable = searchableIds(definition.fields);
  const wanted = (field: number) => fields.has(field) && searchable.has(field);
  return distinct(dataEntries(id, definition.fields, data, wanted));
}

/** Every entry that the item can have, under this definition or an earlier one: what a delete removes. */
export function possibleEntries(
  collection: Collection,
  data: Data,
  system: Partial<SystemValues>,
): SearchEntry[] {
  const { id, definition } = collection;
  return distinct([
    ...systemEntries(id, system),
    ...dataEntries(id, definition.fields, data, () => true),
    ...formerEntries(collection, data, computedIds(definition.fields)),
  ]);
}

/**
 * The entries that values of these fields have, and of those that the definition has lost, whatever the type of their
 * result was when they were made.
 */
export function formerEntries(
  { id: collectionId, definition }: Collection,
  data: Data,
  fields: ReadonlySet<number>,
): SearchEntry[] {
  const known = typesById(definition.fields);
  return scalars(data)
    .filter(([id]) => fields.has(id) || !known.has(id))
    .flatMap(([id, value]) =>
      (["text", "date", "datetime"] as const).map((type) =>
        entry(fieldNumber(collectionId, id), comparable(type, value)),
      ),
    );
}

/** The entries of what is given of the system fields. */
export function systemEntries(collectionId: number, system: Partial<SystemValues>): SearchEntry[] {
  return (["status", "updatedAt"] as const).flatMap((name) => {
    const value = system[name] ?? null;
    return value === null ? [] : [entry(fieldNumber(collectionId, systemFieldIds[name]), value)];
  });
}

function dataEntries(
  collectionId: number,
  fields: FieldSet,
  data: Data,
  wanted: (field: number) => boolean,
): SearchEntry[] {
  const types = typesById(fields);
  return scalars(data)
    .filter(([id]) => wanted(id))
    .map(([id, value]) => entry(fieldNumber(collectionId, id), comparable(types.get(id), value)));
}

/** The types of all fields that there are or were, those of rows included. */
export const typesById = oncePerDefinition(({ fields, retired }) => {
  const all = [...retired, ...fields];
  const rows = all.flatMap((each) =>
    each.type === "line_items" ? [...each.retired, ...each.fields] : [],
  );
  return new Map([...rows, ...all].map((field) => [field.id, valueType(field)]));
});

function scalars(data: Record<string, Value>): [id: number, value: Scalar][] {
  return Object.entries(data).flatMap(([slot, value]) => {
    if (!Array.isArray(value)) return [[Number(slot), value] as [number, Scalar]];
    return value.flatMap((each: string | Row) =>
      typeof each === "string" ? [[Number(slot), each] as [number, Scalar]] : scalars(each),
    );
  });
}

/** The form in which values of a type compare: calendar days by the day, instants by their digits. */
export function comparable(type: Field["type"] | undefined, value: Scalar): string | number {
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "number") return value;
  if (type === "date") return value.slice(0, 10);
  return type === "datetime" ? value.slice(0, -1) : value;
}

function entry(field: number, value: string | number): SearchEntry {
  if (typeof value === "number") return [field, value, null];
  const folded = fold(value);
  return [field, value, folded === value ? null : folded];
}

/** Text without case, by Unicode's rules and not ASCII's. */
export function fold(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().normalize("NFC");
}

/** Two rows of line items with one value make one entry. */
function distinct(entries: SearchEntry[]): SearchEntry[] {
  return [...new Map(entries.map((each) => [JSON.stringify(each), each])).values()];
}

export type UniqueValue = [field: number, value: Scalar];

/** The values that are this item's alone, those of fields that become unique included. Drafts hold none. */
export function uniqueValues(
  { id, definition, pending }: Collection,
  data: Data,
  status: Status | null,
): UniqueValue[] {
  if (status === "draft") return [];
  const own = definition.fields.fields.flatMap((field): UniqueValue[] => {
    const uniqueId = uniqueIdOf(field);
    return uniqueId === undefined ? [] : uniqueValue(id, { ...field, uniqueId }, data);
  });
  const coming = pending?.gained.flatMap((field) => uniqueValue(id, field, data)) ?? [];
  return [...own, ...coming];
}

/** The value of a field that is, or becomes, unique. Dates are the same on the same calendar day. */
export function uniqueValue(
  collectionId: number,
  { id, uniqueId, type }: Pick<Gained, "id" | "uniqueId" | "type">,
  data: Data,
): UniqueValue[] {
  const value = data[String(id)];
  if (value === undefined || Array.isArray(value)) return [];
  const compared = type === "date" ? String(value).slice(0, 10) : value;
  return [[fieldNumber(collectionId, uniqueId), compared]];
}

/**
 * The data without values of fields that the definition has neither now nor among its retired ones: what was computed
 * before its result became another. Nobody can see them, and nothing brings them back.
 */
export function withoutLost(fields: FieldSet, data: Data): Data {
  const known = typesById(fields);
  const isKnown = ([slot]: [string, Value]) => known.has(Number(slot));
  const whole = (row: Data) => Object.entries(row).every(isKnown);
  const kept = (row: Data) => Object.fromEntries(Object.entries(row).filter(isKnown));
  const isWhole = (value: Value) => rowsOf(value).every(whole);
  if (whole(data) && Object.values(data).every(isWhole)) return data;
  return Object.fromEntries(
    Object.entries(kept(data)).map(([slot, value]) =>
      isWhole(value) ? [slot, value] : [slot, rowsOf(value).map((row) => kept(row) as Row)],
    ),
  );
}

function rowsOf(value: Value): Row[] {
  return Array.isArray(value) ? value.filter((each) => typeof each !== "string") : [];
}
