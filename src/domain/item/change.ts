import { isSameValue, type Data, type LineItemRow, type Value } from "#domain/data/values.ts";
import {
  type ItemView,
  type Status,
  type Item,
  assertViewFits,
  assertFits,
  assertEntryCount,
  buildItemView,
} from "./item.ts";
import type { Actor } from "#domain/audit.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { nextVersion, type Timeline } from "#domain/timeline.ts";
import { wholeCollection } from "#domain/data/access.ts";
import type { CollectionAccess, CompiledCollection, CompiledFields } from "#domain/data/compile.ts";
import {
  withoutRemovedFields,
  possibleEntries,
  searchEntries,
  type SearchEntry,
  uniqueValues,
  type UniqueValue,
} from "#domain/data/index-entries.ts";
import { assertPartFits } from "./part-limits.ts";

/** Actions on items that the feed and webhooks report. */
export type ItemAction =
  | "record.create"
  | "record.update"
  | "record.recalculate"
  | "record.erase"
  | "submission.create"
  | "submission.update"
  | "submission.close"
  | "submission.reopen"
  | "submission.recalculate"
  | "submission.delete"
  | "submission.erase";

/** Actions of members that the feed and webhooks report as another action. */
const reportedActions = {
  "record.delete": "record.erase",
  "record.restore": "record.create",
  "submission.restore": "submission.create",
} as const satisfies Record<string, ItemAction>;

/** Actions on items, by their names in the audit log. */
export type AuditedItemAction = ItemAction | keyof typeof reportedActions;

/** Actions that records and submissions have in common. */
type SharedVerb = "create" | "update" | "recalculate" | "delete" | "restore" | "erase";

/** Returns the action on an item of an app or a form. */
export const itemAction = <Verb extends SharedVerb>(kind: CollectionKind, verb: Verb) =>
  kind === "app" ? (`record.${verb}` as const) : (`submission.${verb}` as const);

/** Returns the action that the feed and webhooks report. */
export const reportedAction = (action: AuditedItemAction): ItemAction =>
  action in reportedActions
    ? reportedActions[action as keyof typeof reportedActions]
    : (action as ItemAction);

/** `left` means that the item is no longer in the view through which the caller sees the collection. */
export type ChangeType = "created" | "updated" | "deleted" | "left";

export function changeType(action: ItemAction): ChangeType {
  if (action.endsWith(".create")) return "created";
  return isDeletion(action) ? "deleted" : "updated";
}

/** Whether the item no longer exists after the action. An erasure also empties stored responses. */
export const isDeletion = (action: string): boolean => /\.(delete|erase)$/.test(action);

/** Represents the status among the ids of fields, which start at 1. */
export const statusFieldId = 0;

/** The ids of the changed fields and their former values. The value is null for a field that was empty. */
export interface ItemDiff {
  fields: number[];
  former: Record<string, Value | null>;
}

interface ItemState {
  data: Data;
  status: Status | null;
}

/** Whether two states of an item have the same values. */
export const isSameData = (before: Data, after: Data): boolean =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].every((slot) =>
    isSameValue(before[slot], after[slot]),
  );

/** Whether two states of an item have the same values in these fields and columns. */
export const isSamePart = (fields: CompiledFields, before: Data, after: Data): boolean =>
  fields.list.every(({ slot, rows }) => {
    const [valueBefore, valueAfter] = [before[slot], after[slot]];
    if (!rows || !valueBefore || !valueAfter) return isSameValue(valueBefore, valueAfter);
    if (valueBefore === valueAfter) return true;
    const [rowsBefore, rowsAfter] = [valueBefore as LineItemRow[], valueAfter as LineItemRow[]];
    return (
      rowsBefore.length === rowsAfter.length &&
      rowsBefore.every((row, index) => isSamePart(rows, row, rowsAfter[index] ?? {}))
    );
  });

export function diffStates(before: ItemState, after: ItemState): ItemDiff {
  const slots = new Set([...Object.keys(before.data), ...Object.keys(after.data)]);
  const changedSlots = [...slots].filter(
    (slot) => !isSameValue(before.data[slot], after.data[slot]),
  );
  const former: ItemDiff["former"] = {};
  for (const slot of changedSlots) former[slot] = before.data[slot] ?? null;
  if (before.status !== after.status) {
    former[statusFieldId] = before.status;
    changedSlots.push(String(statusFieldId));
  }
  return { fields: changedSlots.map(Number), former };
}

/** Lists the ids of the fields with a value in a new item, including the status. */
export function listCreatedFields({ data, status }: ItemState): number[] {
  const slots = Object.keys(data).map(Number);
  return status === null ? slots : [...slots, statusFieldId];
}

/** A change of an item with the current item. The item is null when it no longer exists. */
export interface ChangeView {
  id: string;
  type: ChangeType;
  version: number;
  /** Milliseconds since 1970. */
  at: number;
  by: string;
  /** The keys of the changed fields that still exist; `$status` for the status. */
  fields: string[];
  item: ItemView | null;
}

/** The change of one field. Changes of retired fields stay hidden. */
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
  /** The e-mail address of a member or the name of a credential. Null when it no longer exists. */
  byName: string | null;
  action: AuditedItemAction;
  /** Empty for the creation. Null when the former values are no longer stored. */
  fields: FieldChange[] | null;
}

export interface ItemHistory {
  /** Newest first. */
  entries: HistoryEntry[];
  /** Whether older changes exist that this history omits. */
  hasOlder: boolean;
}

/** Builds the next version of an item. Its timestamps never decrease. */
export function nextItemVersion(
  { collection }: CompiledCollection,
  item: Item,
  { status, data }: Pick<Item, "status" | "data">,
  by: Actor,
  now: number,
  timeline: Timeline,
): Item {
  return {
    ...item,
    status,
    data,
    definitionVersion: collection.version,
    updatedAt: Math.max(now, item.updatedAt),
    updatedBy: by,
    version: nextVersion(item.version, timeline),
  };
}

/** The rows that a change adds to and removes from the search index and the unique values. */
export interface IndexRowChanges {
  entries: { toRemove: SearchEntry[]; toAdd: SearchEntry[] };
  uniqueValues: { toRemove: UniqueValue[]; toAdd: UniqueValue[] };
}

/** Builds the changes. `before` is null for a create, `after` is null for a delete. */
export function buildIndexRowChanges(
  access: CollectionAccess,
  before: Item | null,
  after: Item | null,
): IndexRowChanges {
  const { collection } = wholeCollection(access);
  const previousEntries = before ? possibleEntries(collection, before.data, before) : [];
  const newEntries = after ? buildNewEntries(access, before, after) : [];
  const previousValues = before ? uniqueValues(collection, before.data, before.status) : [];
  const newValues = after ? uniqueValues(collection, after.data, after.status) : [];
  return {
    // Adds all entries. While a field is being indexed, even an unchanged value may still lack its entry.
    entries: { toRemove: exclude(previousEntries, newEntries), toAdd: newEntries },
    uniqueValues: {
      toRemove: exclude(previousValues, newValues),
      toAdd: collection.pending ? newValues : exclude(newValues, previousValues),
    },
  };
}

/** Builds the entries of the new state. For a new item, the database adds the entries of its timestamps. */
function buildNewEntries(access: CollectionAccess, before: Item | null, after: Item) {
  const { collection } = wholeCollection(access);
  const { status } = after;
  const entries = searchEntries(collection, after.data, before ? after : { status });
  // For a narrow caller, `serializeData` limits the entries of its part.
  if (access.extent === "whole")
    assertEntryCount(entries, before ? searchEntries(collection, before.data, before).length : 0);
  return entries;
}

/**
 * Serializes the data of an item. Throws 413 when the item is too large to store or to return, or when the caller's
 * part is too large.
 */
export function serializeData(access: CollectionAccess, before: Item | null, after: Item): string {
  const json = JSON.stringify(after.data);
  assertFits(json);
  if (access.extent === "narrow") {
    assertPartFits(access, before?.data ?? null, after.data);
    return json;
  }
  assertViewFits(buildItemView(after, access).data, () =>
    before ? buildItemView(before, access).data : {},
  );
  return json;
}

/** Returns the difference between two versions of an item, without values of removed fields. */
export function diffItems(
  { collection }: CompiledCollection,
  before: Item,
  after: Pick<Item, "status" | "data">,
): ItemDiff {
  const data = withoutRemovedFields(collection.definition.fields, before.data);
  return diffStates({ data, status: before.status }, after);
}

/** Returns the entries that are not among `exclusions`. */
function exclude<T>(entries: readonly T[], exclusions: readonly T[]): T[] {
  const excludedJson = new Set(exclusions.map((entry) => JSON.stringify(entry)));
  return entries.filter((entry) => !excludedJson.has(JSON.stringify(entry)));
}
