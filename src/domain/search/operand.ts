import { comparable, fold } from "#domain/data/index-entries.ts";
import type { FieldErrorCode, FieldError } from "#domain/problem/problem.ts";
import { storable, storedText } from "#domain/text.ts";
import { dayWithOffset, utcDateTime } from "#domain/time.ts";
import { longestText, mostValues, type Comparable, type Condition, type Operator, type SearchField } from "./tree.ts";
import { errorAt, oneOf, shortened } from "#domain/problem/field-errors.ts";

/** No text is longer: 100,000 characters of two units each. */
const longestValue = 200_000;

type Parsed = { condition: Condition } | { reason: string; code: FieldErrorCode };

/** The value of an operator other than those of line items, in the form in which the index compares. */
export function parseOperand(field: SearchField, op: Operator, sent: unknown): Parsed {
  switch (op) {
    case "eq":
    case "ne":
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const value = parseScalar(field, sent);
      return value === undefined ? wrong(expected(field)) : { condition: { field, op, value } };
    }
    case "contains":
    case "starts_with":
      if (typeof sent !== "string" || sent === "") return wrong("a string that is not empty");
      return sent.length > longestText
        ? wrong(`at most ${longestText} characters long`, "too_complex")
        : foldedOf(field, op, sent);
    case "in":
    case "not_in":
    case "has_any":
    case "has_all":
    case "has_none":
      return parseScalars(field, op, sent);
    case "between": {
      const [low, high] = Array.isArray(sent) ? sent.map((each) => parseScalar(field, each)) : [];
      const pair = Array.isArray(sent) && sent.length === 2;
      return pair && low !== undefined && high !== undefined
        ? { condition: { field, op, value: [low, high] } }
        : wrong(`a list of two, the lowest and the highest, each ${expected(field)}`);
    }
    case "is_empty":
      return typeof sent === "boolean"
        ? { condition: { field, op, value: sent } }
        : wrong("true or false");
    case "any":
    case "none":
      return wrong("a list of conditions");
  }
}

function foldedOf(field: SearchField, op: "contains" | "starts_with", sent: string): Parsed {
  const text = storedText(sent);
  return text === undefined ? wrong(storable) : { condition: { field, op, value: fold(text) } };
}

function wrong(form: string, code: FieldErrorCode = "invalid_condition"): Parsed {
  return { reason: `Must be ${form}.`, code };
}

function parseScalars(
  field: SearchField,
  op: "in" | "not_in" | "has_any" | "has_all" | "has_none",
  sent: unknown,
): Parsed {
  if (!Array.isArray(sent) || sent.length === 0) {
    return wrong(`a list of 1 to ${mostValues} values, each ${expected(field)}`);
  }
  if (sent.length > mostValues) return wrong(`at most ${mostValues} values`, "too_complex");
  const value = sent.map((each) => parseScalar(field, each));
  return value.every((each) => each !== undefined)
    ? { condition: { field, op, value: [...new Set(value)] } }
    : wrong(`a list of values, each ${expected(field)}`);
}

function parseScalar({ kind, source }: SearchField, sent: unknown): Comparable | undefined {
  switch (kind) {
    case "number":
      return typeof sent === "number" && Number.isFinite(sent) ? sent : undefined;
    case "boolean":
      return typeof sent === "boolean" ? Number(sent) : undefined;
    case "date": {
      const day = typeof sent === "string" ? dayWithOffset(sent, "UTC") : undefined;
      return day && comparable("date", day);
    }
    case "datetime": {
      const parsed = typeof sent === "string" ? utcDateTime(sent) : undefined;
      if (!parsed || !("value" in parsed)) return undefined;
      // System stamps are stored as milliseconds.
      if (source.in === "system") return toMilliseconds(parsed.value);
      return comparable("datetime", parsed.value);
    }
    case "text":
    case "select":
    case "multi_select":
      return typeof sent === "string" && sent.length <= longestValue ? storedText(sent) : undefined;
    case "line_items":
      return undefined;
  }
}

/** With the finer digits as a fraction, so that a bound between two milliseconds lies between them. */
function toMilliseconds(utc: string): number {
  const finer = utc.slice(23, -1);
  return Date.parse(`${utc.slice(0, 23)}Z`) + (finer === "" ? 0 : Number(`0.${finer}`));
}

function expected({ kind }: SearchField): string {
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
      return "a string";
    case "line_items":
      return "a list of conditions";
  }
}

export type Path = readonly (string | number)[];
export type Fields = ReadonlyMap<string, SearchField | undefined>;

/** What is gathered while a search is read. */
export interface Work {
  errors: FieldError[];
  conditions: number;
}

export function refuse(
  work: Work,
  path: Path,
  reason: string,
  code: FieldErrorCode = "invalid_condition",
  details: Record<string, unknown> = {},
): undefined {
  work.errors.push(errorAt(path, code, reason, details));
  return undefined;
}

export function tooComplex(work: Work, path: Path, reason: string): undefined {
  return refuse(work, path, reason, "too_complex");
}

/** The field that a condition or sort key names; a 422 that lists what there is otherwise. */
export function parseField(
  work: Work,
  fields: Fields,
  sent: unknown,
  path: Path,
): SearchField | undefined {
  if (typeof sent !== "string") return refuse(work, path, "Must be the key of a field.");
  const field = fields.get(sent);
  if (field) return field;
  const allowed = [...fields].flatMap(([name, known]) => (known ? [name] : []));
  const reason = fields.has(sent)
    ? `"${sent}" is not searchable: its definition says "searchable": false.`
    : `There is no field "${shortened(sent)}" to search. There are ${oneOf(allowed)}.`;
  return refuse(work, path, reason, "invalid_condition", { allowed: allowed.slice(0, 100) });
}
