import type { Collection, View } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { findView } from "#domain/search/view.ts";
import type { SavedFilter } from "#store/home/list-settings.ts";
import { changedView, toCondition, type Clock } from "./filters.ts";
import { buildSearchParams, parseQuery, type Filter, type Query } from "./query.ts";

/** The open tab of a list, and whether the list differs from the saved content. */
export interface OpenTab {
  kind: "filter" | "view";
  /** The ID of the filter, or the key of the view. */
  id: string;
  name: string;
  isChanged: boolean;
}

export const searchOf = (query: Partial<Query>) => buildSearchParams(query).toString();

/** Finds the saved filter or the view that a list shows or changes. */
export function findOpenTab(
  collection: Collection,
  query: Query,
  filters: readonly SavedFilter[],
): OpenTab | undefined {
  const search = searchOf({ ...query, tab: undefined });
  const filter =
    filters.find(({ id }) => id === query.tab) ??
    filters.find((each) => query.tab === undefined && each.search === search);
  if (filter) {
    const { id, name } = filter;
    return { kind: "filter", id, name, isChanged: filter.search !== search };
  }
  const key = query.view ?? query.tab;
  const view = key === undefined ? undefined : findView(collection, key);
  if (!view) return undefined;
  // A text search is never part of a view.
  const isChanged = searchOf({ ...query, text: "" }) !== `view=${view.key}`;
  return { kind: "view", id: view.key, name: view.name, isChanged };
}

/** Returns the query with the conditions of its view as filters, so that each of them can be changed. */
export function expandView(collection: Collection, query: Query, clock: Clock): Query {
  const view = query.view === undefined ? undefined : findView(collection, query.view);
  if (!view) return query;
  const { filters, others } = splitConditions(collection, view, clock);
  const added = query.conditions === "" ? [] : parseList(query.conditions);
  const conditions = added && [...others, ...added];
  // A list with invalid conditions keeps its view until they are fixed.
  if (!conditions) return query;
  const isOwn = query.tab !== undefined;
  const expanded = {
    ...query,
    view: undefined,
    tab: query.tab ?? view.key,
    filters: [...filters, ...query.filters],
    conditions: conditions.length > 0 ? JSON.stringify(conditions) : "",
    sort: query.sort ?? (isOwn ? firstSort(view) : undefined),
    columns: query.columns ?? (isOwn ? view.fields : undefined),
  };
  // Filters are ordered as in a URL.
  const { editing, cursor, start, trail } = query;
  return { ...parseQuery(searchOf(expanded)), editing, cursor, start, trail };
}

/** Returns the sort of a list: the sort of the query, or the first sort key of its view. */
export function effectiveSort(collection: Collection, query: Query): Query["sort"] {
  const view = query.view === undefined ? undefined : findView(collection, query.view);
  return query.sort ?? (view && firstSort(view));
}

/** Returns the query without the tab that it changes. */
export function withoutTab(collection: Collection, query: Query): Query {
  const view = changedView(collection, query);
  const sort = query.sort ?? (view && firstSort(view));
  return { ...query, tab: undefined, sort, columns: query.columns ?? view?.fields };
}

function firstSort({ sort = [] }: View): Query["sort"] {
  const [first] = sort;
  if (!isObject(first)) return undefined;
  return { key: String(first["field"]), direction: first["direction"] === "desc" ? "desc" : "asc" };
}

function parseList(text: string): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [parsed];
  } catch {
    return undefined;
  }
}

/** Splits conditions into those that inputs can show, as filters, and all others. */
function splitConditions(collection: Collection, view: View, clock: Clock) {
  const filters: Filter[] = [];
  const others: unknown[] = [];
  for (const condition of view.conditions ?? []) {
    const filter = toFilter(collection, condition, clock);
    // A URL joins the values of filters with the same operator.
    const isFirst = !filters.some(({ path, op }) => path === filter?.path && op === filter.op);
    if (filter && isFirst) filters.push(filter);
    else others.push(condition);
  }
  return { filters, others };
}

/** Returns the filter with the same meaning as a condition. Undefined if there is none. */
function toFilter(collection: Collection, condition: unknown, clock: Clock): Filter | undefined {
  if (!isObject(condition)) return undefined;
  const { field, op, value } = condition;
  const filter =
    op === "any" && Array.isArray(value) && value.length === 1
      ? readFilter(value[0], `${String(field)}.`)
      : readFilter(condition, "");
  if (!filter || filter.values.includes("")) return undefined;
  const same = toCondition(collection.definition.fields.fields, filter, clock);
  return JSON.stringify(same) === JSON.stringify(condition) ? filter : undefined;
}

/** Reads one comparison. For a column, `prefix` is the key of its list and a dot. */
function readFilter(condition: unknown, prefix: string): Filter | undefined {
  if (!isObject(condition)) return undefined;
  const { field, op, value } = condition;
  if (typeof field !== "string" || typeof op !== "string") return undefined;
  return { path: prefix + field, op, values: [value].flat().map(String) };
}

/** Returns the path of the list with a saved filter. */
export const filterPath = (base: string, { id, search }: Pick<SavedFilter, "id" | "search">) =>
  `${base}?tab=${id}${search === "" ? "" : `&${search}`}`;
