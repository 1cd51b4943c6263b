import type { Collection } from "../../../domain/definition/collection";
import { valueType, type Field } from "../../../domain/definition/field";
import { isObject } from "../../../domain/json";
import { problem } from "../../../domain/problem/problem";
import { dayInZone, instantInZone } from "../../../domain/time";
import type { Filter, Query } from "./query";

/** Where days begin, and which day it is. */
export interface Clock {
  zone: string;
  now: number;
}

type Condition = Record<string, unknown>;
type Kind = ReturnType<typeof valueType>;

const onlyValue = new Set(["eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"]);

/** The search of the API that a query stands for, apart from its text: the same one decides what it means. */
export function searchOf(collection: Collection, query: Query, clock: Clock) {
  const { fields } = collection.definition.fields;
  return {
    conditions: [
      ...query.filters.map((filter) => conditionOf(fields, filter, clock)),
      ...written(query.conditions),
    ],
    ...(query.sort ? { sort: [{ field: query.sort.key, direction: query.sort.direction }] } : {}),
    limit: 50,
  };
}

function conditionOf(
  fields: readonly Field[],
  { path, op, values }: Filter,
  clock: Clock,
): Condition {
  const [key = "", column] = path.split(".");
  const field = fields.find((each) => each.key === key);
  if (column === undefined || field?.type !== "line_items") {
    return leaf(path, kindOf(field, path), op, values, clock);
  }
  const inner = field.fields.find((each) => each.key === column);
  return { field: key, op: "any", value: [leaf(column, kindOf(inner, path), op, values, clock)] };
}

function kindOf(field: Field | undefined, path: string): Kind {
  if (field) return valueType(field);
  return path === "$created_at" || path === "$updated_at" ? "datetime" : "text";
}

function leaf(field: string, kind: Kind, op: string, values: string[], clock: Clock): Condition {
  const [first = ""] = values;
  if (op === "is_empty") return { field, op, value: first !== "false" };
  if (op === "days") return days(field, kind, first, clock);
  if (kind === "datetime" && isDay(first)) return wholeDays(field, op, values, clock);
  const all = values.map((value) => operandOf(kind, value, clock));
  return { field, op, value: onlyValue.has(op) ? all[0] : all };
}

function operandOf(kind: Kind, text: string, { zone }: Clock): unknown {
  if (kind === "number")
    return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === "boolean")
    return text === "true" || text === "yes"
      ? true
      : text === "false" || text === "no"
        ? false
        : text;
  const local = kind === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
  return local ? (instantInZone(text, zone) ?? text) : text;
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
const oneDay = 24 * 60 * 60 * 1000;
/** A century, which is as far as anybody looks. */
const mostDays = 36_525;

/** Today, yesterday, or so many days back (`-7`) or ahead (`30`), today included. */
function days(field: string, kind: Kind, text: string, clock: Clock): Condition {
  const count = text === "today" ? 0 : text === "yesterday" ? -1 : Number(text);
  if (!Number.isInteger(count) || Math.abs(count) > mostDays) {
    return { field, op: "between", value: [text, text] };
  }
  const day = (offset: number) => dayInZone(clock.now + offset * oneDay, clock.zone);
  const alone = text === "yesterday";
  const range = [day(Math.min(0, count)), alone ? day(count) : day(Math.max(0, count))];
  if (kind === "datetime") return wholeDays(field, "between", range, clock);
  return { field, op: "between", value: range };
}

/** Moments are compared with the days of a zone, from their beginning to their end. */
function wholeDays(field: string, op: string, values: string[], { zone }: Clock): Condition {
  const [first = "", last = first] = values;
  const begin = (day: string) => instantInZone(`${day}T00:00`, zone) ?? day;
  const after = (day: string) =>
    isDay(day) ? begin(new Date(Date.parse(day) + oneDay).toISOString().slice(0, 10)) : day;
  const from = { field, op: "gte", value: begin(first) };
  switch (op) {
    case "gte":
      return from;
    case "gt":
      return { field, op: "gte", value: after(first) };
    case "lt":
      return { field, op: "lt", value: begin(first) };
    case "lte":
      return { field, op: "lt", value: after(first) };
    case "eq":
      return { all: [from, { field, op: "lt", value: after(first) }] };
    case "between":
      return { all: [from, { field, op: "lt", value: after(last) }] };
    default:
      return { field, op, value: values };
  }
}

/** Conditions written as JSON, for what the inputs cannot say. */
function written(text: string): unknown[] {
  if (text === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
    if (isObject(parsed)) return [parsed];
  } catch {
    // Told below, like anything else that is no list.
  }
  throw problem.malformedJson("The conditions are a JSON list, as the API takes it.");
}
