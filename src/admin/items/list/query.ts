import { textOf } from "#admin/form-input.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";

/** A filter from the URL: `f.amount.gte=100`, or `f.lines.sku.contains=A` for a column of rows. */
export interface Filter {
  /** A field key, or the keys of a list and its column, separated by a dot. */
  path: string;
  op: string;
  values: string[];
}

/** The query parameters of an item list. */
export interface Query {
  /** The key of a view of the definition. */
  view: string | undefined;
  /** The tab that this query changes: the ID of a saved filter, or the key of a view whose conditions it replaces. */
  tab: string | undefined;
  text: string;
  filters: Filter[];
  /** Conditions as JSON, in the API's format. */
  conditions: string;
  sort: { key: string; direction: "asc" | "desc" } | undefined;
  /** The columns to show. Undefined for the member's choice. */
  columns: string[] | undefined;
  /** The filter whose inputs the page shows: a new one, or the one at the index `change`. */
  editing: { path: string; change: number | undefined } | undefined;
  cursor: string | undefined;
  /** The number of items before this page. Undefined if unknown. */
  start: number | undefined;
  /** The pages before this one except the first, oldest first: each cursor, and after `~` its start. */
  trail: string[];
}

/** The path of conditions that are written as JSON. Other conditions have the path of a field. */
export const jsonPath = "$json";

/** Whether the query limits the list to matching items. */
export function isFiltered({ view, text, filters, conditions }: Query): boolean {
  return view !== undefined || text !== "" || filters.length > 0 || conditions !== "";
}

/** Converts a query to URL parameters, without its position among the pages. */
export function buildSearchParams(query: Partial<Query>): URLSearchParams {
  const params = new URLSearchParams();
  const set = (name: string, value: unknown) => {
    const text = textOf(value);
    if (text !== "") params.append(name, text);
  };
  set("view", query.view);
  set("tab", query.tab);
  set("q", query.text);
  for (const { path, op, values } of query.filters ?? []) {
    for (const value of values) set(`f.${path}.${op}`, value);
  }
  set("conditions", query.conditions);
  set("sort", query.sort?.key);
  if (query.sort?.direction === "desc") set("direction", "desc");
  for (const column of query.columns ?? []) set("columns", column);
  return params;
}

/** Returns the path of the list with this query. */
export function searchPath(
  base: string,
  query: Partial<Query>,
  further: Record<string, string> = {},
): string {
  const params = buildSearchParams(query);
  for (const [name, value] of Object.entries(further)) params.set(name, value);
  const text = params.toString();
  return text === "" ? base : `${base}?${text}`;
}

type QueryParameters = Record<string, string[]>;

const singleParameters = [
  "view",
  "tab",
  "q",
  "conditions",
  "sort",
  "direction",
  "cursor",
  "trail",
  "start",
  "add",
  "change",
  "field",
  "op",
  "value",
  "to",
  "days",
];
const repeatedParameters = ["columns", "empty", "filled", "values"];

/** Rejects unknown and repeated parameters, so that the list ignores no part of a URL. */
export function assertKnownParameters(
  params: QueryParameters,
  extraNames: readonly string[] = [],
): void {
  const names = [...singleParameters, ...repeatedParameters, ...extraNames];
  const isKnown = (name: string) => names.includes(name) || filterPattern.test(name);
  const unknown = Object.keys(params).filter((name) => !isKnown(name));
  const repeated = singleParameters.filter((name) => (params[name]?.length ?? 1) > 1);
  const isDirection = ["", "asc", "desc"].includes(params["direction"]?.[0] ?? "asc");
  if (unknown.length + repeated.length === 0 && isDirection) return;
  throw problem.invalidInput([
    ...unknown.map((name) => ({
      field: truncate(name),
      code: "unknown_parameter" as const,
      reason: `Unknown parameter. Allowed: ${formatChoices(names)} and f.FIELD.OPERATOR.`,
    })),
    ...repeated.map((field) => ({
      field,
      code: "invalid_type" as const,
      reason: "Send this parameter once.",
    })),
    ...(isDirection
      ? []
      : [
          {
            field: "direction",
            code: "invalid_format" as const,
            reason: 'Must be one of "asc", "desc".',
          },
        ]),
  ]);
}

const filterPattern = /^f\.(.+)\.(\w+)$/;

export function readQuery(params: QueryParameters): Query {
  const first = (name: string) => params[name]?.[0] ?? "";
  const key = first("sort");
  const [adding, change] = [first("add"), first("change")];
  return {
    view: first("view") || undefined,
    tab: first("tab") || undefined,
    text: first("q").trim(),
    filters: readFilters(params),
    conditions: first("conditions").trim(),
    sort: key ? { key, direction: first("direction") === "desc" ? "desc" : "asc" } : undefined,
    columns: params["columns"]?.filter((column) => column !== ""),
    editing: adding ? { path: adding, change: readCount(change) } : undefined,
    cursor: first("cursor") || undefined,
    start: readCount(first("start")),
    trail: first("trail")
      .split(" ")
      .filter((cursor) => cursor !== ""),
  };
}

const readCount = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);

/** Reads a query from a query string in a form or a link. */
export function parseQuery(search: string): Query {
  // The object has no prototype, because a parameter may have the name of an inherited member.
  const params = Object.create(null) as QueryParameters;
  for (const [name, value] of new URLSearchParams(search)) (params[name] ??= []).push(value);
  assertKnownParameters(params);
  return readQuery(params);
}

function readFilters(params: QueryParameters): Filter[] {
  const namedFilters = Object.entries(params).flatMap(([name, values]) => {
    const [, path, op] = filterPattern.exec(name) ?? [];
    return path && op ? [{ path, op, values }] : [];
  });
  const emptiness = ["empty", "filled"].flatMap((name) =>
    (params[name] ?? [])
      .filter((path) => path !== "")
      .map((path) => ({ path, op: "is_empty", values: [String(name === "empty")] })),
  );
  const all = [...readSingleFilter(params), ...namedFilters, ...emptiness];
  // The filters are ordered by name, as in the URL of the next page, so that each filter keeps its index.
  return [...Map.groupBy(all, ({ path, op }) => `${path} ${op}`).values()].flatMap((same) => {
    const [{ path, op } = { path: "", op: "" }] = same;
    const values = same.flatMap((filter) => filter.values).filter((value) => value !== "");
    return splitFilters(op, values).map((part) => ({ path, op, values: part }));
  });
}

/** Reads the filter from the inputs for one filter. Programs may also send it with only `value`. */
function readSingleFilter(params: QueryParameters): Filter[] {
  const first = (name: string) => params[name]?.[0] ?? "";
  const [path, op, value] = [first("field"), first("op") || "eq", first("value")];
  if (path === "") return [];
  const values = params["values"] ?? [];
  switch (op) {
    case "filled":
      return [{ path, op: "is_empty", values: ["false"] }];
    case "is_empty":
      return [{ path, op, values: [value || "true"] }];
    case "days":
      return [{ path, op, values: [first("days") || value] }];
    case "between":
      return [{ path, op, values: first("to") === "" ? splitList(value) : [value, first("to")] }];
    default:
      if (values.length > 0) return [{ path, op, values }];
      return [{ path, op, values: listOperators.includes(op) ? splitList(value) : [value] }];
  }
}

const listOperators = ["in", "not_in", "has_any", "has_all", "has_none"];

const splitList = (value: string) => value.split(",").map((part) => part.trim());

/** Only some operators accept several values. Other operators get one filter for each value. */
function splitFilters(op: string, values: string[]): string[][] {
  if (values.length === 0) return [];
  if (listOperators.includes(op)) return [[...new Set(values)]];
  const size = op === "between" ? 2 : 1;
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  );
}
