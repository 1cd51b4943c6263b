import type { BrowsedPage } from "../../../../actions/search/browse-items";
import type { Collection } from "../../../../domain/definition/collection";
import { closedReason } from "../../../../domain/definition/acceptance";
import { may } from "../../../../domain/credential/roles";
import type { ItemView } from "../../../../domain/item/item-view";
import type { Problem } from "../../../../domain/problem/problem";
import type { Frame } from "../../../frame/frame";
import type { Query } from "../query";

export interface ItemsShown {
  frame: Frame;
  collection: Collection;
  /** How many items are stored. */
  live: number;
  indexing: { done: number; total: number } | null;
  query: Query;
  views: readonly ItemView[];
  /** The cursor of the next page. */
  next: string | null;
  /** Of all that match; nothing where nothing is searched. */
  count: BrowsedPage["count"];
  problem?: Problem | undefined;
}

/** Whether who reads the list may add to it: a form may take no submissions now. */
export function mayAdd({ frame, collection, live }: ItemsShown): boolean {
  const { acceptance } = collection.definition;
  return (
    may(frame.member.role, "write") && closedReason(acceptance, live, frame.reader.now) === null
  );
}
