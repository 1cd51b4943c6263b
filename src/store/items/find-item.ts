import { and, eq, sql, type SQL } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import type { Item } from "../../domain/item/item";
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

interface NamedItem {
  kind: CollectionKind;
  id: string;
  known: string;
}

const itemWhere = <Values extends { known: string }>(
  condition: (values: Parameters<Values>) => SQL | undefined,
) =>
  statement<Values>((db, values) =>
    db
      .select({ ...itemColumns, ...headColumns(values.known) })
      .from(item)
      .innerJoin(collection, eq(collection.id, item.collectionId))
      .where(condition(values))
      .limit(1),
  );

const selectById = itemWhere<NamedItem>((v) => and(eq(item.id, v.id), eq(collection.kind, v.kind)));

/** `known`: the definitions that need not come along (`knownStamps`). */
export async function findItem(
  db: D1Database,
  kind: CollectionKind,
  id: string,
  known: string,
): Promise<ItemNow | undefined> {
  return itemNowOf(await attempt(() => selectById(db, { id, kind, known }).first<ItemNowRow>()));
}

interface NamedRecord extends CollectionName {
  receipt: string;
  places: string;
  known: string;
}

const selectByReceipt = itemWhere<NamedRecord>((v) =>
  and(
    sql`${item.number} in (select ${collectionId(v)} * ${perCollection} + value from json_each(${v.places}))`,
    eq(item.receiptNumber, v.receipt),
  ),
);

/** `places` are those that the receipt number can stand for in the collection. */
export async function findItemByReceipt(
  db: D1Database,
  name: CollectionName,
  receipt: string,
  places: readonly number[],
  known: string,
): Promise<ItemNow | undefined> {
  const values = { ...name, receipt, places: JSON.stringify(places), known };
  return itemNowOf(await attempt(() => selectByReceipt(db, values).first<ItemNowRow>()));
}

function itemNowOf(row: ItemNowRow | null): ItemNow | undefined {
  return row ? { item: itemFromRow(row), head: headFromRow(row) } : undefined;
}
