import { lazy } from "#domain/lazy.ts";
import {
  query,
  type Databases,
  type HomeDatabase,
  type PreparedStatement,
} from "#store/db/database.ts";
import { and, desc, eq, isNull, sql, type SQL } from "drizzle-orm";
import {
  type Credential,
  type Secret,
  maxValidCredentials,
  type Resources,
  emptyUsage,
  type Usage,
} from "#domain/credential/credential.ts";
import { filterAllowed, type Permission } from "#domain/credential/permissions.ts";
import { confirmStatements, type CheckedDefinition } from "#store/data/confirm-definitions.ts";
import { retryTransient } from "#store/db/retry.ts";
import { credential, formerAccess, member } from "#store/db/schema.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { entryNameSql } from "./listeners.ts";
import { guardCode, homeGuard } from "#store/db/guard.ts";
import { nextVersion } from "#domain/timeline.ts";
import { named, pick, homeStatement, nextVersionSql } from "#store/db/statement.ts";
import { runAsMember, runJointlyAsMember, type ActingMember } from "./sessions.ts";

const selectedColumns = lazy(() => ({
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
  /** The role of the member. Null if the member is disabled. */
  role: sql<
    typeof member.$inferSelect.role | null
  >`case when ${member.disabledAt} is null then ${member.role} end`.as("role"),
}));

/** Selects credentials with the current roles of their members, newest first. */
export function selectCredentials(db: HomeDatabase, condition: SQL | undefined, limit: number) {
  return query(db, (builder) =>
    builder
      .select(selectedColumns())
      .from(credential)
      .innerJoin(member, eq(member.id, credential.memberId))
      .where(condition)
      .orderBy(desc(credential.id))
      .limit(limit),
  );
}

/** A credential as D1 returns it. */
export type CredentialRow = Awaited<ReturnType<typeof selectCredentials>>[number];

export function credentialFromRow(row: CredentialRow): Credential {
  const permissions = JSON.parse(row.permissions) as Permission[];
  return {
    id: row.id,
    version: row.version,
    kind: row.kind,
    name: row.name,
    permissions:
      row.kind === "token" && row.role ? filterAllowed(row.role, permissions) : permissions,
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
    // Older rows have a last use but no usage counts.
    called: row.usage !== null || row.lastUsedAt !== null,
  };
}

/** Selects one credential. The objects of credentials and webhooks run this often. */
export const selectCredential = homeStatement<{ id: string }>((db, v) =>
  db
    .select(named(selectedColumns()))
    .from(credential)
    .innerJoin(member, eq(member.id, credential.memberId))
    .where(eq(credential.id, v.id)),
);

export async function findCredential(
  db: HomeDatabase,
  id: string,
): Promise<Credential | undefined> {
  const row = await retryTransient(db, () => selectCredential(db, { id }).first<CredentialRow>());
  return row ? credentialFromRow(row) : undefined;
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

type InsertedColumns = Pick<typeof credential.$inferSelect, (typeof insertedColumns)[number]>;

const insertStatement = homeStatement<InsertedColumns>((db, v) =>
  db.insert(credential).values(pick(v, insertedColumns)),
);

const guardCredentialLimit = homeGuard<Pick<InsertedColumns, "memberId" | "createdAt">>(
  (v) =>
    sql`select ${guardCode("too_many_credentials")} as code where (
    select count(*) from credential where member_id = ${v.memberId} and revoked_at is null
      and (expires_at is null or expires_at > ${v.createdAt})) >= ${sql.raw(String(maxValidCredentials))}`,
);

/** Aborts the second of two changes that start from the same version. */
const guardVersion = homeGuard<{ id: string; expectedVersion: number }>(
  (v) =>
    sql`select ${guardCode("credential_changed")} as code
    where not exists (select 1 from credential where id = ${v.id}
      and version = ${v.expectedVersion} and revoked_at is null)`,
);

const updateStatement = homeStatement<InsertedColumns>((db, v) =>
  db.update(credential).set(pick(v, mutableColumns)).where(eq(credential.id, v.id)),
);

/** An edit decides on all current and former access of the credential, so a later restore must not return any of it. */
const forgetDecidedAccess = homeStatement<Pick<InsertedColumns, "id" | "resources">>((db, v) =>
  db.delete(formerAccess).where(
    sql`credential_id = ${v.id} and name in (select ${entryNameSql} from json_each(${v.resources}) j
      union all select ${entryNameSql} from credential c, json_each(c.resources) j where c.id = ${v.id})`,
  ),
);

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

function credentialToRow(newCredential: Credential) {
  return {
    id: newCredential.id,
    version: newCredential.version,
    kind: newCredential.kind,
    name: newCredential.name,
    permissions: JSON.stringify(newCredential.permissions),
    resources: JSON.stringify(newCredential.resources),
    requests: newCredential.limits.requests,
    writes: newCredential.limits.writes,
    secrets: JSON.stringify(newCredential.secrets),
    memberId: newCredential.createdBy.id,
    createdAt: newCredential.createdAt,
    expiresAt: newCredential.expiresAt,
    expiresZone: newCredential.expiresZone,
    origins: JSON.stringify(newCredential.origins),
  };
}

/** Nothing is stored if a definition has changed, or if the batch rejects the credential. */
export type StoreResult = "stored" | "definition_changed" | "refused";

/** Stores a credential. In a single database, the same batch confirms the definitions of its views. */
async function storeConfirmed(
  { singleDatabase, home }: Databases,
  actingMember: ActingMember,
  definitions: readonly CheckedDefinition[],
  statements: readonly PreparedStatement<"home">[],
): Promise<StoreResult> {
  const failedGuard = singleDatabase
    ? await runJointlyAsMember(singleDatabase, actingMember, [
        ...statements,
        ...confirmStatements(singleDatabase, definitions),
      ])
    : await runAsMember(home, actingMember, statements);
  if (failedGuard === undefined) return "stored";
  return failedGuard === "definition_changed" ? failedGuard : "refused";
}

/** Returns "refused" if the member has too many credentials. Throws 401 if the acting member has changed. */
export async function insertCredential(
  databases: Databases,
  actingMember: ActingMember,
  newCredential: Credential,
  definitions: readonly CheckedDefinition[],
  auditRecord: AuditRecord,
): Promise<StoreResult> {
  const { home: db } = databases;
  const statements = [guardCredentialLimit, insertStatement].map((bind) =>
    bind(db, credentialToRow(newCredential)),
  );
  return storeConfirmed(databases, actingMember, definitions, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
}

/**
 * Returns "refused" if the credential was revoked or no longer has the version `expectedVersion`. Throws 401 if the
 * acting member has changed.
 */
export async function updateCredential(
  databases: Databases,
  actingMember: ActingMember,
  expectedVersion: number,
  newCredential: Credential,
  definitions: readonly CheckedDefinition[],
  auditRecord: AuditRecord,
): Promise<StoreResult> {
  const { home: db } = databases;
  const values = {
    ...credentialToRow(newCredential),
    expectedVersion,
    version: nextVersion(expectedVersion, db.timeline),
  };
  const statements = [guardVersion, forgetDecidedAccess, updateStatement].map((bind) =>
    bind(db, values),
  );
  return storeConfirmed(databases, actingMember, definitions, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
}

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
