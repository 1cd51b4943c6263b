import { eq, sql } from "drizzle-orm";
import type { Collection } from "../../domain/definition/collection";
import { numbersOf } from "../../domain/item/item";
import type { Act } from "../audit/audit";
import type { Pending, PendingChange } from "./collection-now";
import {
  deletePending,
  dropPending,
  takeEffect,
  isExpected,
  savedBy,
  type Saved,
} from "./definition-statements";
import { endUnique } from "./field-statements";
import { collection, pendingChange } from "../db/schema";
import { statement } from "../db/statement";

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
