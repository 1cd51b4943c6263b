import { inArray, lte } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt } from "#store/db/retry.ts";
import { invitation, replay, session } from "#store/db/schema.ts";

const rowsPerStep = 1000;

/** Deletes what expired, oldest first, in steps of 1,000 rows; gives the number of rows deleted. */
export async function sweepExpired(db: D1Database, now: number, steps: number): Promise<number> {
  const orm = drizzle(db);
  const expiredReplays = orm
    .select({ key: replay.key })
    .from(replay)
    .where(lte(replay.expiresAt, now))
    .limit(rowsPerStep);
  const expiredSessions = orm
    .select({ hash: session.hash })
    .from(session)
    .where(lte(session.expiresAt, now))
    .limit(rowsPerStep);
  let deleted = 0;
  for (let step = 0; step < steps; step += 1) {
    const results = await attempt(() =>
      orm.batch([
        orm.delete(replay).where(inArray(replay.key, expiredReplays)),
        orm.delete(invitation).where(lte(invitation.expiresAt, now)),
        orm.delete(session).where(inArray(session.hash, expiredSessions)),
      ]),
    );
    const rows = results.reduce((sum, result) => sum + result.meta.changes, 0);
    deleted += rows;
    if (rows < rowsPerStep) break;
  }
  return deleted;
}

/** The least that each storage can be asked, so that its answer says that it works. */
export async function askDatabase(db: D1Database): Promise<void> {
  // A table of ours, so that a database without migrations does not pass for one that works.
  await db.prepare("SELECT 1 FROM member LIMIT 1").all();
}

export async function askReplays(kv: KVNamespace): Promise<void> {
  await kv.get("health");
}
