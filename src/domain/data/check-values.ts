import { errorAt, oneOf, shortened } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { CompiledField, CompiledFields } from "./compile.ts";
import { type Before, nothingBefore, rowsBefore } from "./unchanged-values.ts";
import type { Data, Row, Scalar, Value } from "./values.ts";
import { isList, type Field, type LineItemsField } from "#domain/definition/field.ts";
import { isObject } from "#domain/json.ts";
import type { MatchBudget } from "#domain/pattern/pattern.ts";
import type { Fault } from "./check-scalar.ts";

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

type Sent = Record<string, unknown>;

/** Whoever has so many looks at the first ones; the rest is not sought. */
const mostErrors = 1000;

export interface Work {
  errors: FieldError[];
  draft: boolean;
  matching: MatchBudget;
}

interface SentValues {
  /** Slot to stored form; undefined where the value sent is empty. */
  values: Map<string, Value | undefined>;
  /** Slots whose value was refused: they are not reported as missing as well. */
  failed: Set<string>;
}

export function checkSent(
  fields: CompiledFields,
  sent: Sent,
  path: Path,
  work: Work,
  before: Before,
): SentValues {
  const values: SentValues["values"] = new Map();
  const failed = new Set<string>();
  for (const key of Object.keys(sent)) {
    if (work.errors.length >= mostErrors) break;
    const compiled = fields.byKey.get(key);
    if (!compiled) {
      work.errors.push(unknownField(fields, key, [...path, key]));
      continue;
    }
    // Whoever sends one is told that it is ignored; the server's own value stands.
    if (compiled.field.type === "computed") continue;
    const value = sent[key];
    const empty = isEmpty(compiled.field, value);
    const stored = empty
      ? undefined
      : (before.same(compiled, value) ?? checkValue(compiled, value, [...path, key], work, before));
    if (!empty && stored === undefined) failed.add(compiled.slot);
    values.set(compiled.slot, stored);
  }
  return { values, failed };
}

/** Null everywhere, `[]` where a list belongs, and the empty string where a string does. */
function isEmpty(field: Field, value: unknown): boolean {
  if (value === null) return true;
  if (isList(field)) return Array.isArray(value) && value.length === 0;
  return value === "" && field.type !== "number" && field.type !== "boolean";
}

function checkValue(
  compiled: CompiledField,
  value: unknown,
  path: Path,
  work: Work,
  before: Before,
): Value | undefined {
  if (compiled.rows) {
    const stored = before.values(compiled.slot);
    return checkRows(
      compiled,
      compiled.rows,
      value,
      path,
      work,
      rowsBefore(stored.flat() as Row[]),
    );
  }
  const around = {
    hadBefore: (each: Scalar) => before.had(compiled.slot, each),
    matching: work.matching,
  };
  return compiled.check?.(value, faultAt(path, work), around);
}

/** What is wrong with one value of a field, taken by itself. */
export function judge(
  compiled: CompiledField,
  value: unknown,
  matching: MatchBudget,
): FieldError[] {
  const work: Work = { errors: [], draft: false, matching };
  if (!isEmpty(compiled.field, value)) checkValue(compiled, value, [], work, nothingBefore);
  return work.errors;
}

function faultAt(path: Path, work: Work): Fault {
  return (code, reason, details) => {
    work.errors.push(errorAt(path, code, reason, details));
    return undefined;
  };
}

function checkRows(
  { field }: CompiledField,
  fields: CompiledFields,
  value: unknown,
  path: Path,
  work: Work,
  before: Before,
): Row[] | undefined {
  const fault = faultAt(path, work);
  if (!Array.isArray(value)) {
    return fault("invalid_type", "Must be of type array.", { expected: "array" });
  }
  const { max_rows } = field as LineItemsField;
  if (value.length > max_rows) {
    return fault("too_many_rows", `Must have at most ${max_rows} rows.`, { max_rows });
  }
  const known = work.errors.length;
  const rows: Row[] = [];
  for (const [index, row] of value.entries()) {
    if (work.errors.length >= mostErrors) break;
    rows.push(checkRow(fields, row, [...path, index], work, before));
  }
  return work.errors.length > known ? undefined : rows;
}

function checkRow(
  fields: CompiledFields,
  sent: unknown,
  path: Path,
  work: Work,
  before: Before,
): Row {
  const row: Row = {};
  if (!isObject(sent)) {
    faultAt(path, work)("invalid_type", "Must be of type object.", { expected: "object" });
    return row;
  }
  const { values, failed } = checkSent(fields, withDefaults(fields, sent), path, work, before);
  for (const [slot, value] of values) if (value !== undefined) row[slot] = value as Row[string];
  if (!work.draft) work.errors.push(...missingErrors(fields.list, row, failed, path, before));
  return row;
}

export function withDefaults(fields: CompiledFields, sent: Sent): Sent {
  const defaults = fields.list
    .filter(({ field }) => field.default !== undefined && !Object.hasOwn(sent, field.key))
    .map(({ field }) => [field.key, field.default] as const);
  return defaults.length === 0 ? sent : { ...sent, ...Object.fromEntries(defaults) };
}
