import { sha256Bytes } from "#domain/credential/keys.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { newItemId } from "#domain/item/item.ts";
import type { CsvLine } from "./csv.ts";

const crockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Derives the IDs of new items from the file and the row. */
export function rowIds(
  { kind, id }: Collection,
  fileDigest: string,
  rows: readonly CsvLine[],
): string[] {
  return rows.map(({ line }) => {
    const bytes = [...sha256Bytes(`${fileDigest} ${line}`)].slice(0, 26);
    const text = bytes.map((byte, i) => crockfordDigits[byte % (i === 0 ? 8 : 32)]).join("");
    return newItemId(kind, id, text);
  });
}

/**
 * The number of characters in which the IDs of one row's items differ. An ID is never given twice. If the first item of a
 * row was deleted, a repeated import therefore creates an item with another ending.
 */
export const rowIdEndingLength = 5;

/** Returns the part of the ID that all items of the row have. */
export const rowIdStart = (rowId: string): string => rowId.slice(0, -rowIdEndingLength);

/** Returns an ID for the next item of the row. The randomness comes from the ULID. */
export const nextRowId = (rowId: string, ulid: string): string =>
  rowIdStart(rowId) + ulid.slice(-rowIdEndingLength);
