import type { Warning } from "../domain/data/check";
import type { Compiled } from "../domain/data/compile";
import { showData } from "../domain/data/show";
import type { CollectionKind } from "../domain/definition/collection";
import type { Item } from "../domain/item";

/** An item as it is shown: its data by the keys of the fields. */
export interface ItemView extends Omit<Item, "number" | "collectionId" | "data"> {
  kind: CollectionKind;
  /** The key of the app or form. */
  key: string;
  data: Record<string, unknown>;
  /** Whether the definition changed after the item did: then an unchanged version can look different. */
  redefined: boolean;
  /** What was sent and ignored; empty for reads. */
  warnings: readonly Warning[];
}

export function viewOf(
  item: Item,
  compiled: Compiled,
  warnings: readonly Warning[] = [],
): ItemView {
  const { number: _, collectionId: __, data, ...rest } = item;
  const { kind, key, changedAt } = compiled.collection;
  const redefined = changedAt >= item.updatedAt;
  return { ...rest, kind, key, data: showData(compiled, data), redefined, warnings };
}
