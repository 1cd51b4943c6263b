import { sql } from "drizzle-orm";
import { collectionGuard, guardCode } from "#store/db/guard.ts";
import { deletedItem, item } from "#store/db/schema.ts";
import { collectionStatement, placeholders } from "#store/db/statement.ts";
import type { BatchRowValues } from "./batch-statements.ts";
import { lastChangeSql } from "./changes.ts";
import { itemTitleSql } from "./item-title.ts";

/** The statements of a batch that deletes items which can be restored, or restores them. */

const v = placeholders<BatchRowValues & { collectionId: number }>();
const element = (index: number) => sql`(e.value ->> ${sql.raw(String(index))})`;

/** Rows: number and version of each deleted item that the batch restores, as the request read them. */
export const deletedUnchanged = collectionGuard<BatchRowValues>(
  () =>
    sql`select ${guardCode("item_changed")} as code where exists (select 1 from json_each(${v.rows}) e
    left join deleted_item d on d.number = ${element(0)} where d.version is not ${element(1)})`,
);

/** Rows: number, status, version, data, number of changes of this batch after the last one of the item, time. */
export const restoreItems = collectionStatement<BatchRowValues>((db) =>
  db.insert(item).select(
    sql`select d.number, d.id, d.collection_id, d.receipt_number, ${element(1)}, ${element(2)}, ${v.definitionVersion},
        d.created_at, d.created_by, ${element(5)}, ${v.actor}, e.value -> 3,
        ${lastChangeSql("d.collection_id")} - ${element(4)}
      from json_each(${v.rows}) e join deleted_item d on d.number = ${element(0)}`,
  ),
);

/** Rows: number. */
export const forgetDeleted = collectionStatement<BatchRowValues>((db) =>
  db.delete(deletedItem).where(sql`number in (select ${element(0)} from json_each(${v.rows}) e)`),
);

/**
 * Stores items that the batch deletes. Rows: number, number of changes of this batch after the last one of the item.
 */
export const keepDeleted = collectionStatement<BatchRowValues>((db) =>
  db.insert(deletedItem).select(
    sql`select i.number, i.id, i.collection_id, i.receipt_number, i.status, i.version, i.definition_version, i.created_at,
        i.created_by, i.updated_at, i.updated_by, ${lastChangeSql("i.collection_id")} - ${element(1)},
        ${v.now}, ${v.actor}, ${v.keptUntil}, ${itemTitleSql("i", "c")}, i.data
      from json_each(${v.rows}) e join item i on i.number = ${element(0)} join collection c on c.id = i.collection_id`,
  ),
);
