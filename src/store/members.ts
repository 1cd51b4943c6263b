import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Role } from "../domain/permissions";
import { attempt, once } from "./attempt";
import { insertAct, type Act } from "./audit";
import { member, session } from "./schema";
import { statement } from "./statement";

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

export async function insertSession(
  db: D1Database,
  values: { hash: string; memberId: string; createdAt: number; expiresAt: number },
): Promise<void> {
  await once(() => drizzle(db).insert(session).values(values));
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
