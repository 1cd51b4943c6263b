import { lte, sql, type SQL } from "drizzle-orm";
import { orm, type CollectionDatabase, type DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { removedItem } from "#store/db/schema.ts";
import { collectionStatement, type Builder } from "#store/db/statement.ts";

/**
 * A client repeats a create when the response is lost, and a failed call may still run later. Both happen within
 * seconds, so a deletion records only the IDs of items younger than this. These records do not move with the
 * collection. A repeated create therefore stores its item again if the item was deleted and its collection moved in
 * between.
 */
const resendableMs = sql.raw(String(10 * 60_000));

/** Records the IDs of young items in the batch that deletes them, so that no late create stores them again. */
export const rememberRemovals = (db: Builder, numbers: SQL, now: SQL) =>
  db
    .insert(removedItem)
    .select(
      sql`select id, number, created_at, ${now} from item
        where number in (${numbers}) and created_at > ${now} - ${resendableMs}`,
    )
    // The item was deleted before, and then restored.
    .onConflictDoUpdate({ target: removedItem.id, set: { at: sql`excluded.at` } });

/** Whether an item with this ID was stored, even if it has been deleted since. */
export const wasStored = (id: SQL): SQL =>
  sql`(exists (select 1 from item where id = ${id}) or exists (select 1 from removed_item where id = ${id}))`;

const selectWasStored = collectionStatement<{ id: string }>((db, values) =>
  db.select({ isStored: wasStored(values.id).as("is_stored") }).from(sql`(select 1)`),
);

/** Whether an item with this ID was stored, even if it or its collection has been deleted since. */
export async function wasItemStored(db: CollectionDatabase, id: string): Promise<boolean> {
  const row = await retryTransient(db, () =>
    selectWasStored(db, { id }).first<{ is_stored: number }>(),
  );
  return row?.is_stored === 1;
}

const retentionMs = 60 * 60_000;

/** Forgets the items whose creates can no longer arrive. Returns false, because one call forgets all of them. */
export async function forgetRemovals(db: DataDatabase, now: number): Promise<false> {
  await retryTransient(db, () =>
    orm(db)
      .delete(removedItem)
      .where(lte(removedItem.at, now - retentionMs)),
  );
  return false;
}
