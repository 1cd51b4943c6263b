import { sql } from "drizzle-orm";
import { rowIdEndingLength } from "#domain/import/row-ids.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { collectionGuard, guardCode } from "#store/db/guard.ts";
import { lazySql } from "#store/db/lazy.ts";
import { collectionStatement, placeholders } from "#store/db/statement.ts";

/** The IDs of imported rows: which items they name, and which IDs were given before. */

/** SQL that compares an indexed column of IDs with the ID of a row. All items of the row match. */
export function matchesRowSql(column: string, rowId: string): string {
  const start = `substr(${rowId}, 1, length(${rowId}) - ${rowIdEndingLength})`;
  return `(${column} > ${start} and ${column} < ${start} || '~')`;
}

/** Uses the index on deletions, which has the same list of actions. */
const wasDeletedSql = (id: string) => `exists (select 1 from change
    where item_id = ${id} and action in ('record.erase', 'submission.delete', 'submission.erase'))`;

const isRestorableSql = (rowId: string) =>
  `exists (select 1 from deleted_item d where ${matchesRowSql("d.id", rowId)})`;

const v = placeholders<{ rowIds: string; rows: string; collectionId: number }>();
const perCollection = sql.raw(String(sequencesPerCollection));

/** Whether the service has forgotten early changes of the collection, so that a deletion may be unknown. */
const hasForgottenChanges = lazySql(
  () => sql`coalesce((select number from change where number > ${v.collectionId} * ${perCollection}
    and number < (${v.collectionId} + 1) * ${perCollection} order by number limit 1) > ${v.collectionId} * ${perCollection} + 1, 0)`,
);

/** What earlier imports did with the ID of a row. The columns are 0 or 1. */
export interface GivenRowId {
  rowId: string;
  /** Whether an item of the row was deleted and can be restored. */
  isRestorable: number;
  /** Whether an item had this ID, or may have had it. */
  isGiven: number;
}

export const selectGivenRowIds = collectionStatement<{ rowIds: string }>((db) =>
  db
    .select({
      rowId: sql<string>`e.value`.as("rowId"),
      isRestorable: sql<number>`${sql.raw(isRestorableSql("e.value"))}`.as("isRestorable"),
      isGiven: sql<number>`(${sql.raw(wasDeletedSql("e.value"))} or ${hasForgottenChanges})`.as(
        "isGiven",
      ),
    })
    .from(sql`json_each(${v.rowIds}) e`),
);

/**
 * Aborts the batch if a row has an item, or if an item had the ID. Rows: ID of a new item. The request has read both
 * before, so this happens only after a concurrent write.
 */
export const rowIdsFree = collectionGuard<{ rows: string }>(() => {
  const id = "(e.value ->> 0)";
  const isLive = `exists (select 1 from item i where ${matchesRowSql("i.id", id)})`;
  return sql`select ${guardCode("item_changed")} as code where exists (select 1 from json_each(${v.rows}) e
    where ${sql.raw(`${isLive} or ${isRestorableSql(id)} or ${wasDeletedSql(id)}`)})`;
});
