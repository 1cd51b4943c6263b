import {
  batchBoth,
  orm,
  query,
  type DataDatabase,
  type Databases,
  type HomeDatabase,
} from "#store/db/database.ts";
import { inArray, lte } from "drizzle-orm";
import { retryTransient } from "#store/db/retry.ts";
import { invitation, replay, session } from "#store/db/schema.ts";

const rowsPerStep = 1000;

const deleteExpired = (db: HomeDatabase, now: number) => {
  const expired = orm(db)
    .select({ hash: session.hash })
    .from(session)
    .where(lte(session.expiresAt, now))
    .limit(rowsPerStep);
  return [
    query(db, (on) => on.delete(invitation).where(lte(invitation.expiresAt, now))),
    query(db, (on) => on.delete(session).where(inArray(session.hash, expired))),
  ] as const;
};

const deleteExpiredReplays = (db: DataDatabase, now: number) => {
  const expired = orm(db)
    .select({ key: replay.key })
    .from(replay)
    .where(lte(replay.expiresAt, now))
    .limit(rowsPerStep);
  return [query(db, (on) => on.delete(replay).where(inArray(replay.key, expired)))] as const;
};

/**
 * Deletes expired invitations, sessions and replays. Each step deletes at most 1,000 sessions and 1,000 replays.
 * Returns the number of deleted rows.
 */
export async function sweepExpired(
  databases: Databases,
  now: number,
  maxSteps: number,
): Promise<number> {
  let deleted = 0;
  for (let step = 0; step < maxSteps; step += 1) {
    const [home, data] = await retryTransient(databases, () =>
      batchBoth(
        databases,
        (db) => deleteExpired(db, now),
        (db) => deleteExpiredReplays(db, now),
      ),
    );
    const rows = [...home, ...data.flat()].reduce((sum, result) => sum + result.meta.changes, 0);
    deleted += rows;
    if (rows < rowsPerStep) break;
  }
  return deleted;
}

/** Runs the cheapest query that proves that each database works. */
export async function pingDatabases({
  home,
  singleDatabase,
  dataDatabases,
}: Databases): Promise<void> {
  // Reads our own tables, so that a database without migrations fails.
  const data = singleDatabase ? [] : dataDatabases();
  await Promise.all([
    home.prepare("SELECT 1 FROM member LIMIT 1").all(),
    ...data.map((db) => db.prepare("SELECT 1 FROM collection LIMIT 1").all()),
  ]);
}

export async function pingReplays(kv: KVNamespace): Promise<void> {
  await kv.get("health");
}
