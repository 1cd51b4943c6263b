import { isList } from "../definition/field";
import type { Compiled, CompiledField, CompiledFields } from "./compile";
import type { Data, Row, Value } from "./values";

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
