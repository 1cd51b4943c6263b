import { isObject } from "#domain/json.ts";
import type { Field } from "#domain/definition/field.ts";
import type { CompiledCollection, CompiledFields } from "./compile.ts";
import type { Data, LineItemRow } from "./values.ts";

/**
 * Represents a value that does not name a record which the caller may refer to. Fields reject it with
 * `unknown_reference`.
 */
export class UnknownReference {
  /** The ID in the request. Null for another name. A stored ID that the request sends back stays valid. */
  readonly id: string | null;

  constructor(id: string | null) {
    this.id = id;
  }
}

export const recordIdPattern = "^rec_[0-9A-HJKMNP-TV-Z]{26}$";
const recordId = new RegExp(recordIdPattern);
export const isRecordId = (text: string): boolean => recordId.test(text);

/** Whether a field or a column of line items is a reference. */
export const hasReferences = (fields: readonly Field[]): boolean =>
  fields.some(
    (field) =>
      field.type === "reference" || (field.type === "line_items" && hasReferences(field.fields)),
  );

type InputValues = Record<string, unknown>;

/** Replaces each value that a request sends for a reference, columns included. */
export function mapReferences(
  { byKey, hasReferences: isNeeded }: CompiledFields,
  input: InputValues,
  replace: (app: string, value: unknown) => unknown,
): InputValues {
  if (!isNeeded) return input;
  const entries = Object.entries(input).map(([key, value]): [string, unknown] => {
    const { field, rows } = byKey.get(key) ?? {};
    if (field?.type === "reference") return [key, replace(field.app, value)];
    if (!rows?.hasReferences || !Array.isArray(value)) return [key, value];
    return [
      key,
      value.map((row: unknown) => (isObject(row) ? mapReferences(rows, row, replace) : row)),
    ];
  });
  return Object.fromEntries(entries);
}

/** A stored reference and its location in the request. */
export interface PlacedReference {
  app: string;
  id: string;
  path: (string | number)[];
}

/**
 * Returns the references of `after` that its write must check: the ones that `before` does not have in the same field
 * or column.
 */
export function newReferences(
  { fields }: CompiledCollection,
  before: Data,
  after: Data,
): PlacedReference[] {
  return fields.hasReferences ? referencesIn(fields, [before], after, ["data"]) : [];
}

/** `before` contains the rows whose values need no check. */
function referencesIn(
  fields: CompiledFields,
  before: readonly Data[],
  after: Data | LineItemRow,
  path: readonly (string | number)[],
  known = (slot: string) => new Set<unknown>(before.map((data) => data[slot])),
): PlacedReference[] {
  return fields.list.flatMap(({ field, slot, rows }): PlacedReference[] => {
    const value = after[slot];
    const fieldPath = [...path, field.key];
    if (field.type === "reference") {
      const isNew = typeof value === "string" && !known(slot).has(value);
      return isNew ? [{ app: field.app, id: value, path: fieldPath }] : [];
    }
    if (!rows?.hasReferences || !Array.isArray(value)) return [];
    const rowsBefore = before.flatMap((data) => (data[slot] ?? []) as LineItemRow[]);
    const knownInRows = memoize((column) => new Set<unknown>(rowsBefore.map((row) => row[column])));
    return (value as LineItemRow[]).flatMap((row, index) =>
      referencesIn(rows, [], row, [...fieldPath, index], knownInRows),
    );
  });
}

function memoize<T>(compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    const result = results.get(key) ?? compute(key);
    results.set(key, result);
    return result;
  };
}
