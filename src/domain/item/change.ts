import type { Data, Value } from "../data/values";
import type { ItemView } from "./item-view";
import type { Status } from "./status";

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
