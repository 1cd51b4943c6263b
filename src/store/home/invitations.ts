import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { mayGive, roles, type Role } from "#domain/credential/permissions.ts";
import { attempt } from "#store/db/retry.ts";
import { unlessRefused, guardCode, guardStatement } from "#store/db/guard.ts";
import { insertAct, type Act } from "./audit.ts";
import { invitation, member } from "#store/db/schema.ts";
import { pick, statement } from "#store/db/statement.ts";
import { refusalFor, type Acting, endSessions } from "./sessions.ts";
import { changeCredentials, selectMembers, type MemberSummary } from "./members.ts";

export type Invitation = typeof invitation.$inferSelect;

const isNoMember = guardStatement<{ email: string }>(
  (v) => sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member where email = ${v.email} and disabled_at is null)`,
);

/** Who may not give a role neither ends an invitation to it, nor makes something else of who had it. */
const mayReplace = guardStatement<{ email: string; given: string; now: number }>(
  (v) => sql`select ${guardCode("role_not_given")} as code where exists (
    select role from invitation where email = ${v.email} and expires_at > ${v.now}
      union all select role from member where email = ${v.email}
    except select value from json_each(${v.given}))`,
);

const columns = ["hash", "email", "role", "inviterId", "createdAt", "expiresAt", "sealed"] as const;

/** A new link for an address takes the place of the one before; one that arrives late, of none. */
const insert = statement<Invitation>((db, v) =>
  db
    .insert(invitation)
    .values(pick(v, columns))
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

/** Stores one, made by somebody who may give these roles; or says why not. */
export async function insertInvitation(
  db: D1Database,
  by: Acting,
  values: Invitation,
  given: readonly Role[],
  act: Act,
): Promise<"invited" | "address_taken" | "role_not_given"> {
  const bound = { ...values, now: values.createdAt, given: JSON.stringify(given) };
  const statements = [isNoMember, mayReplace, insert].map((bind) => bind(db, bound));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  if (refused === undefined) return "invited";
  return refused === "role_not_given" ? refused : "address_taken";
}

const withdraw = statement<{ email: string }>((db, v) =>
  db.delete(invitation).where(eq(invitation.email, v.email)),
);

/** Ends the one for this address. False, with nothing stored, when its role is not among those that are given. */
export async function deleteInvitation(
  db: D1Database,
  by: Acting,
  { email, given, now }: { email: string; given: readonly Role[]; now: number },
  act: Act,
): Promise<boolean> {
  const bound = { email, now, given: JSON.stringify(given) };
  const statements = [mayReplace, withdraw].map((bind) => bind(db, bound));
  const refused = await refusalFor(db, by, [...statements, insertAct(db, { ...act })]);
  return refused === undefined;
}

const giving = roles.flatMap((by) =>
  roles.filter((role) => mayGive(by, role)).map((role) => `('${by}', '${role}')`),
);

/** While its inviter is a member who may give its role. */
const isGiven = sql.raw(`exists (select 1 from member m where m.id = invitation.inviter_id
  and m.disabled_at is null and (m.role, invitation.role) in (values ${giving.join(", ")}))`);

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
        .where(and(gt(invitation.expiresAt, now), isGiven))
        .orderBy(invitation.email)
        .limit(most),
    ]),
  );
  return { members, invitations };
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
      .where(and(eq(invitation.hash, hash), gt(invitation.expiresAt, now), isGiven)),
  );
  return found;
}

const isOpen = guardStatement<{ hash: string; now: number }>(
  (v) => sql`select ${guardCode("link_used")} as code
    where not exists (select 1 from invitation where hash = ${v.hash} and expires_at > ${v.now} and ${isGiven})`,
);

/** A link that was made before its address came back would take its member over. */
const isNobodyNow = guardStatement<{ hash: string }>(
  (v) => sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member join invitation using (email)
      where invitation.hash = ${v.hash} and member.disabled_at is null)`,
);

/** Who was removed comes back. */
const accept = statement<{ hash: string; id: string; now: number; password: string }>((db, v) =>
  db
    .insert(member)
    .select(
      sql`select ${v.id}, 1, email, role, ${v.password}, ${v.now}, null
        from invitation where hash = ${v.hash} and expires_at > ${v.now}`,
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

const useUp = statement<{ hash: string }>((db, v) =>
  db.delete(invitation).where(eq(invitation.hash, v.hash)),
);

/**
 * Makes the member of an invitation, once: the link is used up in the same batch. Who comes back has the `id` from before,
 * and neither sessions nor tokens. False when the link is no more, or its address is a member's.
 */
export async function acceptInvitation(
  db: D1Database,
  joined: { hash: string; id: string; password: string; now: number },
  act: Act,
): Promise<boolean> {
  const { now } = joined;
  const values = { ...joined, keep: null, disabledAt: now, at: now };
  const steps = [isOpen, isNobodyNow, accept, endSessions, changeCredentials, useUp];
  const statements = steps.map((bind) => bind(db, values));
  return unlessRefused(db, [...statements, insertAct(db, { ...act })]);
}
