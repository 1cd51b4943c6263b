import { and, eq, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { UniqueValue } from "../../domain/data/unique-values";
import { attempt } from "../db/attempt";
import { failureOf } from "../db/failure";
import { guardCode, guardStatement } from "../db/guard";
import { collection, pendingChange, uniqueValue } from "../db/schema";
import { parameters, statement } from "../db/statement";
import { firstTurn, inTurn } from "./turn";

/** A change that still has items to look at. */
export type Pending = typeof pendingChange.$inferSelect;

export async function nextPending(db: D1Database, turn = firstTurn): Promise<Pending | undefined> {
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

const isExpected = guardStatement<{ collectionId: number; revision: number }>(
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
  { collectionId, next }: Pending,
  step: { revision: number; values: readonly ItemValue[]; to: number; count: number },
): Promise<"stored" | "stale" | "taken"> {
  const values = { collectionId, next, ...step, values: JSON.stringify(step.values) };
  const statements = [
    isExpected,
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
