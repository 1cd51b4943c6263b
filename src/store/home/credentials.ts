import { batchQueries, orm, query, type HomeDatabase } from "#store/db/database.ts";
import { and, desc, eq, isNull, sql, type SQL } from "drizzle-orm";
import {
  type Credential,
  type Secret,
  maxLiveCredentials,
  type Resources,
  emptyUsage,
  type Usage,
} from "#domain/credential/credential.ts";
import { allowedFor, type Permission } from "#domain/credential/permissions.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential, member } from "#store/db/schema.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { guardCode, homeGuard } from "#store/db/guard.ts";
import { nextVersion } from "#domain/timeline.ts";
import { pick, homeStatement, nextVersionSql } from "#store/db/statement.ts";
import { runAsMember, type ActingMember } from "./sessions.ts";

const columns = {
  id: credential.id,
  version: credential.version,
  kind: credential.kind,
  name: credential.name,
  permissions: credential.permissions,
  resources: credential.resources,
  requests: credential.requests,
  writes: credential.writes,
  secrets: credential.secrets,
  memberId: credential.memberId,
  createdAt: credential.createdAt,
  expiresAt: credential.expiresAt,
  expiresZone: credential.expiresZone,
  origins: credential.origins,
  revokedAt: credential.revokedAt,
  lastUsedAt: credential.lastUsedAt,
  usage: credential.usage,
  /** Null once the member is disabled. */
  role: sql<
    typeof member.$inferSelect.role | null
  >`case when ${member.disabledAt} is null then ${member.role} end`.as("role"),
};

/** Selects credentials with the current roles of their members, newest first. */
export function selectCredentials(db: HomeDatabase, condition: SQL | undefined, limit: number) {
  return query(db, (on) =>
    on
      .select(columns)
      .from(credential)
      .innerJoin(member, eq(member.id, credential.memberId))
      .where(condition)
      .orderBy(desc(credential.id))
      .limit(limit),
  );
}

type Row = Awaited<ReturnType<typeof selectCredentials>>[number];

export function credentialFromRow(row: Row): Credential {
  const permissions = JSON.parse(row.permissions) as Permission[];
  return {
    id: row.id,
    version: row.version,
    kind: row.kind,
    name: row.name,
    permissions: row.kind === "token" && row.role ? allowedFor(row.role, permissions) : permissions,
    resources: JSON.parse(row.resources) as Resources,
    limits: { requests: row.requests, writes: row.writes },
    secrets: JSON.parse(row.secrets) as Secret[],
    expiresAt: row.expiresAt,
    expiresZone: row.expiresZone,
    origins: JSON.parse(row.origins) as string[],
    revokedAt: row.revokedAt,
    createdAt: row.createdAt,
    createdBy: { id: row.memberId, role: row.role },
    lastUsedAt: row.lastUsedAt,
    usage: row.usage === null ? emptyUsage() : (JSON.parse(row.usage) as Usage),
    // Credentials that were used before counts existed have only a last use.
    called: row.usage !== null || row.lastUsedAt !== null,
  };
}

export async function findCredential(
  db: HomeDatabase,
  id: string,
): Promise<Credential | undefined> {
  const [row] = await retryTransient(db, () => selectCredentials(db, eq(credential.id, id), 1));
  return row && credentialFromRow(row);
}

/**
 * Loads a credential for an object that does not know it, and marks it to receive changes. One batch does both, so the
 * object gets every later change.
 */
export async function registerCredential(
  db: HomeDatabase,
  id: string,
): Promise<Credential | undefined> {
  const [, [row]] = await retryTransient(db, () =>
    batchQueries(db, [
      query(db, (on) =>
        on
          .update(credential)
          .set({ usage: JSON.stringify(emptyUsage()) })
          .where(and(eq(credential.id, id), isNull(credential.usage))),
      ),
      selectCredentials(db, eq(credential.id, id), 1),
    ]),
  );
  return row && credentialFromRow(row);
}

/** Stores the last use and the call counts, as the credential object reports them. */
export async function recordUse(
  db: HomeDatabase,
  id: string,
  at: number | null,
  usage: Usage,
): Promise<void> {
  await orm(db)
    .update(credential)
    .set({
      lastUsedAt: sql`max(coalesce(${credential.lastUsedAt}, 0), ${at ?? 0})`,
      usage: JSON.stringify(usage),
    })
    .where(eq(credential.id, id));
}

const mutableColumns = [
  "version",
  "name",
  "permissions",
  "resources",
  "requests",
  "writes",
  "secrets",
  "expiresAt",
  "expiresZone",
  "origins",
] as const;

const insertedColumns = ["id", "kind", "memberId", "createdAt", ...mutableColumns] as const;

type Columns = Pick<typeof credential.$inferSelect, (typeof insertedColumns)[number]>;

const insert = homeStatement<Columns>((db, v) =>
  db.insert(credential).values(pick(v, insertedColumns)),
);

const underCredentialLimit = homeGuard<Pick<Columns, "memberId" | "createdAt">>(
  (v) =>
    sql`select ${guardCode("too_many_credentials")} as code where (
    select count(*) from credential where member_id = ${v.memberId} and revoked_at is null
      and (expires_at is null or expires_at > ${v.createdAt})) >= ${sql.raw(String(maxLiveCredentials))}`,
);

/** Rejects the second of two changes that start from the same version. */
const credentialUnchanged = homeGuard<{ id: string; expectedVersion: number }>(
  (v) =>
    sql`select ${guardCode("credential_changed")} as code
    where not exists (select 1 from credential where id = ${v.id}
      and version = ${v.expectedVersion} and revoked_at is null)`,
);

const update = homeStatement<Columns>((db, v) =>
  db.update(credential).set(pick(v, mutableColumns)).where(eq(credential.id, v.id)),
);

const revoke = homeStatement<{ id: string; at: number }>((db, v) =>
  db
    .update(credential)
    .set({ revokedAt: v.at, version: nextVersionSql(sql`version`) })
    .where(and(eq(credential.id, v.id), isNull(credential.revokedAt))),
);

function credentialToRow(value: Credential) {
  return {
    id: value.id,
    version: value.version,
    kind: value.kind,
    name: value.name,
    permissions: JSON.stringify(value.permissions),
    resources: JSON.stringify(value.resources),
    requests: value.limits.requests,
    writes: value.limits.writes,
    secrets: JSON.stringify(value.secrets),
    memberId: value.createdBy.id,
    createdAt: value.createdAt,
    expiresAt: value.expiresAt,
    expiresZone: value.expiresZone,
    origins: JSON.stringify(value.origins),
  };
}

/** Returns false and stores nothing when the member has reached its limit of credentials. */
export async function insertCredential(
  db: HomeDatabase,
  actingMember: ActingMember,
  value: Credential,
  auditRecord: AuditRecord,
): Promise<boolean> {
  const statements = [underCredentialLimit, insert].map((bind) => bind(db, credentialToRow(value)));
  const failedGuard = await runAsMember(db, actingMember, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  return failedGuard === undefined;
}

/** Returns false and stores nothing when the credential was revoked or no longer has the version `expectedVersion`. */
export async function updateCredential(
  db: HomeDatabase,
  actingMember: ActingMember,
  expectedVersion: number,
  value: Credential,
  auditRecord: AuditRecord,
): Promise<boolean> {
  const values = {
    ...credentialToRow(value),
    expectedVersion,
    version: nextVersion(expectedVersion, db.timeline),
  };
  const statements = [credentialUnchanged, update].map((bind) => bind(db, values));
  const failedGuard = await runAsMember(db, actingMember, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  return failedGuard === undefined;
}

export async function revokeCredential(
  db: HomeDatabase,
  actingMember: ActingMember,
  id: string,
  auditRecord: AuditRecord,
): Promise<void> {
  await runAsMember(db, actingMember, [
    revoke(db, { id, at: auditRecord.at }),
    insertAuditEntry(db, { ...auditRecord }),
  ]);
}
