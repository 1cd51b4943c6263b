import { errorAt, oneOf, shortened } from "../../problem/field-errors";
import type { FieldError } from "../../problem/problem";
import type { CompiledField, CompiledFields } from "../compile";
import type { Before } from "../stored-before";
import type { Data } from "../values";

type Path = readonly (string | number)[];

/** `required` and `min_rows`, which speak of what would be stored. */
export function missingErrors(
  fields: readonly CompiledField[],
  data: Data,
  failed: Set<string>,
  path: Path,
  before: Before,
): FieldError[] {
  return fields.flatMap(({ field, slot }) => {
    if (failed.has(slot) || (data[slot] === undefined && before.lacked(slot))) return [];
    const at = [...path, field.key];
    const value = data[slot];
    if (field.required && value === undefined)
      return [errorAt(at, "required", "This is required.")];
    if (field.type !== "line_items" || field.min_rows === undefined) return [];
    const rows = Array.isArray(value) ? value.length : 0;
    if (rows >= field.min_rows) return [];
    const { min_rows } = field;
    const reason = `Must have at least ${min_rows} ${min_rows === 1 ? "row" : "rows"}.`;
    return [errorAt(at, "too_few_rows", reason, { min_rows })];
  });
}

export function unknownField(fields: CompiledFields, key: string, path: Path): FieldError {
  const renamed = fields.renamed.get(key);
  if (renamed !== undefined) {
    const reason = `There is no field "${key}"; it was renamed to "${renamed}".`;
    return errorAt(path, "unknown_field", reason, { renamed_to: renamed });
  }
  const keys = [...fields.byKey.keys()];
  const known = keys.length > 0 ? ` The fields are ${oneOf(keys)}.` : " There are no fields yet.";
  return errorAt(path, "unknown_field", `There is no field "${shortened(key)}".${known}`);
}
