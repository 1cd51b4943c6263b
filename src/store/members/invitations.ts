import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt, unlessRefused } from "../db/attempt";
import { insertAct, type Act } from "../audit/audit";
import { guardCode, guardStatement } from "../db/guard";
import { invitation, member } from "../db/schema";
import { placeholders, statement } from "../db/statement";
import { selectMembers, type MemberSummary } from "./members";

export type Invitation = typeof invitation.$inferSelect;

const { placeholder } = sql;

const isNoMember = guardStatement(
  sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member where email = ${placeholder("email")} and disabled_at is null)`,
);

const columns = ["hash", "email", "role", "createdAt", "expiresAt", "sealed"];

/** A new link for an address takes the place of the one before; one that arrives late, of none. */
const insert = statement((db) =>
  db
    .insert(invitation)
    .values(placeholders(columns))
    .onConflictDoUpdate({
      target: invitation.email,
      set: {
        hash: sql`excluded.hash`,
        role: sql`excluded.role`,
        createdAt: sql`excluded.created_at`,
        expiresAt: sql`excluded.expires_at`,
        sealed: sql`excluded.sealed`,
      },
      setWhere: sql`excluded.created_at >= invitation.created_at`,
    }),
);

/** False, with nothing stored, when the address is a member's already. */
export async function insertInvitation(
  db: D1Database,
  values: Invitation,
  act: Act,
): Promise<boolean> {
  const statements = [isNoMember, insert].map((bind) => bind(db, { ...values }));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}

const most = 1000;

/** Everybody, and the invitations that still work, in one trip. */
export async function listWithInvitations(
  db: D1Database,
  now: number,
): Promise<{ members: MemberSummary[]; invitations: Invitation[] }> {
  const [members, invitations] = await attempt(() =>
    drizzle(db).batch([
      selectMembers(db),
      drizzle(db)
        .select()
        .from(invitation)
        .where(gt(invitation.expiresAt, now))
        .orderBy(invitation.email)
        .limit(most),
    ]),
  );
  return { members, invitations };
}

export async function findInvitationFor(
  db: D1Database,
  email: string,
  now: number,
): Promise<Invitation | undefined> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select()
      .from(invitation)
      .where(and(eq(invitation.email, email), gt(invitation.expiresAt, now))),
  );
  return found;
}

export async function findInvitation(
  db: D1Database,
  hash: string,
  now: number,
): Promise<Invitation | undefined> {
  const [found] = await attempt(() =>
    drizzle(db)
      .select()
      .from(invitation)
      .where(and(eq(invitation.hash, hash), gt(invitation.expiresAt, now))),
  );
  return found;
}

const isOpen = guardStatement(
  sql`select ${guardCode("link_used")} as code
    where not exists (select 1 from invitation where hash = ${placeholder("hash")} and expires_at > ${placeholder("now")})`,
);

/** Who was removed comes back. */
const accept = statement((db) =>
  db
    .insert(member)
    .select(
      sql`select ${placeholder("id")}, 1, email, role, ${placeholder("password")}, ${placeholder("now")}, null
        from invitation where hash = ${placeholder("hash")} and expires_at > ${placeholder("now")}`,
    )
    .onConflictDoUpdate({
      target: member.email,
      set: {
        version: sql`${member.version} + 1`,
        role: sql`excluded.role`,
        password: sql`excluded.password`,
        disabledAt: null,
      },
    }),
);

const useUp = statement((db) =>
  db.delete(invitation).where(eq(invitation.hash, placeholder("hash"))),
);

/** Makes the member of an invitation, once: the link is used up in the same batch. False when it is no more. */
export async function acceptInvitation(
  db: D1Database,
  values: { hash: string; id: string; password: string; now: number },
  act: Act,
): Promise<boolean> {
  const statements = [isOpen, accept, useUp].map((bind) => bind(db, values));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}

/** False where it was used, withdrawn or made anew meanwhile. */
export async function deleteInvitation(
  db: D1Database,
  values: { hash: string; now: number },
  act: Act,
): Promise<boolean> {
  const statements = [isOpen, useUp].map((bind) => bind(db, values));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}
