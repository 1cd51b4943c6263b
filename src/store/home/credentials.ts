import { lazy } from "#domain/lazy.ts";
import {
  query,
  type Databases,
  type HomeDatabase,
  type PreparedStatement,
} from "#store/db/database.ts";
import { desc, eq, sql, type SQL } from "drizzle-orm";
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
import { named, pick, homeStatement } from "#store/db/statement.ts";
import { isValidSql } from "./valid-credentials.ts";
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

/** Applies to new credentials, and to expired ones that become valid again. */
const guardCredentialLimit = homeGuard<Pick<InsertedColumns, "id" | "memberId"> & { at: number }>(
  (v) =>
    sql`select ${guardCode("too_many_credentials")} as code
    where not exists (select 1 from credential where id = ${v.id} and ${isValidSql(v.at)})
      and (select count(*) from credential where member_id = ${v.memberId} and ${isValidSql(v.at)})
        >= ${sql.raw(String(maxValidCredentials))}`,
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

/**
 * An edit decides on all current and former access of the credential, so a later restore must not return any of it. If
 * the credential has expired, its former views may have changed since, so a restore must not return these either.
 */
const forgetDecidedAccess = homeStatement<
  Pick<InsertedColumns, "id" | "resources"> & { at: number }
>((db, v) =>
  db.delete(formerAccess).where(
    sql`credential_id = ${v.id} and (name in (select ${entryNameSql} from json_each(${v.resources}) j
      union all select ${entryNameSql} from credential c, json_each(c.resources) j where c.id = ${v.id})
      or (instr(resource, '/') > 0
        and not exists (select 1 from credential where id = ${v.id} and ${isValidSql(v.at)})))`,
  ),
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

/** Nothing is stored if a definition has changed, or if the batch rejects the credential or webhook. */
export type StoreResult = "stored" | "definition_changed" | "refused";

/** With "too_many_credentials", nothing is stored either, because the member has too many valid credentials. */
export type StoreCredentialResult = StoreResult | "too_many_credentials";

/** Stores a credential. In a single database, the same batch confirms the definitions of its views. */
async function storeConfirmed(
  { singleDatabase, home }: Databases,
  actingMember: ActingMember,
  definitions: readonly CheckedDefinition[],
  statements: readonly PreparedStatement<"home">[],
): Promise<StoreCredentialResult> {
  const failedGuard = singleDatabase
    ? await runJointlyAsMember(singleDatabase, actingMember, [
        ...statements,
        ...confirmStatements(singleDatabase, definitions),
      ])
    : await runAsMember(home, actingMember, statements);
  if (failedGuard === undefined) return "stored";
  const isNamed = failedGuard === "definition_changed" || failedGuard === "too_many_credentials";
  return isNamed ? failedGuard : "refused";
}

/** Throws 401 if the acting member has changed. */
export async function insertCredential(
  databases: Databases,
  actingMember: ActingMember,
  newCredential: Credential,
  definitions: readonly CheckedDefinition[],
  auditRecord: AuditRecord,
): Promise<StoreCredentialResult> {
  const { home: db } = databases;
  const values = { ...credentialToRow(newCredential), at: auditRecord.at };
  const statements = [guardCredentialLimit, insertStatement].map((bind) => bind(db, values));
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
): Promise<StoreCredentialResult> {
  const { home: db } = databases;
  const values = {
    ...credentialToRow(newCredential),
    at: auditRecord.at,
    expectedVersion,
    version: nextVersion(expectedVersion, db.timeline),
  };
  const steps = [guardVersion, guardCredentialLimit, forgetDecidedAccess, updateStatement];
  const statements = steps.map((bind) => bind(db, values));
  return storeConfirmed(databases, actingMember, definitions, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
}
