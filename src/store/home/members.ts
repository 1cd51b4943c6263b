import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { type Role, mayGive, roles } from "#domain/credential/permissions.ts";
import { attempt } from "#store/db/retry.ts";
import { member, session, credential, invitation } from "#store/db/schema.ts";
import { unlessRefused, guardCode, guardStatement } from "#store/db/guard.ts";
import { insertAct, type Act } from "./audit.ts";
import { refusalFor, type Acting, endSessions } from "./sessions.ts";
import { statement } from "#store/db/statement.ts";

export interface Member {
  id: string;
  version: number;
  email: string;
  role: Role;
  /** scrypt, with its parameters. */
  password: string;
}

const columns = {
  id: member.id,
  version: member.version,
  email: member.email,
  role: member.role,
  password: member.password,
};

/** The id of whoever has this address, removed or not. */
export async function findMemberId(db: D1Database, email: string): Promise<string | undefined> {
  const [found] = await attempt(() =>
    drizzle(db).select({ id: member.id }).from(member).where(eq(member.email, email)),
  );
  return found?.id;
}

export async function findMemberByEmail(
  db: D1Database,
  email: string,
): Promise<Member | undefined> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select(columns)
      .from(member)
      .where(and(eq(member.email, email), isNull(member.disabledAt))),
  );
  return found;
}

/** Who signs in with this e-mail address, and where from before: in one query, for a member and for nobody alike. */
export async function findSigningIn(
  db: D1Database,
  email: string,
): Promise<{ member: Member; addresses: string[] } | undefined> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select({
        member: columns,
        addresses: sql<string>`(select json_group_array(address) from known_address where member_id = ${member.id})`,
      })
      .from(member)
      .where(and(eq(member.email, email), isNull(member.disabledAt))),
  );
  return found && { ...found, addresses: JSON.parse(found.addresses) as string[] };
}

/** Unless it is removed. */
export async function findMember(db: D1Database, id: string): Promise<Member | undefined> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select(columns)
      .from(member)
      .where(and(eq(member.id, id), isNull(member.disabledAt))),
  );
  return found;
}

/** The member whose session this is, while both are good. */
export async function findSession(
  db: D1Database,
  hash: string,
  now: number,
): Promise<Member | undefined> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select(columns)
      .from(session)
      .innerJoin(member, eq(member.id, session.memberId))
      .where(and(eq(session.hash, hash), gt(session.expiresAt, now), isNull(member.disabledAt))),
  );
  return found;
}

/** Of two changes that were made of one state, the second is refused, however late it arrives. */
const isUnchanged = guardStatement<{ id: string; version: number }>(
  (v) => sql`select ${guardCode("member_changed")} as code
    where not exists (select 1 from member where id = ${v.id} and version = ${v.version})`,
);

/** One owner stays, whoever asks what at the same time. */
const ownerStays = guardStatement<{ disabledAt: number | null; id: string; role: Role }>(
  (v) => sql`select ${guardCode("last_owner")} as code
    where (${v.role} <> 'owner' or ${v.disabledAt} is not null)
      and exists (select 1 from member where id = ${v.id} and role = 'owner' and disabled_at is null)
      and not exists (select 1 from member where role = 'owner' and disabled_at is null and id <> ${v.id})`,
);

const changeMember = statement<{ disabledAt: number | null; id: string; role: Role }>((db, v) =>
  db
    .update(member)
    .set({
      version: sql`version + 1`,
      role: v.role,
      disabledAt: v.disabledAt,
    })
    .where(eq(member.id, v.id)),
);

/** A change of the member is one of its credentials: they carry its role. Removal ends its personal tokens for good. */
export const changeCredentials = statement<{ at: number; disabledAt: number | null; id: string }>(
  (db, v) =>
    db
      .update(credential)
      .set({
        version: sql`version + 1`,
        revokedAt: sql`case when ${v.disabledAt} is not null and kind = 'token'
        then coalesce(revoked_at, ${v.at}) else revoked_at end`,
      })
      .where(eq(credential.memberId, v.id)),
);

/** What invited its address before ends, and what it gave but may not give any more. */
const endInvitations = statement<{ given: string; id: string }>((db, v) =>
  db.delete(invitation).where(
    sql`email = (select email from member where id = ${v.id})
        or (inviter_id = ${v.id} and role not in (select value from json_each(${v.given})))`,
  ),
);

/**
 * Changes what a member of this version is; all of its sessions end, and its tokens with its removal. Nothing is stored
 * when no owner would be left, or it was changed meanwhile.
 */
export async function updateMember(
  db: D1Database,
  by: Acting,
  change: { id: string; version: number; role: Role; disabledAt: number | null },
  act: Act,
): Promise<"changed" | "last_owner" | "member_changed"> {
  const given =
    change.disabledAt === null ? roles.filter((role) => mayGive(change.role, role)) : [];
  const values = { ...change, keep: null, at: act.at, given: JSON.stringify(given) };
  const steps = [isUnchanged, ownerStays, changeMember];
  const ended = [endSessions, changeCredentials, endInvitations];
  const statements = [...steps, ...ended].map((bind) => bind(db, values));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  if (refused === undefined) return "changed";
  return refused === "last_owner" ? refused : "member_changed";
}

const setPassword = statement<{ id: string; password: string }>((db, v) =>
  db
    .update(member)
    .set({ version: sql`version + 1`, password: v.password })
    .where(eq(member.id, v.id)),
);

/**
 * Gives a member of this version another password, and ends its sessions but the one that is kept. False, with nothing
 * stored, when it was changed meanwhile.
 */
export async function updatePassword(
  db: D1Database,
  change: { id: string; version: number; keep: string; password: string },
  act: Act,
): Promise<boolean> {
  const statements = [isUnchanged, setPassword, endSessions].map((bind) => bind(db, change));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}

const insertFirst = statement<{ at: number; email: string; id: string; password: string }>(
  (db, v) =>
    db
      .insert(member)
      .select(sql`select ${v.id}, 1, ${v.email}, 'owner', ${v.password}, ${v.at}, null`),
);
const isNobodyThere = guardStatement(
  () => sql`select ${guardCode("members_exist")} as code where exists (select 1 from member)`,
);

/** Makes the first owner; false when there is a member already. */
export async function insertFirstOwner(
  db: D1Database,
  owner: Pick<Member, "id" | "email" | "password">,
  act: Act,
): Promise<boolean> {
  const values = { ...owner, at: act.at };
  const statements = [isNobodyThere, insertFirst].map((bind) => bind(db, values));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}

export type MemberSummary = Omit<Member, "password"> & {
  createdAt: number;
  disabledAt: number | null;
};

/** Every member, the first one first. */
export function selectMembers(db: D1Database) {
  const { id, version, email, role, createdAt, disabledAt } = member;
  return drizzle(db)
    .select({ id, version, email, role, createdAt, disabledAt })
    .from(member)
    .orderBy(id);
}

export async function listMembers(db: D1Database): Promise<MemberSummary[]> {
  return attempt(() => selectMembers(db));
}
