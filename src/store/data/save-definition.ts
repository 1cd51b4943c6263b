import { runSave } from "./patch-definition.ts";
import { lazySql } from "#store/db/lazy.ts";
import { orm, type CollectionDatabase, type DataDatabase } from "#store/db/database.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { AuditRecord } from "#store/home/audit.ts";
import type { PendingDefinition, PendingChange } from "./collections.ts";
import { guardApps } from "./references.ts";
import {
  buildDropStatements,
  buildApplyStatements,
  guardRevision,
  type SaveResult,
  guardFieldsEmpty,
  buildUniqueInserts,
  deletePendingRow,
  endUniqueness,
} from "./definition-statements.ts";
import { eq, sql, and, isNull } from "drizzle-orm";
import { itemNumberRange } from "#domain/item/item.ts";
import { collection, pendingChange, uniqueValue } from "#store/db/schema.ts";
import {
  collectionStatement,
  dataStatement,
  nextVersionSql,
  placeholders,
} from "#store/db/statement.ts";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import { retryTransient, classifyError } from "#store/db/retry.ts";
import { guardCode, dataGuard } from "#store/db/guard.ts";
import { queueStart, queueOrder } from "./index-check.ts";

/** Replaces a definition with the next version in one batch, and changes stored data as the new version requires. */
export async function changeDefinition(
  db: CollectionDatabase,
  current: Collection,
  change: PendingChange,
  pending: PendingDefinition | null,
  auditRecord: AuditRecord,
): Promise<SaveResult> {
  const { revision } = current;
  return runSave(db, [
    guardRevision(db, { revision }),
    ...guardApps(db, change.definition),
    ...buildDropStatements(db, pending),
    ...guardFieldsEmpty(db, change.emptied),
    ...buildUniqueInserts(db, change.gained),
    ...buildApplyStatements(db, current, change, auditRecord),
  ]);
}

/** Raises the revision. Keeps the field IDs below `nextId` reserved, whether or not a pending change takes effect. */
const raiseRevision = collectionStatement<{ nextId: number }>((db, v) =>
  db
    .update(collection)
    .set({
      revision: nextVersionSql(sql`revision`),
      fields: sql`json_set(fields, '$.next', max(fields ->> '$.next', ${v.nextId}))`,
    })
    .where(eq(collection.id, v.collectionId)),
);

const insertPendingStatement = collectionStatement<{
  above: number;
  auditRecord: string;
  change: string;
}>((db, v) =>
  db.insert(pendingChange).select(
    sql`select t.collection_id, ${v.change}, ${v.auditRecord}, ${v.above} + 1,
        ${v.above} + t.last_place, 0, t.live, null
        from tally t where t.collection_id = ${v.collectionId}`,
  ),
);

/**
 * Starts a change that has to check more items than one batch can. Until the change ends, writes must also meet its
 * rules.
 */
export async function beginPending(
  db: CollectionDatabase,
  current: Collection,
  change: PendingChange,
  pending: PendingDefinition | null,
  auditRecord: AuditRecord,
): Promise<SaveResult> {
  const { revision } = current;
  const values = {
    revision,
    above: itemNumberRange(db.collectionId).above,
    change: JSON.stringify(change),
    auditRecord: JSON.stringify(auditRecord),
    nextId: change.definition.fields.next,
  };
  return runSave(db, [
    guardRevision(db, values),
    ...guardApps(db, change.definition),
    ...buildDropStatements(db, pending),
    insertPendingStatement(db, values),
    raiseRevision(db, values),
  ]);
}

/** Cancels a pending change because the caller sent the current definition again. */
export async function cancelPending(
  db: CollectionDatabase,
  current: Collection,
  pending: PendingDefinition,
): Promise<SaveResult> {
  const { revision } = current;
  const values = { revision, nextId: 0 };
  return runSave(db, [
    guardRevision(db, values),
    ...buildDropStatements(db, pending),
    raiseRevision(db, values),
  ]);
}

/** Applies a pending change after all items have been checked. */
export async function completePending(
  db: CollectionDatabase,
  current: Collection,
  change: PendingChange,
  auditRecord: AuditRecord,
): Promise<SaveResult> {
  const { revision } = current;
  return runSave(db, [
    guardRevision(db, { revision }),
    deletePendingRow(db, {}),
    ...buildApplyStatements(db, current, change, auditRecord),
  ]);
}

const storeProblemStatement = collectionStatement<{ problem: string }>((db, v) =>
  db
    .update(pendingChange)
    .set({ problem: v.problem })
    .where(eq(pendingChange.collectionId, v.collectionId)),
);

/** Rejects a pending change because of a stored item. The problem remains readable until the next change. */
export async function rejectPending(
  db: CollectionDatabase,
  current: Collection,
  { gained }: PendingChange,
  problem: object,
): Promise<SaveResult> {
  const { revision } = current;
  const values = { revision, nextId: 0, problem: JSON.stringify(problem) };
  return runSave(db, [
    guardRevision(db, values),
    storeProblemStatement(db, values),
    ...endUniqueness(
      db,
      gained.map(({ uniqueId }) => uniqueId),
    ),
    raiseRevision(db, values),
  ]);
}

/** A change that still has items to check, or whose problem is still readable. */
export type PendingChangeRow = typeof pendingChange.$inferSelect;

/** The next change that still has items to check. */
export async function findNextPending(
  db: DataDatabase,
  cursor = queueStart,
): Promise<PendingChangeRow | undefined> {
  const { where, order } = queueOrder(pendingChange.collectionId, cursor);
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select()
      .from(pendingChange)
      .where(and(isNull(pendingChange.problem), where))
      .orderBy(order)
      .limit(1),
  );
  return row;
}

/** A value of a field that becomes unique, with the number and the version of its item. */
export type ItemValue = [...UniqueValue, item: number, version: number];

const stepPlaceholders = placeholders<{ values: string }>();
/** Skips items that changed after they were read. The writes that changed them stored their values. */
const valuesOfUnchangedItemsSql = lazySql(
  () => sql`json_each(${stepPlaceholders.values}) e
    join item i on i.number = e.value ->> 2 and i.version = e.value ->> 3`,
);

const insertUniqueStatement = dataStatement<{ values: string }>((db) =>
  db
    .insert(uniqueValue)
    .select(
      sql`select e.value ->> 0, e.value ->> 1, e.value ->> 2 from ${valuesOfUnchangedItemsSql} where true`,
    )
    .onConflictDoNothing(),
);

const guardUniqueValues = dataGuard<{ values: string }>(
  () => sql`select ${guardCode("taken")} as code where exists (select 1 from ${valuesOfUnchangedItemsSql}
      join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
      where u.item <> i.number)`,
);

const advanceStatement = collectionStatement<{ count: number; start: number; nextStart: number }>(
  (db, v) =>
    db
      .update(pendingChange)
      .set({ next: v.nextStart, done: sql`done + ${v.count}` })
      .where(and(eq(pendingChange.collectionId, v.collectionId), eq(pendingChange.next, v.start))),
);

/** Stores one step exactly once, even if calls run concurrently or are retried. */
export async function storePendingStep(
  db: CollectionDatabase,
  { next }: PendingChangeRow,
  step: { revision: number; values: readonly ItemValue[]; nextStart: number; count: number },
): Promise<"stored" | "stale" | "taken"> {
  const values = { start: next, ...step, values: JSON.stringify(step.values) };
  const statements = [
    guardRevision,
    ...(step.values.length > 0 ? [insertUniqueStatement, guardUniqueValues] : []),
    advanceStatement,
  ].map((build) => build(db, values));
  try {
    await retryTransient(db, () => db.batch(statements));
    return "stored";
  } catch (error) {
    const failure = classifyError(error);
    if (failure.kind !== "guard") throw error;
    return failure.constraint === "taken" ? "taken" : "stale";
  }
}
