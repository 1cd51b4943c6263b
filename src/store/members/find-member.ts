import { and, eq, gt, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Role } from "../../domain/credential/roles";
import { attempt } from "../db/attempt";
import { member, session } from "../db/schema";

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
