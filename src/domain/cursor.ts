import { sha256, type SigningKeys } from "./credential/signature";

/**
 * Where an item or a collection stands in a list or a search: the values of the sort keys, null where empty, and its
 * number. Pages go on behind it.
 */
export type WholePosition = (string | number | null)[];

/** A position as a cursor gives it back: texts that are too long for one are cut. */
export type Position = (WholePosition[number] | Cut)[];

/** A text too long for a cursor: how it begins, and what tells the whole of it again (`digestOf`). */
type Cut = [start: string, digest: string];

/** Longer texts are cut; three of them, a number and what sealing adds fit into a cursor of 500 characters. */
const mostValueBytes = 84;
const longestCursor = 500;

export const digestOf = async (text: string): Promise<string> => (await sha256(text)).slice(0, 11);

/**
 * A position, sealed: addresses end in logs, and tell neither numbers nor values there. It belongs to what it was made for (`binding`: route, conditions, sort), and to nothing else.
 */
export async function makeCursor(
  keys: SigningKeys,
  binding: string,
  position: Readonly<WholePosition>,
): Promise<string> {
  const kept = await Promise.all(position.map(cut));
  return keys.seal(JSON.stringify(kept), `cursor ${binding}`);
}

export async function readCursor(
  keys: SigningKeys,
  binding: string,
  cursor: string,
): Promise<Position | undefined> {
  if (cursor.length > longestCursor) return undefined;
  const opened = await keys.open(cursor, `cursor ${binding}`);
  // What was sealed here has the form that was given to it here.
  return opened === undefined ? undefined : (JSON.parse(opened) as Position);
}

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
