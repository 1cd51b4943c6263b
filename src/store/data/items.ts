import { type GetColumnData, sql, and, asc, eq, type SQL, desc, gt, lt } from "drizzle-orm";
import type { Data } from "#domain/data/values.ts";
import { type Item, placesPerCollection } from "#domain/item/item.ts";
import { item, collection } from "#store/db/schema.ts";
import { type Parameters, parameters, statement } from "#store/db/statement.ts";
import { type CollectionName, headColumns, headFromRow, type Head, type HeadRow } from "./definition-head.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { historyFrom, pastFromRow, type HistoryLimits, type PastChange, type PastRow } from "./changes.ts";
import { attempt } from "#store/db/retry.ts";
import { type CollectionNow, nowOf, selectByKey, type NowRow } from "./collections.ts";

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

export function itemFromRow(row: ItemRow): Item {
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

/** The id of a collection, looked up only where it is not known. */
export const collectionId = ({ id, kind, key }: Parameters<CollectionName>) =>
  sql`coalesce(${id}, (select id from collection where kind = ${kind} and key = ${key}))`;

export const perCollection = sql.raw(String(placesPerCollection));

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

const selectNewest = statement<{ kind: CollectionKind; key: string }>((db, v) =>
  db
    .select(itemColumns)
    .from(collection)
    .innerJoin(
      item,
      and(
        gt(item.number, sql`${collection.id} * ${sql.raw(String(placesPerCollection))}`),
        lt(item.number, sql`(${collection.id} + 1) * ${sql.raw(String(placesPerCollection))}`),
      ),
    )
    .where(and(eq(collection.kind, v.kind), eq(collection.key, v.key)))
    .orderBy(desc(item.number))
    .limit(1),
);

/** A collection as it is now, and the item that was stored last in it. */
export async function findWithNewestItem(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<{ now: CollectionNow; newest: Item | undefined } | undefined> {
  const [found, items] = await attempt(() =>
    db.batch([selectByKey(db, { kind, key, id: null }), selectNewest(db, { kind, key })]),
  );
  const now = nowOf(((found?.results ?? []) as NowRow[])[0] ?? null);
  const [row] = (items?.results ?? []) as ItemRow[];
  return now && { now, newest: row && itemFromRow(row) };
}

/**
 * SQL for a number that parts a collection: the items from it on are those whose time of creation is not `older`, as `< 5`
 * or `<= 5`. Times grow with the numbers, so halving finds it, however many items there are.
 */
export function firstCreated(
  { above, below }: { above: string | number; below: string | number },
  older: string,
): string {
  const isOlder = (number: string) =>
    `(select created_at from item where number >= ${number} order by number limit 1) ${older}`;
  const last = `(select max(number) from item where number > ${above} and number < ${below})`;
  const [low, high] = [
    "iif(is_older, (low + high) / 2 + 1, low)",
    "iif(is_older, high, (low + high) / 2)",
  ];
  return `(with recursive half(low, high, is_older) as (
      select low, high, ${isOlder("(low + high) / 2")}
        from (select ${above} + 1 as low, coalesce(${last}, ${above}) + 1 as high)
      union all
      select ${low}, ${high}, ${isOlder(`(${low} + ${high}) / 2`)} from half where low < high)
    select low from half where low >= high)`;
}
