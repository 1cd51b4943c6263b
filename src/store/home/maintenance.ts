import {
  batchHomeAndData,
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

const buildHomeDeletes = (db: HomeDatabase, now: number) => {
  const expiredSessions = orm(db)
    .select({ hash: session.hash })
    .from(session)
    .where(lte(session.expiresAt, now))
    .limit(rowsPerStep);
  return [
    query(db, (builder) => builder.delete(invitation).where(lte(invitation.expiresAt, now))),
    query(db, (builder) => builder.delete(session).where(inArray(session.hash, expiredSessions))),
  ] as const;
};

const buildReplayDeletes = (db: DataDatabase, now: number) => {
  const expiredReplays = orm(db)
    .select({ key: replay.key })
    .from(replay)
    .where(lte(replay.expiresAt, now))
    .limit(rowsPerStep);
  return [
    query(db, (builder) => builder.delete(replay).where(inArray(replay.key, expiredReplays))),
  ] as const;
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
  let deletedTotal = 0;
  for (let step = 0; step < maxSteps; step += 1) {
    const [home, data] = await retryTransient(databases, () =>
      batchHomeAndData(
        databases,
        (db) => buildHomeDeletes(db, now),
        (db) => buildReplayDeletes(db, now),
      ),
    );
    const deletedRows = [...home, ...data.flat()].reduce(
      (sum, result) => sum + result.meta.changes,
      0,
    );
    deletedTotal += deletedRows;
    if (deletedRows < rowsPerStep) break;
  }
  return deletedTotal;
}

/** Runs the cheapest query that proves that each database works. Each one that answers gives its size in bytes. */
export async function pingDatabases(
  { home, dataDatabases }: Databases,
  onAnswer: (name: string, bytes: number) => void = () => undefined,
): Promise<void> {
  const ping = async (name: string, statement: Pick<D1PreparedStatement, "all">) => {
    const { meta } = await statement.all();
    onAnswer(name, meta.size_after);
  };
  const data = dataDatabases().filter(({ name }) => name !== home.name);
  // Reads our own tables, so that a database without migrations fails.
  await Promise.all([
    ping(home.name, home.prepare("SELECT 1 FROM member LIMIT 1")),
    ...data.map((db) => ping(db.name, db.prepare("SELECT 1 FROM collection LIMIT 1"))),
  ]);
}

export async function pingReplays(kv: KVNamespace): Promise<void> {
  await kv.get("health");
}
