import { and, eq, isNull, sql } from "drizzle-orm";
import type { HomeDatabase } from "#store/db/database.ts";
import { guardCode, homeGuard } from "#store/db/guard.ts";
import { credential } from "#store/db/schema.ts";
import { homeStatement, nextVersionSql } from "#store/db/statement.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { runAsMember, type ActingMember } from "./sessions.ts";

const revokeStatement = homeStatement<{ id: string; at: number }>((db, v) =>
  db
    .update(credential)
    .set({ revokedAt: v.at, version: nextVersionSql(sql`version`) })
    .where(and(eq(credential.id, v.id), isNull(credential.revokedAt))),
);

/** Aborts the batch unless the credential has this secret and a rotation has set its end. */
const guardOldSecret = homeGuard<{ id: string; secretId: number }>(
  (v) =>
    sql`select ${guardCode("credential_changed")} as code
    where not exists (select 1 from credential c, json_each(c.secrets) s where c.id = ${v.id}
      and c.revoked_at is null and s.value ->> 'id' = ${v.secretId}
      and s.value ->> 'expires_at' is not null)`,
);

const removeSecretStatement = homeStatement<{ id: string; secretId: number }>((db, v) =>
  db
    .update(credential)
    .set({
      secrets: sql`(select json_group_array(json(s.value)) from json_each(secrets) s
        where s.value ->> 'id' <> ${v.secretId})`,
      version: nextVersionSql(sql`version`),
    })
    .where(eq(credential.id, v.id)),
);

export async function revokeCredential(
  db: HomeDatabase,
  actingMember: ActingMember,
  id: string,
  auditRecord: AuditRecord,
): Promise<void> {
  await runAsMember(db, actingMember, [
    revokeStatement(db, { id, at: auditRecord.at }),
    insertAuditEntry(db, { ...auditRecord }),
  ]);
}

/**
 * Removes a secret that a rotation replaced. Returns false and stores nothing when the credential was revoked or has no
 * such secret. Throws 401 if the acting member has changed.
 */
export async function removeOldSecret(
  db: HomeDatabase,
  actingMember: ActingMember,
  values: { id: string; secretId: number },
  auditRecord: AuditRecord,
): Promise<boolean> {
  const failedGuard = await runAsMember(db, actingMember, [
    guardOldSecret(db, values),
    removeSecretStatement(db, values),
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  return failedGuard === undefined;
}
