import type { Context } from "hono";
import { readerOf } from "#admin/preferences.ts";
import { valueType, type Field, type Option } from "#domain/definition/field.ts";
import { dayInZone, instantInZone } from "#domain/time.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import type { Filter, Query } from "./query.ts";
import { showDay, type Reader } from "#html/viewer.tsx";

export function clockOf(c: Context): Clock {
  const { zone, now } = readerOf(c);
  return { zone, now };
}

/** Where days begin, and which day it is. */
export interface Clock {
  zone: string;
  now: number;
}

export type Condition = Record<string, unknown>;
export type Kind = ReturnType<typeof valueType>;

export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
const oneDay = 24 * 60 * 60 * 1000;
/** A century, which is as far as anybody looks. */
const mostDays = 36_525;

/** Today, yesterday, or so many days back (`-7`) or ahead (`30`), today included. */
export function days(field: string, kind: Kind, text: string, clock: Clock): Condition {
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
export function wholeDays(field: string, op: string, values: string[], { zone }: Clock): Condition {
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

const onlyValue = new Set(["eq", "ne", "gt", "gte", "lt", "lte", "contains", "starts_with"]);

export function leaf(
  field: string,
  kind: Kind,
  op: string,
  values: string[],
  clock: Clock,
): Condition {
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

/** The search of the API that a query stands for, apart from its text: the same one decides what it means. */
export function searchBody(collection: Collection, query: Query, clock: Clock) {
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

/** Something that items are filtered by: a field, a column of rows, or what every item has. */
export interface Filterable {
  path: string;
  label: string;
  type: Exclude<ReturnType<typeof valueType>, "line_items">;
  options: readonly Option[];
}

/** What can be filtered by, by label. */
export function filterables(fields: readonly Field[], kind: "app" | "form"): Filterable[] {
  const own = fields.filter(({ searchable }) => searchable).flatMap(filterableOf);
  const status: Filterable = {
    path: "$status",
    label: "Status",
    type: "select",
    options: statuses,
  };
  const times = [
    ["$created_at", "Created"],
    ["$updated_at", "Changed"],
  ].map(([path = "", label = ""]): Filterable => ({ path, label, type: "datetime", options: [] }));
  return [...own, ...(kind === "form" ? [status] : []), ...times];
}

const statuses = [
  { value: "draft", label: "Draft" },
  { value: "submitted", label: "Submitted" },
  { value: "closed", label: "Closed" },
];

function filterableOf(field: Field): Filterable[] {
  const type = valueType(field);
  const options = "options" in field ? field.options : [];
  if (type !== "line_items") return [{ path: field.key, label: field.label, type, options }];
  if (field.type !== "line_items") return [];
  return field.fields
    .filter(({ searchable }) => searchable)
    .flatMap(filterableOf)
    .map((column) => ({
      ...column,
      path: `${field.key}.${column.path}`,
      label: `${field.label} › ${column.label}`,
    }));
}

const words: Record<string, string> = {
  eq: "is",
  ne: "is not",
  gt: "is more than",
  gte: "from",
  lt: "is less than",
  lte: "up to",
  between: "between",
  contains: "contains",
  starts_with: "starts with",
  in: "is",
  not_in: "is not",
  has_any: "has",
  has_all: "has all of",
  has_none: "has none of",
  days: "in",
};

const dayWords: Record<string, string> = { today: "today", yesterday: "yesterday" };

export function describeFilter(
  { path, op, values }: Filter,
  by: readonly Filterable[],
  reader: Reader,
): string {
  const known = by.find((each) => each.path === path);
  const name = known?.label ?? path;
  if (op === "is_empty") return `${name} is ${values[0] === "false" ? "not " : ""}empty`;
  const shown = values.map((value) => {
    if (op === "days") return dayWords[value] ?? span(Number(value));
    if (known?.type === "boolean") return value === "true" || value === "yes" ? "yes" : "no";
    if (/^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))) {
      return showDay({ ...reader, zone: "UTC" }, Date.parse(value));
    }
    return known?.options.find((option) => option.value === value)?.label ?? value;
  });
  return `${name} ${words[op] ?? op.replaceAll("_", " ")} ${shown.join(op === "between" ? " and " : " or ")}`;
}

const span = (days: number) => (days < 0 ? `the last ${-days} days` : `the next ${days} days`);
