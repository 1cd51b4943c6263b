import { errorAt, formatChoices } from "#domain/problem/field-errors.ts";
import { type FieldError, problem } from "#domain/problem/problem.ts";
import type { Actor } from "#domain/audit.ts";
import { type Data, type Warning, addedBytes, presentData } from "#domain/data/values.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { CollectionAccess } from "#domain/data/compile.ts";

export type Status = "draft" | "submitted" | "closed";

const creationStatuses: readonly Status[] = ["draft", "submitted"];
/** The transitions that the API allows, including none. Only the administration area can reopen a submission. */
const statusTransitions: Record<Status, readonly Status[]> = {
  draft: ["draft", "submitted"],
  submitted: ["submitted", "closed"],
  closed: ["closed"],
};

type StatusResult = { status: Status } | { error: FieldError };

/** Returns the status of a new submission: `submitted` unless the request contains `draft`. */
export function initialStatus(requestedStatus: string | undefined): StatusResult {
  return validateStatus(creationStatuses, requestedStatus ?? "submitted");
}

export function nextStatus(current: Status, requestedStatus: string | undefined): StatusResult {
  return validateStatus(statusTransitions[current], requestedStatus ?? current);
}

function validateStatus(allowed: readonly Status[], requestedStatus: string): StatusResult {
  const status = allowed.find((candidate) => candidate === requestedStatus);
  if (status) return { status };
  return {
    error: errorAt(["status"], "invalid_status", `Must be one of ${formatChoices(allowed)}.`, {
      allowed,
    }),
  };
}

/** A stored record or submission. */
export interface Item {
  /** The collection's id and the sequence within it, in one integer. Items are stored and listed in this order. */
  number: number;
  id: string;
  collectionId: number;
  /** Records only. */
  receiptNumber: string | null;
  /** Submissions only. */
  status: Status | null;
  version: number;
  /** The version of the definition with which the data was last written. */
  definitionVersion: number;
  /** Milliseconds since 1970. */
  createdAt: number;
  createdBy: Actor;
  updatedAt: number;
  updatedBy: Actor;
  data: Data;
  /** The number of the last change. Null when the service did not store changes at that time. */
  lastChange: number | null;
}

/** Allows 4 billion items in each collection. Item numbers stay below 2^53 for 2 million collections. */
export const sequencesPerCollection = 2 ** 32;

/** The exclusive bounds of the item numbers of a collection. */
export function itemNumberRange(collectionId: number): { above: number; below: number } {
  const above = collectionId * sequencesPerCollection;
  return { above, below: above + sequencesPerCollection };
}

/** Crockford's base 32, as in ULIDs. */
const crockfordDigits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const [timeEnd, collectionEnd] = [10, 16];

/**
 * Builds a new id in a collection: 10 characters of time, 6 of the collection's id, and 10 random ones. Time and randomness
 * come from the ULID. The id identifies the collection without a query. Older ids are plain ULIDs.
 */
export function newIdIn(collectionId: number, prefix: IdPrefix, ulid: string): string {
  const [timePart, randomPart] = [ulid.slice(0, timeEnd), ulid.slice(collectionEnd)];
  return `${prefix}_${timePart}${collectionDigits(collectionId)}${randomPart}`;
}

/** Prefixes of the IDs of records, submissions, files, and claims of batches, which belong to no item. */
type IdPrefix = "rec" | "sub" | "fil" | "bat";

export const newItemId = (kind: CollectionKind, collectionId: number, ulid: string): string =>
  newIdIn(collectionId, kind === "app" ? "rec" : "sub", ulid);

/** Returns the part of an item's ID that contains its collection. */
export function collectionDigits(collectionId: number): string {
  const digits = Array.from({ length: collectionEnd - timeEnd }, (_, index) => {
    const digitValue = 32 ** (collectionEnd - timeEnd - 1 - index);
    return crockfordDigits.charAt(Math.floor(collectionId / digitValue) % 32);
  });
  return digits.join("");
}

/**
 * Returns the id of the collection in an item's ID. Older IDs contain a random number there. Undefined for a malformed
 * ID.
 */
export function itemCollectionId(id: string): number | undefined {
  const digits = id.slice(4).slice(timeEnd, collectionEnd);
  if (!/^[0-9A-HJKMNP-TV-Z]{6}$/.test(digits)) return undefined;
  return Array.from(digits).reduce((sum, digit) => sum * 32 + crockfordDigits.indexOf(digit), 0);
}

/**
 * D1 accepts 2,000,000 bytes in a string or row. Defaults, empty columns and folded text can make an item larger than
 * its request, so the service measures the stored and the returned form.
 */
export const maxItemBytes = 1_900_000;

export function assertFits(...texts: string[]): void {
  if (!texts.every(isSmallEnoughToStore)) throw problem.itemTooLarge(maxItemBytes);
}

/** Each value of a searchable field is a row of the search index. Their number determines the cost of a write. */
export const maxEntries = 30_000;

/**
 * Throws if there are too many entries. An item that already exceeds the limit may keep its count, so that it can still
 * be changed and closed.
 */
export function assertEntryCount(entries: readonly unknown[], previousCount = 0): void {
  if (entries.length <= Math.max(maxEntries, previousCount)) return;
  throw problem.tooManyEntries(maxEntries);
}

/** A definition can enlarge the view of an item. A change fails only when it enlarges an oversized view further. */
export function assertViewFits(view: unknown, buildPreviousView: () => unknown): void {
  const text = JSON.stringify(view);
  if (
    isSmallEnoughToStore(text) ||
    utf8Length(text) <= utf8Length(JSON.stringify(buildPreviousView()))
  )
    return;
  throw problem.itemTooLarge(maxItemBytes);
}

export function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Whether a text is small enough to store. A UTF-16 unit takes at most three bytes in UTF-8, so most texts need no
 * measuring.
 */
export function isSmallEnoughToStore(text: string): boolean {
  return text.length * 3 <= maxItemBytes || utf8Length(text) <= maxItemBytes;
}

/** An item in the form of a response, with its data by field key. */
export interface ItemView extends Omit<
  Item,
  "number" | "collectionId" | "definitionVersion" | "data" | "lastChange"
> {
  kind: CollectionKind;
  /** The key of the app or form. */
  key: string;
  data: Record<string, unknown>;
  /** The keys of the fields that contain files. */
  fileKeys: readonly string[];
  /** Whether the fields changed after the item. The same version of the item can then have another content. */
  isRedefined: boolean;
  /** Warnings about the write; empty for reads. */
  warnings: readonly Warning[];
}

/** The bytes that keys and empty values may add to the stored data of a page. */
export const maxAddedBytes = 4_000_000;

/** The number of these items that fit on one page, at least one. */
export function countItemsThatFit(items: readonly Item[], access: CollectionAccess): number {
  let bytes = 0;
  const overflowIndex = items.findIndex((item, index) => {
    bytes += addedBytes(access, item.data);
    return index > 0 && bytes > maxAddedBytes;
  });
  return overflowIndex === -1 ? items.length : overflowIndex;
}

export function buildItemView(
  item: Item,
  access: CollectionAccess,
  warnings: readonly Warning[] = [],
): ItemView {
  const { kind, key, fieldsVersion } = access.collection;
  // A page builds up to 200 views. Naming the members is faster than spreading the item.
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
    data: presentData(access, item.data),
    fileKeys: access.fields.fileKeys,
    isRedefined: fieldsVersion > item.definitionVersion,
    warnings,
  };
}

const minReceiptDigits = 6;
const maxReceiptDigits = 10;

/** `ORD-` and 42 become `ORD-000042`. Numbers with more digits than the padding stay complete. */
export function formatReceiptNumber(prefix: string, sequence: number): string {
  return prefix + String(sequence).padStart(minReceiptDigits, "0");
}

/** Finds the ranges of sequences whose receipt numbers start with this text. Ignores the case of the prefix. */
export function findReceiptSequenceRanges(
  prefix: string,
  text: string,
): [from: number, below: number][] {
  const hasPrefix = text.slice(0, prefix.length).toLowerCase() === prefix.toLowerCase();
  const digits = text.slice(prefix.length);
  if (!hasPrefix || !/^\d{1,10}$/.test(digits)) return [];
  const ranges: [number, number][] = [];
  for (
    let length = Math.max(minReceiptDigits, digits.length);
    length <= maxReceiptDigits;
    length += 1
  ) {
    const rangeSize = 10 ** (length - digits.length);
    const from = Number(digits) * rangeSize;
    if (length === minReceiptDigits || !digits.startsWith("0"))
      ranges.push([from, from + rangeSize]);
  }
  return ranges;
}

/**
 * Returns the possible sequences of a receipt number. There can be several, because a prefix may end in digits and only
 * the stored receipt number shows where it ends.
 */
export function parseReceiptSequences(receipt: string): number[] {
  const trailingDigits = /\d+$/.exec(receipt)?.[0] ?? "";
  const sequences = [];
  for (
    let length = minReceiptDigits;
    length <= Math.min(trailingDigits.length, maxReceiptDigits);
    length += 1
  ) {
    const digits = trailingDigits.slice(-length);
    if (length === minReceiptDigits || !digits.startsWith("0")) sequences.push(Number(digits));
  }
  return sequences.filter((sequence) => sequence > 0);
}
