import { createMiddleware } from "hono/factory";
import { makeCursor, readCursor, type Place } from "../domain/cursor";
import { problem, type FieldError } from "../domain/problem/problem";
import { leastLimit, mostLimit } from "../domain/page-limit";
import { signingKeys } from "../domain/credential/signature";
import type { ApiEnv, Reading } from "../env";
import { parameterErrors } from "./parameters";

export interface Paging {
  /** Null where it was not sent. */
  limit: number | null;
  cursor: string | null;
}

export type PagingEnv = ApiEnv & { Variables: { paging: Paging } };

/** `limit`, `cursor` and what else a route takes, each at most once; anything else is refused, never ignored or clamped. */
export const pagingWith = (...others: string[]) =>
  createMiddleware<PagingEnv>(async (c, next) => {
    const sent = new URL(c.req.url).searchParams;
    const known = ["limit", "cursor", ...others];
    const errors = [...parameterErrors(sent, known), ...limitErrors(sent.get("limit"))];
    if (errors.length > 0) throw problem.invalidInput(errors);
    c.set("paging", {
      limit: sent.has("limit") ? Number(sent.get("limit")) : null,
      cursor: sent.get("cursor"),
    });
    await next();
  });

export const paging = pagingWith();

function limitErrors(sent: string | null): FieldError[] {
  const number = /^\d{1,9}$/.test(sent ?? "1") ? Number(sent ?? 1) : 0;
  if (number >= leastLimit && number <= mostLimit) return [];
  const bounds = { minimum: leastLimit, maximum: mostLimit };
  const reason = `Must be a whole number from ${leastLimit} to ${mostLimit}.`;
  return [{ field: "limit", code: "out_of_range", reason, ...bounds }];
}

/** The place that the cursor tells, null at the start. A cursor belongs to the list named by `binding`. */
export async function placeOf(
  c: Reading<ApiEnv>,
  binding: string,
  { cursor }: Paging,
): Promise<Place | null> {
  if (cursor === null) return null;
  const read = await readCursor(signingKeys(c.env.TOKEN_SECRET), binding, cursor);
  if (read) return read;
  const reason = "This is no cursor of this list. Follow links.next as it was given.";
  throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
}

/** The address of the page behind `place`. */
export async function nextUrl(
  c: Reading<ApiEnv>,
  binding: string,
  { limit }: Paging,
  place: readonly (string | number | null)[],
): Promise<string> {
  const url = new URL(c.req.path, c.req.url);
  if (limit !== null) url.searchParams.set("limit", String(limit));
  const keys = signingKeys(c.env.TOKEN_SECRET);
  url.searchParams.set("cursor", await makeCursor(keys, binding, place));
  return url.href;
}
