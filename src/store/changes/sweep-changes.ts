import { asc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { placesPerCollection } from "../../domain/item/item";
import { attempt } from "../db/attempt";
import { change, erasure } from "../db/schema";
import { eraseOn, eraseStep } from "./change-statements";

/** Erases former values of deleted items, a step of them; gives whether there may be more. */
export async function sweepErasures(db: D1Database): Promise<boolean> {
  const orm = drizzle(db);
  const [first] = await attempt(() =>
    orm.select().from(erasure).orderBy(asc(erasure.change)).limit(1),
  );
  if (!first) return false;
  const from = { from: first.change };
  const done = orm.delete(erasure).where(eq(erasure.change, first.change)).toSQL();
  await attempt(() =>
    db.batch([eraseStep(db, from), eraseOn(db, from), db.prepare(done.sql).bind(...done.params)]),
  );
  return true;
}

const collectionsPerStep = 500;
const rowsPerStep = 1000;
const day = 24 * 60 * 60 * 1000;
const room = sql.raw(String(placesPerCollection));

/** The first row of each collection is its oldest. */
const oldest = sql`(select number from change where number > c.id * ${room}
  and number < (c.id + 1) * ${room} order by number limit 1)`;
const newest = sql`(select number from change where number > c.id * ${room}
  and number < (c.id + 1) * ${room} order by number desc limit 1)`;

/**
 * Deletes changes that are kept no longer, of the collections from this id on; the last one of each stays. Gives the id
 * to go on from, null at the end, and whether the same ones have more to delete.
 */
export async function sweepHistory(
  db: D1Database,
  now: number,
  from: number,
): Promise<{ next: number | null; more: boolean }> {
  const orm = drizzle(db);
  const some = sql`(select c.id, ${oldest} as oldest, ${newest} as newest, ${now} - c.history_days * ${sql.raw(String(day))} as kept
    from collection c where c.id >= ${from} order by c.id limit ${sql.raw(String(collectionsPerStep))})`;
  const expired = sql`(select x.number from ${some} c join change x
      on x.number in (select number from change where number >= c.oldest and number < c.newest
        and at < c.kept and (select at from change where number = c.oldest) < c.kept order by number limit ${sql.raw(String(rowsPerStep))})
    limit ${sql.raw(String(rowsPerStep))})`;
  const [ids, deleted] = await attempt(() =>
    orm.batch([
      orm.select({ last: sql<number | null>`max(id)`, count: sql<number>`count(*)` }).from(some),
      orm.delete(change).where(sql`number in ${expired}`),
    ]),
  );
  const [found] = ids;
  const full = found !== undefined && found.count === collectionsPerStep && found.last !== null;
  return { next: full ? (found.last ?? 0) + 1 : null, more: deleted.meta.changes === rowsPerStep };
}
