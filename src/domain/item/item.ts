import { errorAt, oneOf } from "#domain/problem/field-errors.ts";
import { type FieldError, problem } from "#domain/problem/problem.ts";
import type { Actor } from "#domain/audit.ts";
import { type Data, type Warning, addedBytes, showData } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Compiled } from "#domain/data/compile.ts";

export type Status = "draft" | "submitted" | "closed";

const atCreation: readonly Status[] = ["draft", "submitted"];
/** Where a status may go through the API. The same status again is no change; reopening is the administration's. */
const next: Record<Status, readonly Status[]> = {
  draft: ["draft", "submitted"],
  submitted: ["submitted", "closed"],
  closed: ["closed"],
};

type Judged = { status: Status } | { error: FieldError };

/** The status of a new submission: `submitted` unless it says `draft`. */
export function statusAtCreation(sent: string | undefined): Judged {
  return judged(atCreation, sent ?? "submitted");
}

export function statusAfter(current: Status, sent: string | undefined): Judged {
  return judged(next[current], sent ?? current);
}

function judged(allowed: readonly Status[], sent: string): Judged {
  const status = allowed.find((each) => each === sent);
  if (status) return { status };
  return {
    error: errorAt(["status"], "invalid_status", `Must be one of ${oneOf(allowed)}.`, { allowed }),
  };
}

/** A record or a submission as it is stored. */
export interface Item {
  /** The collection's id and the place within it, in one integer; items are stored and listed in this order. */
  number: number;
  id: string;
  collectionId: number;
  /** Records only. */
  receiptNumber: string | null;
  /** Submissions only. */
  status: Status | null;
  version: number;
  /** The version of the definition that the data was last written under. */
  definitionVersion: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  createdBy: Actor;
  updatedAt: number;
  updatedBy: Actor;
  data: Data;
  /** The number of its last change; null where it has changed before changes were kept. */
  lastChange: number | null;
}

/** Room for 4 billion items in each collection; the product stays below 2^53 for 2 million collections. */
export const placesPerCollection = 2 ** 32;

/** The numbers of a collection's items lie strictly between these two. */
export function numbersOf(collectionId: number): { above: number; below: number } {
  const above = collectionId * placesPerCollection;
  return { above, below: above + placesPerCollection };
}

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

/**
 * D1 takes 2,000,000 bytes in a string or row. Defaults, empty columns of rows and folded text can make more of an
 * item than was sent, so what is to be stored and shown is measured.
 */
const mostBytes = 1_900_000;

export function refuseTooLarge(...texts: string[]): void {
  if (!texts.every(fitsStorage)) throw problem.itemTooLarge(mostBytes);
}

/** Each value of a searchable field is a row of the search index, so their number is what a write costs. */
const mostEntries = 30_000;

/** What had more before may keep as many: its definition has changed, and the item can still be changed and closed. */
export function refuseTooManyEntries(entries: readonly unknown[], before = 0): void {
  if (entries.length <= Math.max(mostEntries, before)) return;
  throw problem.tooManyEntries(entries.length, mostEntries);
}

/** What an item is shown as grows with its definition: a change is refused only where it shows more than before. */
export function refuseShownTooLarge(shown: unknown, before: () => unknown): void {
  const text = JSON.stringify(shown);
  if (fitsStorage(text) || bytesOf(text) <= bytesOf(JSON.stringify(before()))) return;
  throw problem.itemTooLarge(mostBytes);
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no measuring. */
export function fitsStorage(text: string): boolean {
  return text.length * 3 <= mostBytes || bytesOf(text) <= mostBytes;
}

/** An item as it is shown: its data by the keys of the fields. */
export interface ItemView extends Omit<
  Item,
  "number" | "collectionId" | "definitionVersion" | "data" | "lastChange"
> {
  kind: CollectionKind;
  /** The key of the app or form. */
  key: string;
  data: Record<string, unknown>;
  /** Whether the fields changed after the item did: then an unchanged version can look different. */
  redefined: boolean;
  /** What was sent and ignored; empty for reads. */
  warnings: readonly Warning[];
}

/** What keys and empty values may add to the stored data of a page, in bytes. */
const mostAddedBytes = 4_000_000;

/** How many of these items, one at the least, are a page where they are shown. */
export function showable(items: readonly Item[], compiled: Compiled): number {
  let bytes = 0;
  const over = items.findIndex((item, index) => {
    bytes += addedBytes(compiled, item.data);
    return index > 0 && bytes > mostAddedBytes;
  });
  return over === -1 ? items.length : over;
}

export function viewOf(
  item: Item,
  compiled: Compiled,
  warnings: readonly Warning[] = [],
): ItemView {
  const { kind, key, fieldsVersion } = compiled.collection;
  // Written out: a page makes 200 of these, and copying the rest of an item costs more than naming it.
  return {
    id: item.id,
    kind,
    key,
    receiptNumber: item.receiptNumber,
    status: item.status,
    version: item.version,
    createdAt: item.createdAt,
    createdBy: item.createdBy,
    updatedAt: item.updatedAt,
    updatedBy: item.updatedBy,
    data: showData(compiled, item.data),
    redefined: fieldsVersion > item.definitionVersion,
    warnings,
  };
}

const digitsOfReceipt = 6;
const mostDigits = 10;

/** `ORD-` and 42 are `ORD-000042`; numbers that outgrow the padding are written in full. */
export function receiptNumber(prefix: string, place: number): string {
  return prefix + String(place).padStart(digitsOfReceipt, "0");
}

/** The runs of places whose receipt numbers, with this prefix, begin with a text, without case. */
export function placesBeginning(prefix: string, text: string): [from: number, below: number][] {
  const begins = text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase();
  const number = text.slice(prefix.length);
  if (!begins || !/^\d{1,10}$/.test(number)) return [];
  const runs: [number, number][] = [];
  for (let length = Math.max(digitsOfReceipt, number.length); length <= mostDigits; length += 1) {
    const room = 10 ** (length - number.length);
    const from = Number(number) * room;
    if (length === digitsOfReceipt || !number.startsWith("0")) runs.push([from, from + room]);
  }
  return runs;
}

/**
 * The places in its app that a receipt number can stand for. There is more than one where the prefix ends in
 * digitsOfReceipt, which only the stored receipt number can tell from the number itself.
 */
export function receiptPlaces(receipt: string): number[] {
  const tail = /\d+$/.exec(receipt)?.[0] ?? "";
  const places = [];
  for (let length = digitsOfReceipt; length <= Math.min(tail.length, mostDigits); length += 1) {
    const number = tail.slice(-length);
    if (length === digitsOfReceipt || !number.startsWith("0")) places.push(Number(number));
  }
  return places.filter((place) => place > 0);
}
