import { sql } from "drizzle-orm";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { noFields, type FieldSet } from "#domain/definition/field.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { itemTitleSql } from "./item-title.ts";
import type { CollectionDatabase, Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { change, collection } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";

/** Finds the first collection after `after`. Includes deleted collections that can still be restored. */
export async function nextCollectionId(
  { dataDatabases }: Pick<Databases, "dataDatabases">,
  after: number,
): Promise<number | undefined> {
  const ids = await Promise.all(
    dataDatabases().map(async (db) => {
      const text = "select min(abs(id)) as id from collection where abs(id) > ?1";
      const statement = db.prepare<"data">(text, [after]);
      return (await retryTransient(db, () => statement.first<{ id: number | null }>()))?.id;
    }),
  );
  const collectionIds = ids.filter((id) => typeof id === "number");
  return collectionIds.length > 0 ? Math.min(...collectionIds) : undefined;
}

interface Window {
  after: number;
  below: number;
  limit: number;
  maxBytes: number;
}

/** Former values that are still stored, with the number of the item. */
export interface FormerValues {
  number: number;
  item: number;
  /** JSON. Null when the values are no longer stored. */
  former: string | null;
}

/** Reads changes without former values too, so that every step makes progress. */
const selectFormer = collectionStatement<Window>((db, v) =>
  db
    .select({ number: change.number, item: change.item, former: change.former })
    .from(change)
    .where(
      sql`number in (select number from (
        select number, sum(size) over (order by number) - size as spent from (
          select number, coalesce(octet_length(former), 0) as size from change
            where number > ${v.after} and number < ${v.below} order by number limit ${v.limit}))
        where spent < ${v.maxBytes})`,
    )
    .orderBy(change.number),
);

/** Loads the changes after `after`, up to the limits but at least one. */
export async function loadFormerValues(
  db: CollectionDatabase,
  after: number,
  limits: { items: number; bytes: number },
): Promise<FormerValues[]> {
  const { below } = itemNumberRange(db.collectionId);
  const values = { after, below, limit: limits.items, maxBytes: limits.bytes };
  const { results } = await retryTransient(db, () => selectFormer(db, values).all<FormerValues>());
  return results;
}

/** An item by its number, with its app or form. */
export interface NumberedItem {
  number: number;
  id: string;
  receipt: string | null;
  title: string | null;
  /** The values by field IDs, as JSON. Null if they are too large for a page of results. */
  data: string | null;
  createdAt: number;
  kind: CollectionKind;
  key: string;
  name: string;
  /** 1 while its app or form is deleted, but can be restored. */
  hidden: number;
  /** 1 while the item itself is deleted but can be restored. */
  deleted: number;
}

/** The maximum bytes of an item whose matching fields a page of results lists. */
const maxShownBytes = 50_000;

const selectNumbered = collectionStatement<{ numbers: string }>((db, v) =>
  db
    .select({
      number: sql<number>`i.number`.as("number"),
      id: sql<string>`i.id`.as("id"),
      receipt: sql<string | null>`i.receipt_number`.as("receipt"),
      title: itemTitleSql("i", "collection").as("title"),
      data: sql<
        string | null
      >`iif(octet_length(i.data) <= ${sql.raw(String(maxShownBytes))}, i.data, null)`.as("data"),
      createdAt: sql<number>`i.created_at`.as("createdAt"),
      deleted: sql<number>`i.deleted`.as("deleted"),
      kind: collection.kind,
      key: sql<string>`iif(${collection.id} < 0, substr(${collection.key}, 2), ${collection.key})`.as(
        "key",
      ),
      name: collection.name,
      hidden: sql<number>`${collection.id} < 0`.as("hidden"),
    })
    .from(
      sql`(select number, id, receipt_number, data, created_at, 0 as deleted from item
          where number in (select value from json_each(${v.numbers}))
        union all select number, id, receipt_number, data, created_at, 1 from deleted_item
          where number in (select value from json_each(${v.numbers}))) i`,
    )
    .innerJoin(collection, sql`${collection.id} in (${v.collectionId}, -${v.collectionId})`),
);

const selectFieldSet = collectionStatement<object>((db, { collectionId }) =>
  db
    .select({ fields: collection.fields })
    .from(collection)
    .where(sql`${collection.id} in (${collectionId}, -${collectionId})`),
);

/** Finds the items with these numbers that still exist, and the fields of their collection, in one round trip. */
export async function findNumberedItems(
  db: CollectionDatabase,
  numbers: readonly number[],
): Promise<{ items: NumberedItem[]; fields: FieldSet }> {
  const statements = [
    selectNumbered(db, { numbers: JSON.stringify(numbers) }),
    selectFieldSet(db, {}),
  ];
  const [items, sets] = await retryTransient(db, () => db.batch(statements));
  const [set] = (sets?.results ?? []) as { fields: string }[];
  return {
    items: (items?.results ?? []) as NumberedItem[],
    fields: set ? (JSON.parse(set.fields) as FieldSet) : noFields,
  };
}
