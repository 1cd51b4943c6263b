import { sql, type SQL } from "drizzle-orm";
import type { Actor } from "#domain/audit.ts";
import type { Item } from "#domain/item/item.ts";
import type { CollectionDatabase, Databases } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { deletedItem, item } from "#store/db/schema.ts";
import { collectionStatement, named } from "#store/db/statement.ts";
import { loadActorNames } from "#store/home/audit.ts";
import { lazy } from "#domain/lazy.ts";
import { deletedItemColumns, itemFromRow, type ItemRow } from "./items.ts";

/** Items that members deleted. Only restores, erasures and searches for a person read them. */

/** A deleted item in a list. It does not contain the data. */
export interface DeletedItem {
  number: number;
  id: string;
  receiptNumber: string | null;
  status: Item["status"];
  title: string | null;
  createdAt: number;
  deletedAt: number;
  deletedBy: Actor;
  /** The time at which the schedule erases the item. */
  eraseAt: number;
  /** The name of the member; null if the member no longer exists. */
  actorName: string | null;
}

const listColumns = lazy(() =>
  named({
    number: deletedItem.number,
    id: deletedItem.id,
    receiptNumber: deletedItem.receiptNumber,
    status: deletedItem.status,
    title: deletedItem.title,
    createdAt: deletedItem.createdAt,
    deletedAt: deletedItem.deletedAt,
    deletedBy: deletedItem.deletedBy,
    eraseAt: deletedItem.eraseAt,
  }),
);

/** The position of an item in the list. */
export type DeletedPosition = Pick<DeletedItem, "eraseAt" | "number">;

interface PageValues {
  eraseAt: number | null;
  number: number | null;
  limit: number;
}

const buildPage = (name: SQL<string | null>) =>
  collectionStatement<PageValues>((db, v) =>
    db
      .select({ ...listColumns(), actorName: name.as("actorName") })
      .from(deletedItem)
      .where(
        sql`collection_id = ${v.collectionId} and exists (select 1 from collection c where c.id = collection_id)
          and (${v.eraseAt} is null or (erase_at, number) < (${v.eraseAt}, ${v.number}))`,
      )
      .orderBy(sql`erase_at desc, number desc`)
      .limit(v.limit as never),
  );

/** The names of members, in a database that has the home tables. Only members delete items that can be restored. */
const deleterNameSql = sql<
  string | null
>`(select coalesce(nullif(m.name, ''), m.email) from member m where deleted_by = 'member:' || m.id)`;

const selectNamedPage = buildPage(deleterNameSql);
const selectPage = buildPage(sql`null`);

/** Lists the deleted items of an app or form, the latest deletion first. */
export async function listDeletedItems(
  databases: Databases,
  collection: { readonly id: number },
  after: DeletedPosition | null,
  limit: number,
): Promise<DeletedItem[]> {
  const db = databases.of(collection);
  const isJoint = databases.singleDatabase !== null;
  const values = { eraseAt: after?.eraseAt ?? null, number: after?.number ?? null, limit };
  const statement = (isJoint ? selectNamedPage : selectPage)(db, values);
  const { results } = await retryTransient(db, () => statement.all<DeletedItem>());
  if (isJoint) return results;
  const names = await loadActorNames(
    databases.home,
    results.map(({ deletedBy }) => deletedBy),
  );
  return results.map((row) => ({ ...row, actorName: names.get(row.deletedBy) ?? null }));
}

const selectOne = collectionStatement<{ id: string }>((db, v) =>
  db
    .select({ ...listColumns(), actorName: sql<string | null>`null`.as("actorName") })
    .from(deletedItem)
    .where(sql`id = ${v.id} and collection_id = ${v.collectionId}`),
);

export async function findDeletedItem(
  db: CollectionDatabase,
  id: string,
): Promise<DeletedItem | undefined> {
  const statement = selectOne(db, { id });
  return (await retryTransient(db, () => statement.first<DeletedItem>())) ?? undefined;
}

/** SQLite computes sizes without reading the data. */
const selectDeleted = collectionStatement<{ ids: string; maxBytes: number }>((db, v) =>
  db
    .select(deletedItemColumns())
    .from(deletedItem)
    .where(
      sql`number in (select number from (
        select number, sum(size) over (order by number rows unbounded preceding) - size as spent from (
          select number, octet_length(data) as size from deleted_item
            where id in (select value from json_each(${v.ids})) and collection_id = ${v.collectionId}))
        where spent < ${v.maxBytes})`,
    )
    .orderBy(deletedItem.number),
);

const selectPresence = collectionStatement<{ ids: string }>((db, v) =>
  db
    .select({
      id: sql<string>`e.value`.as("id"),
      isLive:
        sql<number>`exists (select 1 from ${item} where id = e.value and collection_id = ${v.collectionId})`.as(
          "isLive",
        ),
      isDeleted:
        sql<number>`exists (select 1 from ${deletedItem} where id = e.value and collection_id = ${v.collectionId})`.as(
          "isDeleted",
        ),
    })
    .from(sql`json_each(${v.ids}) e`),
);

/** The deleted items among the requested IDs, and which of the IDs are live or deleted. */
export interface DeletedItems {
  /** The items up to `maxBytes` of data, but at least one. */
  items: Item[];
  live: ReadonlySet<string>;
  deleted: ReadonlySet<string>;
}

/** Loads deleted items in one round trip. */
export async function loadDeletedItems(
  db: CollectionDatabase,
  ids: readonly string[],
  maxBytes: number,
): Promise<DeletedItems> {
  const json = JSON.stringify(ids);
  const [rows, presence] = await retryTransient(db, () =>
    db.batch([selectDeleted(db, { ids: json, maxBytes }), selectPresence(db, { ids: json })]),
  );
  const places = (presence?.results ?? []) as { id: string; isLive: number; isDeleted: number }[];
  const idsOf = (isThere: "isLive" | "isDeleted") =>
    new Set(places.filter((place) => place[isThere] === 1).map(({ id }) => id));
  return {
    items: ((rows?.results ?? []) as ItemRow[]).map(itemFromRow),
    live: idsOf("isLive"),
    deleted: idsOf("isDeleted"),
  };
}
