import { lazySql } from "#store/db/lazy.ts";
import { lazy } from "#domain/lazy.ts";
import type { Database, Databases } from "#store/db/database.ts";
import { type GetColumnData, sql, and, asc, eq, type SQL } from "drizzle-orm";
import type { Data } from "#domain/data/values.ts";
import { type Item, itemCollectionId, sequencesPerCollection } from "#domain/item/item.ts";
import { item, collection, deletedItem } from "#store/db/schema.ts";
import { type Placeholders, placeholders, dataStatement } from "#store/db/statement.ts";
import {
  type CollectionName,
  definitionHeadColumns,
  definitionHeadFromRow,
  type DefinitionHead,
  type DefinitionHeadRow,
  outdatedColumn,
  type OutdatedRow,
  parseFieldIds,
} from "./definition-head.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { retryTransient } from "#store/db/retry.ts";

const columnsOf = (table: typeof item | typeof deletedItem) => ({
  number: table.number,
  id: table.id,
  collection_id: table.collectionId,
  receipt_number: table.receiptNumber,
  status: table.status,
  version: table.version,
  definition_version: table.definitionVersion,
  created_at: table.createdAt,
  created_by: table.createdBy,
  updated_at: table.updatedAt,
  updated_by: table.updatedBy,
  data: table.data,
  last_change: table.lastChange,
});

export const itemColumns = lazy(() => columnsOf(item));
/** The same columns of deleted items. */
export const deletedItemColumns = lazy(() => columnsOf(deletedItem));

type ItemColumns = ReturnType<typeof itemColumns>;

/** An item as D1 returns it, by column name. */
export type ItemRow = {
  [Name in keyof ItemColumns]: GetColumnData<ItemColumns[Name]>;
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

/** SQL for the id of a collection. Looks it up only if the caller does not know it. */
const collectionIdSql = ({ id, kind, key }: Placeholders<CollectionName>) =>
  sql`coalesce(${id}, (select id from collection where kind = ${kind} and key = ${key}))`;

const sequencesPerCollectionSql = sql.raw(String(sequencesPerCollection));

/** An item with the current definition of its collection. */
export interface CurrentItem {
  item: Item;
  head: DefinitionHead;
  /** The fields whose results are being recalculated. Empty for callers that see whole collections. */
  outdated: number[];
}

export type CurrentItemRow = ItemRow & DefinitionHeadRow & OutdatedRow;

export interface ItemById {
  kind: CollectionKind;
  id: string;
  /** The stamps of cached definitions (`cachedStampsJson`). The result omits these definitions. */
  stamps: string;
  /** 1 if the caller sees views. Then the result names the fields with outdated results. */
  isNarrow: 0 | 1;
}

export interface ItemByReceipt extends CollectionName {
  receipt: string;
  /** The sequences that the receipt number can match, JSON. */
  sequences: string;
  stamps: string;
  isNarrow: 0 | 1;
}

/** Identifies an item by its id, or a record by its receipt number. */
export type ItemName = ItemById | ItemByReceipt;

/** Selects one item that meets a condition, with the head of its collection. */
const selectOne = <Values extends Pick<ItemById, "stamps" | "isNarrow">>(
  condition: (values: Placeholders<Values>) => SQL | undefined,
) =>
  dataStatement<Values>((db, values) =>
    db
      .select({
        ...itemColumns(),
        ...definitionHeadColumns(values.stamps),
        ...outdatedColumn(values.isNarrow),
      })
      .from(item)
      .innerJoin(collection, eq(collection.id, item.collectionId))
      .where(condition(values))
      .limit(1),
  );

/** The conditions on `item` and `collection` that select the item. */
export const idCondition = (v: Placeholders<ItemById>): SQL | undefined =>
  and(eq(item.id, v.id), eq(collection.kind, v.kind));

export const receiptCondition = (v: Placeholders<ItemByReceipt>): SQL | undefined =>
  and(
    sql`${collection.kind} = ${v.kind} and ${collection.key} = ${v.key} and ${item.number} in (select ${collection.id} * ${sequencesPerCollectionSql} + value from json_each(${v.sequences}))`,
    eq(item.receiptNumber, v.receipt),
  );

export const selectById = selectOne<ItemById>(idCondition);
export const selectByReceipt = selectOne<ItemByReceipt>(receiptCondition);

/**
 * Returns the databases that may have the item, the likeliest first. Older IDs do not contain the collection, so every
 * database may have such an item.
 */
export function findDatabasesFor(
  databases: Databases,
  name: ItemName,
): readonly Database<"data">[] {
  if ("receipt" in name) return [databases.named(name.kind, name.key)];
  const id = itemCollectionId(name.id);
  const all = databases.dataDatabases();
  return databases.directory === null || id === undefined ? all : [databases.of({ id }), ...all];
}

/**
 * Returns whether the collection is placed in a database where a search for an ID found the item. False for a copy that
 * a move left.
 */
export async function isPlacedIn(
  { directory, dataDatabases }: Databases,
  db: Database<"data">,
  collectionId: number,
): Promise<boolean> {
  const searched = dataDatabases().find((each) => each === db);
  if (directory === null || !searched) return true;
  const placement = await retryTransient(db, () => directory.findCurrent({ id: collectionId }));
  return placement?.database === searched.name;
}

export async function findItem(
  databases: Databases,
  name: ItemName,
): Promise<CurrentItem | undefined> {
  for (const db of findDatabasesFor(databases, name)) {
    const statement = "receipt" in name ? selectByReceipt(db, name) : selectById(db, name);
    const row = await retryTransient(db, () => statement.first<CurrentItemRow>());
    if (row && (await isPlacedIn(databases, db, row.collection_id))) return currentItemFromRow(row);
  }
  return undefined;
}

export function currentItemFromRow(row: CurrentItemRow): CurrentItem {
  const outdated = parseFieldIds(row.outdated);
  return { item: itemFromRow(row), head: definitionHeadFromRow(row), outdated };
}

interface PageValues extends CollectionName {
  /** Null for the first page. */
  after: number | null;
  limit: number;
  maxBytes: number;
  stamps: string;
}

const v = placeholders<PageValues>();
const pageStartSql = lazySql(
  () => sql`max(coalesce(${v.after}, 0), ${collectionIdSql(v)} * ${sequencesPerCollectionSql})`,
);
const pageEndSql = lazySql(() => sql`(${collectionIdSql(v)} + 1) * ${sequencesPerCollectionSql}`);

/**
 * The number of items on a page. A page has at most `maxBytes` of stored data, but at least one item. Items are
 * measured only if the largest item of the collection could exceed the limit. SQLite computes sizes without reading the
 * data. A form that was just deleted has no limit of its own, and SQLite treats null as no limit.
 */
const maxItemCountSql = lazySql(
  () => sql`coalesce((select case when t.largest * ${v.limit} <= ${v.maxBytes}
      then ${v.limit}
      else (select count(*) from (
        select sum(size) over (order by number) - size as spent from (
          select number, octet_length(data) as size from item
            where number > ${pageStartSql} and number < ${pageEndSql}
            order by number limit ${v.limit}))
        where spent < ${v.maxBytes}) end
    from tally t where t.collection_id = ${collectionIdSql(v)}), 0)`,
);

const selectPage = dataStatement<PageValues>((db) =>
  db
    .select({ ...itemColumns(), allowed: sql<number>`${maxItemCountSql}`.as("allowed") })
    .from(item)
    .where(and(sql`${item.number} > ${pageStartSql}`, sql`${item.number} < ${pageEndSql}`))
    .orderBy(asc(item.number))
    .limit(maxItemCountSql as never),
);

const selectHead = dataStatement<PageValues>((db, values) =>
  db
    .select(definitionHeadColumns(values.stamps))
    .from(collection)
    .where(sql`${collection.id} = ${collectionIdSql(values)}`),
);

/**
 * Lists the items after the number `after` in stored order, with the head of the collection. `isTruncated` is true when
 * `maxBytes` limited the page. Returns undefined if the collection does not exist.
 */
export async function listItems(
  db: Database<"data">,
  page: PageValues,
): Promise<{ items: Item[]; isTruncated: boolean; head: DefinitionHead } | undefined> {
  const [head, rows] = await retryTransient(db, () =>
    db.batch([selectHead(db, page), selectPage(db, page)]),
  );
  const [headRow] = (head?.results ?? []) as DefinitionHeadRow[];
  if (!headRow) return undefined;
  const itemRows = (rows?.results ?? []) as (ItemRow & { allowed: number })[];
  const isTruncated = (itemRows[0]?.allowed ?? page.limit) < page.limit;
  return { items: itemRows.map(itemFromRow), isTruncated, head: definitionHeadFromRow(headRow) };
}

/**
 * Builds SQL for the first item number whose creation time does not meet `comparison`, such as `< 5` or `<= 5`. Times
 * grow with the numbers, so a binary search finds it without scanning.
 */
export function firstNumberAfterTimeSql(
  { above, below }: { above: string | number; below: string | number },
  comparison: string,
): string {
  const isOlder = (number: string) =>
    `(select created_at from item where number >= ${number} order by number limit 1) ${comparison}`;
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
