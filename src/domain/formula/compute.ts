import { mostWarnings, type Warning, type Data, type Row, type Scalar } from "#domain/data/values.ts";
import type { Compiled, CompiledFields } from "#domain/data/compile.ts";
import { withoutLost } from "#domain/data/index-entries.ts";
import type { ComputedField } from "#domain/definition/field.ts";
import { storedText } from "#domain/text.ts";
import { dayInZone, dayWithOffset, utcDateTime } from "#domain/time.ts";
import { hasSteps, longestText, running, spend, stepsOfRun, stepsTaken, Decimal, rounded } from "./arithmetic.ts";
import type { Formula } from "./compile.ts";
import { isEmptyOperand } from "./environment.ts";

/**
 * The data with every computed field calculated anew, and none that the definition has lost; a formula that fails gives
 * nothing and a warning.
 */
export function computeData(
  compiled: Compiled,
  stored: Data,
  now: number,
): { data: Data; warnings: Warning[]; steps: number } {
  const data = withoutLost(compiled.collection.definition.fields, stored);
  if (!hasFormulas(compiled.fields)) return { data, warnings: [], steps: 0 };
  const zone = compiled.collection.definition.time_zone;
  const warnings: Warning[] = [];
  return running(dayInZone(now, zone), zone, () => ({
    data: computeFields(compiled.fields, data, zone, "", warnings),
    warnings,
    steps: stepsTaken(),
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
  { list, formulas, seen }: CompiledFields,
  data: Data,
  zone: string,
  path: string,
  warnings: Warning[],
): Data {
  const computed: Data = { ...data };
  for (const { field, slot, rows } of list) {
    if (field.type === "computed") delete computed[slot];
    const value = computed[slot];
    if (!rows || !value || !hasFormulas(rows)) continue;
    computed[slot] = (value as Row[]).map(
      (row, index) =>
        computeFields(rows, row, zone, `${path}${field.key}[${index}].`, warnings) as Row,
    );
  }
  const context = new seen(computed);
  for (const formula of formulas) {
    const value = resultOf(formula, context, zone, `${path}${formula.field.key}`, warnings);
    if (value !== undefined) computed[String(formula.field.id)] = value;
  }
  return computed;
}

function resultOf(
  formula: Formula,
  context: object,
  zone: string,
  name: string,
  warnings: Warning[],
): Scalar | undefined {
  const { field } = formula;
  const failed = () => {
    if (warnings.length < mostWarnings) warnings.push({ field: name, code: "formula_failed" });
    return undefined;
  };
  // Once the steps of the item are spent, the rest of its formulas have no value.
  if (!hasSteps()) return failed();
  try {
    spend(stepsOfRun);
    const value = formula.run(context);
    const stored = storedOf(field, value, zone);
    return stored === undefined && value !== "" ? failed() : stored;
  } catch (error) {
    return isEmptyOperand(error) ? undefined : failed();
  }
}

/** The result in the form in which its type is stored; undefined where it has none. */
function storedOf(
  { result, decimals }: ComputedField,
  value: unknown,
  zone: string,
): Scalar | undefined {
  if (result === "number")
    return value instanceof Decimal ? storedNumber(value, decimals) : undefined;
  if (result === "boolean") return typeof value === "boolean" ? value : undefined;
  if (typeof value !== "string" || value === "" || value.length > longestText) return undefined;
  if (result === "date") return dayWithOffset(value, zone);
  if (result === "datetime") {
    const parsed = utcDateTime(value);
    return "value" in parsed ? parsed.value : undefined;
  }
  return storedText(value);
}

/**
 * The double that a decimal is stored as: with `decimals`, exactly that many at the most, or nothing where no double is
 * that number; without them, the nearest one.
 */
function storedNumber(value: Decimal, decimals: number | undefined): number | undefined {
  const kept = decimals === undefined ? value : rounded(value, decimals);
  const number = kept.toNumber();
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) return undefined;
  if (decimals !== undefined && !new Decimal(number).eq(kept)) return undefined;
  // Minus zero has no place in JSON.
  return number === 0 ? 0 : number;
}
