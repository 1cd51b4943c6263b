import type { Data, Warning } from "#domain/data/values.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import type { AuditedItemAction, ItemDiff } from "#domain/item/change.ts";
import type { Item } from "#domain/item/item.ts";
import type { ChangeMarks } from "#domain/item/view-marks.ts";

/** An item that a batch refers to: its state as read, and its state after the operations so far. */
export interface TouchedItem {
  /** Null for an item that the batch creates. */
  before: Item | null;
  /** Null once it is deleted. */
  current: Item | null;
  /** The newest state. A deletion keeps it. */
  lastState: Item;
  /** The data after each operation that changed it. */
  states: Data[];
}

export interface PlannedChange {
  item: TouchedItem;
  action: AuditedItemAction;
  version: number;
  diff: ItemDiff;
  /** The views that the item matches before and after. */
  views: ChangeMarks;
}

export interface SimulatedOperation {
  op: BatchOperation["op"];
  outcome: "created" | "updated" | "unchanged" | "deleted";
  item: TouchedItem;
  version: number;
  warnings: readonly Warning[];
}
