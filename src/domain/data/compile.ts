import type { Collection } from "../definition/collection";
import type { Field, RowField } from "../definition/field";
import { checkOf, type Check } from "./check-scalar";

/** A field with its rules ready to be applied. */
export interface CompiledField<F extends Field = Field> {
  field: F;
  /** The key of the field's value in stored data. */
  slot: string;
  /** Absent for line items, whose rows are checked field by field. */
  check: Check | undefined;
  rows: CompiledFields<RowField> | undefined;
}

export interface CompiledFields<F extends Field = Field> {
  list: CompiledField<F>[];
  byKey: Map<string, CompiledField<F>>;
  /** Earlier keys of fields, with the key of now. A key that is in use again is not among them. */
  renamed: Map<string, string>;
}

/** A collection at one version, ready to validate. Made once per version and kept by the isolate. */
export interface Compiled {
  collection: Collection;
  fields: CompiledFields;
}

export function compile(collection: Collection): Compiled {
  const { fields, time_zone } = collection.definition;
  return { collection, fields: compileFields(fields.fields, time_zone) };
}

function compileFields<F extends Field>(fields: readonly F[], zone: string): CompiledFields<F> {
  const list = fields.map((field) => ({
    field,
    slot: String(field.id),
    check: isRow(field) ? checkOf(field, zone) : undefined,
    rows: isRow(field) ? undefined : compileFields(field.fields, zone),
  }));
  const byKey = new Map(list.map((each) => [each.field.key, each]));
  const renamed = new Map(
    fields.flatMap(({ key, previous_keys }) =>
      previous_keys.filter((old) => !byKey.has(old)).map((old) => [old, key] as const),
    ),
  );
  return { list, byKey, renamed };
}

function isRow(field: Field): field is RowField {
  return field.type !== "line_items";
}
