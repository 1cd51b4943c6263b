import { batchQueries, orm, query, type HomeDatabase } from "#store/db/database.ts";
import { and, eq, gt, sql } from "drizzle-orm";
import { canGrant, roles, type Role } from "#domain/credential/permissions.ts";
import { retryTransient } from "#store/db/retry.ts";
import { runGuarded, guardCode, homeGuard } from "#store/db/guard.ts";
import { insertAuditEntry, type AuditRecord } from "./audit.ts";
import { invitation, member } from "#store/db/schema.ts";
import { pick, homeStatement, nextVersionSql } from "#store/db/statement.ts";
import { runAsMember, type ActingMember, endSessionsStatement } from "./sessions.ts";
import { updateCredentialsStatement, selectMembers, type MemberSummary } from "./members.ts";

export type Invitation = typeof invitation.$inferSelect;

const guardAddressAvailable = homeGuard<{ email: string }>(
  (v) => sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member where email = ${v.email} and disabled_at is null)`,
);

/**
 * A member who cannot grant a role can neither replace or delete an invitation with that role, nor invite a former
 * member who had it.
 */
const guardRolesGrantable = homeGuard<{ email: string; grantableRoles: string; now: number }>(
  (v) => sql`select ${guardCode("role_not_given")} as code where exists (
    select role from invitation where email = ${v.email} and expires_at > ${v.now}
      union all select role from member where email = ${v.email}
    except select value from json_each(${v.grantableRoles}))`,
);

const insertedColumns = [
  "hash",
  "email",
  "role",
  "inviterId",
  "createdAt",
  "expiresAt",
  "sealed",
] as const;

/** A new link replaces the previous link for the address. A late write never replaces a newer link. */
const insertStatement = homeStatement<Invitation>((db, v) =>
  db
    .insert(invitation)
    .values(pick(v, insertedColumns))
    .onConflictDoUpdate({
      target: invitation.email,
      set: {
        hash: sql`excluded.hash`,
        role: sql`excluded.role`,
        inviterId: sql`excluded.inviter_id`,
        createdAt: sql`excluded.created_at`,
        expiresAt: sql`excluded.expires_at`,
        sealed: sql`excluded.sealed`,
      },
      setWhere: sql`excluded.created_at >= invitation.created_at`,
    }),
);

/** Stores an invitation by a member who can grant `grantableRoles`, or returns why it was rejected. */
export async function insertInvitation(
  db: HomeDatabase,
  actingMember: ActingMember,
  values: Invitation,
  grantableRoles: readonly Role[],
  auditRecord: AuditRecord,
): Promise<"invited" | "address_taken" | "role_not_given"> {
  const bindings = {
    ...values,
    now: values.createdAt,
    grantableRoles: JSON.stringify(grantableRoles),
  };
  const statements = [guardAddressAvailable, guardRolesGrantable, insertStatement].map((bind) =>
    bind(db, bindings),
  );
  const failedGuard = await runAsMember(db, actingMember, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  if (failedGuard === undefined) return "invited";
  return failedGuard === "role_not_given" ? failedGuard : "address_taken";
}

const deleteStatement = homeStatement<{ email: string }>((db, v) =>
  db.delete(invitation).where(eq(invitation.email, v.email)),
);

/** Deletes the invitation of an address. Returns false and stores nothing when its role is not grantable. */
export async function deleteInvitation(
  db: HomeDatabase,
  actingMember: ActingMember,
  { email, grantableRoles, now }: { email: string; grantableRoles: readonly Role[]; now: number },
  auditRecord: AuditRecord,
): Promise<boolean> {
  const bindings = { email, now, grantableRoles: JSON.stringify(grantableRoles) };
  const statements = [guardRolesGrantable, deleteStatement].map((bind) => bind(db, bindings));
  const failedGuard = await runAsMember(db, actingMember, [
    ...statements,
    insertAuditEntry(db, { ...auditRecord }),
  ]);
  return failedGuard === undefined;
}

/** SQL values for the pairs of a role and each role that it can grant. */
export const grantableRolePairsSql = roles
  .flatMap((granting) =>
    roles.filter((role) => canGrant(granting, role)).map((role) => `('${granting}', '${role}')`),
  )
  .join(", ");

/**
 * True while the inviter is an active member who can grant the role. The deployment invites the first owner without an
 * inviter; that invitation ends with the first member.
 */
const isStillGrantableSql =
  sql.raw(`(exists (select 1 from member m where m.id = invitation.inviter_id
  and m.disabled_at is null and (m.role, invitation.role) in (values ${grantableRolePairsSql}))
  or (invitation.inviter_id is null and not exists (select 1 from member)))`);

const maxInvitations = 1000;

/** Lists all members, and the invitations whose links still work, in one round trip. */
export async function listMembersAndInvitations(
  db: HomeDatabase,
  now: number,
): Promise<{ members: MemberSummary[]; invitations: Invitation[] }> {
  const [members, invitations] = await retryTransient(db, () =>
    batchQueries(db, [
      selectMembers(db),
      query(db, (builder) =>
        builder
          .select()
          .from(invitation)
          .where(and(gt(invitation.expiresAt, now), isStillGrantableSql))
          .orderBy(invitation.email)
          .limit(maxInvitations),
      ),
    ]),
  );
  return { members, invitations };
}

export async function findInvitation(
  db: HomeDatabase,
  hash: string,
  now: number,
): Promise<Invitation | undefined> {
  const [row] = await retryTransient(db, () =>
    orm(db)
      .select()
      .from(invitation)
      .where(and(eq(invitation.hash, hash), gt(invitation.expiresAt, now), isStillGrantableSql)),
  );
  return row;
}

const guardInvitationOpen = homeGuard<{ hash: string; now: number }>(
  (v) => sql`select ${guardCode("link_used")} as code
    where not exists (select 1 from invitation where hash = ${v.hash} and expires_at > ${v.now} and ${isStillGrantableSql})`,
);

/** Without this guard, an old link could take over the account of a member who has returned. */
const guardAddressStillAvailable = homeGuard<{ hash: string }>(
  (v) => sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member join invitation using (email)
      where invitation.hash = ${v.hash} and member.disabled_at is null)`,
);

/** Creates the member, or restores a removed member with the same address. */
const upsertMemberStatement = homeStatement<{
  hash: string;
  id: string;
  name: string;
  now: number;
  password: string;
}>((db, v) =>
  db
    .insert(member)
    .select(
      sql`select ${v.id}, 1, email, role, ${v.password}, ${v.now}, null, ${v.name}, null, null
        from invitation where hash = ${v.hash} and expires_at > ${v.now}`,
    )
    .onConflictDoUpdate({
      target: member.email,
      set: {
        version: nextVersionSql(sql`${member.version}`),
        role: sql`excluded.role`,
        password: sql`excluded.password`,
        disabledAt: null,
        name: sql`iif(excluded.name = '', ${member.name}, excluded.name)`,
      },
    }),
);

const consumeStatement = homeStatement<{ hash: string }>((db, v) =>
  db.delete(invitation).where(eq(invitation.hash, v.hash)),
);

/**
 * Creates the member of an invitation and deletes the invitation in one batch, so that a link works once. A returning
 * member keeps its `id`, but not its sessions and tokens. Returns false when the link no longer works or its address
 * belongs to a member.
 */
export async function acceptInvitation(
  db: HomeDatabase,
  newMember: { hash: string; id: string; name: string; password: string; now: number },
  auditRecord: AuditRecord,
): Promise<boolean> {
  const { now } = newMember;
  const values = { ...newMember, exceptHash: null, disabledAt: now, at: now };
  const steps = [
    guardInvitationOpen,
    guardAddressStillAvailable,
    upsertMemberStatement,
    endSessionsStatement,
    updateCredentialsStatement,
    consumeStatement,
  ];
  const statements = steps.map((bind) => bind(db, values));
  return runGuarded(db, [...statements, insertAuditEntry(db, { ...auditRecord })]);
}
