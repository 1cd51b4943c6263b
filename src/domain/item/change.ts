import type { Data, Value } from "#domain/data/values.ts";
import { type ItemView, type Status, type Item, refuseShownTooLarge, refuseTooLarge, refuseTooManyEntries, viewOf } from "./item.ts";
import type { Actor } from "#domain/audit.ts";
import type { Compiled } from "#domain/data/compile.ts";
import { withoutLost, possibleEntries, searchEntries, type SearchEntry, uniqueValues, type UniqueValue } from "#domain/data/index-entries.ts";

/** What is done to items, as the audit names it. */
export type ItemAction =
  | "record.create"
  | "record.update"
  | "record.recalculate"
  | "submission.create"
  | "submission.update"
  | "submission.close"
  | "submission.reopen"
  | "submission.recalculate"
  | "submission.delete";

export type ChangeType = "created" | "updated" | "deleted";

export function changeType(action: ItemAction): ChangeType {
  if (action.endsWith(".create")) return "created";
  return action === "submission.delete" ? "deleted" : "updated";
}

/** Stands for the status among the ids of fields, which begin at 1. */
export const statusField = 0;

/** What a change did: the ids of its fields, and what they held before, null where they were empty. */
export interface Difference {
  fields: number[];
  former: Record<string, Value | null>;
}

interface State {
  data: Data;
  status: Status | null;
}

export function differenceOf(before: State, after: State): Difference {
  const slots = new Set([...Object.keys(before.data), ...Object.keys(after.data)]);
  const changed = [...slots].filter(
    (slot) => JSON.stringify(before.data[slot]) !== JSON.stringify(after.data[slot]),
  );
  const former: Difference["former"] = {};
  for (const slot of changed) former[slot] = before.data[slot] ?? null;
  if (before.status !== after.status) {
    former[statusField] = before.status;
    changed.push(String(statusField));
  }
  return { fields: changed.map(Number), former };
}

/** The fields that a new item has, its status among them. */
export function createdFields({ data, status }: State): number[] {
  const slots = Object.keys(data).map(Number);
  return status === null ? slots : [...slots, statusField];
}

/** What happened to an item, and the item as it is now, where it is. */
export interface ChangeView {
  id: string;
  type: ChangeType;
  version: number;
  /** Milliseconds since 1970. */
  at: number;
  by: string;
  /** Keys that changed, of fields that there are now; `$status` for the status. */
  fields: string[];
  item: ItemView | null;
}

/** What a change made of one field; of fields that there are now, those of retired ones stay hidden. */
export interface FieldChange {
  /** `$status` for the status. */
  key: string;
  label: string;
  from: unknown;
  to: unknown;
}

export interface HistoryEntry {
  version: number;
  /** Milliseconds since 1970. */
  at: number;
  by: Actor;
  /** The e-mail of a member, the name of a credential; null where that one is gone. */
  byName: string | null;
  action: ItemAction;
  /** Empty for the creation; null where the former values are not known any more. */
  fields: FieldChange[] | null;
}

export interface ItemHistory {
  /** Newest first. */
  entries: HistoryEntry[];
  /** Whether there are older changes that are not told here. */
  older: boolean;
}

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
