import { buildSearchParams, type Query } from "./query.ts";

/** The maximum length of a trail, because it is part of the URL. */
const maxTrailLength = 6000;

/** Formats a page in the trail: its cursor, and after `~` the number of items before it. */
const trailEntry = ({ cursor = "" }: Query, start: number | undefined) =>
  `${cursor}~${start ?? ""}`;

/** Returns the number of items before the page. Undefined if the URL does not contain it. */
export const startOf = ({ cursor, start }: Query) => (cursor === undefined ? 0 : start);

/** Returns the query and its position among the pages as URL parameters. */
export function pageParams(query: Query): URLSearchParams {
  const { cursor, start, trail } = query;
  const params = buildSearchParams(query);
  if (cursor === undefined) return params;
  params.set("cursor", cursor);
  if (start !== undefined) params.set("start", String(start));
  if (trail.length > 0) params.set("trail", trail.join(" "));
  return params;
}

export function pagePath(base: string, query: Query): string {
  const search = pageParams(query).toString();
  return search === "" ? base : `${base}?${search}`;
}

/** Returns the query of the next page after a page with this number of items. */
export function nextPage(query: Query, cursor: string, count: number): Query {
  const start = startOf(query);
  const trail = query.cursor === undefined ? [] : [...query.trail, trailEntry(query, start)];
  const isTooLong = trail.join(" ").length > maxTrailLength;
  return {
    ...query,
    cursor,
    start: start === undefined ? undefined : start + count,
    trail: isTooLong ? [] : trail,
  };
}

/** Returns the query of the previous page. Undefined for the first page. */
export function previousPage(query: Query): Query | undefined {
  if (query.cursor === undefined) return undefined;
  const [cursor = "", start = ""] = query.trail.at(-1)?.split("~") ?? [];
  return {
    ...query,
    cursor: cursor || undefined,
    start: start === "" ? undefined : Number(start),
    trail: query.trail.slice(0, -1),
  };
}
