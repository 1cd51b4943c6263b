import { and, eq, sql, type SQL, asc } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import type { Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { collection, item } from "../db/schema";
import { statement, type Parameters, parameters } from "../db/statement";
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

interface PageValues extends CollectionName {
  /** Null before the first. */
  after: number | null;
  limit: number;
  bytes: number;
  known: string;
}

const v = parameters<PageValues>();
const behind = sql`coalesce(${v.after}, ${collectionId(v)} * ${perCollection})`;
const below = sql`(${collectionId(v)} + 1) * ${perCollection}`;

/**
 * A page holds at most `bytes` of stored data, and one item at the least. How many that are is counted only where the
 * largest item of the collection could make it matter; sizes are told without reading what they are of.
 */
const allowed = sql`(select case when t.largest * ${v.limit} <= ${v.bytes}
      then ${v.limit}
      else (select count(*) from (
        select sum(size) over (order by number) - size as spent from (
          select number, octet_length(data) as size from item
            where number > ${behind} and number < ${below}
            order by number limit ${v.limit}))
        where spent < ${v.bytes}) end
    from tally t where t.collection_id = ${collectionId(v)})` as SQL<number>;

const selectPage = statement<PageValues>((db) =>
  db
    .select({ ...itemColumns, allowed: allowed.as("allowed") })
    .from(item)
    .where(and(sql`${item.number} > ${behind}`, sql`${item.number} < ${below}`))
    .orderBy(asc(item.number))
    .limit(allowed as never),
);

const selectHead = statement<PageValues>((db, values) =>
  db
    .select(headColumns(values.known))
    .from(collection)
    .where(sql`${collection.id} = ${collectionId(values)}`),
);

/**
 * The items of a collection behind the number `after`, in stored order, with the collection's head; fewer than `limit`
 * are not the end of it where they were `cut`, as their data has more than `bytes`. Nothing where there is no collection.
 */
export async function listItems(
  db: D1Database,
  page: PageValues,
): Promise<{ items: Item[]; cut: boolean; head: Head } | undefined> {
  const [head, rows] = await attempt(() => db.batch([selectHead(db, page), selectPage(db, page)]));
  const [found] = (head?.results ?? []) as HeadRow[];
  if (!found) return undefined;
  const read = (rows?.results ?? []) as (ItemRow & { allowed: number })[];
  const cut = (read[0]?.allowed ?? page.limit) < page.limit;
  return { items: read.map(itemFromRow), cut, head: headFromRow(found) };
}
