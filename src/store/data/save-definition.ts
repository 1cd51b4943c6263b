import type { Collection, CollectionKind, Definition } from "#domain/definition/collection.ts";
import type { Act } from "#store/home/audit.ts";
import type { Pending, PendingChange } from "./collections.ts";
import { auditCreation, dropPending, takeEffect, insertCollection, insertTally, isExpected, definitionRow, savedBy, type Saved, areEmpty, fillUnique, deletePending, endUnique } from "./definition-statements.ts";
import { eq, sql, and, isNull } from "drizzle-orm";
import { numbersOf } from "#domain/item/item.ts";
import { collection, pendingChange, uniqueValue } from "#store/db/schema.ts";
import { statement, parameters } from "#store/db/statement.ts";
import { drizzle } from "drizzle-orm/d1";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import { attempt, failureOf } from "#store/db/retry.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { firstTurn, inTurn } from "./index-check.ts";

export async function createCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
  definition: Definition,
  act: Act,
): Promise<Saved> {
  const row = { ...definitionRow(definition, 1, act.at), kind, key, createdAt: act.at };
  const values = { ...act, ...row, version: 1, revision: 1 };
  return savedBy(
    db,
    [insertCollection, insertTally, auditCreation].map((bind) => bind(db, values)),
  );
}

/** Replaces a definition by the next version, with all that this asks of stored data, in one batch. */
export async function changeDefinition(
  db: D1Database,
  current: Collection,
  change: PendingChange,
  before: Pending | null,
  act: Act,
): Promise<Saved> {
  const { id, revision } = current;
  return savedBy(db, [
    isExpected(db, { id, revision }),
    ...dropPending(db, current, before),
    ...areEmpty(db, id, change.emptied),
    ...fillUnique(db, id, change.gained),
    ...takeEffect(db, current, change, act),
  ]);
}

/** The ids that a pending change has given are given, whatever becomes of it. */
const obeyPending = statement<{ id: number; nextId: number }>((db, v) =>
  db
    .update(collection)
    .set({
      revision: sql`revision + 1`,
      fields: sql`json_set(fields, '$.next', max(fields ->> '$.next', ${v.nextId}))`,
    })
    .where(eq(collection.id, v.id)),
);

const insertPending = statement<{ above: number; act: string; change: string; id: number }>(
  (db, v) =>
    db.insert(pendingChange).select(
      sql`select t.collection_id, ${v.change}, ${v.act}, ${v.above} + 1,
        ${v.above} + t.last_place, 0, t.live, null
        from tally t where t.collection_id = ${v.id}`,
    ),
);

/** Begins a change that has to look at more items than one batch can: from now on, writes obey it too. */
export async function beginPending(
  db: D1Database,
  current: Collection,
  change: PendingChange,
  before: Pending | null,
  act: Act,
): Promise<Saved> {
  const { id, revision } = current;
  const values = {
    id,
    revision,
    ...numbersOf(id),
    change: JSON.stringify(change),
    act: JSON.stringify(act),
    nextId: change.definition.fields.next,
  };
  return savedBy(db, [
    isExpected(db, values),
    ...dropPending(db, current, before),
    insertPending(db, values),
    obeyPending(db, values),
  ]);
}

/** Ends a change that was pending without effect, as the definition that holds was sent again. */
export async function forgetPending(
  db: D1Database,
  current: Collection,
  before: Pending,
): Promise<Saved> {
  const { id, revision } = current;
  const values = { id, revision, nextId: 0 };
  return savedBy(db, [
    isExpected(db, values),
    ...dropPending(db, current, before),
    obeyPending(db, values),
  ]);
}

/** All items were seen: the change takes effect. */
export async function completePending(
  db: D1Database,
  current: Collection,
  change: PendingChange,
  act: Act,
): Promise<Saved> {
  const { id, revision } = current;
  return savedBy(db, [
    isExpected(db, { id, revision }),
    deletePending(db, { id }),
    ...takeEffect(db, current, change, act),
  ]);
}

const keepProblem = statement<{ id: number; problem: string }>((db, v) =>
  db.update(pendingChange).set({ problem: v.problem }).where(eq(pendingChange.collectionId, v.id)),
);

/** An item stands against the change: it is dropped, and says why until the next one. */
export async function refusePending(
  db: D1Database,
  current: Collection,
  { gained }: PendingChange,
  problem: object,
): Promise<Saved> {
  const { id, revision } = current;
  const values = { id, revision, nextId: 0, problem: JSON.stringify(problem) };
  return savedBy(db, [
    isExpected(db, values),
    keepProblem(db, values),
    ...endUnique(
      db,
      id,
      gained.map(({ uniqueId }) => uniqueId),
    ),
    obeyPending(db, values),
  ]);
}

/** A change that still has items to look at. */
export type PendingWork = typeof pendingChange.$inferSelect;

export async function nextPending(db: D1Database, turn = firstTurn): Promise<PendingWork | undefined> {
  const { where, order } = inTurn(pendingChange.collectionId, turn);
  const [row] = await attempt(() =>
    drizzle(db)
      .select()
      .from(pendingChange)
      .where(and(isNull(pendingChange.problem), where))
      .orderBy(order)
      .limit(1),
  );
  return row;
}

/** A value of a field that becomes unique, with the number and the version of the item that has it. */
export type ItemValue = [...UniqueValue, item: number, version: number];

const isExpectedRevision = guardStatement<{ collectionId: number; revision: number }>(
  (v) => sql`select ${guardCode("definition_changed")} as code from ${collection}
    where id = ${v.collectionId} and revision <> ${v.revision}`,
);

/** Values of items that changed since they were read are left out: the change has stored its own. */
const ahead = parameters<{ values: string }>();
const own = sql`json_each(${ahead.values}) e
    join item i on i.number = e.value ->> 2 and i.version = e.value ->> 3`;

const keepValues = statement<{ values: string }>((db) =>
  db
    .insert(uniqueValue)
    .select(sql`select e.value ->> 0, e.value ->> 1, e.value ->> 2 from ${own} where true`)
    .onConflictDoNothing(),
);

const isNobodys = guardStatement<{ values: string }>(
  () => sql`select ${guardCode("taken")} as code where exists (select 1 from ${own}
      join unique_value u on u.field = e.value ->> 0 and u.value = e.value ->> 1
      where u.item <> i.number)`,
);

const advance = statement<{ collectionId: number; count: number; next: number; to: number }>(
  (db, v) =>
    db
      .update(pendingChange)
      .set({ next: v.to, done: sql`done + ${v.count}` })
      .where(and(eq(pendingChange.collectionId, v.collectionId), eq(pendingChange.next, v.next))),
);

/** Stores one step; one that two do at once, or that is sent again, is done once. */
export async function storePendingStep(
  db: D1Database,
  { collectionId, next }: PendingWork,
  step: { revision: number; values: readonly ItemValue[]; to: number; count: number },
): Promise<"stored" | "stale" | "taken"> {
  const values = { collectionId, next, ...step, values: JSON.stringify(step.values) };
  const statements = [
    isExpectedRevision,
    ...(step.values.length > 0 ? [keepValues, isNobodys] : []),
    advance,
  ].map((bind) => bind(db, values));
  try {
    await attempt(() => db.batch(statements));
    return "stored";
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== "guard") throw error;
    return failure.constraint === "taken" ? "taken" : "stale";
  }
}
