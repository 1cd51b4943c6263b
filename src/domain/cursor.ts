import * as z from "zod/mini";
import { sha256, type SigningKeys } from "#domain/credential/keys.ts";
import type { FieldError } from "#domain/problem/problem.ts";

/**
 * Where an item or a collection stands in a list or a search: the values of the sort keys, null where empty, and its
 * number. Pages go on behind it.
 */
export type WholePosition = (string | number | null)[];

/** A position as a cursor gives it back: texts that are too long for one are cut. */
export type Position = (WholePosition[number] | Cut)[];

/** A text too long for a cursor: how it begins, and what tells the whole of it again (`digestOf`). */
type Cut = [start: string, digest: string];

/** A place in a list, and the version of the database that the page before it was read from, where that is to be kept. */
export interface Place {
  position: Position;
  bookmark: string | null;
}

/** Longer texts are cut; three of them, a number, a bookmark and what sealing adds fit into a cursor of 500 characters. */
const mostValueBytes = 64;
const mostBookmark = 64;
const longestCursor = 500;

export const digestOf = async (text: string): Promise<string> => (await sha256(text)).slice(0, 11);

/**
 * A position, sealed: addresses end in logs, and tell neither numbers nor values there. It belongs to what it was made for (`binding`: route, conditions, sort), and to nothing else.
 */
export async function makeCursor(
  keys: SigningKeys,
  binding: string,
  position: Readonly<WholePosition>,
  bookmark: string | null = null,
): Promise<string> {
  const kept = await Promise.all(position.map(cut));
  const place = bookmark === null ? kept : { at: kept, from: shortBookmark(bookmark) };
  return keys.seal(JSON.stringify(place), `cursor ${binding}`);
}

export async function readCursor(
  keys: SigningKeys,
  binding: string,
  cursor: string,
): Promise<Place | undefined> {
  if (cursor.length > longestCursor) return undefined;
  const opened = await keys.open(cursor, `cursor ${binding}`);
  if (opened === undefined) return undefined;
  // What was sealed here has the form that was given to it here.
  const kept = JSON.parse(opened) as Position | { at: Position; from: string };
  if (Array.isArray(kept)) return { position: kept, bookmark: null };
  return { position: kept.at, bookmark: kept.from };
}

/** Where it is longer than any that is known, the primary has what it names. */
const shortBookmark = (bookmark: string) =>
  bookmark.length <= mostBookmark ? bookmark : "first-primary";

async function cut(value: WholePosition[number]): Promise<Position[number]> {
  if (typeof value !== "string" || (value.length <= mostValueBytes && fits(value))) return value;
  let start = "";
  for (const character of value) {
    if (!fits(start + character)) break;
    start += character;
  }
  return [start, await digestOf(value)];
}

/** As it is written: characters take up to four bytes, and escapes six. */
function fits(text: string): boolean {
  return new TextEncoder().encode(JSON.stringify(text)).length <= mostValueBytes;
}

const minimum = 1;
const maximum = 200;

/** How many items a page of a list or a search has (contract, section 9). */
export const pageLimit = z.int().check(z.gte(minimum), z.lte(maximum));
export const defaultLimit = 50;

/** What is said of any other value. */
export const limitRefusal = {
  code: "out_of_range",
  reason: `Must be a whole number from ${minimum} to ${maximum}.`,
  minimum,
  maximum,
} as const satisfies Omit<FieldError, "field">;
