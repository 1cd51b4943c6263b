import type { Collection } from "#domain/definition/collection.ts";
import { type Field, type RowField, invalid } from "#domain/definition/field.ts";
import { compileFormulas, rowClassOf, type Formula, type RowClass } from "#domain/formula/compile.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { scalarCheck, type Check } from "./check-scalar.ts";
import { mostMatchSteps, type MatchBudget } from "#domain/pattern/pattern.ts";
import { judge } from "./check-values.ts";

/** A field with its rules ready to be applied. */
export interface CompiledField<F extends Field = Field> {
  field: F;
  /** The key of the field's value in stored data. */
  slot: string;
  /** Absent for line items, whose rows are checked field by field. */
  check: Check | undefined;
  rows: CompiledFields<RowField> | undefined;
}

export interface CompiledFields<F extends Field = Field> {
  list: CompiledField<F>[];
  byKey: Map<string, CompiledField<F>>;
  /** Earlier keys of fields, with the key of now. A key that is in use again is not among them. */
  renamed: Map<string, string>;
  /** What its keys and empty values take, as JSON, wherever it is shown. */
  keyBytes: number;
  /** Each after those that it uses. */
  formulas: Formula[];
  /** Makes stored data into what formulas see. */
  seen: RowClass;
  /** How many steps they take for one item, at the most. */
  steps: number;
  /** What is wrong with the formulas: nothing, once a definition is stored. */
  formulaErrors: FieldError[];
}

/** A collection at one version, ready to validate. Made once per version and kept by the isolate. */
export interface Compiled {
  collection: Collection;
  fields: CompiledFields;
}

export function compile(collection: Collection): Compiled {
  const { fields, time_zone } = collection.definition;
  return { collection, fields: compileFields(fields.fields, time_zone, ["fields"]) };
}

function compileFields<F extends Field>(
  fields: readonly F[],
  zone: string,
  path: readonly (string | number)[],
): CompiledFields<F> {
  const list = fields.map((field, index) => compileField(field, zone, [...path, index]));
  const byKey = new Map(list.map((each) => [each.field.key, each]));
  const renamed = new Map(
    fields.flatMap(({ key, previous_keys }) =>
      previous_keys.filter((old) => !byKey.has(old)).map((old) => [old, key] as const),
    ),
  );
  const rowClasses = new Map(
    list.flatMap(({ field }) =>
      field.type === "line_items" ? [[field.id, rowClassOf(field.fields)] as const] : [],
    ),
  );
  const { order, seen, steps: own, errors } = compileFormulas(fields, rowClasses, path);
  const steps = list.reduce((sum, { field, rows }) => {
    return field.type === "line_items" && rows ? sum + rows.steps * field.max_rows : sum;
  }, own);
  const inRows = list.flatMap(({ rows }) => rows?.formulaErrors ?? []);
  const keyBytes = fields.reduce((sum, { key }) => sum + key.length + '"":null,'.length, 0);
  const formulaErrors = [...inRows, ...errors];
  return { list, byKey, renamed, keyBytes, formulas: order, seen, steps, formulaErrors };
}

function compileField<F extends Field>(
  field: F,
  zone: string,
  path: readonly (string | number)[],
): CompiledField<F> {
  const slot = String(field.id);
  const nothing = { check: undefined, rows: undefined };
  if (field.type === "computed") return { field, slot, ...nothing };
  if (field.type !== "line_items")
    return { field, slot, ...nothing, check: scalarCheck(field, zone) };
  const rows = compileFields(field.fields, zone, [...path, "fields"]);
  return { field, slot, ...nothing, rows };
}

/** Defaults that their own fields would refuse, as errors of the definition. */
export function defaultErrors(
  fields: CompiledFields,
  path: readonly (string | number)[] = ["fields"],
  matching: MatchBudget = { steps: mostMatchSteps },
): FieldError[] {
  return fields.list.flatMap(({ field, rows, ...rest }, index) => {
    const at = [...path, index];
    const own =
      field.default === undefined
        ? []
        : judge({ field, rows, ...rest }, field.default, matching).map(({ reason }) =>
            invalid([...at, "default"], reason),
          );
    return rows ? [...own, ...defaultErrors(rows, [...at, "fields"], matching)] : own;
  });
}
