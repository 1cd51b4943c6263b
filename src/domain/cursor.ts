import { sha256, type SigningKeys } from "./credential/signature";

/**
 * A place in a list or a search: the values of the sort keys, null where empty, and the number of the item or collection
 * that stands there.
 */
export type Place = PlaceValue[];
type PlaceValue = string | number | null | Cut;

/** A text too long for a cursor: how it begins, and what tells the whole of it again (`digestOf`). */
type Cut = [start: string, digest: string];

/** Longer texts are cut; three of them, a number and what sealing adds fit into a cursor of 500 characters. */
const mostValueBytes = 84;
const longestCursor = 500;

export const digestOf = async (text: string): Promise<string> => (await sha256(text)).slice(0, 11);

/**
 * An opaque place in a list, sealed: addresses end in logs, and tell neither numbers nor values there. It belongs to what
 * it was made for (`binding`: route, conditions, sort), and to nothing else.
 */
export async function makeCursor(
  keys: SigningKeys,
  binding: string,
  place: readonly (string | number | null)[],
): Promise<string> {
  const kept = await Promise.all(place.map(cut));
  return keys.seal(JSON.stringify(kept), `cursor ${binding}`);
}

export async function readCursor(
  keys: SigningKeys,
  binding: string,
  cursor: string,
): Promise<Place | undefined> {
  if (cursor.length > longestCursor) return undefined;
  const opened = await keys.open(cursor, `cursor ${binding}`);
  // What was sealed here has the form that was given to it here.
  return opened === undefined ? undefined : (JSON.parse(opened) as Place);
}

async function cut(value: string | number | null): Promise<PlaceValue> {
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
