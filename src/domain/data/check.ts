import type { LineItemsField } from "#domain/definition/field.ts";
import { checkFiles } from "#domain/files/check-files.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { isObject } from "#domain/json.ts";
import type { MatchBudget } from "#domain/pattern/pattern.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { CollectionAccess, CompiledField, CompiledFields } from "./compile.ts";
import { itemBudget } from "#domain/formula/compute.ts";
import {
  CheckStates,
  createErrorReporter,
  maxErrors,
  type CheckBudget,
  type CheckState,
} from "./check-states.ts";
import { wholeCollection } from "./access.ts";
import {
  noPriorValues,
  priorFiles,
  priorItemValues,
  priorRowValues,
  type PriorValues,
} from "./unchanged-values.ts";
import {
  ignoredWarnings,
  isEmpty,
  presentData,
  unknownFieldError,
  withDefaults,
  type Data,
  type LineItemRow,
  type Scalar,
  type Value,
  type Warning,
} from "./values.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

type Path = readonly (string | number)[];
type InputValues = Record<string, unknown>;

export interface CheckResult {
  data: Data;
  errors: FieldError[];
  warnings: Warning[];
}

export const emptyCheckResult: CheckResult = { data: {}, errors: [], warnings: [] };

/** Checks the data of a new item. Drafts skip `required` and `min_rows`. Defaults fill omitted fields. */
export function checkNew(
  access: CollectionAccess,
  input: InputValues,
  isDraft: boolean,
  budget: CheckBudget = itemBudget(),
): CheckResult {
  const { fields } = wholeCollection(access);
  const states = new CheckStates(access, isDraft, budget);
  const data = checkAllFields(fields, withDefaults(fields, input), states);
  return { data, errors: states.errors, warnings: ignoredWarnings(fields, input, "") };
}

/**
 * Applies the input to the stored data. Checks only changed values. A stored value that the client sends back stays
 * valid after any change of the definition.
 */
export function checkPatch(
  access: CollectionAccess,
  storedData: Data,
  input: InputValues,
  isDraft: boolean,
  budget: CheckBudget = itemBudget(),
): CheckResult {
  const { fields } = wholeCollection(access);
  const states = new CheckStates(access, isDraft, budget);
  const priorValues = priorItemValues(fields, storedData);
  const { values, invalidSlots } = checkInput(fields, input, ["data"], states.of, priorValues);
  const data = withValues(storedData, values);
  if (!isDraft) {
    const inputFields = fields.list.filter(({ field }) => Object.hasOwn(input, field.key));
    states.add(
      (field) => missingErrors([field], data, invalidSlots, ["data"], priorValues),
      inputFields,
    );
  }
  return { data, errors: states.errors, warnings: ignoredWarnings(fields, input, "") };
}

/** Returns the data with these values, or the stored data itself if nothing differs, so that results for it stay valid. */
function withValues(storedData: Data, values: CheckedValues["values"]): Data {
  const changes = [...values].filter(([slot, value]) => storedData[slot] !== value);
  if (changes.length === 0) return storedData;
  const data = { ...storedData };
  for (const [slot, value] of changes) {
    if (value === undefined) delete data[slot];
    else data[slot] = value;
  }
  return data;
}

/** Checks all fields of a draft when it is submitted, including those from earlier requests. */
export function checkSubmitted(
  access: CollectionAccess,
  storedData: Data,
  input: InputValues,
  budget: CheckBudget = itemBudget(),
): CheckResult {
  const compiled = wholeCollection(access);
  const { fields } = compiled;
  const states = new CheckStates(access, false, budget);
  const completeInput = { ...presentData(compiled, storedData), ...input };
  const checked = checkAllFields(fields, completeInput, states, priorFiles(fields, storedData));
  const inputSlots = new Set(
    fields.list.filter(({ field }) => Object.hasOwn(input, field.key)).map(({ slot }) => slot),
  );
  // Omitted fields keep their stored values, including those of retired fields and columns.
  const unchangedEntries = Object.entries(storedData).filter(([slot]) => !inputSlots.has(slot));
  return {
    data: { ...checked, ...Object.fromEntries(unchangedEntries) },
    errors: states.errors,
    warnings: ignoredWarnings(fields, input, ""),
  };
}

function checkAllFields(
  fields: CompiledFields,
  input: InputValues,
  states: CheckStates,
  priorValues = noPriorValues,
): Data {
  const { values, invalidSlots } = checkInput(fields, input, ["data"], states.of, priorValues);
  const data: Data = {};
  for (const [slot, value] of values) if (value !== undefined) data[slot] = value;
  if (!states.isDraft)
    states.add(
      (field) => missingErrors([field], data, invalidSlots, ["data"], noPriorValues),
      fields.list,
    );
  return data;
}

/** Checks `required` and `min_rows` against the data that would be stored. */
function missingErrors(
  fields: readonly CompiledField[],
  data: Data,
  invalidSlots: Set<string>,
  path: Path,
  priorValues: PriorValues,
): FieldError[] {
  return fields.flatMap(({ field, slot }) => {
    if (invalidSlots.has(slot) || (data[slot] === undefined && priorValues.wasMissing(slot)))
      return [];
    const fieldPath = [...path, field.key];
    const value = data[slot];
    if (field.required && value === undefined)
      return [errorAt(fieldPath, "required", reasonFor("valueRequired"))];
    if (field.type !== "line_items" || field.min_rows === undefined) return [];
    const { min_rows } = field;
    if ((Array.isArray(value) ? value.length : 0) >= min_rows) return [];
    const reason =
      min_rows === 1 ? reasonFor("noRows") : reasonFor("tooFewRows", { rows: min_rows });
    return [errorAt(fieldPath, "too_few_rows", reason, { min_rows })];
  });
}

interface CheckedValues {
  /** The stored form of each slot. Undefined for an empty value. */
  values: Map<string, Value | undefined>;
  /** Slots with an invalid value. They are not also reported as missing. */
  invalidSlots: Set<string>;
}

function checkInput(
  fields: CompiledFields,
  input: InputValues,
  path: Path,
  stateOf: (slot: string | undefined) => CheckState,
  priorValues: PriorValues,
): CheckedValues {
  const values: CheckedValues["values"] = new Map();
  const invalidSlots = new Set<string>();
  for (const key of Object.keys(input)) {
    const compiled = fields.byKey.get(key);
    const state = stateOf(compiled?.slot);
    if (state.errors.length >= maxErrors) continue;
    if (!compiled) {
      state.errors.push(unknownFieldError(fields, key, [...path, key]));
      continue;
    }
    // Ignores values for computed fields. The response contains a warning for each.
    if (compiled.field.type === "computed") continue;
    const value = input[key];
    if (isEmpty(compiled.field, value)) {
      values.set(compiled.slot, undefined);
      continue;
    }
    const storedValue =
      priorValues.findUnchanged(compiled, value) ??
      checkValue(compiled, value, [...path, key], state, priorValues);
    if (storedValue === undefined) invalidSlots.add(compiled.slot);
    values.set(compiled.slot, storedValue);
  }
  return { values, invalidSlots };
}

function checkValue(
  compiled: CompiledField,
  value: unknown,
  path: Path,
  state: CheckState,
  priorValues: PriorValues,
): Value | undefined {
  if (compiled.field.type === "files") {
    const files = priorValues.values(compiled.slot).flat() as StoredFile[];
    return checkFiles(compiled.field, value, createErrorReporter(path, state), files);
  }
  if (compiled.rows) {
    const [list = []] = priorValues.values(compiled.slot);
    const rows = priorRowValues(compiled.rows, list as LineItemRow[]);
    return checkRows(compiled, compiled.rows, value, path, state, rows);
  }
  const context = {
    hadBefore: (scalar: Scalar) => priorValues.hadValue(compiled.slot, scalar),
    matchBudget: state.matchBudget,
  };
  return compiled.check?.(value, createErrorReporter(path, state), context);
}

/** Checks one value of a field without an item. `path` is the location of the value. */
export function valueErrors(
  compiled: CompiledField,
  value: unknown,
  path: Path,
  matchBudget: MatchBudget,
): FieldError[] {
  const state: CheckState = { errors: [], isDraft: false, matchBudget };
  if (!isEmpty(compiled.field, value)) checkValue(compiled, value, path, state, noPriorValues);
  return state.errors;
}

function checkRows(
  { field }: CompiledField,
  fields: CompiledFields,
  value: unknown,
  path: Path,
  state: CheckState,
  priorValues: PriorValues,
): LineItemRow[] | undefined {
  const report = createErrorReporter(path, state);
  if (!Array.isArray(value)) {
    return report("invalid_type", reasonFor("notRows"), { expected: "array" });
  }
  const { max_rows } = field as LineItemsField;
  if (value.length > max_rows) {
    return report("too_many_rows", reasonFor("tooManyRows", { rows: max_rows }), { max_rows });
  }
  const previousErrors = state.errors.length;
  const rows: LineItemRow[] = [];
  for (const [index, row] of value.entries()) {
    if (state.errors.length >= maxErrors) break;
    rows.push(checkRow(fields, row, [...path, index], state, priorValues));
  }
  return state.errors.length > previousErrors ? undefined : rows;
}

function checkRow(
  fields: CompiledFields,
  input: unknown,
  path: Path,
  state: CheckState,
  priorValues: PriorValues,
): LineItemRow {
  const row: LineItemRow = {};
  if (!isObject(input)) {
    const report = createErrorReporter(path, state);
    report("invalid_type", reasonFor("notObject"), { expected: "object" });
    return row;
  }
  const { values, invalidSlots } = checkInput(
    fields,
    withDefaults(fields, input),
    path,
    () => state,
    priorValues,
  );
  for (const [slot, value] of values)
    if (value !== undefined) row[slot] = value as LineItemRow[string];
  if (!state.isDraft)
    state.errors.push(...missingErrors(fields.list, row, invalidSlots, path, priorValues));
  return row;
}
