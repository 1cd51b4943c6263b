import type { Collection } from "#domain/definition/collection.ts";
import type { Field, RowField } from "#domain/definition/field.ts";
import {
  compileFormulas,
  createListRowClass,
  type Formula,
  type RowClass,
} from "#domain/formula/compile.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { buildScalarCheck, type Check } from "./check-scalar.ts";
import type { Condition } from "#domain/search/tree.ts";
import { maxMatchSteps, type MatchBudget } from "#domain/pattern/pattern.ts";
import { valueErrors } from "./check.ts";
import { fileKeys } from "#domain/files/sent-file.ts";
import { hasReferences } from "./references.ts";

/** A field with its compiled rules. */
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
  /** Maps earlier keys of fields to the current ones. Keys that are in use again are excluded. */
  currentKeys: Map<string, string>;
  /** Whether a field or one of its columns is a reference. */
  hasReferences: boolean;
  /** The keys of the fields that contain files. */
  fileKeys: readonly string[];
  /** The size of the keys and empty values in the JSON of a response. */
  keyBytes: number;
  /** In dependency order. */
  formulas: Formula[];
  /** The class that exposes stored data to formulas. */
  rowClass: RowClass;
  /** The maximum number of formula steps for one item. */
  maxSteps: number;
  /** The errors of the formulas. Stored definitions have none. */
  formulaErrors: FieldError[];
}

/** A collection at one version, with its compiled rules. Each isolate compiles a version once. */
export interface CompiledCollection {
  extent: "whole";
  collection: Collection;
  fields: CompiledFields;
}

/** Slots of an item's data. If only some columns of a list count, the value contains the slots of these columns. */
export type Slots = ReadonlyMap<string, readonly string[] | null>;

/**
 * The parts into which a narrow caller's view divides an item. Each part has its own limits. If both shared a limit,
 * the caller could enlarge its part until it reached the limit, and so measure the hidden part.
 */
export interface ItemParts {
  /** The part that the caller sees. */
  shown: Slots;
  /** The part that the caller neither sees nor changes. Includes retired fields but no computed results. */
  hidden: Slots;
  /** Computed results that the caller does not see. They may depend on values that it sees. */
  hiddenResults: ReadonlySet<string>;
}

/**
 * The part of a collection that a view shows, for a caller that may see nothing else. Its definition and its fields
 * contain only what the caller may know. Code that presents or parses can use it like a whole collection. Code that
 * reads items also needs its conditions, and code that validates or stores needs the whole collection, so the types
 * keep the two apart.
 */
export interface NarrowCollection {
  extent: "narrow";
  collection: Collection;
  fields: CompiledFields;
  whole: CompiledCollection;
  /** The conditions that an item must meet to exist for the caller. */
  conditions: readonly Condition[];
  parts: ItemParts;
  /** The ids of the visible results that depend only on visible fields. */
  ownResults: ReadonlySet<number>;
}

/** The part of a collection that a caller may see: all of it, or one view. */
export type CollectionAccess = CompiledCollection | NarrowCollection;

export function compileCollection(collection: Collection): CompiledCollection {
  const { fields, time_zone } = collection.definition;
  return {
    extent: "whole",
    collection,
    fields: compileFields(fields.fields, time_zone, ["fields"]),
  };
}

function compileFields<F extends Field>(
  fields: readonly F[],
  zone: string,
  path: readonly (string | number)[],
): CompiledFields<F> {
  const list = fields.map((field, index) => compileField(field, zone, [...path, index]));
  const byKey = new Map(list.map((compiledField) => [compiledField.field.key, compiledField]));
  const currentKeys = new Map(
    fields.flatMap(({ key, previous_keys }) =>
      previous_keys
        .filter((previousKey) => !byKey.has(previousKey))
        .map((previousKey) => [previousKey, key] as const),
    ),
  );
  const rowClasses = new Map(
    list.flatMap(({ field }) =>
      field.type === "line_items" ? [[field.id, createListRowClass(field.fields)] as const] : [],
    ),
  );
  const {
    formulas,
    rowClass,
    maxSteps: ownSteps,
    errors,
  } = compileFormulas(fields, rowClasses, path);
  const maxSteps = list.reduce((sum, { field, rows }) => {
    return field.type === "line_items" && rows ? sum + rows.maxSteps * field.max_rows : sum;
  }, ownSteps);
  const columnErrors = list.flatMap(({ rows }) => rows?.formulaErrors ?? []);
  const formulaErrors = [...columnErrors, ...errors];
  return {
    list,
    byKey,
    currentKeys,
    hasReferences: hasReferences(fields),
    fileKeys: fileKeys(fields),
    keyBytes: keyBytesOf(fields),
    formulas,
    rowClass,
    maxSteps,
    formulaErrors,
  };
}

/** Returns the size of the keys and empty values of these fields in the JSON of a response. */
export const keyBytesOf = (fields: readonly Field[]): number =>
  fields.reduce((sum, { key }) => sum + key.length + '"":null,'.length, 0);

function compileField<F extends Field>(
  field: F,
  zone: string,
  path: readonly (string | number)[],
): CompiledField<F> {
  const slot = String(field.id);
  const noRules = { check: undefined, rows: undefined };
  if (field.type === "computed" || field.type === "files") return { field, slot, ...noRules };
  if (field.type !== "line_items")
    return { field, slot, ...noRules, check: buildScalarCheck(field, zone) };
  const rows = compileFields(field.fields, zone, [...path, "fields"]);
  return { field, slot, ...noRules, rows };
}

/** Reports defaults that break the rules of their own fields. */
export function defaultErrors(
  fields: CompiledFields,
  path: readonly (string | number)[] = ["fields"],
  matchBudget: MatchBudget = { stepsLeft: maxMatchSteps },
): FieldError[] {
  return fields.list.flatMap(({ field, rows, ...rules }, index) => {
    const fieldPath = [...path, index];
    const ownErrors =
      field.default === undefined
        ? []
        : valueErrors(
            { field, rows, ...rules },
            field.default,
            [...fieldPath, "default"],
            matchBudget,
          ).map((error) => ({ ...error, code: "invalid_definition" as const }));
    return rows
      ? [...ownErrors, ...defaultErrors(rows, [...fieldPath, "fields"], matchBudget)]
      : ownErrors;
  });
}
