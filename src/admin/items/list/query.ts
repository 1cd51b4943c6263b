import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { Field } from "#domain/definition/field.ts";
import { textOf } from "#admin/form-input.ts";
import { oneOf, shortened } from "#domain/problem/field-errors.ts";
import { problem, type FieldError, Problem } from "#domain/problem/problem.ts";
import { type Filterable, clockOf, searchBody } from "./filters.ts";
import type { ReadContext } from "#actions/context.ts";
import { likelyCollection } from "#actions/collection-cache.ts";
import { browseItems, checkSearch, type Browsed } from "#actions/query-items.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { makeCursor, readCursor } from "#domain/cursor.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { signingKeys } from "#domain/credential/keys.ts";
import type { Question } from "#http/doors/question.ts";
import type { AppEnv } from "#http/env.ts";
import { opened } from "#admin/items/load-item.ts";

const cookie = "columns";
const year = 365 * 24 * 60 * 60;
const mostColumns = 5;
const mostCharacters = 2000;

/** The columns that somebody chose for this list, or chooses now. The browser keeps them, for this list alone. */
export function chosenColumns(c: Context, chosen: string[] | undefined): string[] | undefined {
  if (chosen === undefined) return getCookie(c, cookie)?.split(".");
  const kept = chosen.join(".");
  if (kept.length > mostCharacters) return chosen;
  const { pathname } = new URL(c.req.url);
  // No path of a cookie has one, nor has any key: there is no such list.
  if (pathname.includes(";")) return chosen;
  setCookie(c, cookie, kept, {
    secure: true,
    httpOnly: true,
    sameSite: "Lax",
    path: pathname,
    maxAge: year,
  });
  return chosen;
}

/** The fields that are shown: the chosen ones, or the first that fit a table. */
export function shownColumns(
  fields: readonly Field[],
  chosen: readonly string[] | undefined,
): Field[] {
  const known = fields.filter(({ key }) => chosen?.includes(key));
  if (known.length > 0) return known;
  return fields.filter(({ type }) => type !== "multiline_text").slice(0, mostColumns);
}

/** One filter of an address: `f.amount.gte=100`, or `f.lines.sku.contains=A` for a column of rows. */
export interface Filter {
  /** The key of a field, with that of a column behind a dot. */
  path: string;
  op: string;
  values: string[];
}

/** What the address of a list of items says. */
export interface Query {
  text: string;
  filters: Filter[];
  /** Conditions as JSON, as the API takes them. */
  conditions: string;
  sort: { key: string; direction: "asc" | "desc" } | undefined;
  /** The columns that are shown; nothing for those of before. */
  columns: string[] | undefined;
  cursor: string | undefined;
  /** The cursors of the pages before this one, the last one last; empty for the first page. */
  trail: string[];
}

/** Whether it asks for some of the items only. */
export function isNarrowed({ text, filters, conditions }: Query): boolean {
  return text !== "" || filters.length > 0 || conditions !== "";
}

/** The query as an address has it, without the place of a page. */
export function searchParams(query: Partial<Query>): URLSearchParams {
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

type Sent = Record<string, string[]>;

const mostFilters = 40;
const single = ["q", "conditions", "sort", "direction", "cursor", "trail", "field", "op", "value"];
const repeated = ["columns", "empty", "filled"];

/** Nothing in an address is ignored: what is not known, or stands there twice, is refused. */
export function refuseUnknown(sent: Sent, more: readonly string[] = []): void {
  const known = [...single, ...repeated, ...more];
  const errors = Object.entries(sent).flatMap(([field, values]): FieldError[] => {
    const isKnown = known.includes(field) || filterName.test(field);
    const parameters = `The parameters are ${oneOf(known)}, and f.FIELD.OPERATOR.`;
    if (!isKnown) {
      const reason = `This list has no such parameter. ${parameters}`;
      return [{ field: shortened(field), code: "unknown_parameter", reason }];
    }
    if (values.length === 1 || !single.includes(field)) return [];
    return [{ field, code: "invalid_type", reason: "Send this parameter once." }];
  });
  const direction = sent["direction"]?.[0] ?? "asc";
  if (!["", "asc", "desc"].includes(direction)) {
    const reason = 'Must be one of "asc", "desc".';
    errors.push({ field: "direction", code: "invalid_format", reason });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
}

const filterName = /^f\.(.+)\.(\w+)$/;

export function readQuery(sent: Sent): Query {
  const one = (name: string) => sent[name]?.[0] ?? "";
  const named = Object.entries(sent).flatMap(([name, all]) => {
    const [, path, op] = filterName.exec(name) ?? [];
    const values = all.filter((value) => value !== "");
    return path && op && values.length > 0 ? [{ path, op, values }] : [];
  });
  const emptiness = ["empty", "filled"].flatMap((name) =>
    (sent[name] ?? [])
      .filter((path) => path !== "")
      .map((path) => ({ path, op: "is_empty", values: [String(name === "empty")] })),
  );
  // As programs write it: one field, one operator, one value.
  const plain = one("field")
    ? [{ path: one("field"), op: one("op") || "eq", values: plainValues(one("op"), one("value")) }]
    : [];
  const key = one("sort");
  return {
    text: one("q").trim(),
    filters: [...plain, ...named, ...emptiness].slice(0, mostFilters),
    conditions: one("conditions").trim(),
    sort: key ? { key, direction: one("direction") === "desc" ? "desc" : "asc" } : undefined,
    columns: sent["columns"]?.filter((column) => column !== ""),
    cursor: one("cursor") || undefined,
    trail: one("trail")
      .split(" ")
      .filter((cursor) => cursor !== ""),
  };
}

const lists = ["between", "in", "not_in", "has_any", "has_all", "has_none"];

function plainValues(op: string, value: string): string[] {
  return lists.includes(op) ? value.split(",").map((part) => part.trim()) : [value];
}

/** A search that was refused, in the words of the filters that asked for it. */
export function searchRefusal(
  refusal: Problem,
  { filters }: Query,
  by: readonly Filterable[],
): { summary: Problem; inputs: Problem } {
  const errors = (refusal.members["errors"] ?? []) as FieldError[];
  const told = errors.map((error) => {
    const place = /^conditions\[(\d+)\]/.exec(error.field)?.[1];
    const filter = place === undefined ? undefined : filters[Number(place)];
    if (!filter) return { ...error, label: error.field === "q" ? "Text" : error.field };
    const label = by.find(({ path }) => path === filter.path)?.label ?? filter.path;
    return { ...error, field: `f.${filter.path}.${filter.op}`, label };
  });
  const reasons = told.map(({ label, reason }) => `${label}: ${reason}`);
  const detail =
    reasons.length > 0 ? `This cannot be searched. ${reasons.join(" ")}` : refusal.detail;
  return {
    summary: new Problem(refusal.code, detail),
    inputs: new Problem(refusal.code, detail, { errors: told }),
  };
}

type C = Context<AppEnv>;
type Opened = Awaited<ReturnType<typeof opened>>;

/** A list that is asked for: its page is under way. */
export interface Listed {
  query: Query;
  page: ReturnType<typeof findItems>;
  /** The collection as it is, where the page does not tell it. */
  now: () => Promise<Opened>;
}

/** Asks for a page of a list, whoever it is for. */
export const listed =
  (kind: CollectionKind): Question<Listed> =>
  async (ctx, { key = "" }, c) => {
    refuseUnknown(c.req.queries());
    const query = readQuery(c.req.queries());
    let read: Promise<Opened> | undefined;
    const now = () => (read ??= opened(c, kind, key));
    const page = findItems(c, ctx, kind, key, query, now);
    page.catch(() => undefined);
    return { query, page, now };
  };

/**
 * What is known of the collection is searched at once; whether that is still so is learned on the way. What it refuses
 * is refused by the collection as it is now.
 */
async function findItems(
  c: C,
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  query: Query,
  now: Listed["now"],
) {
  const known = await likelyCollection(ctx, kind, key);
  if (!known) throw problem.notFound();
  const browsed = (by: Compiled) => ({
    body: searchBody(by.collection, query, clockOf(c)),
    text: query.text,
    // Without a search, what it holds is all there is to count.
    forPeople: isNarrowed(query),
    withStanding: true,
  });
  let likely = known;
  let asked = browsed(likely);
  if (!isSearchable(likely, asked)) {
    likely = (await now()).compiled;
    asked = browsed(likely);
    checkSearch(likely, asked);
  }
  const page = await pageOf(c, ctx, likely, query, asked);
  const { compiled } = page;
  return compiled === likely ? page : pageOf(c, ctx, compiled, query, browsed(compiled));
}

function isSearchable(known: Compiled, browsed: Browsed): boolean {
  try {
    checkSearch(known, browsed);
    return true;
  } catch {
    return false;
  }
}

async function pageOf(c: C, ctx: ReadContext, compiled: Compiled, query: Query, browsed: Browsed) {
  const keys = signingKeys(c.env.TOKEN_SECRET);
  const binding = `admin ${c.req.path}?${searchParams(query).toString()}`;
  const read = query.cursor ? await readCursor(keys, binding, query.cursor) : undefined;
  if (query.cursor && !read) {
    const reason = "This is no cursor of this list. Follow links.next as it was given.";
    throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
  }
  const page = await browseItems(ctx, compiled, browsed, read?.position ?? null);
  const { leading, views, more } = page;
  const next = more ? await makeCursor(keys, binding, more) : null;
  return { ...page, views: [...leading, ...views], next };
}
