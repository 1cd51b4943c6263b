import type { CollectionDatabase, DataDatabase } from "#store/db/database.ts";
import { sql, type SQL } from "drizzle-orm";
import { fieldsPerCollection, systemFieldIds } from "#domain/data/values.ts";
import type { RetentionRule } from "#domain/definition/collection.ts";
import { sequencesPerCollection, type Item } from "#domain/item/item.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient } from "#store/db/retry.ts";
import { collection, item } from "#store/db/schema.ts";
import { collectionStatement, dataStatement } from "#store/db/statement.ts";
import { itemColumns, itemFromRow, type ItemRow } from "./items.ts";

const span = sql.raw(String(sequencesPerCollection));
const statusField = (id: SQL) =>
  sql`${id} * ${sql.raw(String(fieldsPerCollection))} + ${sql.raw(String(systemFieldIds.status))}`;

/** The oldest submissions of a form that its retention rule applies to. Creation times grow with the numbers. */
export const oldestRetained = (id: SQL, only: SQL, limit: SQL) =>
  sql`(select * from (select i.number, i.created_at, octet_length(i.data) as size from item i
      where ${only} = 'all' and i.number > ${id} * ${span} and i.number < (${id} + 1) * ${span}
      order by i.number limit ${limit})
    union all
    select * from (select i.number, i.created_at, octet_length(i.data) as size
      from search_entry e join item i on i.number = e.item
      where ${only} = 'closed' and e.field = ${statusField(id)} and e.value = 'closed' and i.status = 'closed'
      order by e.item limit ${limit}))`;

interface ExpiredValues {
  createdUntil: number;
  only: RetentionRule["only"];
  limit: number;
  maxBytes: number;
}

const selectExpired = collectionStatement<ExpiredValues>((db, v) =>
  db
    .select(itemColumns())
    .from(item)
    .where(
      sql`number in (select number from (
        select number, created_at, sum(size) over (order by number) - size as spent
          from ${oldestRetained(v.collectionId, v.only, v.limit)})
        where spent < ${v.maxBytes} and created_at <= ${v.createdUntil})`,
    )
    .orderBy(item.number),
);

/** Loads the oldest expired submissions of a form. Reads only one step, however many have expired. */
export async function loadExpired(
  db: CollectionDatabase,
  expiry: Pick<ExpiredValues, "createdUntil" | "only">,
  { items, bytes }: { items: number; bytes: number },
): Promise<Item[]> {
  const values = { ...expiry, limit: items, maxBytes: bytes };
  const { results } = await retryTransient(db, () => selectExpired(db, values).all<ItemRow>());
  return results.map(itemFromRow);
}

/** A day has 23 to 25 hours, because a rule counts days in the form's time zone. */
const dayMs = 24 * 60 * 60 * 1000;
const hourMs = 60 * 60 * 1000;

const appliesTo = (now: SQL) => sql`retain is not null and retain ->> 'appliesFrom' <= ${now}`;

/** The copy that a move leaves stays listed for some seconds, until requests that list all databases have ended. */
const isMovedAway = sql.raw(isCopy("collection.id"));

const selectNext = dataStatement<{ after: number; now: number }>((db, v) =>
  db
    .select({ id: collection.id })
    .from(collection)
    .where(
      sql`id > max(0, ${v.after}) and ${appliesTo(v.now)} and not ${isMovedAway} and exists (
        select 1 from ${oldestRetained(sql`collection.id`, sql`retain ->> 'only'`, sql`1`)}
        where created_at <= ${v.now} + ${sql.raw(String(hourMs))} - (retain ->> 'days') * ${sql.raw(String(dayMs))})`,
    )
    .orderBy(collection.id)
    .limit(1),
);

/** Finds the next form in the queue with submissions that may have expired. */
export async function nextRetaining(
  db: DataDatabase,
  after: number,
  now: number,
): Promise<number | undefined> {
  const find = (from: number) =>
    retryTransient(db, () => selectNext(db, { after: from, now }).first<{ id: number }>());
  const row = (await find(after)) ?? (after > 0 ? await find(0) : null);
  return row?.id;
}
