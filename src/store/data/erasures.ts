import { sql, type SQL } from "drizzle-orm";
import { change, erasure } from "#store/db/schema.ts";
import { dataStatement } from "#store/db/statement.ts";

/** Statements that erase the former values of deleted items. */

/** The number of an item's changes that a deletion erases at once. A sweep erases the others in steps. */
export const maxErasedPerBatch = 200;

interface ChainStart {
  number: number;
}

/** Follows the pointers to previous changes from `start`. `place` counts from 1. */
const chainSql = (start: SQL, maxLength: number) =>
  sql`with recursive chain (number, previous, place) as (
      select number, previous, 1 from change where number = ${start}
      union all select c.number, c.previous, place + 1 from chain
        join change c on c.number = chain.previous where place < ${sql.raw(String(maxLength))})`;

const lastChangeOfItemSql = (number: SQL) =>
  sql`(select last_change from item where number = ${number})`;

export const eraseFormerValues = dataStatement<ChainStart>((db, { number }) =>
  db
    .update(change)
    .set({ former: null })
    .where(
      sql`number in (${chainSql(lastChangeOfItemSql(number), maxErasedPerBatch)} select number from chain) and former is not null`,
    ),
);

export const queueErasure = dataStatement<ChainStart>((db, { number }) =>
  db
    .insert(erasure)
    .select(
      sql`${chainSql(lastChangeOfItemSql(number), maxErasedPerBatch)} select previous from chain
        where place = ${sql.raw(String(maxErasedPerBatch))} and previous is not null`,
    )
    .onConflictDoNothing(),
);

const maxErasedPerStep = 1000;

/** Erases one step of the remaining former values, starting from this change. */
export const eraseStep = dataStatement<{ from: number }>((db, { from }) =>
  db
    .update(change)
    .set({ former: null })
    .where(
      sql`number in (${chainSql(from, maxErasedPerStep)} select number from chain) and former is not null`,
    ),
);

export const queueNextErasure = dataStatement<{ from: number }>((db, { from }) =>
  db
    .insert(erasure)
    .select(
      sql`${chainSql(from, maxErasedPerStep)} select previous from chain
        where place = ${sql.raw(String(maxErasedPerStep))} and previous is not null`,
    )
    .onConflictDoNothing(),
);
