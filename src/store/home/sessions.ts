import {
  orm,
  type HomeDatabase,
  type PreparedStatement,
  type Scope,
  type SingleDatabase,
} from "#store/db/database.ts";
import { sql, and, eq, gt } from "drizzle-orm";
import { problem } from "#domain/problem/problem.ts";
import { runGuardedBatch, guardCode, homeGuard, runGuarded } from "#store/db/guard.ts";
import { classifyError, retryTransient, runOnce } from "#store/db/retry.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { knownAddress, session } from "#store/db/schema.ts";
import { pick, homeStatement } from "#store/db/statement.ts";

/** The member who acts in the administration area, at the version that authentication read. */
export interface ActingMember {
  id: string;
  version: number;
}

/** Aborts the batch when the member was removed or changed concurrently. */
const guardMember = homeGuard<{ id: string; version: number }>(
  (v) => sql`select ${guardCode("actor_changed")} as code where not exists (
    select 1 from member where id = ${v.id} and version = ${v.version} and disabled_at is null)`,
);

/**
 * Runs a member's batch as one transaction. Returns undefined after success, and the violated guard constraint if
 * nothing was stored. Throws 401 when the member was removed or changed concurrently.
 */
export async function runAsMember(
  db: HomeDatabase,
  { id, version }: ActingMember,
  statements: readonly PreparedStatement<"home">[],
): Promise<string | undefined> {
  const failedGuard = await runGuardedBatch(db, [guardMember(db, { id, version }), ...statements]);
  return assertMemberUnchanged(failedGuard);
}

/** Does the same for a batch on the tables of both scopes. */
export async function runJointlyAsMember(
  db: SingleDatabase,
  { id, version }: ActingMember,
  statements: readonly PreparedStatement<Scope>[],
): Promise<string | undefined> {
  const failedGuard = await runGuardedBatch(db, [guardMember(db, { id, version }), ...statements]);
  return assertMemberUnchanged(failedGuard);
}

function assertMemberUnchanged(failedGuard: string | undefined): string | undefined {
  if (failedGuard === "actor_changed") throw problem.unauthenticated(true);
  return failedGuard;
}

/** Does the same for a batch that has only the guard of the member. Returns the results of the statements. */
export async function batchAsMember(
  db: HomeDatabase,
  { id, version }: ActingMember,
  statements: readonly PreparedStatement<"home">[],
): Promise<D1Result<Record<string, unknown>>[]> {
  try {
    const batch = [guardMember(db, { id, version }), ...statements];
    const [, ...results] = await runOnce(db, () => db.batch<Record<string, unknown>>(batch));
    return results;
  } catch (error) {
    if (classifyError(error).kind === "guard") throw problem.unauthenticated(true);
    throw error;
  }
}

const maxAddresses = 20;

const upsertAddressStatement = homeStatement<{ memberId: string; address: string; at: number }>(
  (db, v) =>
    db
      .insert(knownAddress)
      .values({ memberId: v.memberId, address: v.address, at: v.at })
      .onConflictDoUpdate({
        target: [knownAddress.memberId, knownAddress.address],
        set: { at: sql`excluded.at` },
      }),
);
const deleteOldAddressesStatement = homeStatement<{ memberId: string }>((db, v) =>
  db.delete(knownAddress).where(
    sql`member_id = ${v.memberId} and address not in (
        select address from known_address where member_id = ${v.memberId}
          order by at desc limit ${sql.raw(String(maxAddresses))})`,
  ),
);
const insertStatement = homeStatement<typeof session.$inferSelect>((db, v) =>
  db
    .insert(session)
    .values(pick(v, ["hash", "memberId", "createdAt", "expiresAt", "device", "seenAt"])),
);

/**
 * Starts a session for a member at this version and stores the client's address. Keeps the last 20 addresses. Returns
 * false and stores nothing when the member was removed or changed after the password check.
 */
export async function insertSession(
  db: HomeDatabase,
  { id, version }: ActingMember,
  values: { hash: string; createdAt: number; expiresAt: number; device: string },
  address: string,
): Promise<boolean> {
  const addressValues = { memberId: id, address, at: values.createdAt };
  return runGuarded(db, [
    guardMember(db, { id, version }),
    insertStatement(db, { ...values, memberId: id, seenAt: values.createdAt }),
    upsertAddressStatement(db, addressValues),
    deleteOldAddressesStatement(db, addressValues),
  ]);
}

export async function deleteSession(db: HomeDatabase, hash: string): Promise<void> {
  await runOnce(db, () => orm(db).delete(session).where(eq(session.hash, hash)));
}

export const endSessionsStatement = homeStatement<{ id: string; exceptHash: string | null }>(
  (db, v) => db.delete(session).where(sql`member_id = ${v.id} and hash is not ${v.exceptHash}`),
);

/** Ends all sessions of a member except the one with `exceptHash`. */
export async function endOtherSessions(
  db: HomeDatabase,
  sessions: { id: string; exceptHash: string },
  auditRecord: AuditRecord,
): Promise<void> {
  await runOnce(db, () =>
    db.batch([endSessionsStatement(db, sessions), insertAuditEntry(db, { ...auditRecord })]),
  );
}

const touchStatement = homeStatement<{ hash: string; at: number }>((db, v) =>
  db.update(session).set({ seenAt: v.at }).where(eq(session.hash, v.hash)),
);

/** Stores the time at which a session was last used. */
export async function touchSession(db: HomeDatabase, hash: string, at: number): Promise<void> {
  await retryTransient(db, () => touchStatement(db, { hash, at }).run());
}

/** A session in the form in which its member sees it. */
export interface SessionSummary {
  hash: string;
  device: string;
  createdAt: number;
  seenAt: number;
}

const maxListedSessions = 100;

/** Lists the unexpired sessions of a member, the last used session first. */
export async function listSessions(
  db: HomeDatabase,
  id: string,
  now: number,
): Promise<SessionSummary[]> {
  const seenAt = sql<number>`coalesce(${session.seenAt}, ${session.createdAt})`;
  return retryTransient(db, async () =>
    orm(db)
      .select({ hash: session.hash, device: session.device, createdAt: session.createdAt, seenAt })
      .from(session)
      .where(and(eq(session.memberId, id), gt(session.expiresAt, now)))
      .orderBy(sql`${seenAt} desc`)
      .limit(maxListedSessions),
  );
}

const endOneStatement = homeStatement<{ id: string; start: string }>((db, v) =>
  db
    .delete(session)
    .where(
      sql`member_id = ${v.id} and substr(hash, 1, ${sql.raw(String(sessionIdLength))}) = ${v.start}`,
    ),
);

/** The characters of a hash that identify a session to its member. */
export const sessionIdLength = 16;

/** Ends one session of the member. Succeeds even if the session has already ended. */
export async function endSession(
  db: HomeDatabase,
  ended: { id: string; start: string },
  auditRecord: AuditRecord,
): Promise<void> {
  await runOnce(db, () =>
    db.batch([endOneStatement(db, ended), insertAuditEntry(db, { ...auditRecord })]),
  );
}
