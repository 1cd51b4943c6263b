import { isStoredFile } from "#domain/files/file.ts";
import type { Field } from "#domain/definition/field.ts";
import type { CompiledCollection, CompiledFields } from "./compile.ts";
import type { Data, LineItemRow, Value } from "./values.ts";

/**
 * Drops the values that a field can no longer have, because its type changed while the item was deleted. No item had a
 * value at that time. Keeps values of removed fields, as existing items do, and values that only violate a stricter
 * rule.
 */
export function fitDefinition({ fields }: CompiledCollection, data: Data): Data {
  return fitRow(fields, data);
}

function fitRow<Row extends Data>({ list }: CompiledFields, data: Row): Row {
  const fitted: Data = { ...data };
  for (const { field, slot, rows } of list) {
    const value = fitted[slot];
    if (value === undefined || field.type === "computed") continue;
    if (!hasForm(field, value)) delete fitted[slot];
    else if (rows) fitted[slot] = (value as LineItemRow[]).map((row) => fitRow(rows, row));
  }
  return fitted as Row;
}

/** Whether a stored value has the form of the field's type. */
function hasForm({ type }: Field, value: Value): boolean {
  switch (type) {
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "multi_select":
      return hasEntries(value, (entry) => typeof entry === "string");
    case "line_items":
      return hasEntries(value, (entry) => typeof entry === "object" && !isStoredFile(entry));
    case "files":
      return hasEntries(value, (entry) => typeof entry === "object" && isStoredFile(entry));
    case "date":
      return typeof value === "string" && isDay.test(value) && isTime(value.slice(0, 10));
    case "datetime":
      return typeof value === "string" && isInstant.test(value) && isTime(value);
    case "reference":
      return typeof value === "string" && value.startsWith("rec_");
    case "computed":
      return true;
    case "text":
    case "multiline_text":
    case "email":
    case "url":
    case "phone":
    case "select":
      return typeof value === "string";
  }
}

/** A stored day includes its offset from UTC. */
const isDay = /^\d{4}-\d\d-\d\d[Z+-]/;
const isInstant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

const hasEntries = (value: Value, isEntry: (entry: string | object) => boolean): boolean =>
  Array.isArray(value) && value.every(isEntry);
