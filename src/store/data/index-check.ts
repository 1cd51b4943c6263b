import { lazySql } from "#store/db/lazy.ts";
import { orm, type CollectionDatabase, type DataDatabase } from "#store/db/database.ts";
import { sql, type Column, type SQL, and, eq } from "drizzle-orm";
import { fieldNumber, fieldsPerCollection } from "#domain/data/values.ts";
import { type Item, itemNumberRange } from "#domain/item/item.ts";
import { retryTransient, runOnce } from "#store/db/retry.ts";
import { insertAuditEntry, type AuditRecord } from "#store/home/audit.ts";
import { startIndexing } from "./definition-statements.ts";
import { itemFromRow, itemColumns, type ItemRow } from "./items.ts";
import { indexCheck, item, searchEntry } from "#store/db/schema.ts";
import {
  jsonChunks,
  placeholders,
  collectionStatement,
  dataStatement,
} from "#store/db/statement.ts";

/** The position in a queue of collections. The next collection has an id above `after`. The queue wraps around. */
export interface QueueCursor {
  after: number;
  excluded: readonly number[];
}

export const queueStart: QueueCursor = { after: 0, excluded: [] };

/** Selects the next collection of a queue. Work on deleted collections waits, because they may be restored. */
export function queueOrder(
  column: Column,
  { after, excluded }: QueueCursor,
): { where: SQL; order: SQL } {
  return {
    where: sql`${column} not in (select value from json_each(${JSON.stringify(excluded)}))
      and exists (select 1 from collection where collection.id = ${column})`,
    order: sql`${column} <= ${after}, ${column}`,
  };
}

export type IndexCheck = typeof indexCheck.$inferSelect;

const upsertCheckStatement = collectionStatement<{ field: number }>((db, v) =>
  db
    .insert(indexCheck)
    .select(sql`select ${v.collectionId}, ${v.field}, '', 0, 0, 0 where true`)
    .onConflictDoUpdate({
      target: indexCheck.collectionId,
      set: {
        field: sql`excluded.field`,
        value: sql`excluded.value`,
        item: sql`excluded.item`,
        seen: sql`excluded.seen`,
        removed: sql`excluded.removed`,
      },
    }),
);

/** Starts a check from the beginning and queues a rebuild of these fields' entries. Searches use the existing ones. */
export async function beginIndexCheck(
  db: CollectionDatabase,
  fields: readonly number[],
  auditRecord: AuditRecord,
): Promise<void> {
  const { above } = itemNumberRange(db.collectionId);
  await runOnce(db, () =>
    db.batch([
      upsertCheckStatement(db, { field: fieldNumber(db.collectionId, 0) }),
      startIndexing(db, { above, unindexed: JSON.stringify(fields), newlySearchable: "[]" }),
      insertAuditEntry(db, { ...auditRecord }),
    ]),
  );
}

export async function findNextIndexCheck(
  db: DataDatabase,
  cursor = queueStart,
): Promise<IndexCheck | undefined> {
  const { where, order } = queueOrder(indexCheck.collectionId, cursor);
  const [row] = await retryTransient(db, () =>
    orm(db).select().from(indexCheck).where(where).orderBy(order).limit(1),
  );
  return row;
}

/** An entry with its item. The item is undefined if it no longer exists. */
interface CheckedEntry {
  field: number;
  value: string | number;
  number: number;
  item: Item | undefined;
}

const checkPosition = placeholders<{
  below: number;
  field: number;
  item: number;
  limit: number;
  value: string | number;
}>();
const entriesAfterSql = lazySql(
  () => sql`select field, value, item from search_entry
  where (field, value, item) > (${checkPosition.field}, ${checkPosition.value}, ${checkPosition.item})
    and field < ${checkPosition.below}
  order by field, value, item limit ${checkPosition.limit}`,
);

/** The bytes of an entry and of its item, if that still exists. */
const entryBytesSql = sql`(octet_length(e.value) + coalesce(octet_length(i.data), 0))`;

/**
 * Selects the entries after the position of the check, with their items. Stops at `bytes` of data, but returns at least
 * one.
 */
const selectEntries = dataStatement<{
  below: number;
  bytes: number;
  field: number;
  item: number;
  limit: number;
  value: string | number;
}>((db, v) =>
  db
    .select({
      ...itemColumns(),
      entry_field: sql`e.field`.as("entry_field"),
      entry_value: sql`e.value`.as("entry_value"),
      entry_item: sql`e.item`.as("entry_item"),
    })
    .from(sql`(select e.*, sum(${entryBytesSql}) over (rows unbounded preceding) - ${entryBytesSql} as spent
      from (${entriesAfterSql}) e left join item i on i.number = e.item) e`)
    .leftJoin(item, sql`${item.number} = e.item`)
    .where(sql`e.spent < ${v.bytes}`),
);

type Row = ItemRow & { entry_field: number; entry_value: string | number; entry_item: number };

export async function loadEntriesToCheck(
  db: CollectionDatabase,
  check: IndexCheck,
  limit: number,
  bytes: number,
): Promise<CheckedEntry[]> {
  const below = fieldNumber(check.collectionId, 0) + fieldsPerCollection;
  const values = { ...check, below, limit, bytes };
  const { results } = await retryTransient(db, () => selectEntries(db, values).all<Row>());
  return results.map((row) => ({
    field: row.entry_field,
    value: row.entry_value,
    number: row.entry_item,
    item: row.id === null ? undefined : itemFromRow(row),
  }));
}

/** Deletes an entry only if its item is unchanged since the read, or still missing. */
const deleteInvalidEntriesStatement = dataStatement<{ entries: string }>((db, v) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in (
        select e.value ->> 0, e.value ->> 1, e.value ->> 2 from json_each(${v.entries}) e
        where (select version from item where number = e.value ->> 2) is (e.value ->> 3))`,
  ),
);

const advanceStatement = collectionStatement<{
  count: number;
  field: number;
  item: number;
  toField: number;
  toItem: number;
  toValue: string;
  wrongCount: number;
}>((db, v) =>
  db
    .update(indexCheck)
    .set({
      field: v.toField,
      value: sql`(${v.toValue} ->> 0)`,
      item: v.toItem,
      seen: sql`seen + ${v.count}`,
      removed: sql`removed + ${v.wrongCount}`,
    })
    .where(
      and(
        eq(indexCheck.collectionId, v.collectionId),
        eq(indexCheck.field, v.field),
        eq(indexCheck.item, v.item),
      ),
    ),
);

const finish = collectionStatement<object>((db, v) =>
  db.delete(indexCheck).where(eq(indexCheck.collectionId, v.collectionId)),
);

export async function storeCheckStep(
  db: CollectionDatabase,
  check: IndexCheck,
  checkedEntries: readonly CheckedEntry[],
  wrongEntries: readonly CheckedEntry[],
): Promise<void> {
  const last = checkedEntries.at(-1);
  if (!last) {
    await retryTransient(db, () => finish(db, {}).run());
    return;
  }
  const rows = wrongEntries.map(({ field, value, number, item: entryItem }) => [
    field,
    value,
    number,
    entryItem?.version ?? null,
  ]);
  const { collectionId: _, ...position } = check;
  const values = {
    ...position,
    toField: last.field,
    toValue: JSON.stringify([last.value]),
    toItem: last.number,
    count: checkedEntries.length,
    wrongCount: wrongEntries.length,
  };
  const deletions = jsonChunks(rows).map((entries) =>
    deleteInvalidEntriesStatement(db, { entries }),
  );
  await retryTransient(db, () => db.batch([...deletions, advanceStatement(db, values)]));
}

const rowsPerStep = 2000;

/** Deletes values of fields that are no longer unique. Returns whether more may remain. */
export function sweepFormerUnique(db: DataDatabase): Promise<boolean> {
  return sweepFields(db, "former_unique", "unique_value", "field, value");
}

/** Deletes search entries that no query reads any more. Returns whether more may remain. */
export function sweepFormerEntries(db: DataDatabase): Promise<boolean> {
  return sweepFields(db, "former_entry", "search_entry", "field, value, item");
}

/** Deletes one step of the rows of the first field in `formerTable`. The field leaves that table with its last row. */
async function sweepFields(
  db: DataDatabase,
  formerTable: "former_unique" | "former_entry",
  rowTable: "unique_value" | "search_entry",
  key: string,
): Promise<boolean> {
  const field = await retryTransient(db, () =>
    db.prepare(`select min(field) as field from ${formerTable}`).first<number | null>("field"),
  );
  if (field === null) return false;
  const keys = `select ${key} from ${rowTable} where field = ?1 limit ${rowsPerStep}`;
  await retryTransient(db, () =>
    db.batch(
      [
        `delete from ${rowTable} where (${key}) in (${keys})`,
        `delete from ${formerTable} where field = ?1 and not exists (select 1 from ${rowTable} where field = ?1)`,
      ].map((text) => db.prepare(text, [field])),
    ),
  );
  return true;
}
