import type { Actor } from "../actor";
import type { ItemAction } from "./change";

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
