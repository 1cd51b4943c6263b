import type { CollectionAccess, NarrowCollection } from "#domain/data/compile.ts";
import { searchEntries, type SearchEntry } from "#domain/data/index-entries.ts";
import { inHiddenSteps, pickSlots } from "#domain/data/parts.ts";
import { fieldsPerCollection, maxFieldId, presentData, type Data } from "#domain/data/values.ts";
import { problem } from "#domain/problem/problem.ts";
import { isSmallEnoughToStore, maxEntries, maxItemBytes, utf8Length } from "./item.ts";

/** The limits of the two parts into which a narrow caller divides an item. */

/** The size of what a caller sees, and of the rest in whole steps. */
export interface PartSizes {
  shown: number;
  hidden: number;
}

/** The stored bytes of an item. For a whole collection, all of them count as shown. */
export function partBytes(access: CollectionAccess, data: Data): PartSizes {
  if (access.extent === "whole") return { shown: bytesOf(data), hidden: 0 };
  const { shown, hidden } = access.parts;
  return {
    shown: bytesOf(pickSlots(data, shown)),
    hidden: inHiddenSteps("bytes", bytesOf(pickSlots(data, hidden))),
  };
}

/** How many index rows of an item, by their field numbers, belong to what a caller sees, and to the rest in whole steps. */
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

/** Half of what an item may have is for the caller's part, and half for the rest. */
const maxPart = { bytes: maxItemBytes / 2, entries: maxEntries / 2 };

interface PartSize {
  /** The bytes of the largest form in which the part is stored or shown. */
  bytes: number;
  entries: number;
}

const bytesOf = (form: unknown) => utf8Length(JSON.stringify(form));

const entriesOf = ({ whole: { collection } }: NarrowCollection, data: Data): SearchEntry[] =>
  searchEntries(collection, data, {});

function shownSize(access: NarrowCollection, data: Data): PartSize {
  const shown = pickSlots(data, access.parts.shown);
  const entries = entriesOf(access, shown);
  const forms = [shown, entries, presentData(access, data)];
  const bytes = Math.max(...forms.map(bytesOf));
  return { bytes, entries: entries.length };
}

function hiddenSize(access: NarrowCollection, data: Data): PartSize {
  const hidden = pickSlots(data, access.parts.hidden);
  const entries = entriesOf(access, hidden);
  return { bytes: Math.max(bytesOf(hidden), bytesOf(entries)), entries: entries.length };
}

/**
 * Throws 413 when the caller's part of an item is too large and has grown. It must not grow at all while the rest has more
 * than its half, so that both always fit.
 */
export function assertPartFits(access: NarrowCollection, before: Data | null, after: Data): void {
  const size = shownSize(access, after);
  const rest = hiddenSize(access, after);
  const former = before ? shownSize(access, before) : { bytes: 0, entries: 0 };
  const exceeds = (measure: keyof PartSize) => {
    const max = rest[measure] > maxPart[measure] ? 0 : maxPart[measure];
    return size[measure] > Math.max(max, former[measure]);
  };
  if (exceeds("bytes")) throw problem.itemTooLarge(maxPart.bytes);
  if (exceeds("entries")) throw problem.tooManyEntries(maxPart.entries);
}

/**
 * The data as it can be stored. Results that the caller does not see may depend on what it sends. If the item does not fit
 * with them, they have no value, like the results of formulas that fail: an error would tell the caller about them.
 */
export function withoutOversizedResults(access: NarrowCollection, data: Data): Data {
  const entries = entriesOf(access, data);
  const fits =
    entries.length <= maxEntries &&
    [data, entries].every((form) => isSmallEnoughToStore(JSON.stringify(form)));
  if (fits) return data;
  const { hiddenResults } = access.parts;
  return Object.fromEntries(Object.entries(data).filter(([slot]) => !hiddenResults.has(slot)));
}
