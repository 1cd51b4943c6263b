import { sql, and, eq, gt } from "drizzle-orm";
import { problem } from "#domain/problem/problem.ts";
import { refusingGuard, guardCode, guardStatement, unlessRefused } from "#store/db/guard.ts";
import { drizzle } from "drizzle-orm/d1";
import { attempt, once } from "#store/db/retry.ts";
import { insertAct, type Act } from "./audit.ts";
import { knownAddress, session } from "#store/db/schema.ts";
import { pick, statement } from "#store/db/statement.ts";

/** Who acts in the administration area, as it was when it was asked who that is. */
export interface Acting {
  id: string;
  version: number;
}

/** Aborts the batch of who was removed or changed meanwhile. */
export const isStillMember = guardStatement<{ id: string; version: number }>(
  (v) => sql`select ${guardCode("actor_changed")} as code where not exists (
    select 1 from member where id = ${v.id} and version = ${v.version} and disabled_at is null)`,
);

/**
 * Runs the batch of a member's act in one go; the constraint of the guard that refused it, with nothing stored, if one
 * did. Who was removed or changed meanwhile has to sign in again.
 */
export async function refusalFor(
  db: D1Database,
  { id, version }: Acting,
  statements: D1PreparedStatement[],
): Promise<string | undefined> {
  const refused = await refusingGuard(db, [isStillMember(db, { id, version }), ...statements]);
  if (refused === "actor_changed") throw problem.unauthenticated(true);
  return refused;
}

const mostAddresses = 20;

const keepAddress = statement<{ memberId: string; address: string; at: number }>((db, v) =>
  db
    .insert(knownAddress)
    .values({ memberId: v.memberId, address: v.address, at: v.at })
    .onConflictDoUpdate({
      target: [knownAddress.memberId, knownAddress.address],
      set: { at: sql`excluded.at` },
    }),
);
const forgetOldest = statement<{ memberId: string }>((db, v) =>
  db.delete(knownAddress).where(
    sql`member_id = ${v.memberId} and address not in (
        select address from known_address where member_id = ${v.memberId}
          order by at desc limit ${sql.raw(String(mostAddresses))})`,
  ),
);
const insert = statement<typeof session.$inferSelect>((db, v) =>
  db.insert(session).values(pick(v, ["hash", "memberId", "createdAt", "expiresAt"])),
);

/**
 * Starts a session of a member of this version, and remembers from where: the last 20 addresses. False, with nothing
 * stored, when the member was removed or changed since its password was looked at.
 */
export async function insertSession(
  db: D1Database,
  { id, version }: Acting,
  values: { hash: string; createdAt: number; expiresAt: number },
  address: string,
): Promise<boolean> {
  const known = { memberId: id, address, at: values.createdAt };
  return unlessRefused(db, [
    isStillMember(db, { id, version }),
    insert(db, { ...values, memberId: id }),
    keepAddress(db, known),
    forgetOldest(db, known),
  ]);
}

export async function deleteSession(db: D1Database, hash: string): Promise<void> {
  await once(() => drizzle(db).delete(session).where(eq(session.hash, hash)));
}

export const endSessions = statement<{ id: string; keep: string | null }>((db, v) =>
  db.delete(session).where(sql`member_id = ${v.id} and hash is not ${v.keep}`),
);

/** Ends the sessions of a member but the one that is kept. */
export async function endOtherSessions(
  db: D1Database,
  sessions: { id: string; keep: string },
  act: Act,
): Promise<void> {
  await once(() => db.batch([endSessions(db, sessions), insertAct(db, { ...act })]));
}

export async function countSessions(db: D1Database, id: string, now: number): Promise<number> {
  const found = await attempt(() =>
    drizzle(db)
      .select({ hash: session.hash })
      .from(session)
      .where(and(eq(session.memberId, id), gt(session.expiresAt, now))),
  );
  return found.length;
}
