import type { Warning } from "../data/warnings";
import type { Compiled } from "../data/compile";
import { addedBytes, showData } from "../data/show";
import type { CollectionKind } from "../definition/collection";
import type { Item } from "./item";

/** An item as it is shown: its data by the keys of the fields. */
export interface ItemView extends Omit<
  Item,
  "number" | "collectionId" | "definitionVersion" | "data" | "lastChange"
> {
  kind: CollectionKind;
  /** The key of the app or form. */
  key: string;
  data: Record<string, unknown>;
  /** Whether the fields changed after the item did: then an unchanged version can look different. */
  redefined: boolean;
  /** What was sent and ignored; empty for reads. */
  warnings: readonly Warning[];
}

/** What keys and empty values may add to the stored data of a page, in bytes. */
const mostAddedBytes = 4_000_000;

/** How many of these items, one at the least, are a page where they are shown. */
export function showable(items: readonly Item[], compiled: Compiled): number {
  let bytes = 0;
  const over = items.findIndex((item, index) => {
    bytes += addedBytes(compiled, item.data);
    return index > 0 && bytes > mostAddedBytes;
  });
  return over === -1 ? items.length : over;
}

export function viewOf(
  item: Item,
  compiled: Compiled,
  warnings: readonly Warning[] = [],
): ItemView {
  const { kind, key, fieldsVersion } = compiled.collection;
  // Written out: a page makes 200 of these, and copying the rest of an item costs more than naming it.
  return {
    id: item.id,
    kind,
    key,
    receiptNumber: item.receiptNumber,
    status: item.status,
    version: item.version,
    createdAt: item.createdAt,
    createdBy: item.createdBy,
    updatedAt: item.updatedAt,
    updatedBy: item.updatedBy,
    data: showData(compiled, item.data),
    redefined: fieldsVersion > item.definitionVersion,
    warnings,
  };
}
