import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { mayGive, roles, type Role } from "../../domain/credential/permissions";
import { attempt, unlessRefused } from "../db/attempt";
import { insertAct, type Act } from "../audit/audit";
import { guardCode, guardStatement } from "../db/guard";
import { invitation, member } from "../db/schema";
import { placeholders, statement } from "../db/statement";
import { refusalFor, type Acting } from "./acting";
import { changeCredentials, selectMembers, type MemberSummary } from "./members";
import { endSessions } from "./sessions";

export type Invitation = typeof invitation.$inferSelect;

const { placeholder } = sql;

const isNoMember = guardStatement(
  sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member where email = ${placeholder("email")} and disabled_at is null)`,
);

/** Who may not give a role neither ends an invitation to it, nor makes something else of who had it. */
const mayReplace = guardStatement(
  sql`select ${guardCode("role_not_given")} as code where exists (
    select role from invitation where email = ${placeholder("email")} and expires_at > ${placeholder("now")}
      union all select role from member where email = ${placeholder("email")}
    except select value from json_each(${placeholder("given")}))`,
);

const columns = ["hash", "email", "role", "inviterId", "createdAt", "expiresAt", "sealed"];

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

const withdraw = statement((db) =>
  db.delete(invitation).where(eq(invitation.email, placeholder("email"))),
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

const isOpen = guardStatement(
  sql`select ${guardCode("link_used")} as code
    where not exists (select 1 from invitation where hash = ${placeholder("hash")} and expires_at > ${placeholder("now")} and ${isGiven})`,
);

/** A link that was made before its address came back would take its member over. */
const isNobodyNow = guardStatement(
  sql`select ${guardCode("address_taken")} as code
    where exists (select 1 from member join invitation using (email)
      where invitation.hash = ${placeholder("hash")} and member.disabled_at is null)`,
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
