import { and, asc, eq, gt, lt, sql, type GetColumnData, type SQL } from "drizzle-orm";
import type { CollectionKind } from "../../domain/definition/collection";
import type { Data } from "../../domain/data/values";
import { numbersOf, type Item } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { collection, item } from "../db/schema";
import { statement } from "../db/statement";

/** An item with the revision that its collection's definition has at this moment. */
export interface ItemNow {
  item: Item;
  revision: number;
}

const { placeholder } = sql;

export const itemColumns = {
  number: item.number,
  id: item.id,
  collection_id: item.collectionId,
  receipt_number: item.receiptNumber,
  status: item.status,
  version: item.version,
  definition_version: item.definitionVersion,
  created_at: item.createdAt,
  created_by: item.createdBy,
  updated_at: item.updatedAt,
  updated_by: item.updatedBy,
  data: item.data,
  last_change: item.lastChange,
};

/** An item as D1 gives it: its columns by their own names. */
export type ItemRow = {
  [Name in keyof typeof itemColumns]: GetColumnData<(typeof itemColumns)[Name]>;
};
type ItemNowRow = ItemRow & { revision: number };

const itemWhere = (condition: SQL | undefined) =>
  statement((db) =>
    db
      .select({ ...itemColumns, revision: collection.revision })
      .from(item)
      .innerJoin(collection, eq(collection.id, item.collectionId))
      .where(condition)
      .limit(1),
  );

const selectById = itemWhere(
  and(eq(item.id, placeholder("id")), eq(collection.kind, placeholder("kind"))),
);
const selectByReceipt = itemWhere(
  and(
    sql`${item.number} in (select value from json_each(${placeholder("numbers")}))`,
    eq(item.receiptNumber, placeholder("receipt")),
  ),
);

export async function findItem(
  db: D1Database,
  kind: CollectionKind,
  id: string,
): Promise<ItemNow | undefined> {
  return itemNowOf(await attempt(() => selectById(db, { id, kind }).first<ItemNowRow>()));
}

/** `places` are those that the receipt number can stand for in the collection. */
export async function findItemByReceipt(
  db: D1Database,
  collectionId: number,
  receipt: string,
  places: readonly number[],
): Promise<ItemNow | undefined> {
  const { above } = numbersOf(collectionId);
  const numbers = JSON.stringify(places.map((place) => above + place));
  const row = await attempt(() => selectByReceipt(db, { numbers, receipt }).first<ItemNowRow>());
  return itemNowOf(row);
}

/**
 * A page holds at most `bytes` of stored data, and one item at the least. How many that are is counted only where the
 * largest item of the collection could make it matter; sizes are told without reading what they are of.
 */
const allowed = sql`(select case when t.largest * ${placeholder("limit")} <= ${placeholder("bytes")}
      then ${placeholder("limit")}
      else (select count(*) from (
        select sum(size) over (order by number) - size as spent from (
          select number, octet_length(data) as size from item
            where number > ${placeholder("after")} and number < ${placeholder("below")}
            order by number limit ${placeholder("limit")}))
        where spent < ${placeholder("bytes")}) end
    from tally t where t.collection_id = ${placeholder("id")})` as SQL<number>;

const selectPage = statement((db) =>
  db
    .select({ ...itemColumns, allowed: allowed.as("allowed") })
    .from(item)
    .where(and(gt(item.number, placeholder("after")), lt(item.number, placeholder("below"))))
    .orderBy(asc(item.number))
    .limit(allowed as never),
);

const selectRevision = statement((db) =>
  db
    .select({ revision: collection.revision })
    .from(collection)
    .where(eq(collection.id, placeholder("id"))),
);

/**
 * The items of a collection behind the number `after`, in stored order, with the definition's revision; fewer than `limit`
 * are not the end of it where they were `cut`, as their data has more than `bytes`.
 */
export async function listItems(
  db: D1Database,
  collectionId: number,
  after: number | null,
  limit: number,
  bytes: number,
): Promise<{ items: Item[]; cut: boolean; revision: number }> {
  const { above, below } = numbersOf(collectionId);
  const page = selectPage(db, { id: collectionId, after: after ?? above, below, limit, bytes });
  const revision = selectRevision(db, { id: collectionId });
  const [head, rows] = await attempt(() => db.batch([revision, page]));
  const [found] = (head?.results ?? []) as { revision: number }[];
  if (!found) throw new Error(`Collection ${collectionId} is gone.`);
  const read = (rows?.results ?? []) as (ItemRow & { allowed: number })[];
  const cut = (read[0]?.allowed ?? limit) < limit;
  return { items: read.map(itemOf), cut, revision: found.revision };
}

function itemNowOf(row: ItemNowRow | null): ItemNow | undefined {
  return row ? { item: itemOf(row), revision: row.revision } : undefined;
}

export function itemOf(row: ItemRow): Item {
  return {
    number: row.number,
    id: row.id,
    collectionId: row.collection_id,
    receiptNumber: row.receipt_number,
    status: row.status,
    version: row.version,
    definitionVersion: row.definition_version,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
    data: JSON.parse(row.data) as Data,
    lastChange: row.last_change,
  };
}
