import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Role } from "../domain/permissions";
import { attempt, once, unlessRefused } from "./attempt";
import { insertAct, type Act } from "./audit";
import { guardCode, guardStatement } from "./guard";
import { credential, knownAddress, member, session } from "./schema";
import { placeholders, statement } from "./statement";

export interface Member {
  id: string;
  email: string;
  role: Role;
  /** scrypt, with its parameters. */
  password: string;
}

const columns = {
  id: member.id,
  email: member.email,
  role: member.role,
  password: member.password,
};

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

/** Whether a member has signed in from this address before. */
export async function isKnownAddress(
  db: D1Database,
  memberId: string,
  address: string,
): Promise<boolean> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select({ at: knownAddress.at })
      .from(knownAddress)
      .where(and(eq(knownAddress.memberId, memberId), eq(knownAddress.address, address))),
  );
  return found !== undefined;
}

const mostAddresses = 20;

const keepAddress = statement((db) =>
  db
    .insert(knownAddress)
    .values(placeholders(["memberId", "address", "at"]))
    .onConflictDoUpdate({
      target: [knownAddress.memberId, knownAddress.address],
      set: { at: sql`excluded.at` },
    }),
);
const forgetOldest = statement((db) =>
  db.delete(knownAddress).where(
    sql`member_id = ${placeholder("memberId")} and address not in (
        select address from known_address where member_id = ${placeholder("memberId")}
          order by at desc limit ${sql.raw(String(mostAddresses))})`,
  ),
);
const insert = statement((db) =>
  db.insert(session).values(placeholders(["hash", "memberId", "createdAt", "expiresAt"])),
);

const { placeholder } = sql;
const insertFirst = statement((db) =>
  db.insert(member).select(
    sql`select ${placeholder("id")}, ${placeholder("email")}, 'owner', ${placeholder("password")}, ${placeholder("at")}, null
        where not exists (select 1 from member)`,
  ),
);

/** Makes the first owner; false when there is a member already. */
export async function insertFirstOwner(
  db: D1Database,
  owner: Pick<Member, "id" | "email" | "password">,
  act: Act,
): Promise<boolean> {
  const [result] = await once(() =>
    db.batch([insertFirst(db, { ...owner, at: act.at }), insertAct(db, { ...act })]),
  );
  return result?.meta.changes === 1;
}

/** Starts a session, and remembers from where: the last 20 addresses. */
export async function insertSession(
  db: D1Database,
  values: { hash: string; memberId: string; createdAt: number; expiresAt: number },
  address: string,
): Promise<void> {
  const known = { memberId: values.memberId, address, at: values.createdAt };
  await once(() => db.batch([insert(db, values), keepAddress(db, known), forgetOldest(db, known)]));
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

export async function deleteSession(db: D1Database, hash: string): Promise<void> {
  await once(() => drizzle(db).delete(session).where(eq(session.hash, hash)));
}

export type MemberSummary = Omit<Member, "password"> & {
  createdAt: number;
  disabledAt: number | null;
};

/** Every member, the first one first. */
export async function listMembers(db: D1Database): Promise<MemberSummary[]> {
  const { id, email, role, createdAt, disabledAt } = member;
  return attempt(() =>
    drizzle(db).select({ id, email, role, createdAt, disabledAt }).from(member).orderBy(id),
  );
}

/** One owner stays, whoever asks what at the same time. */
const ownerStays = guardStatement(
  sql`select ${guardCode("last_owner")} as code
    where (${placeholder("role")} <> 'owner' or ${placeholder("disabledAt")} is not null)
      and exists (select 1 from member where id = ${placeholder("id")} and role = 'owner' and disabled_at is null)
      and not exists (select 1 from member where role = 'owner' and disabled_at is null and id <> ${placeholder("id")})`,
);

const changeMember = statement((db) =>
  db
    .update(member)
    .set({
      role: sql`${placeholder("role")}`,
      disabledAt: sql`${placeholder("disabledAt")}`,
    })
    .where(eq(member.id, placeholder("id"))),
);

const endSessions = statement((db) =>
  db
    .delete(session)
    .where(sql`member_id = ${placeholder("id")} and hash is not ${placeholder("keep")}`),
);

/** A change of the member is one of its credentials: they carry its role. Removal ends its personal tokens for good. */
const changeCredentials = statement((db) =>
  db
    .update(credential)
    .set({
      version: sql`version + 1`,
      revokedAt: sql`case when ${placeholder("disabledAt")} is not null and kind = 'token'
        then coalesce(revoked_at, ${placeholder("at")}) else revoked_at end`,
    })
    .where(eq(credential.memberId, placeholder("id"))),
);

/**
 * Changes what a member is; all of its sessions end, and its tokens with its removal. False, with nothing stored, when no
 * owner would be left.
 */
export async function updateMember(
  db: D1Database,
  change: { id: string; role: Role; disabledAt: number | null },
  act: Act,
): Promise<boolean> {
  const values = { ...change, keep: null, at: act.at };
  const statements = [ownerStays, changeMember, endSessions, changeCredentials].map((bind) =>
    bind(db, values),
  );
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}

const setPassword = statement((db) =>
  db
    .update(member)
    .set({ password: sql`${placeholder("password")}` })
    .where(eq(member.id, placeholder("id"))),
);

/** Ends the sessions of a member but the one that is kept; with a new password where one is given. */
export async function endOtherSessions(
  db: D1Database,
  { id, keep, password }: { id: string; keep: string; password: string | null },
  act: Act,
): Promise<void> {
  const changes = password === null ? [] : [setPassword(db, { id, password })];
  await once(() =>
    db.batch([...changes, endSessions(db, { id, keep }), insertAct(db, { ...act })]),
  );
}

export async function countSessions(db: D1Database, id: string, now: number): Promise<number> {
  const found = await attempt(() =>
    drizzle(db)
      .select({ hash: session.hash })
      .from(session)
      .where(and(eq(session.memberId, id), gt(session.expiresAt, now))),
  );
  return found.length;
}
