import { toBase64url } from "../../domain/base64url";
import { may, type Role } from "../../domain/credential/permissions";
import { problem } from "../../domain/problem/problem";
import { sha256 } from "../../domain/credential/signature";
import {
  acceptInvitation,
  findInvitation,
  insertInvitation,
  type Invitation,
} from "../../store/members/invitations";
import type { Credential } from "../../domain/credential/credential";
import { listMemberCredentials } from "../../store/credentials/lists";
import { listMembers, updateMember, updatePassword } from "../../store/members/members";
import { endOtherSessions } from "../../store/members/sessions";
import { act, type ActionContext } from "../context";
import { hashPassword } from "./password";

/** Managing members: who does it, and random bytes. */
export interface MemberContext extends ActionContext {
  member: { id: string; version: number; role: Role };
  random(length: number): Uint8Array;
  /** Tells the objects of these credentials, so that a change holds for their next request. */
  announce(credentials: readonly Credential[]): Promise<void>;
}

const invitedFor = 7 * 24 * 60 * 60 * 1000;

/** Owners alone make owners and admins, and change what those are. */
function refuseRole(ctx: MemberContext, ...roles: Role[]): void {
  const high = roles.some((role) => role === "owner" || role === "admin");
  const ability = high ? "owners" : "members";
  if (!may(ctx.member.role, ability)) throw problem.roleRequired(ability);
}

/** Gives the secret of a link that makes a member, once, within seven days. */
export async function inviteMember(
  ctx: MemberContext,
  email: string,
  role: Role,
): Promise<{ secret: string; invitation: Invitation }> {
  refuseRole(ctx, role);
  const secret = toBase64url(ctx.random(32));
  const createdAt = ctx.now();
  const invitation = {
    hash: await sha256(secret),
    email: email.toLowerCase(),
    role,
    createdAt,
    expiresAt: createdAt + invitedFor,
  };
  const invited = act(ctx, "member.invite", `member:${invitation.email}`);
  if (await insertInvitation(ctx.db, invitation, invited)) return { secret, invitation };
  throw problem.conflict("This address is a member's already.");
}

export async function invitationOf(ctx: ActionContext, secret: string): Promise<Invitation> {
  const found = await findInvitation(ctx.db, await sha256(secret), ctx.now());
  if (!found) throw problem.notFound();
  return found;
}

/** Makes the member whose link this is. A second time it is not found. */
export async function joinMembers(
  ctx: Pick<MemberContext, keyof ActionContext | "random">,
  secret: string,
  password: string,
): Promise<void> {
  const { hash, email } = await invitationOf(ctx, secret);
  const joined = {
    hash,
    id: ctx.newId(),
    password: await hashPassword(password, ctx.random(16)),
    now: ctx.now(),
  };
  const entry = act(ctx, "member.join", `member:${email}`);
  if (!(await acceptInvitation(ctx.db, joined, entry))) throw problem.notFound();
}

/** Gives a member another role, removes it (its tokens end with it), or takes it back. Its sessions end. */
export async function changeMember(
  ctx: MemberContext,
  id: string,
  change: { role?: Role | undefined; disabled?: boolean | undefined },
): Promise<void> {
  const before = (await listMembers(ctx.db)).find((each) => each.id === id);
  if (!before) throw problem.notFound();
  const role = change.role ?? before.role;
  refuseRole(ctx, before.role, role);
  const disabled = change.disabled ?? before.disabledAt !== null;
  const disabledAt = disabled ? (before.disabledAt ?? ctx.now()) : null;
  const entry = act(ctx, disabled ? "member.remove" : "member.change", `member:${id}`);
  const { version } = before;
  const outcome = await updateMember(ctx.db, { id, version, role, disabledAt }, entry);
  if (outcome === "last_owner") throw problem.conflict("One owner has to stay.");
  if (outcome === "member_changed") throw changedMeanwhile();
  const since = disabledAt ?? entry.at;
  await ctx.announce(await listMemberCredentials(ctx.db, id, since));
}

const changedMeanwhile = () =>
  problem.conflict("This member was changed meanwhile. Load it again, and repeat your change.");

/** Signs a member out everywhere but here. */
export async function endSessions(ctx: MemberContext, keep: string): Promise<void> {
  const { id } = ctx.member;
  await endOtherSessions(
    ctx.db,
    { id, keep },
    act(ctx, "member.sign_out_everywhere", `member:${id}`),
  );
}

/** Gives a member another password, and signs it out everywhere but here. */
export async function changePassword(
  ctx: MemberContext,
  keep: string,
  chosen: string,
): Promise<void> {
  const { id, version } = ctx.member;
  const password = await hashPassword(chosen, ctx.random(16));
  const entry = act(ctx, "member.password", `member:${id}`);
  if (!(await updatePassword(ctx.db, { id, version, keep, password }, entry))) {
    throw changedMeanwhile();
  }
}
