import { sql, type SQLWrapper, type SQL } from "drizzle-orm";
import { change, erasure } from "#store/db/schema.ts";
import { dataStatement, type Builder } from "#store/db/statement.ts";

/** Statements that erase the former values of deleted items. */

/** The number of an item's newest changes that a deletion erases at once. A sweep erases the others in steps. */
export const maxErasedPerBatch = 200;

/** Follows the pointers to previous changes from each number that `starts` selects. `place` counts from 1. */
const chainsSql = (starts: SQLWrapper, maxLength: number) =>
  sql`with recursive chain (number, previous, place) as (
      select number, previous, 1 from change where number in (${starts})
      union all select c.number, c.previous, place + 1 from chain
        join change c on c.number = chain.previous where place < ${sql.raw(String(maxLength))})`;

/** Erases the former values of items in their newest changes. `starts` selects the number of the last change of each item. */
export const eraseNewest = (db: Builder, starts: SQLWrapper, maxLength = maxErasedPerBatch) =>
  db
    .update(change)
    .set({ former: null })
    .where(
      sql`number in (${chainsSql(starts, maxLength)} select number from chain) and former is not null`,
    );

/** Queues the earlier changes, whose former values a sweep erases in steps. */
export const queueEarlier = (db: Builder, starts: SQLWrapper, maxLength = maxErasedPerBatch) =>
  db
    .insert(erasure)
    .select(
      sql`${chainsSql(starts, maxLength)} select previous from chain
        where place = ${sql.raw(String(maxLength))} and previous is not null`,
    )
    .onConflictDoNothing();

const lastChangeSql = (number: SQL) => sql`select last_change from item where number = ${number}`;

export const eraseFormerValues = dataStatement<{ number: number }>((db, { number }) =>
  eraseNewest(db, lastChangeSql(number)),
);

export const queueErasure = dataStatement<{ number: number }>((db, { number }) =>
  queueEarlier(db, lastChangeSql(number)),
);

const maxErasedPerStep = 1000;

/** Erases one step of the remaining former values, starting from this change. */
export const eraseStep = dataStatement<{ from: number }>((db, { from }) =>
  eraseNewest(db, from, maxErasedPerStep),
);

export const queueNextErasure = dataStatement<{ from: number }>((db, { from }) =>
  queueEarlier(db, from, maxErasedPerStep),
);
