import type { Status } from "#domain/item/item.ts";

/** The rows that a batch stores, as JSON. */

/** The number of an existing item, or −1, −2, … for the items that the batch creates, in order. */
export type ItemRef = number;

export interface WrittenItem {
  ref: ItemRef;
  id: string;
  status: Status | null;
  version: number;
  /** Milliseconds since 1970. The database assigns the time of new items. */
  updatedAt: number;
  /** Stored data, JSON. */
  data: string;
}

export const toJsonRows = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row));

/** Embeds the data as JSON. An escaped string could exceed the size of a parameter. */
export function createdRow(
  { ref, id, status, version, data }: WrittenItem,
  followingChanges: Map<ItemRef, number>,
) {
  const head = JSON.stringify([ref, id, status, version]).slice(0, -1);
  return `${head},${data},${followingChanges.get(ref) ?? 0}]`;
}

export function updatedRow(
  { ref, status, version, updatedAt, data }: WrittenItem,
  followingChanges: Map<ItemRef, number>,
) {
  const head = JSON.stringify([ref, status, version]).slice(0, -1);
  return `${head},${data},${followingChanges.get(ref) ?? 0},${updatedAt}]`;
}

/** Counts the changes of the batch after the last change of each item. */
export function changesAfterLast(changes: readonly { ref: ItemRef }[]): Map<ItemRef, number> {
  return new Map(changes.map(({ ref }, index) => [ref, changes.length - 1 - index]));
}
