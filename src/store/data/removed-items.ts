import { lte, sql, type SQL } from "drizzle-orm";
import { orm, type DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { removedItem } from "#store/db/schema.ts";
import type { Builder } from "#store/db/statement.ts";

/**
 * A create is sent again when its response is lost, and a call that failed may still run later. Both happen within
 * seconds, so only items that are younger than this leave a trace when they are deleted. The trace does not move with its
 * collection: a create is stored again if its answer is lost, its item is deleted, and a move ends, all before it is sent again.
 */
const resendableMs = sql.raw(String(10 * 60_000));

/** Keeps the IDs of young items, in the batch that deletes them, so that no late create stores them again. */
export const rememberRemovals = (db: Builder, numbers: SQL, now: SQL) =>
  db
    .insert(removedItem)
    .select(
      sql`select id, number, created_at, ${now} from item
        where number in (${numbers}) and created_at > ${now} - ${resendableMs}`,
    )
    // It was deleted before, and restored.
    .onConflictDoUpdate({ target: removedItem.id, set: { at: sql`excluded.at` } });

/** Whether an item with this ID was stored, even if it has been deleted since. */
export const wasStored = (id: SQL): SQL =>
  sql`(exists (select 1 from item where id = ${id}) or exists (select 1 from removed_item where id = ${id}))`;

const retentionMs = 60 * 60_000;

/** Forgets the items whose creates can no longer arrive. Nothing remains. */
export async function forgetRemovals(db: DataDatabase, now: number): Promise<false> {
  await retryTransient(db, () =>
    orm(db)
      .delete(removedItem)
      .where(lte(removedItem.at, now - retentionMs)),
  );
  return false;
}
