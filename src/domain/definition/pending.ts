import type { Field } from "./field";

export interface PendingRules {
  emptied: Emptied[];
  gained: Gained[];
}

/** A field that changes its type: possible only while no item has a value under the old id. */
export interface Emptied {
  id: number;
  /** The list that it is a column of. */
  within: number | null;
  key: string;
}

/** A field that becomes unique. */
export interface Gained {
  id: number;
  uniqueId: number;
  key: string;
  type: Field["type"];
}

/** How far a look at all items is. */
export interface Progress {
  done: number;
  total: number;
}

/** How far a pending change is, or why it was dropped. */
export interface PendingState {
  done: number;
  total: number;
  /** The problem document that it would have been. */
  problem: Record<string, unknown> | null;
}
