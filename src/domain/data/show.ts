import { isList } from "../definition/field";
import type { Compiled, CompiledFields } from "./compile";
import type { Data, Row } from "./values";

/** Stored data by its keys, every defined field present: `null`, or `[]` for lists, where empty. */
export function showData(compiled: Compiled, data: Data): Record<string, unknown> {
  return showFields(compiled.fields, data);
}

function showFields(fields: CompiledFields, data: Data): Record<string, unknown> {
  const shown: Record<string, unknown> = {};
  for (const { field, slot, rows } of fields.list) {
    const value = data[slot];
    if (value === undefined) shown[field.key] = isList(field) ? [] : null;
    if (value !== undefined) {
      shown[field.key] = rows ? (value as Row[]).map((row) => showFields(rows, row)) : value;
    }
  }
  return shown;
}
