import { wholeOf } from "#domain/data/narrow.ts";
import type { Context } from "hono";
import type { ReaderRights } from "#actions/search-targets.ts";
import { maxExpansions } from "#domain/search/expand.ts";
import { getCookie, setCookie } from "hono/cookie";
import type { Field } from "#domain/definition/field.ts";
import { textOf } from "#admin/form-input.ts";
import { formatChoices, truncate } from "#domain/problem/field-errors.ts";
import { problem, type FieldError, Problem } from "#domain/problem/problem.ts";
import { type FilterTarget, clockOf, buildSearchBody } from "./filters.ts";
import type { ReadContext } from "#actions/context.ts";
import { likelyCollection } from "#actions/collection-cache.ts";
import { queryItems, validateSearch, type ItemQuery } from "#actions/query-items.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { AdminEnv, PagePrefetch } from "#http/env.ts";
import { createCursor, openCursor, invalidCursorProblem } from "#http/paging.ts";
import { getStoredCollection } from "#admin/items/load-item.ts";

const cookieName = "columns";
const yearSeconds = 365 * 24 * 60 * 60;
const defaultColumnCount = 5;
const maxCookieLength = 2000;

/** The columns chosen in this request, or else in the list's cookie. A new choice replaces the cookie. */
export function resolveColumns(c: Context, chosen: string[] | undefined): string[] | undefined {
  if (chosen === undefined) return getCookie(c, cookieName)?.split(".");
  const cookieValue = chosen.join(".");
  if (cookieValue.length > maxCookieLength) return chosen;
  const { pathname } = new URL(c.req.url);
  // A cookie path cannot contain a semicolon. No key contains one, so this list does not exist.
  if (pathname.includes(";")) return chosen;
  setCookie(c, cookieName, cookieValue, {
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
    path: pathname,
    maxAge: yearSeconds,
  });
  return chosen;
}

/** The fields to show as columns: the chosen ones, or else the first few. */
export function visibleColumns(
  fields: readonly Field[],
  chosen: readonly string[] | undefined,
): Field[] {
  const chosenFields = fields.filter(({ key }) => chosen?.includes(key));
  if (chosenFields.length > 0) return chosenFields;
  return fields.filter(({ type }) => type !== "multiline_text").slice(0, defaultColumnCount);
}

/** A filter from the URL: `f.amount.gte=100`, or `f.lines.sku.contains=A` for a column of rows. */
export interface Filter {
  /** A field key, or the keys of a list and its column, separated by a dot. */
  path: string;
  op: string;
  values: string[];
}

/** The query parameters of an item list. */
export interface Query {
  text: string;
  filters: Filter[];
  /** Conditions as JSON, in the API's format. */
  conditions: string;
  sort: { key: string; direction: "asc" | "desc" } | undefined;
  /** The columns to show; undefined for the choice in the cookie. */
  columns: string[] | undefined;
  cursor: string | undefined;
  /** The cursors of the pages before this one, oldest first. The first page has no cursor. */
  trail: string[];
}

/** Whether the query limits the list to matching items. */
export function isFiltered({ text, filters, conditions }: Query): boolean {
  return text !== "" || filters.length > 0 || conditions !== "";
}

/** Converts a query to URL parameters, without the cursor and the trail. */
export function buildSearchParams(query: Partial<Query>): URLSearchParams {
  const params = new URLSearchParams();
  const set = (name: string, value: unknown) => {
    const text = textOf(value);
    if (text !== "") params.append(name, text);
  };
  set("q", query.text);
  for (const { path, op, values } of query.filters ?? []) {
    for (const value of values) set(`f.${path}.${op}`, value);
  }
  set("conditions", query.conditions);
  set("sort", query.sort?.key);
  if (query.sort?.direction === "desc") set("direction", "desc");
  return params;
}

type QueryParameters = Record<string, string[]>;

const maxFilters = 40;
const singleParameters = [
  "q",
  "conditions",
  "sort",
  "direction",
  "cursor",
  "trail",
  "field",
  "op",
  "value",
];
const repeatedParameters = ["columns", "empty", "filled"];

/** Rejects unknown and repeated parameters, so that the list ignores no part of a URL. */
export function assertKnownParameters(
  params: QueryParameters,
  extraNames: readonly string[] = [],
): void {
  const names = [...singleParameters, ...repeatedParameters, ...extraNames];
  const errors = Object.entries(params).flatMap(([field, values]): FieldError[] => {
    const isKnown = names.includes(field) || filterPattern.test(field);
    const parameters = `Allowed: ${formatChoices(names)} and f.FIELD.OPERATOR.`;
    if (!isKnown) {
      const reason = `Unknown parameter. ${parameters}`;
      return [{ field: truncate(field), code: "unknown_parameter", reason }];
    }
    if (values.length === 1 || !singleParameters.includes(field)) return [];
    return [{ field, code: "invalid_type", reason: "Send this parameter once." }];
  });
  const direction = params["direction"]?.[0] ?? "asc";
  if (!["", "asc", "desc"].includes(direction)) {
    const reason = 'Must be one of "asc", "desc".';
    errors.push({ field: "direction", code: "invalid_format", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

const filterPattern = /^f\.(.+)\.(\w+)$/;

export function readQuery(params: QueryParameters): Query {
  const first = (name: string) => params[name]?.[0] ?? "";
  const namedFilters = Object.entries(params).flatMap(([name, texts]) => {
    const [, path, op] = filterPattern.exec(name) ?? [];
    const values = texts.filter((value) => value !== "");
    return path && op && values.length > 0 ? [{ path, op, values }] : [];
  });
  const emptinessFilters = ["empty", "filled"].flatMap((name) =>
    (params[name] ?? [])
      .filter((path) => path !== "")
      .map((path) => ({ path, op: "is_empty", values: [String(name === "empty")] })),
  );
  // Programs may send one filter as `field`, `op` and `value`.
  const [field, op] = [first("field"), first("op")];
  const singleFilters = field
    ? [{ path: field, op: op || "eq", values: splitValues(op, first("value")) }]
    : [];
  const key = first("sort");
  return {
    text: first("q").trim(),
    filters: [...singleFilters, ...namedFilters, ...emptinessFilters].slice(0, maxFilters),
    conditions: first("conditions").trim(),
    sort: key ? { key, direction: first("direction") === "desc" ? "desc" : "asc" } : undefined,
    columns: params["columns"]?.filter((column) => column !== ""),
    cursor: first("cursor") || undefined,
    trail: first("trail")
      .split(" ")
      .filter((cursor) => cursor !== ""),
  };
}

const listOperators = ["between", "in", "not_in", "has_any", "has_all", "has_none"];

function splitValues(op: string, value: string): string[] {
  return listOperators.includes(op) ? value.split(",").map((part) => part.trim()) : [value];
}

/** Rewrites a search problem with the labels and the input names of the filters. */
export function toSearchProblems(
  searchProblem: Problem,
  { filters }: Query,
  targets: readonly FilterTarget[],
): { summary: Problem; inputs: Problem } {
  const errors = (searchProblem.members["errors"] ?? []) as FieldError[];
  const labeledErrors = errors.map((error) => {
    const index = /^conditions\[(\d+)\]/.exec(error.field)?.[1];
    const filter = index === undefined ? undefined : filters[Number(index)];
    if (!filter) return { ...error, label: error.field === "q" ? "Text" : error.field };
    const label = targets.find(({ path }) => path === filter.path)?.label ?? filter.path;
    return { ...error, field: `f.${filter.path}.${filter.op}`, label };
  });
  const reasons = labeledErrors.map(({ label, reason }) => `${label}: ${reason}`);
  const detail = reasons.length > 0 ? `Search failed. ${reasons.join(" ")}` : searchProblem.detail;
  return {
    summary: new Problem(searchProblem.code, detail),
    inputs: new Problem(searchProblem.code, detail, { errors: labeledErrors }),
  };
}

type AppContext = Context<AdminEnv>;
type StoredCollection = Awaited<ReturnType<typeof getStoredCollection>>;

/** A list request whose page is already loading. */
export interface ItemListPrefetch {
  query: Query;
  page: ReturnType<typeof loadItems>;
  /** Loads the current collection if the page does not provide it. */
  now: () => Promise<StoredCollection>;
}

/** Starts loading a page of a list before authentication ends. */
const prefetchItemList =
  (kind: CollectionKind): PagePrefetch<ItemListPrefetch> =>
  async (ctx, key, c) => {
    assertKnownParameters(c.req.queries());
    const query = readQuery(c.req.queries());
    let collection: Promise<StoredCollection> | undefined;
    const loadCurrent = () => (collection ??= getStoredCollection(c, kind, key));
    const page = loadItems(c, ctx, kind, key, query, loadCurrent);
    page.catch(() => undefined);
    return { query, page, now: loadCurrent };
  };

export const itemListReads = { app: prefetchItemList("app"), form: prefetchItemList("form") };

/**
 * Searches with the cached collection at once, and repeats the search if the page shows that it was outdated.
 * If the cached collection rejects the search, the current one decides.
 */
async function loadItems(
  c: AppContext,
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  query: Query,
  loadCurrent: ItemListPrefetch["now"],
) {
  const cached = await likelyCollection(ctx, kind, key);
  const queryFor = (compiled: CompiledCollection): ItemQuery => ({
    body: buildSearchBody(compiled.collection, query, clockOf(c)),
    text: query.text,
    // Without filters, the collection's item count is the number of matches.
    isForPeople: isFiltered(query),
    fillsPage: true,
    withStatus: true,
    expand: referencesOf(compiled.collection),
    rights: memberReads,
  });
  let collection = cached;
  let itemQuery = queryFor(collection);
  if (!isSearchable(ctx, collection, itemQuery)) {
    collection = (await loadCurrent()).compiled;
    itemQuery = queryFor(collection);
    validateSearch(ctx, collection, itemQuery);
  }
  const page = await loadPage(c, ctx, collection, query, itemQuery);
  const { compiled } = page;
  return compiled === collection ? page : loadPage(c, ctx, compiled, query, queryFor(compiled));
}

/** Every role may read all records. */
const memberReads: ReaderRights = { resources: "all", permissions: ["records:read"] };

/** The references whose titles a list shows. */
const referencesOf = ({ definition }: CompiledCollection["collection"]): string[] | undefined => {
  const references = definition.fields.fields.filter(({ type }) => type === "reference");
  const names = references.slice(0, maxExpansions).map(({ key }) => key);
  return names.length > 0 ? names : undefined;
};

function isSearchable(
  ctx: ReadContext,
  compiled: CompiledCollection,
  itemQuery: ItemQuery,
): boolean {
  try {
    validateSearch(ctx, compiled, itemQuery);
    return true;
  } catch {
    return false;
  }
}

async function loadPage(
  c: AppContext,
  ctx: ReadContext,
  compiled: CompiledCollection,
  query: Query,
  itemQuery: ItemQuery,
) {
  const binding = `admin ${c.req.path}?${buildSearchParams(query).toString()}`;
  const cursor = query.cursor ? await openCursor(c, binding, query.cursor) : undefined;
  if (query.cursor && !cursor) throw invalidCursorProblem();
  const page = await queryItems(ctx, compiled, itemQuery, cursor?.position ?? null);
  const { prefixMatches, views, nextPosition: position } = page;
  const next = position ? await createCursor(c, binding, position) : null;
  const found = [...prefixMatches, ...views];
  // A first page that is also the last one has all matches.
  const isComplete = page.count !== null && query.cursor === undefined && position === null;
  const count = isComplete ? { count: found.length, exact: true } : page.count;
  return { ...page, compiled: wholeOf(page.compiled), views: found, count, next };
}
