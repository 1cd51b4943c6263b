import { fieldNumber, systemFieldIds, type SystemField } from "#domain/data/values.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { valueType, type Field, type RowField } from "#domain/definition/field.ts";
import type { FieldKind, Operator, SearchField } from "./tree.ts";

/** The operators of each kind of field (contract, section 9). */
export const operators: Record<FieldKind, readonly Operator[]> = {
  text: ["eq", "ne", "in", "not_in", "contains", "starts_with", "is_empty"],
  number: ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"],
  date: ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"],
  datetime: ["eq", "ne", "gt", "gte", "lt", "lte", "between", "in", "is_empty"],
  boolean: ["eq", "is_empty"],
  select: ["eq", "ne", "in", "not_in", "is_empty"],
  multi_select: ["has_any", "has_all", "has_none", "is_empty"],
  line_items: ["any", "none", "is_empty"],
};

/** The fields that searches can name, system fields included. Those that are not searchable are undefined. */
export function searchFields(collection: Collection): Map<string, SearchField | undefined> {
  const { id, kind, definition } = collection;
  const own = definition.fields.fields.map(
    (field) => [field.key, field.searchable ? describeField(id, field) : undefined] as const,
  );
  return new Map([...systemFields(id, kind), ...own]);
}

function systemFields(id: number, kind: Collection["kind"]): [string, SearchField][] {
  const field = (
    name: string,
    own: SystemField,
    of: "text" | "select" | "datetime",
  ): [string, SearchField] => [
    name,
    {
      name,
      number: fieldNumber(id, systemFieldIds[own]),
      kind: of,
      type: of === "datetime" ? "datetime" : "text",
      source: { in: "system", name: own },
    },
  ];
  return [
    field("$id", "id", "text"),
    kind === "form"
      ? field("$status", "status", "select")
      : field("$receipt_number", "receiptNumber", "text"),
    field("$created_at", "createdAt", "datetime"),
    field("$updated_at", "updatedAt", "datetime"),
  ];
}

function describeField(collectionId: number, field: Field): SearchField {
  const common = describeOne(collectionId, field, "data");
  if (field.type !== "line_items") return common;
  const rows = field.fields
    .filter((row) => row.searchable)
    .map((row) => [row.key, describeOne(collectionId, row, "row")] as const);
  return { ...common, rows: new Map(rows) };
}

function describeOne(
  collectionId: number,
  field: Field | RowField,
  where: "data" | "row",
): SearchField {
  return {
    name: field.key,
    number: fieldNumber(collectionId, field.id),
    kind: fieldKind(field),
    type: valueType(field),
    source: { in: where, slot: String(field.id) },
  };
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
    case "multi_select":
    case "line_items":
      return type;
  }
}
