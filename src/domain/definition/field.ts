/**
 * The fields of a collection as they are kept. `id` is the stable number under which data is stored; it is never
 * shown. Renaming changes `key` alone, so data, search entries and unique values stay where they are.
 */
export type Field = ScalarField | ComputedField | MultiSelectField | LineItemsField;

interface Named {
  id: number;
  key: string;
  label: string;
  required: boolean;
  searchable: boolean;
  /** Keys that this field had before, oldest first. */
  previous_keys: string[];
  /** What a create stores when the key is not sent, as it was written in the definition. */
  default?: unknown;
}

interface Scalar extends Named {
  unique: boolean;
  /** The id under which its unique values are kept: a new one each time that it becomes unique. */
  uniqueId?: number | undefined;
}

export interface TextField extends Scalar {
  type: "text" | "multiline_text";
  /** In code points, as JSON Schema counts. */
  min_length?: number | undefined;
  max_length: number;
  /** An ECMAScript regular expression that a value must match somewhere. */
  pattern?: string | undefined;
}

export interface NumberField extends Scalar {
  type: "number";
  integer?: boolean | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  decimals?: number | undefined;
}

interface PlainField extends Scalar {
  type: "boolean" | "date" | "datetime" | "email" | "url" | "phone";
}

export interface Option {
  value: string;
  label: string;
}

interface SelectField extends Scalar {
  type: "select";
  options: Option[];
}

export interface MultiSelectField extends Named {
  type: "multi_select";
  options: Option[];
}

type ScalarField = TextField | NumberField | PlainField | SelectField;

/** Calculated by the server on each write; a value that is sent for it is ignored. */
export interface ComputedField extends Named {
  type: "computed";
  /** CEL (Common Expression Language). */
  formula: string;
  result: "number" | "text" | "boolean" | "date" | "datetime";
  decimals?: number | undefined;
}

/** What a row of line items may hold. */
export type RowField = ScalarField | ComputedField | MultiSelectField;

export interface LineItemsField extends Named {
  type: "line_items";
  fields: RowField[];
  /** Left out of the definition, with their data kept. */
  retired: RowField[];
  min_rows?: number | undefined;
  max_rows: number;
}

/** The fields of a collection: the live ones in order, the retired ones, and the next free id. */
export interface FieldSet {
  fields: Field[];
  retired: Field[];
  next: number;
}

export const noFields: FieldSet = { fields: [], retired: [], next: 1 };

/** Every computed field, those of rows included. */
export function computedFields({ fields }: FieldSet): ComputedField[] {
  return fields
    .flatMap((field): Field[] => (field.type === "line_items" ? field.fields : [field]))
    .filter((field) => field.type === "computed");
}

/** Whether an empty value of this field is shown as `[]` rather than `null`. */
export function isList(field: Field): field is MultiSelectField | LineItemsField {
  return field.type === "multi_select" || field.type === "line_items";
}

/** The type of the values that a field has: for a computed one, that of its result. */
export function valueType(field: Field): Exclude<Field["type"], "computed"> {
  return field.type === "computed" ? field.result : field.type;
}

/** The id under which a field's unique values are kept, where it is unique. */
export function uniqueIdOf(field: Field): number | undefined {
  return "unique" in field && field.unique ? field.uniqueId : undefined;
}
