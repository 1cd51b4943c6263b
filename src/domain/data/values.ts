import type { Emptied } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import type { CompiledFields, Compiled, CompiledField } from "./compile.ts";
import { isList } from "#domain/definition/field.ts";

/** A value as it is stored; an empty one is not stored at all. */
export type Scalar = string | number | boolean;
export type Row = Record<string, Scalar | string[]>;
export type Value = Scalar | string[] | Row[];

/** The data of one item: field id to value. Rows of line items are keyed by the ids of their fields. */
export type Data = Record<string, Value>;

/** The fields among `emptied` that have a value in `data`, other than one that was there `before`. */
export function filledAmong(emptied: readonly Emptied[], data: Data, before: Data = {}): Emptied[] {
  return emptied.filter((field) => {
    const values = valuesIn(field, data);
    return values.length > 0 && JSON.stringify(values) !== JSON.stringify(valuesIn(field, before));
  });
}

function valuesIn({ id, within }: Emptied, data: Data): unknown[] {
  const holders = within === null ? [data] : ((data[String(within)] ?? []) as Row[]);
  return holders.map((each) => each[String(id)]).filter((value) => value !== undefined);
}

/**
 * The numbers of fields in the search index and among unique values: the collection's id and the field's, in one integer.
 * Room for 4 billion ids in each collection; definitions give those below 2^31, and the product stays below 2^53 for 2
 * million collections.
 */
export const fieldsPerCollection = 2 ** 32;

/** Ids that definitions give are at most this; more are refused where a definition is judged. */
export const lastFieldId = 2 ** 31;

/** System fields have ids of their own, above those that definitions give. */
export const systemFieldIds = {
  id: lastFieldId + 1,
  status: lastFieldId + 2,
  receiptNumber: lastFieldId + 3,
  createdAt: lastFieldId + 4,
  updatedAt: lastFieldId + 5,
} as const;

export type SystemField = keyof typeof systemFieldIds;

/** Those that the items themselves are the index of, in stored order: they have no search entries. */
export const storedOrder: readonly SystemField[] = ["id", "receiptNumber", "createdAt"];

export function fieldNumber(collectionId: number, fieldId: number): number {
  return collectionId * fieldsPerCollection + fieldId;
}

/** Something that was sent, and did not come to what the caller may think. */
export interface Warning {
  field: string;
  code: "computed_value_ignored" | "formula_failed";
}

type Sent = Record<string, unknown>;

/** Whoever has so many looks at the first ones. */
export const mostWarnings = 100;

/** A warning for each value that was sent for a computed field. */
export function ignored(fields: CompiledFields, sent: Sent, path: string): Warning[] {
  return allIgnored(fields, sent, path).slice(0, mostWarnings);
}

function allIgnored({ byKey }: CompiledFields, sent: Sent, path: string): Warning[] {
  return Object.keys(sent).flatMap((key): Warning[] => {
    const { field, rows } = byKey.get(key) ?? {};
    if (field?.type === "computed") return [{ field: path + key, code: "computed_value_ignored" }];
    const value = sent[key];
    if (!rows || !Array.isArray(value)) return [];
    return value.flatMap((row: unknown, index) =>
      isObject(row) ? allIgnored(rows, row, `${path}${key}[${index}].`) : [],
    );
  });
}

/** Stored data by its keys, every defined field present: `null`, or `[]` for lists, where empty. */
export function showData(compiled: Compiled, data: Data): Record<string, unknown> {
  return showFields(compiled.fields, data);
}

function showFields(fields: CompiledFields, data: Data): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const field of fields.list) shown[field.field.key] = showValue(field, data[field.slot]);
  return shown;
}

export function showValue({ field, rows }: CompiledField, value: Value | undefined): unknown {
  if (value === undefined) return isList(field) ? [] : null;
  return rows ? (value as Row[]).map((row) => showFields(rows, row)) : value;
}

/** How many bytes keys and empty values add to the data of an item where it is shown: rows have all of their columns. */
export function addedBytes({ fields }: Compiled, data: Data): number {
  return fields.list.reduce((sum, { rows, slot }) => {
    const value = data[slot];
    return rows && Array.isArray(value) ? sum + value.length * rows.keyBytes : sum;
  }, fields.keyBytes);
}
