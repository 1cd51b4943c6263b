import { orm, type CollectionDatabase, type DataDatabase } from "#store/db/database.ts";
import { and, eq, sql } from "drizzle-orm";
import type { SearchEntry } from "#domain/data/index-entries.ts";
import type { ItemAction } from "#domain/item/change.ts";
import { retryTransient, classifyError } from "#store/db/retry.ts";
import { change, indexing, item, searchEntry, tally } from "#store/db/schema.ts";
import {
  changeTimeSql,
  joinLastChangeSql,
  precedingNumberSql,
  hasListenersColumn,
} from "./changes.ts";
import {
  jsonChunks,
  collectionStatement,
  dataStatement,
  nextVersionSql,
} from "#store/db/statement.ts";
import { guardRevision } from "./definition-statements.ts";
import { queueStart, queueOrder } from "./index-check.ts";

export type Indexing = typeof indexing.$inferSelect;

/** Finds a collection with items to index. */
export async function findNextIndexing(
  db: DataDatabase,
  cursor = queueStart,
): Promise<Indexing | undefined> {
  const { where, order } = queueOrder(indexing.collectionId, cursor);
  const [row] = await retryTransient(db, () =>
    orm(db).select().from(indexing).where(where).orderBy(order).limit(1),
  );
  return row;
}

/** Deletes the old entries of recalculated values, if the item is still unchanged. */
const removeEntriesStatement = dataStatement<{ removed: string }>((db, v) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in (select e.value ->> 0, e.value ->> 1, e.value ->> 3
        from json_each(${v.removed}) e
        where exists (select 1 from item where number = e.value ->> 3 and version = e.value ->> 4))`,
  ),
);

/** A recalculation is a change of the item, so it sets a new version and time. */
const recalculateStatement = dataStatement<{ definitionVersion: number; recalculated: string }>(
  (db, v) =>
    db
      .update(item)
      .set({
        version: nextVersionSql(sql`version`),
        definitionVersion: v.definitionVersion,
        updatedBy: sql`'system'`,
        updatedAt: sql`(select e.value ->> 2 from json_each(${v.recalculated}) e where e.value ->> 0 = number)`,
        data: sql`(select e.value -> 3 from json_each(${v.recalculated}) e where e.value ->> 0 = number)`,
        lastChange: sql`${precedingNumberSql("collection_id")} + 1
        + (select e.key from json_each(${v.recalculated}) e where e.value ->> 0 = number)`,
      })
      .where(
        sql`(number, version) in
        (select e.value ->> 0, e.value ->> 1 from json_each(${v.recalculated}) e)`,
      ),
);

/**
 * Runs after `recalculate`, which assigns the numbers. If another request changed the item first, `last_change` points
 * to an existing change, and the insert ignores the conflict.
 */
const insertChangesStatement = dataStatement<{
  action: string;
  recalculated: string;
  requestId: string;
}>((db, v) =>
  db
    .insert(change)
    .select(
      sql`select i.last_change, ${changeTimeSql(sql`(e.value ->> 2)`)}, 'system', ${v.action}, i.number, i.id, i.version,
        e.value ->> 4, e.value -> 5, nullif(e.value -> 6, 'null'), null, ${v.requestId}, null,
        nullif(e.value -> 7, 'null'), null
        from json_each(${v.recalculated}) e
        join item i on i.number = e.value ->> 0 and i.version = ${nextVersionSql(sql`(e.value ->> 1)`)} and i.last_change is not null
        ${joinLastChangeSql("i.collection_id")} where true`,
    )
    .onConflictDoNothing(),
);

/** Skips items that changed after they were read. Those changes stored their own entries. */
const insertEntriesStatement = dataStatement<{ entries: string }>((db, v) =>
  db
    .insert(searchEntry)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, e.value ->> 3, e.value ->> 2
        from json_each(${v.entries}) e
        where exists (select 1 from item where number = e.value ->> 3 and version = e.value ->> 4)`,
    )
    .onConflictDoNothing(),
);

const updateLargestStatement = collectionStatement<{ recalculated: string }>((db, v) =>
  db
    .update(tally)
    .set({
      largest: sql`max(largest, (select max(octet_length(e.value -> 3)) from json_each(${v.recalculated}) e))`,
    })
    .where(eq(tally.collectionId, v.collectionId)),
);

/** Ignores a step that began before fields were added, because the step left those fields out. */
const advanceStatement = collectionStatement<{
  count: number;
  fields: string;
  next: number;
  nextStart: number;
}>((db, v) =>
  db
    .update(indexing)
    .set({ next: v.nextStart, done: sql`done + ${v.count}` })
    .where(
      and(
        eq(indexing.collectionId, v.collectionId),
        eq(indexing.next, v.next),
        eq(indexing.fields, v.fields),
      ),
    )
    .returning({ listened: hasListenersColumn("collection_id") }),
);

const finishStatement = collectionStatement<{}>((db, v) =>
  db.delete(indexing).where(and(eq(indexing.collectionId, v.collectionId), sql`next > last`)),
);

type ItemEntry = [...SearchEntry, item: number, version: number];

/** An item with its new data and the contents of its change. `data`, `changedFields` and `former` are JSON. */
interface RecalculatedItem {
  item: number;
  version: number;
  updatedAt: number;
  data: string;
  previous: number | null;
  changedFields: string;
  former: string | null;
  /** The views that the item matches before and after (`viewMarks`). */
  views: string | null;
}

/** Embeds the JSON unescaped. An escaped string could exceed the size of a parameter. */
function toRecalculatedRow({
  data,
  changedFields,
  former,
  views,
  ...identity
}: RecalculatedItem): string {
  const { item: number, version, updatedAt, previous } = identity;
  return `[${number},${version},${updatedAt},${data},${previous},${changedFields},${former},${views}]`;
}

export interface IndexingStep {
  definitionVersion: number;
  revision: number;
  /** Entries with the number and the version of their items. */
  entries: ItemEntry[];
  /** Entries of the former computed values. */
  entriesToRemove: ItemEntry[];
  /** Items whose computed values changed, with their new data as JSON. */
  recalculated: RecalculatedItem[];
  /** The action and the request id of a recalculation in the audit log. */
  action: ItemAction;
  requestId: string;
  /** The number at which the next step starts. */
  nextStart: number;
  count: number;
}

/** The bytes of entries that one statement inserts. */
const maxEntryBytes = 500_000;

/**
 * Stores one step, once even if calls run concurrently or repeat. Returns true if the step changed items of a
 * collection with listeners.
 */
export async function storeIndexingStep(
  db: CollectionDatabase,
  progress: Indexing,
  step: IndexingStep,
): Promise<boolean> {
  const { collectionId: _, ...position } = progress;
  const values = {
    ...position,
    ...step,
    recalculated: `[${step.recalculated.map(toRecalculatedRow).join()}]`,
  };
  const deletions = jsonChunks(step.entriesToRemove).map((removed) =>
    removeEntriesStatement(db, { removed }),
  );
  const insertions = jsonChunks(step.entries, maxEntryBytes).map((entries) =>
    insertEntriesStatement(db, { entries }),
  );
  // Recalculated items get a new version in the same batch as their entries. Other entries can be stored earlier, in
  // chunks.
  const earlyInsertions =
    step.recalculated.length > 0 ? [] : insertions.splice(0, insertions.length - 1);
  const recalculations =
    step.recalculated.length > 0
      ? [recalculateStatement, insertChangesStatement, updateLargestStatement]
      : [];
  const finalStatements = [...recalculations, advanceStatement, finishStatement].map((bind) =>
    bind(db, values),
  );
  try {
    for (const insertion of earlyInsertions)
      await retryTransient(db, () => db.batch([guardRevision(db, values), insertion]));
    const statements = [guardRevision(db, values), ...deletions, ...insertions, ...finalStatements];
    const results = await retryTransient(db, () => db.batch<{ listened?: number }>(statements));
    const hasListeners = results.some(({ results: [row] }) => row?.listened === 1);
    return hasListeners && step.recalculated.length > 0;
  } catch (error) {
    // The definition changed, and with it the indexing. The next step reads the new state.
    if (classifyError(error).kind !== "guard") throw error;
    return false;
  }
}
