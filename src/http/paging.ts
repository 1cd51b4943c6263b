import * as z from "zod/mini";
import { makeCursor, readCursor, type Position, type WholePosition, limitRefusal, pageLimit } from "#domain/cursor.ts";
import { canonical, isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import { sha256, signingKeys } from "#domain/credential/keys.ts";
import type { AppEnv, Reading } from "./env.ts";
import { ofPrimary } from "#store/db/session.ts";
import { query } from "./query.ts";

/** The parameters of a page. */
export const page = z.object({
  limit: z.optional(
    z.pipe(
      z.string().check(
        z.refine((sent) => /^\d{1,9}$/.test(sent) && pageLimit.safeParse(Number(sent)).success, {
          params: limitRefusal,
        }),
      ),
      z.transform(Number),
    ),
  ),
  cursor: z.optional(z.string()),
});

export type Paging = z.output<typeof page>;

/** `limit` and `cursor`, each at most once; anything else is refused, never ignored or clamped. */
export const paging = query(page);

export interface PagingInput {
  in: { query: z.input<typeof page> };
  out: { query: Paging };
}

/**
 * The position that the cursor tells, null at the start. A cursor belongs to the list named by `binding`; what is read
 * from there on is no older than the page that gave it, so that a walk never goes back.
 */
export async function readPosition(
  c: Reading<AppEnv>,
  binding: string,
  { cursor }: Paging,
  versions = ofPrimary,
): Promise<Position | null> {
  if (cursor === undefined) return null;
  const read = await readCursor(signingKeys(c.env.TOKEN_SECRET), binding, cursor);
  if (read?.bookmark) versions.notBefore(read.bookmark);
  if (read) return read.position;
  const reason = "This is no cursor of this list. Follow links.next as it was given.";
  throw problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
}

/** The cursor that tells a position of the list named by `binding`. */
export function cursorAt(
  c: Reading<AppEnv>,
  binding: string,
  position: Readonly<WholePosition>,
  bookmark: string | null = null,
): Promise<string> {
  return makeCursor(signingKeys(c.env.TOKEN_SECRET), binding, position, bookmark);
}

/** A cursor of a search belongs to the conditions and the sort that it was made for. */
export async function searchBinding(collectionId: number, body: unknown): Promise<string> {
  const { conditions = [], sort = [] } = isObject(body) ? body : {};
  return `search ${collectionId} ${await sha256(canonical({ conditions, sort }))}`;
}

/** The address of the page behind a position. */
export async function nextUrl(
  c: Reading<AppEnv>,
  binding: string,
  { limit }: Paging,
  position: Readonly<WholePosition>,
  bookmark: string | null = null,
): Promise<string> {
  const url = new URL(c.req.path, c.req.url);
  if (limit !== undefined) url.searchParams.set("limit", String(limit));
  url.searchParams.set("cursor", await cursorAt(c, binding, position, bookmark));
  return url.href;
}
