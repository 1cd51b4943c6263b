import type { Actor } from "../actor";
import type { Compiled } from "../data/compile";
import { withoutLost } from "../data/lost-values";
import { possibleEntries, searchEntries, type SearchEntry } from "../data/search-entries";
import { uniqueValues, type UniqueValue } from "../data/unique-values";
import { differenceOf, type Difference } from "./change";
import type { Item } from "./item";
import { refuseShownTooLarge, refuseTooLarge, refuseTooManyEntries } from "./item-size";
import { viewOf } from "./item-view";

/** The next version of an item, by whom and when; its times never go back. */
export function changedItem(
  { collection }: Compiled,
  item: Item,
  { status, data }: Pick<Item, "status" | "data">,
  by: Actor,
  now: number,
): Item {
  return {
    ...item,
    status,
    data,
    definitionVersion: collection.version,
    updatedAt: Math.max(now, item.updatedAt),
    updatedBy: by,
    version: item.version + 1,
  };
}

/** What a change does to the rows beside an item. */
export interface RowsBeside {
  entries: { removed: SearchEntry[]; added: SearchEntry[] };
  unique: { released: UniqueValue[]; taken: UniqueValue[] };
}

/** `before` is null for an item that is made, `after` for one that is deleted. */
export function rowsBeside(
  { collection }: Compiled,
  before: Item | null,
  after: Item | null,
): RowsBeside {
  const possible = before ? possibleEntries(collection, before.data, before) : [];
  const has = after ? entriesOf(collection, before, after) : [];
  const held = before ? uniqueValues(collection, before.data, before.status) : [];
  const holds = after ? uniqueValues(collection, after.data, after.status) : [];
  return {
    // All that it has now: while a field is being indexed, not even what stays has its entry for certain.
    entries: { removed: without(possible, has), added: has },
    unique: {
      released: without(held, holds),
      taken: collection.pending ? holds : without(holds, held),
    },
  };
}

/** The database gives what is made its times, and their entry. */
function entriesOf(collection: Compiled["collection"], before: Item | null, after: Item) {
  const { status } = after;
  const entries = searchEntries(collection, after.data, before ? after : { status });
  refuseTooManyEntries(entries, before ? searchEntries(collection, before.data, before).length : 0);
  return entries;
}

/** The data of an item as it is stored; refuses what would be too large to be stored or shown. */
export function writtenData(compiled: Compiled, before: Item | null, after: Item): string {
  const data = JSON.stringify(after.data);
  refuseTooLarge(data);
  refuseShownTooLarge(viewOf(after, compiled).data, () =>
    before ? viewOf(before, compiled).data : {},
  );
  return data;
}

/** What a change did, values apart that its definition has lost. */
export function differenceBetween(
  { collection }: Compiled,
  before: Item,
  after: Pick<Item, "status" | "data">,
): Difference {
  const data = withoutLost(collection.definition.fields, before.data);
  return differenceOf({ data, status: before.status }, after);
}

/** The entries of `some` that are not among `others`. */
function without<T>(some: readonly T[], others: readonly T[]): T[] {
  const known = new Set(others.map((each) => JSON.stringify(each)));
  return some.filter((each) => !known.has(JSON.stringify(each)));
}
