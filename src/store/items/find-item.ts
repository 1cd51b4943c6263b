import { and, eq, sql, type SQL } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import type { Item } from "../../domain/item/item";
import {
  historyFrom,
  pastFromRow,
  type HistoryLimits,
  type PastChange,
  type PastRow,
} from "../changes/history";
import { attempt } from "../db/attempt";
import { collection, item } from "../db/schema";
import { statement, type Parameters } from "../db/statement";
import {
  headColumns,
  headFromRow,
  type CollectionName,
  type Head,
  type HeadRow,
} from "../definitions/head";
import { itemColumns, itemFromRow, type ItemRow } from "./item-row";
import { collectionId, perCollection } from "./collection-id";

/** An item with the definition that its collection has at this moment. */
export interface ItemNow {
  item: Item;
  head: Head;
}

type ItemNowRow = ItemRow & HeadRow;

interface ById {
  kind: CollectionKind;
  id: string;
  /** The definitions that need not come along (`knownStamps`). */
  known: string;
}

interface ByReceipt extends CollectionName {
  receipt: string;
  /** JSON of the places in the collection that the receipt number can stand for. */
  places: string;
  known: string;
}

/** Which item is meant: by its id, or a record by its receipt number. */
export type ItemName = ById | ByReceipt;

/** The one item that is named, with its history or without. */
function named<Values extends { known: string }>(
  condition: (values: Parameters<Values>) => SQL | undefined,
) {
  const found = statement<Values>((db, values) =>
    db
      .select({ ...itemColumns, ...headColumns(values.known) })
      .from(item)
      .innerJoin(collection, eq(collection.id, item.collectionId))
      .where(condition(values))
      .limit(1),
  );
  const lastChange = (values: Parameters<Values>) =>
    sql`(select ${item.lastChange} from ${item}
      join ${collection} on ${collection.id} = ${item.collectionId} where ${condition(values)})`;
  return { found, history: historyFrom<Values>(lastChange) };
}

const byId = named<ById>((v) => and(eq(item.id, v.id), eq(collection.kind, v.kind)));

const byReceipt = named<ByReceipt>((v) =>
  and(
    sql`${item.number} in (select ${collectionId(v)} * ${perCollection} + value from json_each(${v.places}))`,
    eq(item.receiptNumber, v.receipt),
  ),
);

export async function findItem(db: D1Database, name: ItemName): Promise<ItemNow | undefined> {
  const found = "receipt" in name ? byReceipt.found(db, name) : byId.found(db, name);
  const row = await attempt(() => found.first<ItemNowRow>());
  return row ? itemNowFromRow(row) : undefined;
}

/** The same with its changes, newest first, at once. */
export async function findItemWithHistory(
  db: D1Database,
  name: ItemName,
  most: HistoryLimits,
): Promise<{ now: ItemNow; past: PastChange[] } | undefined> {
  const both =
    "receipt" in name
      ? [byReceipt.found(db, name), byReceipt.history(db, { ...name, ...most })]
      : [byId.found(db, name), byId.history(db, { ...name, ...most })];
  const [found, history] = await attempt(() => db.batch(both));
  const [row] = (found?.results ?? []) as ItemNowRow[];
  if (!row) return undefined;
  const past = ((history?.results ?? []) as PastRow[]).map(pastFromRow);
  return { now: itemNowFromRow(row), past };
}

function itemNowFromRow(row: ItemNowRow): ItemNow {
  return { item: itemFromRow(row), head: headFromRow(row) };
}
