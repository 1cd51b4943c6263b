import { isRecordId } from "#domain/data/references.ts";
import { describeInexactNumber, InexactNumber } from "#domain/json.ts";
import { toComparable, foldCase } from "#domain/data/index-entries.ts";
import type { FieldErrorCode } from "#domain/problem/field-errors.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import { storableDescription, toStoredText } from "#domain/text.ts";
import { dayWithOffset, toUtcDateTime } from "#domain/time.ts";
import {
  maxSearchTextLength,
  meOperand,
  maxOperandValues,
  type Comparable,
  type LeafCondition,
  type Operator,
  type SearchField,
  type UnknownOption,
  type FieldOptions,
} from "./tree.ts";
import { errorAt, formatChoices, truncate } from "#domain/problem/field-errors.ts";

const actorPattern = /^(?:system|(?:credential|member):[0-9A-Za-z_-]{1,64})$/;

/** The maximum length of a stored text: 100,000 characters of up to two UTF-16 units each. */
const maxValueLength = 200_000;

type ParsedOperand =
  | { condition: LeafCondition }
  /** `path` leads to the invalid value of a list. */
  | { reason: string; code: FieldErrorCode; path?: Path };

/** Converts an operand to the form that the index compares. Operators of line items are parsed elsewhere. */
export function parseOperand(field: SearchField, op: Operator, operand: unknown): ParsedOperand {
  const takesNumbers = field.kind === "number" && op !== "is_empty";
  const inexact = takesNumbers ? findInexactNumber(operand) : undefined;
  if (inexact) return inexact;
  switch (op) {
    case "eq":
    case "ne":
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const value = parseScalar(field, operand);
      return value === undefined
        ? invalidOperand(describeExpected(field))
        : { condition: { field, op, value } };
    }
    case "contains":
    case "starts_with":
      if (typeof operand !== "string" || operand === "")
        return invalidOperand("a non-empty string");
      return operand.length > maxSearchTextLength
        ? { reason: `Must be at most ${maxSearchTextLength} characters long.`, code: "too_complex" }
        : foldedCondition(field, op, operand);
    case "in":
    case "not_in":
    case "has_any":
    case "has_all":
    case "has_none":
      return parseScalars(field, op, operand);
    case "between": {
      const [low, high] = Array.isArray(operand)
        ? operand.map((bound) => parseScalar(field, bound))
        : [];
      const isPair = Array.isArray(operand) && operand.length === 2;
      return isPair && low !== undefined && high !== undefined
        ? { condition: { field, op, value: [low, high] } }
        : invalidOperand(
            `a list of two values, the lowest and the highest, each ${describeExpected(field)}`,
          );
    }
    case "is_empty":
      return typeof operand === "boolean"
        ? { condition: { field, op, value: operand } }
        : invalidOperand("true or false");
    case "any":
    case "none":
    case "matches":
      return invalidOperand("a list of conditions");
  }
}

function findInexactNumber(operand: unknown): ParsedOperand | undefined {
  const values: unknown[] = Array.isArray(operand) ? operand : [operand];
  const index = values.findIndex((value) => value instanceof InexactNumber);
  const inexact = values[index];
  if (!(inexact instanceof InexactNumber)) return undefined;
  const error = { reason: describeInexactNumber(inexact), code: "not_exact" } as const;
  return Array.isArray(operand) ? { ...error, path: [index] } : error;
}

function foldedCondition(
  field: SearchField,
  op: "contains" | "starts_with",
  operand: string,
): ParsedOperand {
  const text = toStoredText(operand);
  return text === undefined
    ? invalidOperand(storableDescription)
    : { condition: { field, op, value: foldCase(text) } };
}

function invalidOperand(expected: string): ParsedOperand {
  return { reason: `Must be ${expected}.`, code: "invalid_condition" };
}

function parseScalars(
  field: SearchField,
  op: "in" | "not_in" | "has_any" | "has_all" | "has_none",
  operand: unknown,
): ParsedOperand {
  if (!Array.isArray(operand) || operand.length === 0) {
    return invalidOperand(
      `a list of 1 to ${maxOperandValues} values, each ${describeExpected(field)}`,
    );
  }
  if (operand.length > maxOperandValues)
    return { reason: `Must have at most ${maxOperandValues} values.`, code: "too_complex" };
  const value = operand.map((entry) => parseScalar(field, entry));
  return value.every((entry) => entry !== undefined)
    ? { condition: { field, op, value: [...new Set(value)] } }
    : invalidOperand(`a list of values, each ${describeExpected(field)}`);
}

function parseScalar({ kind, source, me }: SearchField, operand: unknown): Comparable | undefined {
  switch (kind) {
    case "number":
      return typeof operand === "number" && Number.isFinite(operand) ? operand : undefined;
    case "boolean":
      return typeof operand === "boolean" ? Number(operand) : undefined;
    case "date": {
      const day = typeof operand === "string" ? dayWithOffset(operand, "UTC") : undefined;
      return day && toComparable("date", day);
    }
    case "datetime": {
      const result = typeof operand === "string" ? toUtcDateTime(operand) : undefined;
      if (!result || !("value" in result)) return undefined;
      // System timestamps are stored as milliseconds.
      if (source.in === "system") return toMilliseconds(result.value);
      return toComparable("datetime", result.value);
    }
    case "text":
    case "select":
    case "multi_select":
      // An empty string is stored as null, so only `is_empty` finds it.
      return typeof operand === "string" && operand !== "" && operand.length <= maxValueLength
        ? toStoredText(operand)
        : undefined;
    case "reference":
      return typeof operand === "string" && isRecordId(operand) ? operand : undefined;
    case "actor":
      if (operand === meOperand) return me;
      return typeof operand === "string" && actorPattern.test(operand) ? operand : undefined;
    case "line_items":
    case "files":
      return undefined;
  }
}

/**
 * Converts a time to milliseconds. Keeps finer digits as a fraction, so that a bound between two milliseconds stays
 * between them.
 */
function toMilliseconds(utc: string): number {
  const fraction = utc.slice(23, -1);
  return Date.parse(`${utc.slice(0, 23)}Z`) + (fraction === "" ? 0 : Number(`0.${fraction}`));
}

function describeExpected({ kind, name }: SearchField): string {
  switch (kind) {
    case "number":
      return "a number";
    case "boolean":
      return "true or false";
    case "date":
      return "a calendar day like 2026-11-21";
    case "datetime":
      return "an RFC 3339 date-time with an offset";
    case "text":
    case "select":
    case "multi_select":
      return "a non-empty string (use is_empty to find empty values)";
    case "reference":
      return `the ID of a record, like rec_01KAHV3M4E7XQ2R5T8W9YZB6CD (by its fields, search with "matches" on "${name}"; use is_empty to find empty values)`;
    case "actor":
      return 'an actor like credential:01KAHV3M4E7XQ2R5T8W9YZB6CD or "$me"';
    case "line_items":
      return "a list of conditions";
    case "files":
      return "true or false";
  }
}

export type Path = readonly (string | number)[];
export type SearchFieldMap = ReadonlyMap<string, SearchField | undefined>;

/** The field errors so far, the number of conditions, and operands that may not be options. */
export interface SearchParseState {
  errors: FieldError[];
  conditionCount: number;
  unknownOptions: UnknownOption[];
  /** Finds the fields of an app that `matches` may name. Undefined if the caller may not read it. */
  targets: SearchTargets;
  /** Whether the conditions are on the record of a reference. */
  isInMatches?: boolean;
}

/** The app of a reference. */
interface SearchTarget {
  collectionId: number;
  fields: SearchFieldMap;
}

export type SearchTargets = (app: string) => SearchTarget | undefined;

export function addError(
  state: SearchParseState,
  path: Path,
  reason: string,
  code: FieldErrorCode = "invalid_condition",
  details: Record<string, unknown> = {},
): undefined {
  state.errors.push(errorAt(path, code, reason, details));
  return undefined;
}

export function addComplexityError(state: SearchParseState, path: Path, reason: string): undefined {
  return addError(state, path, reason, "too_complex");
}

export function addRenamedError(
  state: SearchParseState,
  path: Path,
  key: string,
  name: string,
): undefined {
  const reason = `There is no field "${truncate(key)}"; it was renamed to "${name}".`;
  return addError(state, path, reason, "invalid_condition", { renamed_to: name });
}

/** The maximum number of choices that an error lists in `allowed`. */
const maxListedOptions = 100;

/**
 * Checks that the operands are current or former options of the field. Statuses never change, so an unknown status is
 * an error at once. Other fields can have had options that their definition no longer lists, so the index decides.
 */
export function checkOptions(
  state: SearchParseState,
  { field }: LeafCondition,
  operand: unknown,
  path: Path,
): void {
  const { options, source } = field;
  if (!options) return;
  const choices = options.current.map((option) => option.value);
  const operands: unknown[] = Array.isArray(operand) ? operand : [operand];
  for (const [index, entry] of operands.entries()) {
    const value = typeof entry === "string" ? toStoredText(entry) : undefined;
    if (value === undefined) continue;
    if (knownValues(options).has(value)) continue;
    const reason = `"${truncate(value)}" is not an option of "${field.name}". The options are ${formatChoices(choices)}.`;
    const entryPath = operands === operand ? [...path, index] : path;
    const error = errorAt(entryPath, "invalid_condition", reason, {
      allowed: choices.slice(0, maxListedOptions),
    });
    if (source.in === "system") state.errors.push(error);
    else state.unknownOptions.push({ field, value, error });
  }
}

const cachedValues = new WeakMap<FieldOptions, ReadonlySet<string>>();

/** All conditions of a search on one field share its set. */
function knownValues(options: FieldOptions): ReadonlySet<string> {
  const cached = cachedValues.get(options);
  if (cached) return cached;
  const values = new Set([...options.current.map(({ value }) => value), ...options.former]);
  cachedValues.set(options, values);
  return values;
}
