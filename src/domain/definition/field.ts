import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { maxMatchSteps, analyzePattern } from "#domain/pattern/pattern.ts";
import type { FieldDocument } from "./document.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

export const fieldKeyPattern = /^[a-z][a-z0-9_]{0,62}$/;

/**
 * A stored field of a collection. Data is stored under the stable `id`, which no response contains. Renaming changes
 * only `key`, so data, search entries and unique values stay in place.
 */
export type Field = ScalarField | ComputedField | MultiSelectField | LineItemsField | FilesField;

interface FieldBase {
  id: number;
  key: string;
  label: string;
  /** A hint about what to enter. */
  help?: string | undefined;
  /** The heading of the section that starts with this field. Not for columns of line items. */
  section?: string | undefined;
  required: boolean;
  searchable: boolean;
  /** The earlier keys of the field, oldest first. */
  previous_keys: string[];
  /** The value that a create stores when the request omits the key, in the definition's own notation. */
  default?: unknown;
}

interface ScalarFieldBase extends FieldBase {
  unique: boolean;
  /** The id under which unique values are stored. The field gets a new one each time it becomes unique. */
  uniqueId?: number | undefined;
}

export interface TextField extends ScalarFieldBase {
  type: "text" | "multiline_text";
  /** In code points, as JSON Schema counts. */
  min_length?: number | undefined;
  max_length: number;
  /** An ECMAScript regular expression that a value must match somewhere. */
  pattern?: string | undefined;
}

export interface NumberField extends ScalarFieldBase {
  type: "number";
  integer?: boolean | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
  decimals?: number | undefined;
}

interface PlainField extends ScalarFieldBase {
  type: "boolean" | "date" | "datetime" | "email" | "url" | "phone";
}

/** A link to a record of an app. The value is the record's ID. */
export interface ReferenceField extends ScalarFieldBase {
  type: "reference";
  /** The key of the app. */
  app: string;
}

export interface FieldOption {
  value: string;
  label: string;
}

interface FormerOptions {
  /** The values of former options, oldest first. Only the search schemas of OpenAPI documents list them. */
  formerOptions?: string[];
  /** Whether the oldest former options were dropped, because there were too many. */
  hasDroppedOptions?: true;
}

interface SelectField extends ScalarFieldBase, FormerOptions {
  type: "select";
  options: FieldOption[];
}

export interface MultiSelectField extends FieldBase, FormerOptions {
  type: "multi_select";
  options: FieldOption[];
}

export type ScalarField = TextField | NumberField | PlainField | SelectField | ReferenceField;

/** The server computes the value on each write and ignores values in requests. */
export interface ComputedField extends FieldBase {
  type: "computed";
  /** CEL (Common Expression Language). */
  formula: string;
  result: "number" | "text" | "boolean" | "date" | "datetime";
  decimals?: number | undefined;
}

/** A column of line items. */
export type RowField = ScalarField | ComputedField | MultiSelectField;

export interface LineItemsField extends FieldBase {
  type: "line_items";
  fields: RowField[];
  /** Columns that the definition no longer lists. Their data is kept. */
  retired: RowField[];
  min_rows?: number | undefined;
  max_rows: number;
}

/** Attachments. The value lists them. */
export interface FilesField extends FieldBase {
  type: "files";
  max_files: number;
  /** The maximum size of one file. */
  max_bytes: number;
  /** Media types and ranges like `image/*`; absent for all types. */
  accept?: string[] | undefined;
}

/** The live fields of a collection in order, its retired fields, and the next free id. */
export interface FieldSet {
  fields: Field[];
  retired: Field[];
  next: number;
  /** The id of the field whose value is the title of a record in places that refer to it. Apps only. */
  title?: number;
}

export const noFields: FieldSet = { fields: [], retired: [], next: 1 };

/** Returns the field whose value is the title of an app's records. */
export const titleField = ({ fields, title }: FieldSet): Field | undefined =>
  fields.find(({ id }) => id === title);

/** Returns every computed field, including columns of line items. */
export function computedFields({ fields }: FieldSet): ComputedField[] {
  return fields
    .flatMap((field): Field[] => (field.type === "line_items" ? field.fields : [field]))
    .filter((field) => field.type === "computed");
}

/** The JSON form of the values of each type. Rows are lists of objects. Requests contain no computed values. */
export const valueKinds = {
  text: "text",
  multiline_text: "text",
  number: "number",
  boolean: "boolean",
  date: "text",
  datetime: "text",
  email: "text",
  url: "text",
  phone: "text",
  select: "text",
  reference: "text",
  multi_select: "list",
  line_items: "rows",
  files: "files",
  computed: "computed",
} as const satisfies Record<Field["type"], string>;

/** Whether responses show an empty value of this field as `[]` instead of `null`. */
export function isListField(field: Field): field is MultiSelectField | LineItemsField | FilesField {
  const kind = valueKinds[field.type];
  return kind === "list" || kind === "rows" || kind === "files";
}

/** The type of a field's values. For a computed field this is the result type. */
export function valueType(field: Field): Exclude<Field["type"], "computed"> {
  return field.type === "computed" ? field.result : field.type;
}

/** Returns the id under which a unique field's values are stored. Undefined for other fields. */
export function uniqueIdOf(field: Field): number | undefined {
  return "unique" in field && field.unique ? field.uniqueId : undefined;
}

/** Returns an `invalid_definition` error with its pointer. */
export function definitionError(path: readonly (string | number)[], reason: Reason): FieldError {
  return errorAt(path, "invalid_definition", reason);
}

type Path = readonly (string | number)[];

/** Reports duplicate keys and contradictory rules of a field. */
export function fieldListErrors(fields: readonly FieldDocument[], path: Path): FieldError[] {
  const keys = fields.map(({ key }) => key);
  return [
    ...duplicateKeyErrors(keys, path),
    ...fields.flatMap((field, index) => ruleErrors(field, [...path, index])),
  ];
}

/** Reports each key that an earlier field of the list has. Ignores values that are not strings. */
export function duplicateKeyErrors(keys: readonly unknown[], path: Path): FieldError[] {
  const seenKeys = new Set<string>();
  return keys.flatMap((key, index) => {
    if (typeof key !== "string") return [];
    const error = definitionError([...path, index, "key"], reasonFor("keyTwice", { key }));
    const errors = seenKeys.has(key) ? [error] : [];
    seenKeys.add(key);
    return errors;
  });
}

export function ruleErrors(field: FieldDocument, path: Path): FieldError[] {
  switch (field.type) {
    case "text":
    case "multiline_text":
      return [
        ...rangeErrors(field.min_length, field.max_length, [...path, "min_length"], "max_length"),
        ...patternErrors(field, [...path, "pattern"]),
      ];
    case "number":
      return [
        ...rangeErrors(field.minimum, field.maximum, [...path, "minimum"], "maximum"),
        ...(field.integer && (field.decimals ?? 0) > 0
          ? [definitionError([...path, "decimals"], reasonFor("decimalsOfIntegers"))]
          : []),
      ];
    case "select":
    case "multi_select":
      return optionErrors(field.options, [...path, "options"]);
    case "line_items":
      return [
        ...rangeErrors(field.min_rows, field.max_rows, [...path, "min_rows"], "max_rows"),
        ...fieldListErrors(field.fields, [...path, "fields"]),
        ...field.fields.flatMap((column, index) =>
          columnErrors(column, [...path, "fields", index]),
        ),
      ];
    case "computed":
      return field.decimals !== undefined && field.result !== "number"
        ? [definitionError([...path, "decimals"], reasonFor("decimalsOfNonNumber"))]
        : [];
    case "boolean":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "reference":
    case "files":
      return [];
  }
}

/** Reports rules that only fields outside line items can have. */
function columnErrors(column: FieldDocument, path: Path): FieldError[] {
  const error = (rule: string, reason: Reason) => definitionError([...path, rule], reason);
  const isUnique = "unique" in column && column.unique;
  return [
    ...(isUnique ? [error("unique", reasonFor("uniqueColumn"))] : []),
    ...(column.section ? [error("section", reasonFor("sectionColumn"))] : []),
  ];
}

function rangeErrors(
  min: number | undefined,
  max: number | undefined,
  path: Path,
  maxName: string,
): FieldError[] {
  if (min === undefined || max === undefined || min <= max) return [];
  return [definitionError(path, reasonFor("exceedsRule", { rule: maxName, maximum: max }))];
}

function patternErrors(
  { pattern, max_length }: { pattern?: string | undefined; max_length: number },
  path: Path,
): FieldError[] {
  if (pattern === undefined) return [];
  const { error, stateCount = 0 } = analyzePattern(pattern);
  if (error !== undefined) return [definitionError(path, error)];
  if (stateCount * max_length <= maxMatchSteps) return [];
  const maxLength = Math.floor(maxMatchSteps / stateCount);
  return [
    definitionError(
      path,
      reasonFor("textsTooLongForPattern", {
        states: stateCount,
        maximum: maxLength,
        length: max_length,
      }),
    ),
  ];
}

function optionErrors(options: { value: string }[], path: Path): FieldError[] {
  const seenValues = new Set<string>();
  return options.flatMap(({ value }, index) => {
    const error = seenValues.has(value)
      ? [definitionError([...path, index, "value"], reasonFor("optionTwice", { option: value }))]
      : value !== value.normalize("NFC")
        ? [definitionError([...path, index, "value"], reasonFor("optionNotNormal"))]
        : [];
    seenValues.add(value);
    return error;
  });
}
