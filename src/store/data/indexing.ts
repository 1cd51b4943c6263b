import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SearchEntry } from "#domain/data/index-entries.ts";
import type { ItemAction } from "#domain/item/change.ts";
import { attempt, failureOf } from "#store/db/retry.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { change, indexing, item, searchEntry, tally } from "#store/db/schema.ts";
import { changeTime, joinLast, lastChange, listened } from "./changes.ts";
import { runsOf, statement } from "#store/db/statement.ts";
import { firstTurn, inTurn } from "./index-check.ts";

export type Indexing = typeof indexing.$inferSelect;

/** A collection that has items to index, if there is one. */
export async function nextIndexing(
  db: D1Database,
  turn = firstTurn,
): Promise<Indexing | undefined> {
  const { where, order } = inTurn(indexing.collectionId, turn);
  const [row] = await attempt(() =>
    drizzle(db).select().from(indexing).where(where).orderBy(order).limit(1),
  );
  return row;
}

/** Entries of values that are recalculated, where the item is still what was read. */
const removeEntries = statement<{ removed: string }>((db, v) =>
  db.delete(searchEntry).where(
    sql`(field, value, item) in (select e.value ->> 0, e.value ->> 1, e.value ->> 3
        from json_each(${v.removed}) e
        where exists (select 1 from item where number = e.value ->> 3 and version = e.value ->> 4))`,
  ),
);

/** A recalculation is a change of the item: whatever changes its values changes its version and its stamp. */
const recalculate = statement<{ definitionVersion: number; recalculated: string }>((db, v) =>
  db
    .update(item)
    .set({
      version: sql`version + 1`,
      definitionVersion: v.definitionVersion,
      updatedBy: sql`'system'`,
      updatedAt: sql`(select e.value ->> 2 from json_each(${v.recalculated}) e where e.value ->> 0 = number)`,
      data: sql`(select e.value -> 3 from json_each(${v.recalculated}) e where e.value ->> 0 = number)`,
      lastChange: sql`${lastChange("collection_id")} + 1
        + (select e.key from json_each(${v.recalculated}) e where e.value ->> 0 = number)`,
    })
    .where(
      sql`(number, version) in
        (select e.value ->> 0, e.value ->> 1 from json_each(${v.recalculated}) e)`,
    ),
);

/**
 * Behind the change itself, which has given the numbers. An item that somebody else changed meanwhile points to a change
 * that is there already.
 */
const insertChanges = statement<{ action: string; recalculated: string; requestId: string }>(
  (db, v) =>
    db
      .insert(change)
      .select(
        sql`select i.last_change, ${changeTime(sql`(e.value ->> 2)`)}, 'system', ${v.action}, i.number, i.id, i.version,
        e.value ->> 4, e.value -> 5, nullif(e.value -> 6, 'null'), null, ${v.requestId}, null
        from json_each(${v.recalculated}) e
        join item i on i.number = e.value ->> 0 and i.version = (e.value ->> 1) + 1 and i.last_change is not null
        ${joinLast("i.collection_id")} where true`,
      )
      .onConflictDoNothing(),
);

/** Entries of items that changed since they were read are left out: the change has made its own. */
const insertEntries = statement<{ entries: string }>((db, v) =>
  db
    .insert(searchEntry)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, e.value ->> 3, e.value ->> 2
        from json_each(${v.entries}) e
        where exists (select 1 from item where number = e.value ->> 3 and version = e.value ->> 4)`,
    )
    .onConflictDoNothing(),
);

const growLargest = statement<{ collectionId: number; recalculated: string }>((db, v) =>
  db
    .update(tally)
    .set({
      largest: sql`max(largest, (select max(octet_length(e.value -> 3)) from json_each(${v.recalculated}) e))`,
    })
    .where(eq(tally.collectionId, v.collectionId)),
);

const isExpected = guardStatement<{ collectionId: number; revision: number }>(
  (v) => sql`select ${guardCode("definition_changed")} as code from collection
    where id = ${v.collectionId} and revision <> ${v.revision}`,
);

const advance = statement<{ collectionId: number; count: number; next: number; to: number }>(
  (db, v) =>
    db
      .update(indexing)
      .set({ next: v.to, done: sql`done + ${v.count}` })
      .where(and(eq(indexing.collectionId, v.collectionId), eq(indexing.next, v.next)))
      .returning({ listened: listened("collection_id") }),
);

const finish = statement<{ collectionId: number }>((db, v) =>
  db.delete(indexing).where(and(eq(indexing.collectionId, v.collectionId), sql`next > last`)),
);

type ItemEntry = [...SearchEntry, item: number, version: number];

/**
 * An item with new data as JSON, and with what its change tells: the one before, and, as JSON, its fields and former
 * values.
 */
interface Recalculated {
  item: number;
  version: number;
  updatedAt: number;
  data: string;
  previous: number | null;
  changedFields: string;
  former: string | null;
}

/** JSON stands in its row as it is, not as a text of it: escaped it could outgrow a parameter. */
function rowOf({ data, changedFields, former, ...head }: Recalculated): string {
  const { item: number, version, updatedAt, previous } = head;
  return `[${number},${version},${updatedAt},${data},${previous},${changedFields},${former}]`;
}

export interface IndexingStep {
  definitionVersion: number;
  revision: number;
  /** Entries with the number and the version of their item. */
  entries: ItemEntry[];
  /** Those that computed values had before. */
  removed: ItemEntry[];
  /** Items whose computed values changed, with their new data as JSON. */
  recalculated: Recalculated[];
  /** What the audit calls a recalculation, and under which id. */
  action: ItemAction;
  requestId: string;
  /** Where the next step begins. */
  to: number;
  count: number;
}

/** Entries that are made at once. */
const entryBytes = 500_000;

/**
 * Stores one step. A step that two do at once, or that is sent again, is done once. Whether it changed items of a
 * collection that some webhook listens to.
 */
export async function storeStep(
  db: D1Database,
  work: Indexing,
  step: IndexingStep,
): Promise<boolean> {
  const values = {
    ...work,
    ...step,
    recalculated: `[${step.recalculated.map(rowOf).join()}]`,
  };
  const removing = runsOf(step.removed).map((removed) => removeEntries(db, { removed }));
  const inserting = runsOf(step.entries, entryBytes).map((entries) =>
    insertEntries(db, { entries }),
  );
  // What is recalculated gets another version, so its entries go with it; all others can go before, a part at a time.
  const parts = step.recalculated.length > 0 ? [] : inserting.splice(0, inserting.length - 1);
  const recalculating =
    step.recalculated.length > 0 ? [recalculate, insertChanges, growLargest] : [];
  const last = [...recalculating, advance, finish].map((bind) => bind(db, values));
  try {
    for (const part of parts) await attempt(() => db.batch([isExpected(db, values), part]));
    const statements = [isExpected(db, values), ...removing, ...inserting, ...last];
    const results = await attempt(() => db.batch<{ listened?: number }>(statements));
    const heard = results.some(({ results: [row] }) => row?.listened === 1);
    return heard && step.recalculated.length > 0;
  } catch (error) {
    // The definition moved on, and with it the work: the next step sees it.
    if (failureOf(error).kind !== "guard") throw error;
    return false;
  }
}
