import type { CollectionAccess, NarrowCollection } from "#domain/data/compile.ts";
import { searchEntries, type SearchEntry } from "#domain/data/index-entries.ts";
import { hiddenSteps, inHiddenSteps, pickSlots } from "#domain/data/parts.ts";
import { fieldsPerCollection, maxFieldId, presentData, type Data } from "#domain/data/values.ts";
import { problem } from "#domain/problem/problem.ts";
import { maxEntries, maxItemBytes, utf8Length } from "./item.ts";

/** The limits of the two parts into which a narrow caller's view divides an item. */

/** The size of the part that the caller sees, and of the hidden part in whole steps. */
export interface PartSizes {
  shown: number;
  hidden: number;
}

/** Returns the stored bytes that the caller sees. For a whole collection, these are all bytes. */
export const shownBytes = (access: CollectionAccess, data: Data): number =>
  bytesOf(access.extent === "whole" ? data : pickSlots(data, access.parts.shown));

/**
 * Returns the stored bytes of the hidden part and its results, as the limits of reads count them. Each is in whole steps,
 * because a caller can change the size of results.
 */
export function hiddenBytes(access: CollectionAccess, data: Data): number {
  if (access.extent === "whole") return 0;
  const values = bytesOf(pickSlots(data, access.parts.hidden));
  return inHiddenSteps("readBytes", values) + hiddenResultBytes(access, data);
}

/** Returns the stored bytes of the results that the caller does not see, in whole steps. */
export const hiddenResultBytes = (access: CollectionAccess, data: Data): number =>
  access.extent === "whole"
    ? 0
    : inHiddenSteps("readBytes", bytesOf(hiddenResultsOf(access, data)));

const hiddenResultsOf = ({ parts: { hiddenResults } }: NarrowCollection, data: Data): Data =>
  Object.fromEntries(Object.entries(data).filter(([slot]) => hiddenResults.has(slot)));

/** Returns the stored bytes of both parts. */
export const partBytes = (access: CollectionAccess, data: Data): PartSizes => ({
  shown: shownBytes(access, data),
  hidden: hiddenBytes(access, data),
});

/**
 * Counts the index rows of an item that belong to the visible part, and those that belong to the hidden part, in whole
 * steps. `fields` has the field number of each row.
 */
export function countPartEntries(access: CollectionAccess, fields: readonly number[]): PartSizes {
  if (access.extent === "whole") return { shown: fields.length, hidden: 0 };
  const { list } = access.fields;
  const shownIds = new Set(
    list.flatMap(({ field, rows }) => [field.id, ...(rows?.list ?? []).map((row) => row.field.id)]),
  );
  const ids = fields.map((field) => field % fieldsPerCollection);
  const isShown = (id: number) => id > maxFieldId || shownIds.has(id);
  const isResult = (id: number) => access.parts.hiddenResults.has(String(id));
  const shown = ids.filter(isShown).length;
  const hidden = ids.filter((id) => !isShown(id) && !isResult(id)).length;
  return { shown, hidden: inHiddenSteps("entries", hidden) };
}

/** The maximum size of each part: half of the limit of an item. */
const maxPart = { bytes: maxItemBytes / 2, entries: maxEntries / 2 };

interface PartSize {
  /** The bytes of the largest form in which the part is stored or returned. */
  bytes: number;
  entries: number;
}

const bytesOf = (form: unknown) => utf8Length(JSON.stringify(form));

const entriesOf = ({ whole: { collection } }: NarrowCollection, data: Data): SearchEntry[] =>
  searchEntries(collection, data, {});

function shownSize(access: NarrowCollection, data: Data): PartSize {
  const shownPart = pickSlots(data, access.parts.shown);
  const entries = entriesOf(access, shownPart);
  const forms = [shownPart, entries, presentData(access, data)];
  const bytes = Math.max(...forms.map(bytesOf));
  return { bytes, entries: entries.length };
}

function hiddenSize(access: NarrowCollection, data: Data): PartSize {
  const hidden = pickSlots(data, access.parts.hidden);
  const entries = entriesOf(access, hidden);
  return { bytes: Math.max(bytesOf(hidden), bytesOf(entries)), entries: entries.length };
}

/** Returns the size of the hidden part with its results, rounded up to whole steps. */
function othersSize(access: NarrowCollection, data: Data): PartSize {
  const others = { ...pickSlots(data, access.parts.hidden), ...hiddenResultsOf(access, data) };
  const entries = entriesOf(access, others);
  const bytes = Math.max(bytesOf(others), bytesOf(entries));
  return {
    bytes: inHiddenSteps("bytes", bytes + hiddenSteps.bytes - 1),
    entries: inHiddenSteps("entries", entries.length + hiddenSteps.entries - 1),
  };
}

/**
 * Throws 413 when the caller's part of an item is too large and has grown. It must not grow at all while the hidden
 * part exceeds its half, so that both always fit. It must also leave room for the hidden results. Otherwise, other
 * callers could no longer write the item.
 */
export function assertPartFits(access: NarrowCollection, before: Data | null, after: Data): void {
  const size = shownSize(access, after);
  const hiddenPart = hiddenSize(access, after);
  const others = othersSize(access, after);
  const former = before ? shownSize(access, before) : { bytes: 0, entries: 0 };
  const exceeds = (measure: keyof PartSize) => {
    const room = Math.max(0, 2 * maxPart[measure] - others[measure]);
    const max = hiddenPart[measure] > maxPart[measure] ? 0 : Math.min(maxPart[measure], room);
    return size[measure] > Math.max(max, former[measure]);
  };
  if (exceeds("bytes")) throw problem.itemTooLarge(maxPart.bytes);
  if (exceeds("entries")) throw problem.tooManyEntries(maxPart.entries);
}
