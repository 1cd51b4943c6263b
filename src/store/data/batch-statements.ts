import { eq, sql } from "drizzle-orm";
import { fieldsPerCollection, systemFieldIds } from "#domain/data/values.ts";
import { placesPerCollection } from "#domain/item/item.ts";
import { changeTime, erasedAtOnce, joinLast, lastChange, lastJoined, listened } from "./changes.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { change, erasure, item, searchEntry, tally, uniqueValue } from "#store/db/schema.ts";
import { parameters, statement } from "#store/db/statement.ts";

/**
 * The statements of a batch of operations, in the order in which they run. Rows travel as JSON; an item is named by its
 * number, or, where the batch makes it, by −1, −2, … in the order in which they are made. The tally stays as it was
 * until the last of them, so that all of them give the same numbers and times.
 */
export interface BatchValues {
  collectionId: number;
  revision: number;
  definitionVersion: number;
  now: number;
  /** SHA-256 of the Idempotency-Key's claim; null without one. */
  key: string | null;
  batchId: string;
  /** Whether something is created or submitted, which needs an open form; and how many more items there are at most. */
  opens: number;
  more: number;
  actor: string;
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
  receiptPrefix: string | null;
  /** How many items are made. */
  made: number;
}

/** A run of rows as JSON, of a size that D1 takes. */
export interface Rows extends BatchValues {
  rows: string;
}

const v = parameters<Rows>();
const room = sql.raw(String(placesPerCollection));
const ownTally = sql`t.collection_id = ${v.collectionId}`;
const element = (at: number) => sql`(e.value ->> ${sql.raw(String(at))})`;

/** The number of an item, of one that is there or of one that is made here. */
const number = sql`iif(${element(0)} < 0, t.collection_id * ${room} + t.last_place - ${element(0)}, ${element(0)})`;
/** When what is made here was created: times grow with the numbers. */
const createdAt = sql`(max(t.last_created_at + 1, ${v.now}) - ${element(0)} - 1)`;
const rowsOfTally = sql`json_each(${v.rows}) e, tally t where ${ownTally}`;

/** The key is another request's. */
export const isMyKey = guardStatement<BatchValues>(
  () =>
    sql`select ${guardCode("key_used")} as code
    where exists (select 1 from replay where key = ${v.key} and item_id <> ${v.batchId})`,
);

export const mayStore = guardStatement<BatchValues>(
  () =>
    sql`select case
      when c.revision <> ${v.revision} then ${guardCode("definition_changed")}
      when not ${v.opens} then null
      when c.state = 'closed' or c.closes_at <= ${v.now} then ${guardCode("closed")}
      when c.opens_at > ${v.now} then ${guardCode("not_open_yet")}
      when ${v.more} > 0 and t.live + ${v.more} > c.max_submissions then ${guardCode("full")}
    end as code
    from collection c join tally t on t.collection_id = c.id where c.id = ${v.collectionId}`,
);

/** Rows: number and version of items as they were read. */
export const areExpected = guardStatement<Rows>(
  () =>
    sql`select ${guardCode("item_changed")} as code where exists (select 1 from json_each(${v.rows}) e
    left join item i on i.number = ${element(0)} where i.version is not ${element(1)})`,
);

/** Rows: number, field, value. */
export const releaseUnique = statement<Rows>((db) =>
  db
    .delete(uniqueValue)
    .where(
      sql`(field, value, item) in (select ${element(1)}, ${element(2)}, ${element(0)} from json_each(${v.rows}) e)`,
    ),
);

export const takeUnique = statement<Rows>((db) =>
  db
    .insert(uniqueValue)
    .select(sql`select ${element(1)}, ${element(2)}, ${number} from ${rowsOfTally}`)
    .onConflictDoNothing(),
);

export const areMine = guardStatement<Rows>(
  () =>
    sql`select ${guardCode("taken")} as code where exists (select 1 from ${rowsOfTally}
    and exists (select 1 from unique_value u where u.field = ${element(1)} and u.value = ${element(2)}
      and u.item <> ${number}))`,
);

/** Rows: number, field, value. */
export const removeEntries = statement<Rows>((db) =>
  db
    .delete(searchEntry)
    .where(
      sql`(field, value, item) in (select ${element(1)}, ${element(2)}, ${element(0)} from json_each(${v.rows}) e)`,
    ),
);

/** Rows: number, field, value, folded. */
export const addEntries = statement<Rows>((db) =>
  db
    .insert(searchEntry)
    .select(sql`select ${element(1)}, ${element(2)}, ${number}, ${element(3)} from ${rowsOfTally}`)
    .onConflictDoNothing(),
);

const receipt = sql`${v.receiptPrefix} || printf('%06d', t.last_place - ${element(0)})`;
const updatedAt = sql.raw(`t.collection_id * ${fieldsPerCollection} + ${systemFieldIds.updatedAt}`);

/** The time that the database gives to items that are made. Rows: as of the items. */
export const addTimes = statement<Rows>((db) =>
  db
    .insert(searchEntry)
    .select(sql`select ${updatedAt}, ${createdAt}, ${number}, null from ${rowsOfTally}`),
);

/** Rows: number of an item that is deleted. Its earlier changes lose what they hold. */
const chains = sql`with recursive chain (number, previous, place) as (
    select c.number, c.previous, 1 from json_each(${v.rows}) e
      join item i on i.number = ${element(0)} join change c on c.number = i.last_change
    union all select c.number, c.previous, place + 1 from chain
      join change c on c.number = chain.previous where place < ${sql.raw(String(erasedAtOnce))})`;

export const eraseFormer = statement<Rows>((db) =>
  db
    .update(change)
    .set({ former: null })
    .where(sql`number in (${chains} select number from chain) and former is not null`),
);

export const eraseLater = statement<Rows>((db) =>
  db
    .insert(erasure)
    .select(
      sql`${chains} select previous from chain
        where place = ${sql.raw(String(erasedAtOnce))} and previous is not null`,
    )
    .onConflictDoNothing(),
);

/** One time for all of them, not earlier than that of any item that is made. */
const changedAt = changeTime(sql`(max(t.last_created_at + 1, ${v.now}) + ${v.made})`);

/**
 * Rows: number, id, place behind the last change, action, version, place of the item's change before this one where
 * that is of this batch too, fields, former values.
 */
export const insertChanges = statement<Rows>((db) =>
  db.insert(change).select(
    sql`select ${lastJoined("t.collection_id")} + ${element(2)}, ${changedAt}, ${v.actor}, ${element(3)},
        ${number}, ${element(1)}, ${element(4)},
        iif(${element(5)} is null, (select last_change from item where number = ${number}),
          ${lastJoined("t.collection_id")} + ${element(5)}),
        ${element(6)}, ${element(7)}, ${v.session}, ${v.requestId}, ${v.sentRequestId}
      from tally t ${joinLast("t.collection_id")} cross join json_each(${v.rows}) e where ${ownTally}`,
  ),
);

/** Rows: number, id, status, version, data, how many changes of this batch come behind its last. */
export const insertItems = statement<Rows>((db) =>
  db.insert(item).select(
    sql`select ${number}, ${element(1)}, t.collection_id, iif(${v.receiptPrefix} is null, null, ${receipt}),
        ${element(2)}, ${element(3)}, ${v.definitionVersion}, ${createdAt}, ${v.actor}, ${createdAt}, ${v.actor},
        e.value -> 4, ${lastChange("t.collection_id")} - ${element(5)}
      from ${rowsOfTally}`,
  ),
);

/** Rows: number, status, version, data, how many changes of this batch come behind its last, time. */
const changed = (at: number) =>
  sql`(select e.value ->> ${sql.raw(String(at))} from json_each(${v.rows}) e where ${element(0)} = item.number)`;

export const updateItems = statement<Rows>((db) =>
  db
    .update(item)
    .set({
      status: changed(1),
      version: changed(2),
      definitionVersion: v.definitionVersion,
      updatedAt: changed(5),
      updatedBy: v.actor,
      data: sql`(select e.value -> 3 from json_each(${v.rows}) e where ${element(0)} = item.number)`,
      lastChange: sql`${lastChange("collection_id")} - ${changed(4)}`,
    })
    .where(sql`number in (select ${element(0)} from json_each(${v.rows}) e)`),
);

/** Rows: number. */
export const deleteItems = statement<Rows>((db) =>
  db.delete(item).where(sql`number in (select ${element(0)} from json_each(${v.rows}) e)`),
);

export interface Counted {
  collectionId: number;
  now: number;
  made: number;
  deleted: number;
  /** The bytes of the largest item that is written. */
  largest: number;
}

export const count = statement<Counted>((db, values) =>
  db
    .update(tally)
    .set({
      lastPlace: sql`last_place + ${values.made}`,
      live: sql`live + ${values.made} - ${values.deleted}`,
      lastCreatedAt: sql`iif(${values.made} = 0, last_created_at,
        max(last_created_at + 1, ${values.now}) + ${values.made} - 1)`,
      largest: sql`max(largest, ${values.largest})`,
    })
    .where(eq(tally.collectionId, values.collectionId)),
);

/** What the database has given: the place and the time of the first item that was made. */
export const readGiven = statement<{ collectionId: number; made: number }>((db, values) =>
  db
    .select({
      place: sql<number>`last_place - ${values.made} + 1`.as("place"),
      created_at: sql<number>`last_created_at - ${values.made} + 1`.as("created_at"),
      listened: listened("tally.collection_id"),
    })
    .from(tally)
    .where(eq(tally.collectionId, values.collectionId)),
);
