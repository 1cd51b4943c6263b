import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt, once } from "../db/attempt";
import { unlessRefused } from "../db/unless-refused";
import { insertAct, type Act } from "../audit/audit";
import { knownAddress, session } from "../db/schema";
import { pick, statement } from "../db/statement";
import { isStillMember, type Acting } from "./acting";

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
