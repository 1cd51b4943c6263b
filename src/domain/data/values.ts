import type { RetypedField } from "#domain/definition/collection.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { isObject } from "#domain/json.ts";
import type { CompiledFields, CompiledField } from "./compile.ts";
import type { CollectionAccess } from "./compile.ts";
import { isListField, valueKinds, type Field } from "#domain/definition/field.ts";
import { errorAt, formatChoices, truncate } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";

/** A stored value. Empty values are not stored. */
export type Scalar = string | number | boolean;
export type LineItemRow = Record<string, Scalar | string[]>;
export type Value = Scalar | string[] | LineItemRow[] | StoredFile[];

/** The data of one item by field id. Rows of line items are keyed by the ids of their columns. */
export type Data = Record<string, Value>;

/** Returns the retyped fields whose value in `data` differs from the value in `before`. */
export function filledFields(
  retypedFields: readonly RetypedField[],
  data: Data,
  before: Data = {},
): RetypedField[] {
  return retypedFields.filter((field) => {
    const values = valuesIn(field, data);
    return values.length > 0 && JSON.stringify(values) !== JSON.stringify(valuesIn(field, before));
  });
}

function valuesIn({ id, within: listId }: RetypedField, data: Data): unknown[] {
  const rows = listId === null ? [data] : ((data[String(listId)] ?? []) as LineItemRow[]);
  return rows.map((holder) => holder[String(id)]).filter((value) => value !== undefined);
}

/**
 * A field number combines the collection's id and the field's id in one integer, for the search index and unique values.
 * Definitions use ids below 2^31. Field numbers stay below 2^53 for 2 million collections.
 */
export const fieldsPerCollection = 2 ** 32;

/** The highest field id of a definition. Validation rejects higher ones. */
export const maxFieldId = 2 ** 31;

/** The ids of system fields, above those of definitions. */
export const systemFieldIds = {
  id: maxFieldId + 1,
  status: maxFieldId + 2,
  receiptNumber: maxFieldId + 3,
  createdAt: maxFieldId + 4,
  updatedAt: maxFieldId + 5,
  createdBy: maxFieldId + 6,
  updatedBy: maxFieldId + 7,
} as const;

export type SystemField = keyof typeof systemFieldIds;

/** System fields that have the same order as stored items, so they need no search entries. */
export const storedOrderFields: readonly SystemField[] = ["id", "receiptNumber", "createdAt"];

export function fieldNumber(collectionId: number, fieldId: number): number {
  return collectionId * fieldsPerCollection + fieldId;
}

/** Tells the caller that the service ignored a value or could not compute it. */
export interface Warning {
  field: string;
  code: "computed_value_ignored" | "formula_failed";
}

type InputValues = Record<string, unknown>;

/** Returns a warning for each value that the request contains for a computed field. */
export function ignoredWarnings(
  { byKey }: CompiledFields,
  input: InputValues,
  path: string,
): Warning[] {
  return Object.keys(input).flatMap((key): Warning[] => {
    const { field, rows } = byKey.get(key) ?? {};
    if (field?.type === "computed") return [{ field: path + key, code: "computed_value_ignored" }];
    const value = input[key];
    if (!rows || !Array.isArray(value)) return [];
    return value.flatMap((row: unknown, index) =>
      isObject(row) ? ignoredWarnings(rows, row, `${path}${key}[${index}].`) : [],
    );
  });
}

/**
 * Returns the public form of stored data, with every defined field by key. Empty values are `null`, or `[]` for lists.
 */
export function presentData(access: CollectionAccess, data: Data): Record<string, unknown> {
  return presentFields(access.fields, data);
}

function presentFields(fields: CompiledFields, data: Data): Record<string, unknown> {
  const view: Record<string, unknown> = {};
  for (const compiled of fields.list)
    view[compiled.field.key] = presentValue(compiled, data[compiled.slot]);
  return view;
}

export function presentValue({ field, rows }: CompiledField, value: Value | undefined): unknown {
  if (value === undefined) return isListField(field) ? [] : null;
  return rows ? (value as LineItemRow[]).map((row) => presentFields(rows, row)) : value;
}

/**
 * Returns the bytes that keys and empty values add to an item's data in a response, in which every row has all columns.
 */
export function addedBytes({ fields }: CollectionAccess, data: Data): number {
  return fields.list.reduce((sum, { rows, slot }) => {
    const value = data[slot];
    return rows && Array.isArray(value) ? sum + value.length * rows.keyBytes : sum;
  }, fields.keyBytes);
}

/** Adds the defaults of omitted fields. */
export function withDefaults(
  fields: CompiledFields,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const defaults = fields.list
    .filter(({ field }) => field.default !== undefined && !Object.hasOwn(input, field.key))
    .map(({ field }) => [field.key, field.default] as const);
  return defaults.length === 0 ? input : { ...input, ...Object.fromEntries(defaults) };
}

/** Returns the error for a key that no field has. It names the renamed field, or all fields. */
export function unknownFieldError(
  fields: CompiledFields,
  key: string,
  path: readonly (string | number)[],
): FieldError {
  const newKey = fields.currentKeys.get(key);
  if (newKey !== undefined) {
    const reason = `There is no field "${key}"; it was renamed to "${newKey}".`;
    return errorAt(path, "unknown_field", reason, { renamed_to: newKey });
  }
  const keys = [...fields.byKey.keys()];
  const fieldList =
    keys.length > 0 ? ` Fields: ${formatChoices(keys)}.` : " No fields are defined.";
  return errorAt(path, "unknown_field", `There is no field "${truncate(key)}".${fieldList}`);
}

/** Whether a value is empty: null in every field, `[]` in lists, and the empty string in string fields. */
export function isEmpty(field: Field, value: unknown): boolean {
  if (value === null) return true;
  if (isListField(field)) return Array.isArray(value) && value.length === 0;
  return value === "" && valueKinds[field.type] === "text";
}

/**
 * Whether two values are the same. Compares JSON only if necessary, because a value can be large. An update keeps the
 * objects of unchanged values.
 */
export const isSameValue = (a: Value | null | undefined, b: Value | null | undefined): boolean =>
  a === b ||
  (Array.isArray(a) &&
    Array.isArray(b) &&
    a.length === b.length &&
    JSON.stringify(a) === JSON.stringify(b));
