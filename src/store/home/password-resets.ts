import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { orm, type HomeDatabase } from "#store/db/database.ts";
import { guardCode, homeGuard, runGuarded } from "#store/db/guard.ts";
import { retryTransient } from "#store/db/retry.ts";
import { member, passwordReset } from "#store/db/schema.ts";
import { homeStatement, pick } from "#store/db/statement.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { grantableRolePairsSql } from "./invitations.ts";
import { guardVersion, updatePasswordStatement } from "./members.ts";
import { endSessionsStatement, runAsMember, type ActingMember } from "./sessions.ts";

export type PasswordReset = typeof passwordReset.$inferSelect;

const columns = ["memberId", "hash", "version", "creatorId", "createdAt", "expiresAt"] as const;

/** A new link replaces the previous one of the member. */
const insert = homeStatement<PasswordReset>((db, v) =>
  db
    .insert(passwordReset)
    .values(pick(v, columns))
    .onConflictDoUpdate({
      target: passwordReset.memberId,
      set: {
        hash: sql`excluded.hash`,
        version: sql`excluded.version`,
        creatorId: sql`excluded.creator_id`,
        createdAt: sql`excluded.created_at`,
        expiresAt: sql`excluded.expires_at`,
      },
    }),
);

/** Stores a link for a member at this version. Returns false and stores nothing when the member has changed. */
export async function insertPasswordReset(
  db: HomeDatabase,
  actingMember: ActingMember,
  reset: PasswordReset,
  auditRecord: AuditRecord,
): Promise<boolean> {
  const failedGuard = await runAsMember(db, actingMember, [
    guardVersion(db, { id: reset.memberId, version: reset.version }),
    insert(db, reset),
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  return failedGuard === undefined;
}

/** True while the version of the member is unchanged, and the creator is an active member who can grant its role. */
const isOpen =
  sql.raw(`exists (select 1 from member m join member c on c.id = password_reset.creator_id
  where m.id = password_reset.member_id and m.version = password_reset.version and m.disabled_at is null
    and c.disabled_at is null and (c.role, m.role) in (values ${grantableRolePairsSql}))`);

/** Finds the member of a link that still works. */
export async function findPasswordReset(
  db: HomeDatabase,
  hash: string,
  now: number,
): Promise<{ id: string; email: string; version: number } | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select({ id: member.id, email: member.email, version: member.version })
      .from(passwordReset)
      .innerJoin(member, eq(member.id, passwordReset.memberId))
      .where(
        and(
          eq(passwordReset.hash, hash),
          gt(passwordReset.expiresAt, now),
          isNull(member.disabledAt),
          isOpen,
        ),
      ),
  );
  return row;
}

const linkOpen = homeGuard<{ hash: string; now: number }>(
  (v) => sql`select ${guardCode("link_used")} as code
    where not exists (select 1 from password_reset
      where hash = ${v.hash} and expires_at > ${v.now} and ${isOpen})`,
);

const consume = homeStatement<{ hash: string }>((db, v) =>
  db.delete(passwordReset).where(eq(passwordReset.hash, v.hash)),
);

/**
 * Sets the password, ends all sessions and deletes the link in one batch, so that a link works once. Returns false and
 * stores nothing when the link no longer works.
 */
export async function resetPassword(
  db: HomeDatabase,
  change: { id: string; hash: string; password: string; now: number },
  auditRecord: AuditRecord,
): Promise<boolean> {
  const values = { ...change, exceptHash: null };
  const statements = [linkOpen, updatePasswordStatement, endSessionsStatement, consume].map(
    (bind) => bind(db, values),
  );
  return runGuarded(db, [...statements, insertAuditEntry(db, { ...auditRecord })]);
}
