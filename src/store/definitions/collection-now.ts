import type { Definition, Collection } from "../../domain/definition/collection";
import type { PendingRules, PendingState } from "../../domain/definition/pending";

/** A collection with the number of items that it holds. */
export interface CollectionNow extends StoredCollection {
  live: number;
  /** While items lack search entries: the ids of the fields, and how far the work is. */
  indexing: { fields: number[]; done: number; total: number } | null;
  pending: Pending | null;
  /** The bytes of the largest item ever. */
  largest: number;
}

/** A change that is under way or was dropped, with what it would make of the definition. */
export interface Pending extends PendingState {
  change: PendingChange;
}

export interface PendingChange extends PendingRules {
  definition: Definition;
  lost: number[];
  /** Fields that items lack entries of once it takes effect. */
  unindexed: number[];
}

/** A collection with the bytes of its fields as they are stored. */
export interface StoredCollection {
  collection: Collection;
  bytes: number;
}
