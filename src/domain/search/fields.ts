import { fieldNumber, systemFieldIds, type SystemField } from "#domain/data/values.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Status } from "#domain/item/item.ts";
import { valueType, type Field, type RowField } from "#domain/definition/field.ts";
import { meOperand, type FieldKind, type Operator, type SearchField } from "./tree.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import {
  addComplexityError,
  addError,
  addRenamedError,
  type Path,
  type SearchParseState,
} from "./operand.ts";

/** The operators of each kind of field. */
export const operators: Record<FieldKind, readonly Operator[]> = {
  text: ["eq", "ne", "in", "not_in", "contains", "starts_with", "is_empty"],
  number: ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"],
  date: ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"],
  datetime: ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"],
  boolean: ["eq", "is_empty"],
  select: ["eq", "ne", "in", "not_in", "is_empty"],
  reference: ["eq", "ne", "in", "not_in", "matches", "is_empty"],
  multi_select: ["has_any", "has_all", "has_none", "is_empty"],
  line_items: ["any", "none", "is_empty"],
  files: ["is_empty"],
  actor: ["eq", "ne", "in", "not_in"],
};

/**
 * Returns the fields that searches can name, including system fields. A field that is not searchable maps to undefined.
 * `me` is the actor that `"$me"` stands for.
 */
export function searchFields(
  collection: Collection,
  me: string = meOperand,
): Map<string, SearchField | undefined> {
  const { id, kind, definition } = collection;
  const dataFields = definition.fields.fields.map(
    (field) => [field.key, field.searchable ? describeField(id, field) : undefined] as const,
  );
  return new Map([...systemFields(id, kind, me), ...dataFields]);
}

const statuses: readonly Status[] = ["draft", "submitted", "closed"];
const statusOptions = {
  current: statuses.map((value) => ({ value })),
  former: [],
  isComplete: true,
};

function systemFields(id: number, kind: Collection["kind"], me: string): [string, SearchField][] {
  const fieldEntry = (
    name: string,
    systemField: SystemField,
    searchKind: "text" | "select" | "datetime" | "actor",
  ): [string, SearchField] => [
    name,
    {
      name,
      previousKeys: [],
      number: fieldNumber(id, systemFieldIds[systemField]),
      kind: searchKind,
      type: searchKind === "datetime" ? "datetime" : "text",
      source: { in: "system", name: systemField },
      ...(systemField === "status" ? { options: statusOptions } : {}),
      ...(searchKind === "actor" ? { me } : {}),
    },
  ];
  return [
    fieldEntry("$id", "id", "text"),
    kind === "form"
      ? fieldEntry("$status", "status", "select")
      : fieldEntry("$receipt_number", "receiptNumber", "text"),
    fieldEntry("$created_at", "createdAt", "datetime"),
    fieldEntry("$updated_at", "updatedAt", "datetime"),
    fieldEntry("$created_by", "createdBy", "actor"),
    fieldEntry("$updated_by", "updatedBy", "actor"),
  ];
}

function describeField(collectionId: number, field: Field): SearchField {
  const common = describeFlatField(collectionId, field, "data");
  if (field.type !== "line_items") return common;
  const rows = field.fields
    .filter((column) => column.searchable)
    .map((column) => [column.key, describeFlatField(collectionId, column, "row")] as const);
  return { ...common, rows: new Map(rows) };
}

function describeFlatField(
  collectionId: number,
  field: Field | RowField,
  location: "data" | "row",
): SearchField {
  return {
    name: field.key,
    previousKeys: field.previous_keys,
    number: fieldNumber(collectionId, field.id),
    kind: fieldKind(field),
    type: valueType(field),
    source: { in: location, slot: String(field.id) },
    ...describeDecimals(field),
    ...describeOptions(field),
    ...(field.type === "reference" ? { app: field.app } : {}),
  };
}

function describeDecimals(field: Field): Pick<SearchField, "decimals"> {
  if ("integer" in field && field.integer) return { decimals: 0 };
  return "decimals" in field && field.decimals !== undefined ? { decimals: field.decimals } : {};
}

function describeOptions(field: Field): Pick<SearchField, "options"> {
  if (!("options" in field)) return {};
  const { options: current, formerOptions: former = [], hasDroppedOptions } = field;
  return { options: { current, former, isComplete: hasDroppedOptions !== true } };
}

function fieldKind(field: Field): FieldKind {
  const type = valueType(field);
  switch (type) {
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
      return "text";
    case "number":
    case "date":
    case "datetime":
    case "boolean":
    case "select":
    case "reference":
    case "multi_select":
    case "line_items":
    case "files":
      return type;
  }
}

/** The maximum number of fields in a definition. */
const maxProjectedFields = 2000;

/** Parses `fields`: the keys that `data` contains in the response. */
export function parseProjection(
  state: SearchParseState,
  collection: Collection,
  projection: unknown,
): string[] | null {
  if (projection === null) return null;
  if (!Array.isArray(projection))
    return addError(state, ["fields"], "Must be a list of field keys.") ?? null;
  if (projection.length > maxProjectedFields) {
    return (
      addComplexityError(state, ["fields"], `Must have at most ${maxProjectedFields} keys.`) ?? null
    );
  }
  const { fields } = collection.definition.fields;
  const fieldKeys = fields.map(({ key }) => key);
  const existingKeys = new Set(fieldKeys);
  const keys = new Set<string>();
  for (const [index, key] of (projection as unknown[]).entries()) {
    if (typeof key === "string" && existingKeys.has(key)) keys.add(key);
    else addKeyError(state, fields, fieldKeys, key, ["fields", index]);
  }
  return [...keys];
}

function addKeyError(
  state: SearchParseState,
  fields: readonly Field[],
  choices: readonly string[],
  key: unknown,
  path: Path,
): undefined {
  const isKey = typeof key === "string";
  const renamed = isKey && fields.find(({ previous_keys: keys }) => keys.includes(key));
  if (renamed) return addRenamedError(state, path, key, renamed.key);
  const reason = `${isKey ? `There is no field "${truncate(key)}".` : "Must be a field key."} Fields: ${formatChoices(choices)}.`;
  return addError(state, path, reason, "invalid_condition", { allowed: choices.slice(0, 100) });
}
