import { eq, sql } from "drizzle-orm";
import { lazySql } from "#store/db/lazy.ts";
import { fieldsPerCollection, systemFieldIds } from "#domain/data/values.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import {
  changeTimeSql,
  joinLastChangeSql,
  lastChangeSql,
  joinedPrecedingNumberSql,
  hasListenersColumn,
} from "./changes.ts";
import { eraseNewest, queueEarlier } from "./erasures.ts";
import { guardCode, collectionGuard } from "#store/db/guard.ts";
import { change, item, searchEntry, tally, uniqueValue } from "#store/db/schema.ts";
import { rememberRemovals as insertRemovals } from "./removed-items.ts";
import { placeholders, collectionStatement } from "#store/db/statement.ts";

/**
 * The statements of a batch of operations, in execution order. Rows travel as JSON. They identify an existing item by
 * its number, and the new items by −1, −2, … in order of creation. The tally changes last, so all other statements
 * compute the same numbers and times.
 */
export interface BatchValues {
  revision: number;
  definitionVersion: number;
  now: number;
  /** SHA-256 of credential, route and Idempotency-Key. Null without a key. */
  key: string | null;
  batchId: string;
  /**
   * Whether the batch needs an open form because it creates or submits items, and the largest number of items that it
   * adds at any point.
   */
  needsOpenForm: number;
  maxAddedItems: number;
  actor: string;
  session: string | null;
  requestId: string;
  sentRequestId: string | null;
  receiptPrefix: string | null;
  /** The number of items that the batch creates. */
  createdCount: number;
  /**
   * The time at which the schedule erases the items that the batch deletes. Null if the batch deletes them permanently.
   */
  keptUntil: number | null;
}

/** The values of a statement that also takes rows, as JSON in a size that D1 accepts. */
export interface BatchRowValues extends BatchValues {
  rows: string;
}

const v = placeholders<BatchRowValues & { collectionId: number }>();
const collectionSpan = sql.raw(String(sequencesPerCollection));
const tallyCondition = lazySql(() => sql`t.collection_id = ${v.collectionId}`);
const element = (index: number) => sql`(e.value ->> ${sql.raw(String(index))})`;

/** The number of an existing item, or of an item that this batch creates. */
const itemNumber = lazySql(
  () =>
    sql`iif(${element(0)} < 0, t.collection_id * ${collectionSpan} + t.last_place - ${element(0)}, ${element(0)})`,
);
/** The creation time of a new item. Times grow with the numbers. */
const createdAt = lazySql(() => sql`(max(t.last_created_at + 1, ${v.now}) - ${element(0)} - 1)`);
const rowsWithTally = lazySql(() => sql`json_each(${v.rows}) e, tally t where ${tallyCondition}`);

/** Aborts the batch when the key belongs to another request. A deleted collection has no stored responses. */
export const keyOwned = collectionGuard<BatchValues>(
  () =>
    sql`select ${guardCode("key_used")} as code
    where exists (select 1 from replay where key = ${v.key} and item_id <> ${v.batchId})
      and exists (select 1 from collection where id = ${v.collectionId})`,
);

export const collectionAccepts = collectionGuard<BatchValues>(
  () =>
    sql`select case
      when c.revision is not ${v.revision} then ${guardCode("definition_changed")}
      when ${v.needsOpenForm} and (c.state = 'closed' or c.closes_at <= ${v.now}) then ${guardCode("closed")}
      when ${v.needsOpenForm} and c.opens_at > ${v.now} then ${guardCode("not_open_yet")}
      when ${v.maxAddedItems} > 0 and t.live + ${v.maxAddedItems} > c.max_submissions then ${guardCode("full")}
    end as code
    from (select ${v.collectionId} as id) x left join collection c on c.id = x.id
      left join tally t on t.collection_id = c.id`,
);

/** Rows: number and version of each item, as the request read them. */
export const itemsUnchanged = collectionGuard<BatchRowValues>(
  () =>
    sql`select ${guardCode("item_changed")} as code where exists (select 1 from json_each(${v.rows}) e
    left join item i on i.number = ${element(0)} where i.version is not ${element(1)})`,
);

/** Rows: number, field, value. */
export const deleteUnique = collectionStatement<BatchRowValues>((db) =>
  db
    .delete(uniqueValue)
    .where(
      sql`(field, value, item) in (select ${element(1)}, ${element(2)}, ${element(0)} from json_each(${v.rows}) e)`,
    ),
);

export const insertUnique = collectionStatement<BatchRowValues>((db) =>
  db
    .insert(uniqueValue)
    .select(sql`select ${element(1)}, ${element(2)}, ${itemNumber} from ${rowsWithTally}`)
    .onConflictDoNothing(),
);

export const uniqueValuesOwned = collectionGuard<BatchRowValues>(
  () =>
    sql`select ${guardCode("taken")} as code where exists (select 1 from ${rowsWithTally}
    and exists (select 1 from unique_value u where u.field = ${element(1)} and u.value = ${element(2)}
      and u.item <> ${itemNumber}))`,
);

/** Rows: number, field, value. */
export const removeEntries = collectionStatement<BatchRowValues>((db) =>
  db
    .delete(searchEntry)
    .where(
      sql`(field, value, item) in (select ${element(1)}, ${element(2)}, ${element(0)} from json_each(${v.rows}) e)`,
    ),
);

/** Rows: number, field, value, folded. */
export const addEntries = collectionStatement<BatchRowValues>((db) =>
  db
    .insert(searchEntry)
    .select(
      sql`select ${element(1)}, ${element(2)}, ${itemNumber}, ${element(3)} from ${rowsWithTally}`,
    )
    .onConflictDoNothing(),
);

const receipt = lazySql(
  () => sql`${v.receiptPrefix} || printf('%06d', t.last_place - ${element(0)})`,
);
const updatedAtField = sql.raw(
  `t.collection_id * ${fieldsPerCollection} + ${systemFieldIds.updatedAt}`,
);

/** Indexes the update time that the database assigns to new items. Rows: number. */
export const addUpdateTimes = collectionStatement<BatchRowValues>((db) =>
  db
    .insert(searchEntry)
    .select(sql`select ${updatedAtField}, ${createdAt}, ${itemNumber}, null from ${rowsWithTally}`),
);

/** Rows: number of a deleted item. Its earlier changes lose their former values. */
const lastChanges = lazySql(
  () =>
    sql`select i.last_change from json_each(${v.rows}) e join item i on i.number = ${element(0)}`,
);

export const eraseFormerValues = collectionStatement<BatchRowValues>((db) =>
  eraseNewest(db, lastChanges),
);

export const queueErasure = collectionStatement<BatchRowValues>((db) =>
  queueEarlier(db, lastChanges),
);

/** All changes of the batch have the same time, which is not before the creation of any new item. */
const changedAt = lazySql(() =>
  changeTimeSql(sql`(max(t.last_created_at + 1, ${v.now}) + ${v.createdCount})`),
);

/**
 * Rows: number, id, offset from the last stored change, action, version, offset of the previous change of the item in
 * this batch (or null), fields, former values, views, action in the audit log (or null).
 */
export const insertChanges = collectionStatement<BatchRowValues>((db) =>
  db.insert(change).select(
    sql`select ${joinedPrecedingNumberSql("t.collection_id")} + ${element(2)}, ${changedAt}, ${v.actor}, ${element(3)},
        ${itemNumber}, ${element(1)}, ${element(4)},
        iif(${element(5)} is null, coalesce((select last_change from item where number = ${itemNumber}),
            (select last_change from deleted_item where number = ${itemNumber})),
          ${joinedPrecedingNumberSql("t.collection_id")} + ${element(5)}),
        ${element(6)}, ${element(7)}, ${v.session}, ${v.requestId}, ${v.sentRequestId}, ${element(8)}, ${element(9)}
      from tally t ${joinLastChangeSql("t.collection_id")} cross join json_each(${v.rows}) e where ${tallyCondition}`,
  ),
);

/** Rows: number, id, status, version, data, number of changes of this batch after the last one of the item. */
export const insertItems = collectionStatement<BatchRowValues>((db) =>
  db.insert(item).select(
    sql`select ${itemNumber}, ${element(1)}, t.collection_id, iif(${v.receiptPrefix} is null, null, ${receipt}),
        ${element(2)}, ${element(3)}, ${v.definitionVersion}, ${createdAt}, ${v.actor}, ${createdAt}, ${v.actor},
        e.value -> 4, ${lastChangeSql("t.collection_id")} - ${element(5)}
      from ${rowsWithTally}`,
  ),
);

/** Rows: number, status, version, data, number of changes of this batch after the last one of the item, time. */
const elementOfItem = (index: number) =>
  sql`(select e.value ->> ${sql.raw(String(index))} from json_each(${v.rows}) e where ${element(0)} = item.number)`;

export const updateItems = collectionStatement<BatchRowValues>((db) =>
  db
    .update(item)
    .set({
      status: elementOfItem(1),
      version: elementOfItem(2),
      definitionVersion: v.definitionVersion,
      updatedAt: elementOfItem(5),
      updatedBy: v.actor,
      data: sql`(select e.value -> 3 from json_each(${v.rows}) e where ${element(0)} = item.number)`,
      lastChange: sql`${lastChangeSql("collection_id")} - ${elementOfItem(4)}`,
    })
    .where(sql`number in (select ${element(0)} from json_each(${v.rows}) e)`),
);

/** Rows: number. */
export const rememberRemovals = collectionStatement<BatchRowValues>((db) =>
  insertRemovals(db, sql`select ${element(0)} from json_each(${v.rows}) e`, sql`${v.now}`),
);

/** Rows: number. */
export const deleteItems = collectionStatement<BatchRowValues>((db) =>
  db.delete(item).where(sql`number in (select ${element(0)} from json_each(${v.rows}) e)`),
);

export interface TallyChange {
  now: number;
  createdCount: number;
  /** The number of items that the batch adds, minus the number that it deletes. */
  addedCount: number;
  /** The bytes of the largest item that the batch writes. */
  largestBytes: number;
}

export const updateTally = collectionStatement<TallyChange>((db, values) =>
  db
    .update(tally)
    .set({
      lastPlace: sql`last_place + ${values.createdCount}`,
      live: sql`live + ${values.addedCount}`,
      lastCreatedAt: sql`iif(${values.createdCount} = 0, last_created_at,
        max(last_created_at + 1, ${values.now}) + ${values.createdCount} - 1)`,
      largest: sql`max(largest, ${values.largestBytes})`,
    })
    .where(eq(tally.collectionId, values.collectionId)),
);

/** Selects the sequence and the time that the database assigned to the first new item. */
export const selectAssigned = collectionStatement<{ createdCount: number }>((db, values) =>
  db
    .select({
      place: sql<number>`last_place - ${values.createdCount} + 1`.as("place"),
      created_at: sql<number>`last_created_at - ${values.createdCount} + 1`.as("created_at"),
      listened: hasListenersColumn("tally.collection_id"),
    })
    .from(tally)
    .where(eq(tally.collectionId, values.collectionId)),
);
