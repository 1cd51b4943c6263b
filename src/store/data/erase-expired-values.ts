import { sql } from "drizzle-orm";
import { defaultHistoryDays } from "#domain/definition/collection.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { batchQueries, query, type DataDatabase } from "#store/db/database.ts";
import { retryTransient } from "#store/db/retry.ts";
import { change, collection } from "#store/db/schema.ts";

/**
 * The minimum number of days for which a change keeps its actor, time and fields, even if its former values expire
 * earlier.
 */
export const minChangeDays = defaultHistoryDays;

const changesPerStep = 1000;
const dayMs = 24 * 60 * 60 * 1000;
const sequencesPerCollectionSql = sql.raw(String(sequencesPerCollection));
const changesPerStepSql = sql.raw(String(changesPerStep));

/** The first collection whose oldest former values have expired. */
const expiredCollectionSql = (now: number) => sql`(select id, erased, kept from
    (select id, max(erased_through, id * ${sequencesPerCollectionSql}) as erased, ${now} - history_days * ${sql.raw(String(dayMs))} as kept
      from collection where history_days < ${sql.raw(String(minChangeDays))}) c
  where (select at from change where number > c.erased and number < (c.id + 1) * ${sequencesPerCollectionSql}
    order by number limit 1) < c.kept order by id limit 1)`;

/** The next expired changes of that collection. Reads only one step, however many changes have expired. */
const expiredChangesSql = (
  now: number,
) => sql`(select x.number from ${expiredCollectionSql(now)} c join change x
  on x.number in (select number from change where number > c.erased and number < (c.id + 1) * ${sequencesPerCollectionSql}
    order by number limit ${changesPerStepSql}) and x.at < c.kept)`;

/** Erases one step of the former values that are older than `history_days`. Returns whether more may remain. */
export async function eraseExpiredValues(db: DataDatabase, now: number): Promise<boolean> {
  const [, progress] = await retryTransient(db, () =>
    batchQueries(db, [
      query(db, (builder) =>
        builder
          .update(change)
          .set({ former: null })
          .where(sql`number in ${expiredChangesSql(now)} and former is not null`),
      ),
      query(db, (builder) =>
        builder
          .update(collection)
          .set({ erasedThrough: sql`(select max(number) from ${expiredChangesSql(now)})` })
          .where(sql`id = (select id from ${expiredCollectionSql(now)})`),
      ),
    ]),
  );
  return progress.meta.changes > 0;
}
