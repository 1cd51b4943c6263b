import { lazy } from "#domain/lazy.ts";
import { orm, query, type HomeDatabase } from "#store/db/database.ts";
import { and, eq, isNull, sql } from "drizzle-orm";
import { type Role, canGrant, roles } from "#domain/credential/permissions.ts";
import { retryTransient } from "#store/db/retry.ts";
import { member, credential, invitation } from "#store/db/schema.ts";
import { runGuarded, guardCode, homeGuard } from "#store/db/guard.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { runAsMember, type ActingMember, endSessionsStatement } from "./sessions.ts";
import { homeStatement, nextVersionSql } from "#store/db/statement.ts";

export interface Member {
  id: string;
  version: number;
  email: string;
  /** Empty if the member has not entered one. */
  name: string;
  role: Role;
  /** The scrypt hash with its parameters. */
  password: string;
  /** The chosen language. Null before the first choice. Empty if the browser decides. */
  language: string | null;
  /** The chosen time zone. Null before the first choice. Empty if the browser decides. */
  zone: string | null;
}

export const memberColumns = lazy(() => ({
  id: member.id,
  version: member.version,
  email: member.email,
  name: member.name,
  role: member.role,
  password: member.password,
  language: member.language,
  zone: member.zone,
}));

/** Finds the id of the member with this address, even if the member was removed. */
export async function findMemberId(db: HomeDatabase, email: string): Promise<string | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db).select({ id: member.id }).from(member).where(eq(member.email, email)),
  );
  return row?.id;
}

/** Finds a member with the addresses of earlier sign-ins. Takes one query whether or not the member exists. */
export async function findMemberForSignIn(
  db: HomeDatabase,
  email: string,
): Promise<{ member: Member; addresses: string[] } | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select({
        member: memberColumns(),
        addresses: sql<string>`(select json_group_array(address) from known_address where member_id = ${member.id})`,
      })
      .from(member)
      .where(and(eq(member.email, email), isNull(member.disabledAt))),
  );
  return row && { ...row, addresses: JSON.parse(row.addresses) as string[] };
}

/** Returns undefined for a removed member. */
export async function findMember(db: HomeDatabase, id: string): Promise<Member | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select(memberColumns())
      .from(member)
      .where(and(eq(member.id, id), isNull(member.disabledAt))),
  );
  return row;
}

const updateNameStatement = homeStatement<{ id: string; name: string }>((db, v) =>
  db.update(member).set({ name: v.name }).where(eq(member.id, v.id)),
);

/** Stores the name of the acting member. */
export async function updateName(
  db: HomeDatabase,
  actingMember: ActingMember,
  name: string,
  auditRecord: AuditRecord,
): Promise<void> {
  await runAsMember(db, actingMember, [
    updateNameStatement(db, { id: actingMember.id, name }),
    insertAuditEntry(db, { ...auditRecord }),
  ]);
}

/** The settings of a member for the administration area. An undefined setting stays unchanged. */
export type MemberPreferences = { [Name in "language" | "zone"]?: string | undefined };

const updatePreferencesStatement = homeStatement<{ id: string; preferences: string }>((db, v) =>
  db
    .update(member)
    .set({
      language: sql`coalesce(${v.preferences} ->> 'language', ${member.language})`,
      zone: sql`coalesce(${v.preferences} ->> 'zone', ${member.zone})`,
    })
    .where(eq(member.id, v.id)),
);

/** Stores the settings of the acting member. */
export async function updatePreferences(
  db: HomeDatabase,
  actingMember: ActingMember,
  chosen: MemberPreferences,
): Promise<void> {
  const preferences = JSON.stringify(chosen);
  await runAsMember(db, actingMember, [
    updatePreferencesStatement(db, { id: actingMember.id, preferences }),
  ]);
}

/** Aborts the second of two changes that start from the same version, however late it arrives. */
export const guardVersion = homeGuard<{ id: string; version: number }>(
  (v) => sql`select ${guardCode("member_changed")} as code
    where not exists (select 1 from member where id = ${v.id} and version = ${v.version})`,
);

/** Keeps at least one owner, even with concurrent changes. */
const guardOwnerRemains = homeGuard<{ disabledAt: number | null; id: string; role: Role }>(
  (v) => sql`select ${guardCode("last_owner")} as code
    where (${v.role} <> 'owner' or ${v.disabledAt} is not null)
      and exists (select 1 from member where id = ${v.id} and role = 'owner' and disabled_at is null)
      and not exists (select 1 from member where role = 'owner' and disabled_at is null and id <> ${v.id})`,
);

const updateMemberStatement = homeStatement<{ disabledAt: number | null; id: string; role: Role }>(
  (db, v) =>
    db
      .update(member)
      .set({
        version: nextVersionSql(sql`version`),
        role: v.role,
        disabledAt: v.disabledAt,
      })
      .where(eq(member.id, v.id)),
);

/**
 * Credentials store the role of their member, so a change of the member gives them a new version. Removing the member
 * revokes its personal tokens permanently.
 */
export const updateCredentialsStatement = homeStatement<{
  at: number;
  disabledAt: number | null;
  id: string;
}>((db, v) =>
  db
    .update(credential)
    .set({
      version: nextVersionSql(sql`version`),
      revokedAt: sql`case when ${v.disabledAt} is not null and kind = 'token'
        then coalesce(revoked_at, ${v.at}) else revoked_at end`,
    })
    .where(eq(credential.memberId, v.id)),
);

/**
 * Deletes invitations to the address of the member, and the member's own invitations to roles that it can no longer
 * grant.
 */
const deleteInvitationsStatement = homeStatement<{ grantableRoles: string; id: string }>((db, v) =>
  db.delete(invitation).where(
    sql`email = (select email from member where id = ${v.id})
        or (inviter_id = ${v.id} and role not in (select value from json_each(${v.grantableRoles})))`,
  ),
);

/**
 * Changes the role of a member at this version, or removes it by setting `disabledAt`. Ends all of its sessions. Removal
 * also revokes its tokens. Stores nothing when no owner would remain or the member has changed.
 */
export async function updateMember(
  db: HomeDatabase,
  actingMember: ActingMember,
  change: { id: string; version: number; role: Role; disabledAt: number | null },
  auditRecord: AuditRecord,
): Promise<"changed" | "last_owner" | "member_changed"> {
  const grantableRoles =
    change.disabledAt === null ? roles.filter((role) => canGrant(change.role, role)) : [];
  const values = {
    ...change,
    exceptHash: null,
    at: auditRecord.at,
    grantableRoles: JSON.stringify(grantableRoles),
  };
  const steps = [guardVersion, guardOwnerRemains, updateMemberStatement];
  const cleanups = [endSessionsStatement, updateCredentialsStatement, deleteInvitationsStatement];
  const statements = [...steps, ...cleanups].map((bind) => bind(db, values));
  const failedGuard = await runAsMember(db, actingMember, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  if (failedGuard === undefined) return "changed";
  return failedGuard === "last_owner" ? failedGuard : "member_changed";
}

export const updatePasswordStatement = homeStatement<{ id: string; password: string }>((db, v) =>
  db
    .update(member)
    .set({ version: nextVersionSql(sql`version`), password: v.password })
    .where(eq(member.id, v.id)),
);

/**
 * Sets a new password for a member at this version and ends its sessions except the one with `exceptHash`. Returns
 * false and stores nothing when the member has changed.
 */
export async function updatePassword(
  db: HomeDatabase,
  change: { id: string; version: number; exceptHash: string; password: string },
  auditRecord: AuditRecord,
): Promise<boolean> {
  const statements = [guardVersion, updatePasswordStatement, endSessionsStatement].map((bind) =>
    bind(db, change),
  );
  return runGuarded(db, [...statements, insertAuditEntry(db, { ...auditRecord })]);
}

/** Whether a member exists, even a removed one. */
export async function hasMembers(db: HomeDatabase): Promise<boolean> {
  const rows = await retryTransient(db, () =>
    orm(db).select({ id: member.id }).from(member).limit(1),
  );
  return rows.length > 0;
}

const insertOwnerStatement = homeStatement<{
  at: number;
  name: string;
  email: string;
  id: string;
  password: string;
}>((db, v) =>
  db
    .insert(member)
    .select(
      sql`select ${v.id}, 1, ${v.email}, 'owner', ${v.password}, ${v.at}, null, ${v.name}, null, null`,
    ),
);
const guardNoMembers = homeGuard(
  () => sql`select ${guardCode("members_exist")} as code where exists (select 1 from member)`,
);

/** Creates the first owner. Returns false when a member exists. */
export async function insertFirstOwner(
  db: HomeDatabase,
  owner: Pick<Member, "id" | "email" | "name" | "password">,
  auditRecord: AuditRecord,
): Promise<boolean> {
  const values = { ...owner, at: auditRecord.at };
  const statements = [guardNoMembers, insertOwnerStatement].map((bind) => bind(db, values));
  return runGuarded(db, [...statements, insertAuditEntry(db, { ...auditRecord })]);
}

export type MemberSummary = Omit<Member, "password" | "language" | "zone"> & {
  createdAt: number;
  disabledAt: number | null;
};

/** Selects all members in the order of creation. */
export function selectMembers(db: HomeDatabase) {
  const { id, version, email, name, role, createdAt, disabledAt } = member;
  const columns = { id, version, email, name, role, createdAt, disabledAt };
  return query(db, (builder) => builder.select(columns).from(member).orderBy(id));
}

export async function listMembers(db: HomeDatabase): Promise<MemberSummary[]> {
  return retryTransient(db, () => selectMembers(db));
}
