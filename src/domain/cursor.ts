import * as z from "zod/mini";
import { sha256, type SigningKeys } from "#domain/credential/keys.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { problem, type FieldError, type Problem } from "#domain/problem/problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";
import { lazy } from "#domain/lazy.ts";

/**
 * The position of an item or a collection in a list or a search: the values of the sort keys, then its number. Empty
 * values are null. The next page starts after this position.
 */
export type FullPosition = (string | number | null)[];

/** A position where the next page starts, with the texts of an item that is not on the page as `UnseenText`. */
export type NextPosition = (FullPosition[number] | UnseenText)[];

type UnseenText = [text: string];

/** The position in a cursor, with long texts truncated. */
export type CursorPosition = (NextPosition[number] | TruncatedText)[];

/**
 * The start of a text that is too long for a cursor, and the digest of the whole text (`digestText`, `digestUnseen`).
 */
type TruncatedText = [start: string, digest: string];

/** A position, and the database bookmark of the previous page; null for lists that need none. */
export interface DecodedCursor {
  position: CursorPosition;
  bookmark: string | null;
}

/**
 * The maximum bytes of a text that is not truncated. Three texts, a number, a bookmark and the seal fit into a cursor
 * of 500 characters.
 */
const maxValueBytes = 64;
const maxBookmarkLength = 64;
const maxCursorLength = 500;

export const digestText = async (text: string): Promise<string> =>
  (await sha256(text)).slice(0, 11);

export const digestUnseen = (text: string): Promise<string> => digestText(`unseen ${text}`);

/**
 * Seals a position, because URLs appear in logs and must not reveal numbers or values there. The cursor is valid only for
 * its `binding` (route, conditions, sort).
 */
export async function encodeCursor(
  keys: SigningKeys,
  binding: string,
  position: Readonly<NextPosition>,
  bookmark: string | null = null,
): Promise<string> {
  const values = await Promise.all(position.map(truncateValue));
  const content = bookmark === null ? values : { at: values, from: limitBookmark(bookmark) };
  const text = JSON.stringify(content);
  return keys.seal(position.length > 1 ? padded(text) : text, `cursor ${binding}`);
}

export async function decodeCursor(
  keys: SigningKeys,
  binding: string,
  cursor: string,
): Promise<DecodedCursor | undefined> {
  if (cursor.length > maxCursorLength) return undefined;
  const text = await keys.open(cursor, `cursor ${binding}`);
  if (text === undefined) return undefined;
  // Only `encodeCursor` seals this text, so its format is known.
  const content = JSON.parse(text) as CursorPosition | { at: CursorPosition; from: string };
  if (Array.isArray(content)) return { position: content, bookmark: null };
  return { position: content.at, bookmark: content.from };
}

export function invalidCursorProblem(): Problem {
  const reason = reasonFor("damagedCursor");
  return problem.invalidInput([{ field: "cursor", code: "invalid_cursor", reason }]);
}

/**
 * Rejects the position of an item in another collection. A list's cursor is bound to a key, which belongs to another app or
 * form after an erasure.
 */
export function assertPositionIn(
  collectionId: number,
  position: Readonly<CursorPosition> | null,
): void {
  if (position === null) return;
  const { above, below } = itemNumberRange(collectionId);
  const number = Number(position.at(-1));
  if (number < above || number >= below) throw invalidCursorProblem();
}

/**
 * The padded bytes of sorted positions. Without padding, their length would reveal the length of values in hidden
 * items.
 */
const sortedBytes = 345;

const padded = (text: string) =>
  text + " ".repeat(Math.max(0, sortedBytes - new TextEncoder().encode(text).length));

/** Replaces a bookmark that is too long for a cursor. The primary has the data of every bookmark. */
const limitBookmark = (bookmark: string) =>
  bookmark.length <= maxBookmarkLength ? bookmark : "first-primary";

async function truncateValue(value: NextPosition[number]): Promise<CursorPosition[number]> {
  const text = Array.isArray(value) ? value[0] : value;
  if (typeof text !== "string" || (text.length <= maxValueBytes && fitsCursor(text))) return text;
  let start = "";
  for (const character of text) {
    if (!fitsCursor(start + character)) break;
    start += character;
  }
  return [start, text === value ? await digestText(text) : await digestUnseen(text)];
}

/** Measures the JSON form, where a character takes up to four bytes and an escape takes six. */
function fitsCursor(text: string): boolean {
  return new TextEncoder().encode(JSON.stringify(text)).length <= maxValueBytes;
}

const minPageLimit = 1;
export const maxPageLimit = 200;

/** The number of items on a page of a list or a search. */
export const pageLimit = lazy(() => z.int().check(z.gte(minPageLimit), z.lte(maxPageLimit)));
export const defaultPageLimit = 50;

/** The field error for an invalid page limit. */
export const pageLimitError = {
  code: "out_of_range",
  reason: `Must be a whole number from ${minPageLimit} to ${maxPageLimit}.`,
  minimum: minPageLimit,
  maximum: maxPageLimit,
} as const satisfies Omit<FieldError, "field">;

/** The query parameters of a page. */
export const pageQuery = lazy(() =>
  z.object({
    limit: z.optional(
      z.pipe(
        z.string().check(
          z.refine(
            (text) => /^\d{1,9}$/.test(text) && pageLimit().safeParse(Number(text)).success,
            {
              params: pageLimitError,
            },
          ),
        ),
        z.transform(Number),
      ),
    ),
    cursor: z.optional(z.string()),
  }),
);

/** The query parameters of a page of items. */
export const itemPageQuery = lazy(() => z.extend(pageQuery(), expandQuery().shape));

/** The references that a response expands, separated by commas. */
export const expandQuery = lazy(() => z.object({ expand: z.optional(z.string()) }));

/** Returns the names in the `expand` of a query string. */
export const expandNames = (expand: string | undefined): string[] | undefined => expand?.split(",");

export type Paging = z.output<ReturnType<typeof pageQuery>>;
export type ItemPaging = z.output<ReturnType<typeof itemPageQuery>>;
