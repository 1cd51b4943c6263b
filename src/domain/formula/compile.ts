import type { Environment, ParseResult } from "@marcbachmann/cel-js";
import type { Data, LineItemRow, Value } from "#domain/data/values.ts";
import type { StoredFile } from "#domain/files/file.ts";
import {
  valueType,
  type ComputedField,
  type Field,
  type RowField,
} from "#domain/definition/field.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { lazy } from "#domain/lazy.ts";
import { errorAt, truncate } from "#domain/problem/field-errors.ts";
import { isStorable, notStorableReason } from "#domain/text.ts";
import { Decimal } from "./arithmetic.ts";
import { throwEmpty, createFormulaEnvironment } from "./environment.ts";
import { describeFormulaError, describeType } from "./messages.ts";
import {
  meterSteps,
  rewriteNodes,
  estimateSteps,
  findUnsupported,
  readsOf,
  type FormulaReads,
} from "./rewrite.ts";
import { reasonFor, type Reason } from "#domain/problem/reasons.ts";

/** A formula that is ready to run on the values of an item or a row. */
export interface Formula {
  field: ComputedField;
  reads: FormulaReads;
  /** Evaluates the formula. `context` is an instance of the `RowClass`. */
  run(context: object): unknown;
}

export interface Formulas {
  /** In dependency order: each formula follows the formulas that it uses. */
  formulas: Formula[];
  /** The class that exposes the data of an item or a row to the formulas. */
  rowClass: RowClass;
  /** The maximum number of formula parts that are evaluated for one item. */
  maxSteps: number;
  errors: FieldError[];
}

/** The limit for a definition's estimated steps per item, with 500 rows in each list. */
export const maxDefinitionSteps = 2_000_000;

type Path = readonly (string | number)[];

/** Exposes the data of an item or a row of line items to formulas. Values are converted when a formula reads them. */
export type RowClass = new (row: Data) => object;

/** Shared and cloned, because creating one is expensive. */
const baseEnvironment = lazy(createFormulaEnvironment);

/**
 * Compiles the formulas of the computed fields. An empty formula replaces one that the caller may not know. No
 * definition contains an empty one. `rowClasses` holds a class for each line items field, by id.
 */
export function compileFormulas(
  fields: readonly Field[],
  rowClasses: ReadonlyMap<number, RowClass>,
  path: Path,
): Formulas {
  const computedFields = fields.flatMap((field, index) =>
    field.type === "computed" && field.formula !== ""
      ? [{ field, path: [...path, index, "formula"] }]
      : [],
  );
  const rowClass = createRowClass(fields, rowClasses);
  const noFormulas = { formulas: [], rowClass, maxSteps: 0 };
  if (computedFields.length === 0) return { ...noFormulas, errors: [] };
  const environment = baseEnvironment().clone();
  for (const field of fields) registerField(environment, field, rowClasses);
  const keys = fields.map(({ key }) => key);
  const parsedFormulas = computedFields.map(({ field, path: formulaPath }) => ({
    field,
    path: formulaPath,
    ...parseFormula(environment, field, formulaPath, keys),
  }));
  const errors = parsedFormulas.flatMap((formula) => formula.errors);
  return errors.length > 0
    ? { ...noFormulas, errors }
    : { rowClass, ...orderFormulas(parsedFormulas) };
}

function registerField(
  environment: Environment,
  field: Field,
  rowClasses: ReadonlyMap<number, RowClass>,
): void {
  const rowClass = rowClasses.get(field.id);
  try {
    if (field.type === "line_items" && rowClass) {
      const types = field.fields
        .filter(hasUsableKey)
        .map((column) => [column.key, celType(column)]);
      environment.registerType(`row${field.id}`, {
        ctor: rowClass,
        fields: Object.fromEntries(types) as never,
      });
    }
    environment.registerVariable(field.key, celType(field));
  } catch {
    // A key that is a reserved word cannot be registered. Parsing rejects formulas that use it.
  }
}

/** Excludes keys like `toString`, which every object inherits. */
function hasUsableKey({ key }: Field): boolean {
  return !(key in {});
}

function celType(field: Field): string {
  switch (field.type) {
    case "number":
      return "decimal";
    case "boolean":
      return "bool";
    case "multi_select":
      return "list<string>";
    case "line_items":
      return `list<row${field.id}>`;
    // Formulas see the names of the files.
    case "files":
      return "list<string>";
    case "computed":
      return {
        number: "decimal",
        boolean: "bool",
        text: "string",
        date: "string",
        datetime: "string",
      }[field.result];
    case "text":
    case "multiline_text":
    case "date":
    case "datetime":
    case "email":
    case "url":
    case "phone":
    case "select":
    case "reference":
      return "string";
  }
}

/** Creates the class that exposes the rows of a list to formulas. */
export function createListRowClass(fields: readonly RowField[]): RowClass {
  return createRowClass(fields.filter(hasUsableKey), new Map());
}

/** Creates a class that converts stored values when a formula reads them. Reading an empty value throws. */
function createRowClass(
  fields: readonly Field[],
  rowClasses: ReadonlyMap<number, RowClass>,
): RowClass {
  class FormulaRow {
    readonly $data: Data;
    constructor(data: Data) {
      this.$data = data;
    }
  }
  for (const field of fields) {
    const rowClass = rowClasses.get(field.id);
    const slot = String(field.id);
    const get = rowClass
      ? function get(this: FormulaRow) {
          const rows = ((this.$data[slot] ?? []) as LineItemRow[]).map((row) => new rowClass(row));
          Object.defineProperty(this, field.key, { value: rows });
          return rows;
        }
      : function get(this: FormulaRow) {
          return formulaValue(field, this.$data[slot]) ?? throwEmpty();
        };
    // Validation reports duplicate keys separately, so a second definition must not throw here.
    Object.defineProperty(FormulaRow.prototype, field.key, { get, configurable: true });
  }
  return FormulaRow;
}

/** Converts numbers to exact decimals, and dates to their day, so that they compare with `today()`. */
function formulaValue(field: Field, value: Value | undefined): unknown {
  if (field.type === "multi_select") return value ?? [];
  if (field.type === "files") return ((value ?? []) as StoredFile[]).map(({ name }) => name);
  if (typeof value === "number") return new Decimal(value);
  const isDate = valueType(field) === "date";
  return isDate && typeof value === "string" ? value.slice(0, 10) : value;
}

interface ParsedFormula {
  formula?: ParseResult;
  reads?: FormulaReads;
  errors: FieldError[];
}

function parseFormula(
  environment: Environment,
  field: ComputedField,
  path: Path,
  fieldKeys: readonly string[],
): ParsedFormula {
  const fail = (reason: Reason, position?: number): ParsedFormula => {
    const details = position === undefined ? {} : { position };
    return { errors: [errorAt(path, "invalid_definition", reason, details)] };
  };
  const failWithEngineError = (error: unknown): ParsedFormula => {
    const { reason, position } = describeFormulaError(error, field.formula, fieldKeys);
    return fail(reason, position);
  };
  try {
    if (!isStorable(field.formula)) return fail(notStorableReason);
    const formula = environment.parse(field.formula);
    const unsupported = findUnsupported(formula.ast);
    if (unsupported) return fail(unsupported.reason, unsupported.position);
    const reads = readsOf(formula.ast);
    rewriteNodes(formula.ast);
    const typeCheck = formula.check();
    if (!typeCheck.valid) return failWithEngineError(typeCheck.error);
    meterSteps(formula.ast);
    const [actualType = "dyn", expectedType] = [typeCheck.type, celType(field)];
    return actualType === expectedType || actualType === "dyn"
      ? { formula, reads, errors: [] }
      : fail(reasonFor("formulaResult", { type: describeType(actualType), result: field.result }));
  } catch (error) {
    return failWithEngineError(error);
  }
}

/** Sorts formulas topologically (Kahn, 1962). Cycles are errors. */
function orderFormulas(
  parsedFormulas: (ParsedFormula & { field: ComputedField; path: Path })[],
): Omit<Formulas, "rowClass"> {
  const byKey = new Map(parsedFormulas.map((parsed) => [parsed.field.key, parsed]));
  const dependencyCounts = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  for (const { field, reads } of byKey.values()) {
    const usedKeys = [...(reads?.keys ?? [])].filter((id) => byKey.has(id));
    dependencyCounts.set(field.key, usedKeys.length);
    for (const id of usedKeys) dependents.set(id, [...(dependents.get(id) ?? []), field.key]);
  }
  const formulas: Formula[] = [];
  const readyKeys = parsedFormulas
    .map(({ field }) => field.key)
    .filter((key) => dependencyCounts.get(key) === 0);
  for (const key of readyKeys) {
    const { field, formula, reads } = byKey.get(key) ?? {};
    if (field && formula && reads)
      formulas.push({ field, reads, run: (context) => formula(context) as unknown });
    for (const dependent of dependents.get(key) ?? []) {
      const unresolvedCount = (dependencyCounts.get(dependent) ?? 0) - 1;
      dependencyCounts.set(dependent, unresolvedCount);
      if (unresolvedCount === 0) readyKeys.push(dependent);
    }
  }
  const cycle = parsedFormulas.filter(({ field }) => (dependencyCounts.get(field.key) ?? 0) > 0);
  if (cycle.length > 0) {
    const keys = cycle.map(({ field }) => field.key).join(", ");
    const reason = reasonFor("formulaCircle", { keys: truncate(keys) });
    const errors = cycle.map(({ path }) => errorAt(path, "invalid_definition", reason));
    return { formulas: [], maxSteps: 0, errors };
  }
  const maxSteps = parsedFormulas.reduce(
    (sum, { formula }) => sum + (formula ? estimateSteps(formula.ast) : 0),
    0,
  );
  return { formulas, maxSteps, errors: [] };
}
