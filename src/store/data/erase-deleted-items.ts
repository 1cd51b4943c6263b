import { sql } from "drizzle-orm";
import { lazySql } from "#store/db/lazy.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import type { CollectionDatabase, DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient, runOnce } from "#store/db/retry.ts";
import { auditEntry, deletedItem, erasedItem, file } from "#store/db/schema.ts";
import { dataStatement, placeholders } from "#store/db/statement.ts";
import { auditTimeSql, type AuditRecord } from "#store/home/audit.ts";
import { eraseNewest, queueEarlier } from "./erasures.ts";
import { removing } from "./files.ts";
import { eraseReplays } from "./replays.ts";

/** Erases deleted items with their values, their former values and their files. */

interface ErasureValues {
  /** Numbers of deleted items, JSON. */
  numbers: string;
  /** Erases only items whose `erase_at` is not later than this. */
  until: number;
}

type RecordedErasure = ErasureValues & Omit<AuditRecord, "subject">;

const v = placeholders<RecordedErasure>();

/** The items among these numbers that are still deleted and due for erasure. */
const dueRows = lazySql(
  () => sql`deleted_item d
    where d.number in (select value from json_each(${v.numbers})) and d.erase_at <= ${v.until}`,
);
const lastChanges = lazySql(() => sql`select d.last_change from ${dueRows}`);

const eraseFormerValues = dataStatement<ErasureValues>((db) => eraseNewest(db, lastChanges));
const queueErasure = dataStatement<ErasureValues>((db) => queueEarlier(db, lastChanges));
const releaseFiles = dataStatement<ErasureValues>((db) =>
  db
    .update(file)
    .set({ removeAt: removing })
    .where(sql`item in (select d.number from ${dueRows})`),
);
const deleteRows = dataStatement<ErasureValues>((db) =>
  db.delete(deletedItem).where(sql`number in (select d.number from ${dueRows})`),
);

/** Statements that erase deleted items. The last one deletes the rows. */
const eraseItems = (db: CollectionDatabase, values: ErasureValues): PreparedStatement<"data">[] =>
  [eraseFormerValues, queueErasure, releaseFiles, deleteRows].map((bind) => bind(db, values));

/** The limits of one step. Deleting a row does not read its data, but frees its pages. */
const itemsPerStep = 100;
const bytesPerStep = 20_000_000;

/** The app or form with the earliest due item. Skips a copy that a move left, because the move erases it. */
const nextCollection = `with recursive c (id) as (
    select min(collection_id) from deleted_item
    union all select (select min(collection_id) from deleted_item where collection_id > c.id) from c where c.id is not null)
  select id, due from (select id, (select min(erase_at) from deleted_item where collection_id = c.id) as due
    from c where id is not null and not ${isCopy("c.id")})
  where due <= ?1 order by due limit 1`;

const dueItems = `select number, collection_id as collectionId from (
  select number, collection_id, sum(size) over (order by erase_at, number rows unbounded preceding) - size as spent from (
    select number, collection_id, erase_at, octet_length(data) as size from deleted_item
      where collection_id = (select id from (${nextCollection})) and erase_at <= ?1
      order by erase_at, number limit ${itemsPerStep}))
  where spent < ${bytesPerStep}`;

/** Erases one step of the items that can no longer be restored. Returns whether more may remain. */
export async function eraseDueItems(db: DataDatabase, now: number): Promise<boolean> {
  const statement = db.prepare<"data">(dueItems, [now]);
  const { results } = await retryTransient(db, () =>
    statement.all<{ number: number; collectionId: number }>(),
  );
  const [first] = results;
  if (!first) return false;
  const collection = db.of({ id: first.collectionId });
  const numbers = JSON.stringify(results.map(({ number }) => number));
  const values = { numbers, until: now };
  await retryTransient(collection, () => collection.batch(eraseItems(collection, values)));
  return true;
}

/** Later than any `erase_at`. */
const anyTime = Number.MAX_SAFE_INTEGER;

const rememberErasure = dataStatement<RecordedErasure>((db) =>
  db
    .insert(erasedItem)
    .select(sql`select d.id, ${v.at} from ${dueRows}`)
    .onConflictDoNothing(),
);
const insertEntry = dataStatement<RecordedErasure>((db) =>
  db.insert(auditEntry).select(
    sql`select null, ${auditTimeSql(v.at)}, ${v.actor}, ${v.action}, d.collection_id, d.id, d.version, ${v.session},
        ${v.requestId}, ${v.sentRequestId}, null from ${dueRows}`,
  ),
);

/**
 * Erases a deleted item at once, with the responses that are stored for retries. The feed already contains the
 * deletion, so the audit log gets an entry for the erasure. Returns false if the item is no longer there.
 */
export async function eraseDeletedItem(
  db: CollectionDatabase,
  number: number,
  auditRecord: Omit<AuditRecord, "subject">,
): Promise<boolean> {
  const numbers = JSON.stringify([number]);
  const values = { ...auditRecord, numbers, until: anyTime };
  const results = await runOnce(db, () =>
    db.batch([
      ...eraseReplays(db, "deleted_item", { numbers, at: auditRecord.at }),
      rememberErasure(db, values),
      insertEntry(db, values),
      ...eraseItems(db, values),
    ]),
  );
  return (results.at(-1)?.meta.changes ?? 0) > 0;
}

const selectSameIds = dataStatement<{ numbers: string }>((db, values) =>
  db
    .select({ number: deletedItem.number })
    .from(deletedItem)
    .where(
      sql`id in (select id from item where number in (select value from json_each(${values.numbers})))`,
    ),
);

/** Erases the deleted items that have the same IDs as these items. The items can then be deleted, too. */
export async function eraseSameIds(
  db: CollectionDatabase,
  numbers: readonly number[],
): Promise<void> {
  const statement = selectSameIds(db, { numbers: JSON.stringify(numbers) });
  const { results } = await retryTransient(db, () => statement.all<{ number: number }>());
  const deletedNumbers = JSON.stringify(results.map(({ number }) => number));
  const values = { numbers: deletedNumbers, until: anyTime };
  await retryTransient(db, () => db.batch(eraseItems(db, values)));
}

const selectById = "select number from deleted_item where id = ?1";

/** Finds a deleted item by its ID in the databases that may have it. Older IDs do not contain the collection. */
export async function findDeletedNumber(
  dbs: readonly DataDatabase[],
  id: string,
): Promise<{ number: number; collectionId: number } | undefined> {
  for (const db of dbs) {
    const statement = db.prepare<"data">(selectById, [id]);
    const row = await retryTransient(db, () => statement.first<{ number: number }>());
    if (row) return { ...row, collectionId: Math.floor(row.number / sequencesPerCollection) };
  }
  return undefined;
}
