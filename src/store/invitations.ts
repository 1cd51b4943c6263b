import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { attempt, once } from "./attempt";
import { insertAct, type Act } from "./audit";
import { invitation, member } from "./schema";
import { statement } from "./statement";

export type Invitation = typeof invitation.$inferSelect;

const { placeholder } = sql;

/** A new link for an address takes the place of the one before; a member's address is not invited again. */
const insert = statement((db) =>
  db
    .insert(invitation)
    .select(
      sql`select ${placeholder("hash")}, ${placeholder("email")}, ${placeholder("role")},
        ${placeholder("createdAt")}, ${placeholder("expiresAt")}
        where not exists (select 1 from member where email = ${placeholder("email")} and disabled_at is null)`,
    )
    .onConflictDoUpdate({
      target: invitation.email,
      set: {
        hash: sql`excluded.hash`,
        role: sql`excluded.role`,
        createdAt: sql`excluded.created_at`,
        expiresAt: sql`excluded.expires_at`,
      },
    }),
);

/** False when the address is a member's already. */
export async function insertInvitation(
  db: D1Database,
  values: Invitation,
  act: Act,
): Promise<boolean> {
  const [result] = await once(() =>
    db.batch([insert(db, { ...values }), insertAct(db, { ...act })]),
  );
  return result?.meta.changes === 1;
}

export async function listInvitations(db: D1Database, now: number): Promise<Invitation[]> {
  return attempt(() =>
    drizzle(db)
      .select()
      .from(invitation)
      .where(gt(invitation.expiresAt, now))
      .orderBy(invitation.email),
  );
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

/** Who was removed comes back. */
const accept = statement((db) =>
  db
    .insert(member)
    .select(
      sql`select ${placeholder("id")}, email, role, ${placeholder("password")}, ${placeholder("now")}, null
        from invitation where hash = ${placeholder("hash")} and expires_at > ${placeholder("now")}`,
    )
    .onConflictDoUpdate({
      target: member.email,
      set: { role: sql`excluded.role`, password: sql`excluded.password`, disabledAt: null },
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
  const [result] = await once(() =>
    db.batch([accept(db, values), useUp(db, values), insertAct(db, { ...act })]),
  );
  return (result?.meta.changes ?? 0) > 0;
}
