import type { CollectionKind } from "../definition/collection";

/** Crockford's base 32, as in ULIDs. */
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const [timeEnds, collectionEnds] = [10, 16];

/**
 * The id of a new item: 10 characters of time, 6 of its collection's number, and 10 of chance, of this ULID. So an id tells
 * where its item lies without anybody being asked; those that were given before are ULIDs throughout.
 */
export function newItemId(kind: CollectionKind, collectionId: number, ulid: string): string {
  const number = Array.from({ length: collectionEnds - timeEnds }, (_, at) => {
    const place = 32 ** (collectionEnds - timeEnds - 1 - at);
    return digits.charAt(Math.floor(collectionId / place) % 32);
  });
  const [time, chance] = [ulid.slice(0, timeEnds), ulid.slice(collectionEnds)];
  return `${kind === "app" ? "rec" : "sub"}_${time}${number.join("")}${chance}`;
}
