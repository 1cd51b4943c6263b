import { and, desc, eq, isNull, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { type Credential, type Secret, mostLiveCredentials, type Resources, noUsage, type Usage } from "#domain/credential/credential.ts";
import { within, type Permission } from "#domain/credential/permissions.ts";
import { attempt } from "#store/db/retry.ts";
import { credential, member } from "#store/db/schema.ts";
import { insertAct, type Act } from "./audit.ts";
import { guardCode, guardStatement } from "#store/db/guard.ts";
import { pick, statement } from "#store/db/statement.ts";
import { refusalFor, type Acting } from "./sessions.ts";

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

/** Credentials with what their members are now, newest first. */
export function selectCredentials(db: D1Database, condition: SQL | undefined, limit: number) {
  return drizzle(db)
    .select(columns)
    .from(credential)
    .innerJoin(member, eq(member.id, credential.memberId))
    .where(condition)
    .orderBy(desc(credential.id))
    .limit(limit);
}

type Row = Awaited<ReturnType<typeof selectCredentials>>[number];

export function credentialFromRow(row: Row): Credential {
  const asked = JSON.parse(row.permissions) as Permission[];
  return {
    id: row.id,
    version: row.version,
    kind: row.kind,
    name: row.name,
    permissions: row.kind === "token" && row.role ? within(row.role, asked) : asked,
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
    usage: row.usage === null ? noUsage() : (JSON.parse(row.usage) as Usage),
    // Of one that was used before there were counts, its last use tells.
    called: row.usage !== null || row.lastUsedAt !== null,
  };
}

export async function findCredential(db: D1Database, id: string): Promise<Credential | undefined> {
  const [found] = await attempt(() => selectCredentials(db, eq(credential.id, id), 1));
  return found && credentialFromRow(found);
}

/**
 * Reads a credential for an object that did not know it, and notes that from now on it is told of changes: in one batch,
 * so that a change comes either before what is read or after the note.
 */
export async function meetCredential(db: D1Database, id: string): Promise<Credential | undefined> {
  const drizzled = drizzle(db);
  const [, [found]] = await attempt(() =>
    drizzled.batch([
      drizzled
        .update(credential)
        .set({ usage: JSON.stringify(noUsage()) })
        .where(and(eq(credential.id, id), isNull(credential.usage))),
      selectCredentials(db, eq(credential.id, id), 1),
    ]),
  );
  return found && credentialFromRow(found);
}

/** When it was last used, and how many calls there were, as its object counts them. */
export async function noteUse(
  db: D1Database,
  id: string,
  at: number | null,
  usage: Usage,
): Promise<void> {
  await drizzle(db)
    .update(credential)
    .set({
      lastUsedAt: sql`max(coalesce(${credential.lastUsedAt}, 0), ${at ?? 0})`,
      usage: JSON.stringify(usage),
    })
    .where(eq(credential.id, id));
}

const changedFields = [
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

const fields = ["id", "kind", "memberId", "createdAt", ...changedFields] as const;

type Columns = Pick<typeof credential.$inferSelect, (typeof fields)[number]>;

const insert = statement<Columns>((db, v) => db.insert(credential).values(pick(v, fields)));

const isOneMore = guardStatement<Pick<Columns, "memberId" | "createdAt">>(
  (v) =>
    sql`select ${guardCode("too_many_credentials")} as code where (
    select count(*) from credential where member_id = ${v.memberId} and revoked_at is null
      and (expires_at is null or expires_at > ${v.createdAt})) >= ${sql.raw(String(mostLiveCredentials))}`,
);

/** Of two changes that were made of one state, the second is refused, and told. */
const isUnchanged = guardStatement<{ id: string; expected: number }>(
  (v) =>
    sql`select ${guardCode("credential_changed")} as code
    where not exists (select 1 from credential where id = ${v.id}
      and version = ${v.expected} and revoked_at is null)`,
);

const update = statement<Columns>((db, v) =>
  db.update(credential).set(pick(v, changedFields)).where(eq(credential.id, v.id)),
);

const revoke = statement<{ id: string; at: number }>((db, v) =>
  db
    .update(credential)
    .set({ revokedAt: v.at, version: sql`version + 1` })
    .where(and(eq(credential.id, v.id), isNull(credential.revokedAt))),
);

function rowOf(value: Credential) {
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

/** False, with nothing stored, when its member has as many as it may have. */
export async function insertCredential(
  db: D1Database,
  by: Acting,
  value: Credential,
  act: Act,
): Promise<boolean> {
  const statements = [isOneMore, insert].map((bind) => bind(db, rowOf(value)));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  return refused === undefined;
}

/** False, with nothing stored, when the credential was changed or revoked since it had the version `expected`. */
export async function updateCredential(
  db: D1Database,
  by: Acting,
  expected: number,
  after: Credential,
  act: Act,
): Promise<boolean> {
  const values = { ...rowOf(after), expected, version: expected + 1 };
  const statements = [isUnchanged, update].map((bind) => bind(db, values));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  return refused === undefined;
}

export async function revokeCredential(
  db: D1Database,
  by: Acting,
  id: string,
  act: Act,
): Promise<void> {
  await refusalFor(db, by, [revoke(db, { id, at: act.at }), insertAct(db, { ...act })]);
}
