import { sequencesPerCollection } from "#domain/item/item.ts";
import type { CollectionDatabase, DataDatabase, PreparedStatement } from "#store/db/database.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient, runOnce } from "#store/db/retry.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import { maxErasedPerBatch } from "./erasures.ts";
import { removing } from "./files.ts";
import { eraseReplays } from "./replays.ts";

/** Erases deleted items: their values, their former values and their files. */

/** The deleted items among these numbers that are due. A restored one is not among them. */
const dueRows = `deleted_item d where d.number in (select value from json_each(?1)) and d.erase_at <= ?2`;

/** The newest changes of these items. The schedule erases the former values of older ones in steps. */
const chains = `with recursive chain (number, previous, place) as (
    select c.number, c.previous, 1 from (select last_change from ${dueRows}) x join change c on c.number = x.last_change
    union all select c.number, c.previous, place + 1 from chain
      join change c on c.number = chain.previous where place < ${maxErasedPerBatch})`;

const eraseFormerValues = `update change set former = null
  where number in (${chains} select number from chain) and former is not null`;
const queueErasure = `insert into erasure ${chains} select previous from chain
  where place = ${maxErasedPerBatch} and previous is not null on conflict do nothing`;
const releaseFiles = `update file set remove_at = ${removing} where item in (select d.number from ${dueRows})`;
const deleteRows = `delete from deleted_item where number in (select d.number from ${dueRows})`;

/** Statements that erase deleted items whose time ends at `until` or earlier. The last one deletes the rows. */
function eraseItems(
  db: CollectionDatabase,
  numbers: readonly number[],
  until: number,
): PreparedStatement<"data">[] {
  const values = [JSON.stringify(numbers), until];
  return [eraseFormerValues, queueErasure, releaseFiles, deleteRows].map((text) =>
    db.prepare<"data">(text, values),
  );
}

/** The limits of one step. Deleting a row reads no data, but frees its pages. */
const itemsPerStep = 100;
const bytesPerStep = 20_000_000;

/** The app or form whose due item waits longest. A copy that a move left is erased with the move. */
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
  const numbers = results.map(({ number }) => number);
  await retryTransient(collection, () => collection.batch(eraseItems(collection, numbers, now)));
  return true;
}

/** Later than any time at which the schedule erases an item. */
const anyTime = Number.MAX_SAFE_INTEGER;

const rememberErasure = `insert into erased_item select d.id, ?3 from ${dueRows} on conflict do nothing`;
const insertEntry = `insert into audit_entry
  select null, max(?3, coalesce((select at from audit_entry order by id desc limit 1), 0)), ?4, ?5, d.collection_id, d.id,
    d.version, ?6, ?7, ?8, null from ${dueRows}`;

/**
 * Erases a deleted item at once, with the responses that are stored for retries. The feed has its deletion already, so the
 * audit has an entry of its own. Returns false if it is not there any more.
 */
export async function eraseDeletedItem(
  db: CollectionDatabase,
  number: number,
  { at, actor, action, session, requestId, sentRequestId }: Omit<AuditRecord, "subject">,
): Promise<boolean> {
  const numbers = JSON.stringify([number]);
  const results = await runOnce(db, () =>
    db.batch([
      ...eraseReplays(db, "deleted_item", { numbers, at }),
      db.prepare<"data">(rememberErasure, [numbers, anyTime, at]),
      db.prepare<"data">(insertEntry, [
        numbers,
        anyTime,
        at,
        actor,
        action,
        session,
        requestId,
        sentRequestId,
      ]),
      ...eraseItems(db, [number], anyTime),
    ]),
  );
  return (results.at(-1)?.meta.changes ?? 0) > 0;
}

const selectById = "select number from deleted_item where id = ?1";

/** Finds a deleted item by its ID in the databases that may have it. An older ID names no app or form. */
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
