import { batchQueries, orm, query, type Databases, type HomeDatabase } from "#store/db/database.ts";
import { inArray, lte } from "drizzle-orm";
import { retryTransient } from "#store/db/retry.ts";
import { invitation, session } from "#store/db/schema.ts";

const sessionsPerBatch = 1000;

/** Deletes expired invitations, and one batch of expired sessions. Returns whether more may remain. */
export async function sweepExpired(db: HomeDatabase, now: number): Promise<boolean> {
  const expiredSessions = orm(db)
    .select({ hash: session.hash })
    .from(session)
    .where(lte(session.expiresAt, now))
    .limit(sessionsPerBatch);
  const [, sessions] = await retryTransient(db, () =>
    batchQueries(db, [
      query(db, (builder) => builder.delete(invitation).where(lte(invitation.expiresAt, now))),
      query(db, (builder) => builder.delete(session).where(inArray(session.hash, expiredSessions))),
    ]),
  );
  return sessions.meta.changes === sessionsPerBatch;
}

/**
 * Runs the cheapest query that proves that each database works. Calls `onAnswer` with the size of each database that
 * responds.
 */
export async function pingDatabases(
  { home, dataDatabases }: Databases,
  onAnswer: (name: string, bytes: number) => void = () => undefined,
): Promise<void> {
  const ping = async (name: string, statement: Pick<D1PreparedStatement, "all">) => {
    const { meta } = await statement.all();
    onAnswer(name, meta.size_after);
  };
  const data = dataDatabases().filter(({ name }) => name !== home.name);
  // The query reads our own tables, so that it fails in a database without migrations.
  await Promise.all([
    ping(home.name, home.prepare("SELECT 1 FROM member LIMIT 1")),
    ...data.map((db) => ping(db.name, db.prepare("SELECT 1 FROM collection LIMIT 1"))),
  ]);
}

/** Proves that the KV namespace of stored responses works. */
export async function pingReplays(kv: KVNamespace): Promise<void> {
  await kv.get("health");
}
