import type { Warning } from "../data/check";
import type { Compiled, CompiledFields } from "../data/compile";
import type { Data, Row, Scalar, Value } from "../data/values";
import type { ComputedField, Field } from "../definition/field";
import { isStorable } from "../text";
import { dayInZone, dayWithOffset, utcDateTime } from "../time";
import { contextOf, define, onDay, type Formula } from "./compile";
import { decimalRound, withoutNoise } from "./decimal";
import { isEmptyOperand, longestText } from "./environment";

/** The data with every computed field calculated anew; a formula that fails gives nothing and a warning. */
export function computeData(
  compiled: Compiled,
  data: Data,
  now: number,
): { data: Data; warnings: Warning[] } {
  if (!hasFormulas(compiled.fields)) return { data, warnings: [] };
  const zone = compiled.collection.definition.time_zone;
  const warnings: Warning[] = [];
  return onDay(dayInZone(now, zone), () => ({
    data: computeFields(compiled.fields, data, zone, "", warnings),
    warnings,
  }));
}

/** The data without any computed value. */
export function withoutComputed({ fields }: Compiled, data: Data): Data {
  const kept: Data = { ...data };
  for (const { field, slot, rows } of fields.list) {
    if (field.type === "computed") delete kept[slot];
    const value = kept[slot];
    if (!rows || value === undefined) continue;
    const inRows = rows.list.filter((each) => each.field.type === "computed");
    const hidden = new Set(inRows.map((each) => each.slot));
    kept[slot] = (value as Row[]).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([key]) => !hidden.has(key))),
    );
  }
  return kept;
}

function hasFormulas({ formulas, list }: CompiledFields): boolean {
  return formulas.length > 0 || list.some(({ rows }) => rows !== undefined && hasFormulas(rows));
}

function computeFields(
  { list, formulas }: CompiledFields,
  data: Data,
  zone: string,
  path: string,
  warnings: Warning[],
): Data {
  const computed: Data = { ...data };
  const values: Record<string, unknown> = {};
  for (const { field, slot, rows, rowClass } of list) {
    if (field.type === "computed") delete computed[slot];
    const value = computed[slot];
    if (rows && rowClass) {
      const made = ((value ?? []) as Row[]).map(
        (row, index) =>
          computeFields(rows, row, zone, `${path}${field.key}[${index}].`, warnings) as Row,
      );
      if (made.length > 0) computed[slot] = made;
      values[field.key] = made.map((row) => new rowClass(seen(rows, row)));
      continue;
    }
    values[field.key] = seenValue(field, value);
  }
  const context = contextOf(values);
  for (const formula of formulas) {
    const value = resultOf(formula, context, zone, `${path}${formula.field.key}`, warnings);
    if (value !== undefined) computed[String(formula.field.id)] = value;
    define(context, formula.field.key, seenValue(formula.field, value));
  }
  return computed;
}

function seen({ list }: CompiledFields, row: Row): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ field, slot }) => [field.key, seenValue(field, row[slot])]),
  );
}

/** Dates are seen as their day, so that they compare with `today()`. */
function seenValue(field: Field, value: Value | undefined): unknown {
  if (field.type === "multi_select") return value ?? [];
  const isDate = field.type === "date" || (field.type === "computed" && field.result === "date");
  return isDate && typeof value === "string" ? value.slice(0, 10) : value;
}

function resultOf(
  formula: Formula,
  context: Record<string, unknown>,
  zone: string,
  name: string,
  warnings: Warning[],
): Scalar | undefined {
  const { field } = formula;
  try {
    const value = formula.run(context);
    const stored = storedOf(field, value, zone);
    if (stored === undefined && value !== "")
      warnings.push({ field: name, code: "formula_failed" });
    return stored;
  } catch (error) {
    if (!isEmptyOperand(error)) warnings.push({ field: name, code: "formula_failed" });
    return undefined;
  }
}

/** The result in the form in which its type is stored; undefined where it has none. */
function storedOf(
  { result, decimals }: ComputedField,
  value: unknown,
  zone: string,
): Scalar | undefined {
  if (result === "number") {
    const number = typeof value === "bigint" ? Number(value) : value;
    if (typeof number !== "number") return undefined;
    const kept = decimals === undefined ? withoutNoise(number) : decimalRound(number, decimals);
    return Math.abs(kept) <= Number.MAX_SAFE_INTEGER ? kept : undefined;
  }
  if (result === "boolean") return typeof value === "boolean" ? value : undefined;
  if (typeof value !== "string" || value === "" || !isStorable(value)) return undefined;
  if (result === "date") return dayWithOffset(value, zone);
  if (result === "datetime") {
    const parsed = utcDateTime(value);
    return "value" in parsed ? parsed.value : undefined;
  }
  return value.length > longestText ? undefined : value.normalize("NFC");
}
