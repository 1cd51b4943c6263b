import type { Context } from "hono";
import { viewerOf } from "#admin/preferences.ts";
import { valueType, type Field } from "#domain/definition/field.ts";
import { addDays, dayInZone, localToUtc } from "#domain/time.ts";
import type { Collection, View } from "#domain/definition/collection.ts";
import { fieldText, typedNumber } from "#admin/form-input.ts";
import { toHalfWidth } from "#domain/text.ts";
import { isObject } from "#domain/json.ts";
import { findView } from "#domain/search/view.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Filter, Query } from "./query.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

export function clockOf(c: Context): Clock {
  const { zone, now } = viewerOf(c);
  return { zone, now };
}

/** The viewer's time zone, in which days begin and end, and the current time. */
export interface Clock {
  zone: string;
  now: number;
}

export type Condition = Record<string, unknown>;
type ValueType = ReturnType<typeof valueType>;

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
const dayMs = 24 * 60 * 60 * 1000;
/** The maximum number of relative days: a century. */
const maxDays = 36_525;

/** Matches today, yesterday, or the last (`-7`) or next (`30`) days, including today. */
function relativeDayCondition(
  field: string,
  kind: ValueType,
  text: string,
  clock: Clock,
): Condition {
  const count = text === "today" ? 0 : text === "yesterday" ? -1 : Number(text);
  if (!Number.isInteger(count) || Math.abs(count) > maxDays) {
    return { field, op: "between", value: [text, text] };
  }
  const day = (offset: number) => dayInZone(clock.now + offset * dayMs, clock.zone);
  const isYesterday = text === "yesterday";
  const range = [day(Math.min(0, count)), isYesterday ? day(count) : day(Math.max(0, count))];
  if (kind === "datetime") return wholeDayCondition(field, "between", range, clock);
  return { field, op: "between", value: range };
}

/** Compares times with whole days of the viewer's time zone. */
function wholeDayCondition(
  field: string,
  op: string,
  values: string[],
  { zone }: Clock,
): Condition {
  const [first = "", last = first] = values;
  const startOf = (day: string) => localToUtc(`${day}T00:00`, zone) ?? day;
  const endOf = (day: string) => (isDay(day) ? startOf(addDays(day, 1)) : day);
  const from = { field, op: "gte", value: startOf(first) };
  switch (op) {
    case "gte":
      return from;
    case "gt":
      return { field, op: "gte", value: endOf(first) };
    case "lt":
      return { field, op: "lt", value: startOf(first) };
    case "lte":
      return { field, op: "lt", value: endOf(first) };
    case "eq":
      return { all: [from, { field, op: "lt", value: endOf(first) }] };
    case "between":
      return { all: [from, { field, op: "lt", value: endOf(last) }] };
    default:
      return { field, op, value: values };
  }
}

const singleValueOperators = new Set([
  "eq",
  "ne",
  "gt",
  "gte",
  "lt",
  "lte",
  "contains",
  "starts_with",
]);

function fieldCondition(
  field: string,
  kind: ValueType,
  op: string,
  values: string[],
  clock: Clock,
): Condition {
  const [first = ""] = values;
  if (op === "is_empty") return { field, op, value: first !== "false" };
  if (op === "days") return relativeDayCondition(field, kind, first, clock);
  if (kind === "datetime" && isDay(first)) return wholeDayCondition(field, op, values, clock);
  const operands = values.map((value) => toOperand(kind, value, clock));
  return { field, op, value: singleValueOperators.has(op) ? operands[0] : operands };
}

function toOperand(kind: ValueType, text: string, { zone }: Clock): unknown {
  if (kind === "number") return typedNumber(text) ?? text;
  if (kind === "boolean")
    return text === "true" || text === "yes"
      ? true
      : text === "false" || text === "no"
        ? false
        : text;
  const isLocalTime =
    kind === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return isLocalTime ? (localToUtc(text, zone) ?? text) : text;
}

/** Converts a query to a search body of the API, so that both search by the same rules. Omits the text. */
export function buildSearchBody(collection: Collection, query: Query, clock: Clock) {
  const { fields } = collection.definition.fields;
  const { sort = [] } = query.sort ? {} : (changedView(collection, query) ?? {});
  return {
    conditions: [
      ...query.filters.map((filter) => toCondition(fields, filter, clock)),
      ...parseConditions(query.conditions),
    ],
    ...(query.sort ? { sort: [{ field: query.sort.key, direction: query.sort.direction }] } : {}),
    ...(sort.length > 0 ? { sort } : {}),
    limit: 50,
  };
}

/** Returns the view whose conditions the query replaces. Its sort and fields still apply. */
export const changedView = (collection: Collection, { view, tab }: Query): View | undefined =>
  view === undefined && tab !== undefined ? findView(collection, tab) : undefined;

/** With these operators, a full-width text from a Japanese keyboard also matches half-width values. */
const widenedOperators = new Set(["eq", "contains", "starts_with"]);

export function toCondition(
  fields: readonly Field[],
  { path, op, values }: Filter,
  clock: Clock,
): Condition {
  const [key = "", column] = path.split(".");
  const field = fields.find((candidate) => candidate.key === key);
  const read = (target: Field | undefined, name: string) => {
    const texts = values.map((text) => fieldText(target?.type, text));
    const condition = (sought: string[]) =>
      fieldCondition(name, valueTypeAt(target, path), op, sought, clock);
    const halfWidth = texts.map((text) => toHalfWidth(text));
    const isSame = halfWidth.every((text, index) => text === texts[index]);
    return isSame || !widenedOperators.has(op)
      ? condition(texts)
      : { any: [condition(texts), condition(halfWidth)] };
  };
  if (column === undefined || field?.type !== "line_items") return read(field, path);
  const columnField = field.fields.find((candidate) => candidate.key === column);
  return { field: key, op: "any", value: [read(columnField, column)] };
}

function valueTypeAt(field: Field | undefined, path: string): ValueType {
  if (field) return valueType(field);
  return path === "$created_at" || path === "$updated_at" ? "datetime" : "text";
}

/** Parses conditions written as JSON, for searches that the inputs cannot express. */
function parseConditions(text: string): unknown[] {
  if (text === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
    if (isObject(parsed)) return [parsed];
  } catch {
    // Invalid JSON gets the same problem as JSON of another type.
  }
  throw problem.malformedJson(reasonFor("conditionsNotList"));
}
