import { and, eq, sql } from "drizzle-orm";
import type { Status } from "#domain/item/item.ts";
import { lastChangeSql, hasListenersColumn, type ItemAuditRecord } from "./changes.ts";
import { guardCode, collectionGuard } from "#store/db/guard.ts";
import { item, searchEntry, tally, uniqueValue } from "#store/db/schema.ts";
import { placeholders, collectionStatement, nextVersionSql } from "#store/db/statement.ts";

/** The values of the statements that change or delete an item. */
export interface ChangeValues extends ItemAuditRecord {
  number: number;
  itemVersion: number;
  definitionVersion: number;
  revision: number;
  status: Status | null;
  updatedAt: number;
  data: string;
  /** 1 when the form must be open. */
  needsOpenForm: number;
  /** Search entries and unique values, JSON. */
  entriesToRemove: string;
  entriesToAdd: string;
  uniqueValuesToRemove: string;
  uniqueValuesToAdd: string;
}

type ExpectedValues = Pick<
  ChangeValues,
  "number" | "itemVersion" | "revision" | "needsOpenForm" | "at"
>;
export type RemovalValues = Pick<
  ChangeValues,
  "number" | "entriesToRemove" | "uniqueValuesToRemove"
>;

/** The values except the entries. Each statement gets its own chunk of entries. */
export type BaseChangeValues = Omit<ChangeValues, "entriesToRemove" | "entriesToAdd">;

const v = placeholders<ChangeValues & { collectionId: number }>();

export const itemUnchanged = collectionGuard<ExpectedValues>(
  () =>
    sql`select case
      when not exists (select 1 from item where number = ${v.number} and version = ${v.itemVersion})
        then ${guardCode("item_changed")}
      when c.revision is not ${v.revision} then ${guardCode("definition_changed")}
      when not ${v.needsOpenForm} then null
      when c.state = 'closed' or c.closes_at <= ${v.at} then ${guardCode("closed")}
      when c.opens_at > ${v.at} then ${guardCode("not_open_yet")}
    end as code
    from (select ${v.collectionId} as id) x left join collection c on c.id = x.id`,
);

export const removeEntries = collectionStatement<RemovalValues>((db) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in
        (select e.value ->> 0, e.value ->> 1, ${v.number} from json_each(${v.entriesToRemove}) e)`,
  ),
);

/** An earlier definition may have left some of these entries, so the statement ignores conflicts. */
export const addEntries = collectionStatement<Omit<ChangeValues, "entriesToRemove">>((db) =>
  db
    .insert(searchEntry)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, ${v.number}, e.value ->> 2
        from json_each(${v.entriesToAdd}) e where true`,
    )
    .onConflictDoNothing(),
);

export const deleteUnique = collectionStatement<Omit<RemovalValues, "entriesToRemove">>((db) =>
  db.delete(uniqueValue).where(
    sql`(field, value) in (select e.value ->> 0, e.value ->> 1 from json_each(${v.uniqueValuesToRemove}) e)
        and item = ${v.number}`,
  ),
);

/**
 * Ignores the values that are already stored for the item. While a field becomes unique, the index may contain some of
 * them before this change.
 */
export const insertUnique = collectionStatement<BaseChangeValues>((db) =>
  db
    .insert(uniqueValue)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, ${v.number}
        from json_each(${v.uniqueValuesToAdd}) e where true`,
    )
    .onConflictDoNothing(),
);

export const uniqueValuesOwned = collectionGuard<BaseChangeValues>(
  () =>
    sql`select ${guardCode("taken")} as code where exists (
      select 1 from json_each(${v.uniqueValuesToAdd}) e
        join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
        where u.item <> ${v.number})`,
);

export const updateItem = collectionStatement<BaseChangeValues>((db) =>
  db
    .update(item)
    .set({
      version: nextVersionSql(sql`version`),
      status: v.status,
      definitionVersion: v.definitionVersion,
      updatedAt: v.updatedAt,
      updatedBy: v.actor,
      data: v.data,
      lastChange: lastChangeSql("collection_id"),
    })
    .where(eq(item.number, v.number))
    .returning({ listened: hasListenersColumn("collection_id") }),
);

/** The item may have become the largest of its collection. */
export const updateLargest = collectionStatement<BaseChangeValues>((db) =>
  db
    .update(tally)
    .set({ largest: sql`octet_length(${v.data})` })
    .where(and(eq(tally.collectionId, v.collectionId), sql`largest < octet_length(${v.data})`)),
);

export const deleteItem = collectionStatement<Omit<RemovalValues, "entriesToRemove">>((db) =>
  db
    .delete(item)
    .where(eq(item.number, v.number))
    .returning({ listened: hasListenersColumn("collection_id") }),
);

export const decrementItemCount = collectionStatement<Omit<RemovalValues, "entriesToRemove">>(
  (db) =>
    db
      .update(tally)
      .set({ live: sql`live - 1` })
      .where(and(eq(tally.collectionId, v.collectionId))),
);
