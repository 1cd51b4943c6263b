import type { Warning, Data, LineItemRow, Scalar } from "#domain/data/values.ts";
import type { CompiledCollection, CompiledFields, NarrowCollection } from "#domain/data/compile.ts";
import { withoutRemovedFields } from "#domain/data/index-entries.ts";
import { inHiddenSteps } from "#domain/data/parts.ts";
import type { ComputedField, Field } from "#domain/definition/field.ts";
import { toStoredText } from "#domain/text.ts";
import { dayInZone, dayWithOffset, toUtcDateTime } from "#domain/time.ts";
import {
  hasStepsLeft,
  maxFormulaTextLength,
  maxItemSteps,
  withFormulaRun,
  spend,
  stepsPerFormula,
  stepsTaken,
  Decimal,
  round,
} from "./arithmetic.ts";
import type { Formula } from "./compile.ts";
import { isEmptyOperand } from "./environment.ts";
import { maxMatchSteps, type MatchBudget } from "#domain/pattern/pattern.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";

interface Computation {
  data: Data;
  warnings: Warning[];
  /** The steps of the formulas that read only visible fields, and the steps of all other formulas. */
  steps: number;
  hiddenSteps: number;
}

/**
 * Recomputes every computed field and drops values of removed fields. A formula that fails has no value and adds a
 * warning.
 */
export function computeData(
  compiled: CompiledCollection,
  storedData: Data,
  now: number,
): Computation {
  return compute(compiled, storedData, now, [{ includes: () => true }]);
}

/**
 * Recomputes like `computeData`, for a narrow caller. Formulas that read only visible fields run first. All other
 * formulas have a separate budget, because their steps would reveal the number of hidden rows. The budget is the same
 * in a batch as in a single write, so that a batch does not lose hidden results.
 */
export function computeNarrow(
  { whole, parts: { shown }, ownResults }: NarrowCollection,
  storedData: Data,
  now: number,
): Computation {
  const isOwn = ({ type, id }: Field) =>
    type === "computed" ? ownResults.has(id) : shown.has(String(id));
  return compute(whole, storedData, now, [
    { includes: isOwn },
    { includes: (field) => !isOwn(field) },
  ]);
}

/** The results and the lists whose formulas run together. */
interface FormulaPart {
  includes: (field: Field) => boolean;
}

function compute(
  { fields, collection }: CompiledCollection,
  storedData: Data,
  now: number,
  parts: readonly FormulaPart[],
): Computation {
  const { fields: set, time_zone: zone } = collection.definition;
  const keptData = withoutRemovedFields(set, storedData);
  const warnings: Warning[] = [];
  if (!hasFormulas(fields)) return { data: keptData, warnings, steps: 0, hiddenSteps: 0 };
  const day = dayInZone(now, zone);
  const data = withoutResults(fields, keptData);
  const [steps = 0, hiddenSteps = 0] = parts.map(({ includes }) =>
    withFormulaRun({ day, zone, maxSteps: maxItemSteps }, () => {
      addResults(fields, data, zone, "", warnings, includes);
      return stepsTaken();
    }),
  );
  return { data, warnings, steps, hiddenSteps };
}

/** Returns the data without any computed value. */
export function withoutComputed({ fields }: CompiledCollection, data: Data): Data {
  const result: Data = { ...data };
  for (const { field, slot, rows } of fields.list) {
    if (field.type === "computed") delete result[slot];
    const value = result[slot];
    if (!rows || value === undefined) continue;
    const computedColumns = rows.list.filter((column) => column.field.type === "computed");
    const computedSlots = new Set(computedColumns.map((column) => column.slot));
    result[slot] = (value as LineItemRow[]).map((row) =>
      Object.fromEntries(Object.entries(row).filter(([key]) => !computedSlots.has(key))),
    );
  }
  return result;
}

function hasFormulas({ formulas, list }: CompiledFields): boolean {
  return formulas.length > 0 || list.some(({ rows }) => rows !== undefined && hasFormulas(rows));
}

function withoutResults({ list }: CompiledFields, data: Data): Data {
  const result = { ...data };
  for (const { field, slot } of list) if (field.type === "computed") delete result[slot];
  return result;
}

/** Adds the results of the included fields to `data`, and the results in the rows of the included lists. */
function addResults(
  { list, formulas, rowClass }: CompiledFields,
  data: Data,
  zone: string,
  path: string,
  warnings: Warning[],
  includes: FormulaPart["includes"] = () => true,
): void {
  for (const { field, slot, rows } of list) {
    const value = data[slot];
    if (!rows || !value || !includes(field) || !hasFormulas(rows)) continue;
    const stored = value as LineItemRow[];
    const results = stored.map((row, index) => {
      const result = withoutResults(rows, row);
      addResults(rows, result, zone, `${path}${field.key}[${index}].`, warnings);
      return isSameRow(row, result) ? row : (result as LineItemRow);
    });
    // A list with unchanged results stays the same object, so that comparing it costs nothing.
    if (results.some((row, index) => row !== stored[index])) data[slot] = results;
  }
  const context = new rowClass(data);
  for (const formula of formulas) {
    if (!includes(formula.field)) continue;
    const value = runFormula(formula, context, zone, `${path}${formula.field.key}`, warnings);
    if (value !== undefined) data[String(formula.field.id)] = value;
  }
}

function isSameRow(row: Data, result: Data): boolean {
  const slots = Object.keys(result);
  return (
    slots.length === Object.keys(row).length && slots.every((slot) => result[slot] === row[slot])
  );
}

function runFormula(
  formula: Formula,
  context: object,
  zone: string,
  name: string,
  warnings: Warning[],
): Scalar | undefined {
  const { field } = formula;
  const failWithWarning = () => {
    warnings.push({ field: name, code: "formula_failed" });
    return undefined;
  };
  // When the item's steps are spent, its remaining formulas have no value.
  if (!hasStepsLeft()) return failWithWarning();
  try {
    spend(stepsPerFormula);
    const value = formula.run(context);
    const storedValue = toStoredValue(field, value, zone);
    return storedValue === undefined && value !== "" ? failWithWarning() : storedValue;
  } catch (error) {
    return isEmptyOperand(error) ? undefined : failWithWarning();
  }
}

/** Returns the stored form of a result. Undefined when the value does not fit the result type. */
function toStoredValue(
  { result, decimals }: ComputedField,
  value: unknown,
  zone: string,
): Scalar | undefined {
  if (result === "number")
    return value instanceof Decimal ? toStoredNumber(value, decimals) : undefined;
  if (result === "boolean") return typeof value === "boolean" ? value : undefined;
  if (typeof value !== "string" || value === "" || value.length > maxFormulaTextLength)
    return undefined;
  if (result === "date") return dayWithOffset(value, zone);
  if (result === "datetime") {
    const parsed = toUtcDateTime(value);
    return "value" in parsed ? parsed.value : undefined;
  }
  return toStoredText(value);
}

/**
 * Returns the double that stores a result. Without `decimals`, it is the nearest double. With `decimals`, it must equal
 * the rounded result, and is otherwise undefined.
 */
function toStoredNumber(value: Decimal, decimals: number | undefined): number | undefined {
  const decimal = decimals === undefined ? value : round(value, decimals);
  const number = decimal.toNumber();
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) return undefined;
  if (decimals !== undefined && !new Decimal(number).eq(decimal)) return undefined;
  // JSON.stringify loses the sign of minus zero.
  return number === 0 ? 0 : number;
}

/** The remaining computation for one item, or for all items of a batch together. */
interface PartBudget {
  matchBudget: MatchBudget;
  /** Formula steps. Each item also has its own limit. */
  formulaBudget: { stepsLeft: number };
  /** Steps that decide which views items match. */
  viewBudget: { stepsLeft: number };
}

/**
 * A budget with a separate part for hidden formulas, so that the limits of the visible part do not reveal their number.
 */
export interface ComputeBudget extends PartBudget {
  hidden: PartBudget;
  /** Whether several operations share the budget. */
  isShared: boolean;
  /** The results, by the data that they were computed from. Operations that change nothing share them. */
  computations: WeakMap<Data, Computation>;
}

/** Takes about 200 ms, like the conditions of the most expensive search on one item. */
const maxViewSteps = 200_000_000;

function createBudget(maxFormulaSteps: number, isShared: boolean): ComputeBudget {
  const createPart = (): PartBudget => ({
    matchBudget: { stepsLeft: maxMatchSteps },
    formulaBudget: { stepsLeft: maxFormulaSteps },
    viewBudget: { stepsLeft: maxViewSteps },
  });
  return { ...createPart(), hidden: createPart(), isShared, computations: new WeakMap() };
}

export const itemBudget = (): ComputeBudget => createBudget(Infinity, false);

const maxBatchFormulaSteps = 1_000_000;

/** A batch may use the matching steps of one item and twice the formula steps of one item. */
export const batchBudget = (operationCount: number): ComputeBudget =>
  createBudget(maxBatchFormulaSteps, operationCount > 1);

/**
 * Counts the steps of an item's formulas. Hidden steps count in whole parts of a budget, which most items do not reach.
 */
export function spendFormulaSteps(
  { formulaBudget, hidden }: ComputeBudget,
  { steps, hiddenSteps }: Pick<Computation, "steps" | "hiddenSteps">,
): void {
  formulaBudget.stepsLeft -= steps;
  hidden.formulaBudget.stepsLeft -= inHiddenSteps("formulaSteps", hiddenSteps);
}

/** Returns the used share of a batch's budget. 1 is the whole budget. An exceeded budget returns slightly more. */
export function batchBudgetUsed({ matchBudget, formulaBudget, viewBudget }: PartBudget): number {
  return Math.max(
    1 - matchBudget.stepsLeft / maxMatchSteps,
    1 - formulaBudget.stepsLeft / maxBatchFormulaSteps,
    1 - viewBudget.stepsLeft / maxViewSteps,
  );
}

/** Returns an error when the formula steps are exceeded. */
export function formulaBudgetErrors({
  formulaBudget,
  hidden,
  isShared,
}: ComputeBudget): FieldError[] {
  if (formulaBudget.stepsLeft >= 0 && hidden.formulaBudget.stepsLeft >= 0) return [];
  const reason = isShared
    ? "The formulas of these operations take too long together. Send fewer operations in one batch."
    : "The formulas take too long on these values. Send shorter texts or fewer rows.";
  return [errorAt(["data"], "too_complex", reason)];
}
