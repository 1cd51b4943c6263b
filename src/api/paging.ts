import { zValidator } from "@hono/zod-validator";
import * as z from "zod";
import { makeCursor, readCursor } from "../domain/cursor";
import { oneOf } from "../domain/field-errors";
import { problem, type FieldError } from "../domain/problem";
import { signingKeys } from "../domain/signature";
import type { ApiEnv, Reading } from "../env";

const leastLimit = 1;
const mostLimit = 200;
const defaultLimit = 50;

const parameters = ["limit", "cursor"];

/** Judged by hand below, for its errors name parameters and not fields; zod takes the query as it came. */
const query = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

export interface Paging {
  limit: number;
  cursor: string | null;
}

/** `limit` and `cursor`, each at most once; anything else is refused, never ignored or clamped. */
export const paging = zValidator("query", query.transform(pagingOf));

function pagingOf(sent: z.infer<typeof query>): Paging {
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries(sent)) {
    if (!parameters.includes(field)) {
      const reason = `There is no such parameter here. The parameters are ${oneOf(parameters)}.`;
      errors.push({ field, code: "unknown_parameter", reason });
    } else if (Array.isArray(value)) {
      errors.push({ field, code: "invalid_type", reason: "Send this parameter once." });
    }
  }
  const limit = typeof sent["limit"] === "string" ? sent["limit"] : String(defaultLimit);
  const number = /^\d{1,9}$/.test(limit) ? Number(limit) : 0;
  if (number < leastLimit || number > mostLimit) {
    const bounds = { minimum: leastLimit, maximum: mostLimit };
    const reason = `Must be a whole number from ${leastLimit} to ${mostLimit}.`;
    errors.push({ field: "limit", code: "out_of_range", reason, ...bounds });
  }
  if (errors.length > 0) throw problem.invalidInput(errors);
  return { limit: number, cursor: typeof sent["cursor"] === "string" ? sent["cursor"] : null };
}

/** The place that the cursor tells, null at the start. A cursor belongs to the list named by `binding`. */
export async function placeOf(
  c: Reading<ApiEnv>,
  binding: string,
  { cursor }: Paging,
): Promise<number | null> {
  if (cursor === null) return null;
  const read = await readCursor(signingKeys(c.env.TOKEN_SECRET), binding, cursor);
  if (typeof read?.position === "number") return read.position;
  const reason = "This is no cursor of this list. Follow links.next as it was given.";
  throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
}

/** The address of the page after the one that ends at `place`. */
export async function nextUrl(
  c: Reading<ApiEnv>,
  binding: string,
  { limit }: Paging,
  place: number,
): Promise<string> {
  const url = new URL(c.req.path, c.req.url);
  url.searchParams.set("limit", String(limit));
  const keys = signingKeys(c.env.TOKEN_SECRET);
  url.searchParams.set("cursor", await makeCursor(keys, binding, place));
  return url.href;
}
