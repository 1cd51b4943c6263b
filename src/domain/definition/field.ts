import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { mostMatchSteps, tryPattern } from "#domain/pattern/pattern.ts";
import type { FieldDocument } from "./document.ts";

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

/** An error of a definition, with its pointer. */
export function invalid(path: readonly (string | number)[], reason: string): FieldError {
  return errorAt(path, "invalid_definition", reason);
}

type Path = readonly (string | number)[];

/** Keys that stand twice, and rules of a field that contradict each other. */
export function fieldListErrors(fields: readonly FieldDocument[], path: Path): FieldError[] {
  const seen = new Set<string>();
  return fields.flatMap((each, index) => {
    const at = [...path, index];
    const twice = seen.has(each.key)
      ? [invalid([...at, "key"], `The key "${each.key}" stands here twice.`)]
      : [];
    seen.add(each.key);
    return [...twice, ...ruleErrors(each, at)];
  });
}

function ruleErrors(sent: FieldDocument, at: Path): FieldError[] {
  switch (sent.type) {
    case "text":
    case "multiline_text":
      return [
        ...ordered(sent.min_length, sent.max_length, [...at, "min_length"], "max_length"),
        ...patternErrors(sent, [...at, "pattern"]),
      ];
    case "number":
      return [
        ...ordered(sent.minimum, sent.maximum, [...at, "minimum"], "maximum"),
        ...(sent.integer && (sent.decimals ?? 0) > 0
          ? [invalid([...at, "decimals"], "An integer has no decimals.")]
          : []),
      ];
    case "select":
    case "multi_select":
      return optionErrors(sent.options, [...at, "options"]);
    case "line_items":
      return [
        ...ordered(sent.min_rows, sent.max_rows, [...at, "min_rows"], "max_rows"),
        ...fieldListErrors(sent.fields, [...at, "fields"]),
        ...sent.fields.flatMap((row, index) =>
          "unique" in row && row.unique
            ? [invalid([...at, "fields", index, "unique"], "Not possible inside line items.")]
            : [],
        ),
      ];
    case "computed":
      return sent.decimals !== undefined && sent.result !== "number"
        ? [invalid([...at, "decimals"], "Only a number has decimals.")]
        : [];
    case "boolean":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
      return [];
  }
}

function ordered(
  least: number | undefined,
  most: number | undefined,
  at: Path,
  name: string,
): FieldError[] {
  if (least === undefined || most === undefined || least <= most) return [];
  return [invalid(at, `Must not exceed ${name}, which is ${most}.`)];
}

function patternErrors(
  { pattern, max_length }: { pattern?: string | undefined; max_length: number },
  at: Path,
): FieldError[] {
  if (pattern === undefined) return [];
  const { fault, states = 0 } = tryPattern(pattern);
  if (fault !== undefined) return [invalid(at, fault)];
  if (states * max_length <= mostMatchSteps) return [];
  const longest = Math.floor(mostMatchSteps / states);
  return [invalid(at, `It takes ${states} states: with it, max_length is at most ${longest}.`)];
}

function optionErrors(list: { value: string }[], at: Path): FieldError[] {
  const seen = new Set<string>();
  return list.flatMap(({ value }, index) => {
    const error = seen.has(value)
      ? [invalid([...at, index, "value"], `The option "${value}" stands here twice.`)]
      : value !== value.normalize("NFC")
        ? [invalid([...at, index, "value"], "Must be in Unicode normal form C.")]
        : [];
    seen.add(value);
    return error;
  });
}
