import { may, mayGive, roles, type Role } from "../../domain/credential/roles";
import { problem } from "../../domain/problem/problem";
import type { SealingKeys } from "../../domain/credential/sealing";
import type { Credential } from "../../domain/credential/credential";
import { listMemberCredentials } from "../../store/credentials/lists";
import { listMembers } from "../../store/members/list-members";
import { updateMember, updatePassword } from "../../store/members/members";
import { endOtherSessions } from "../../store/members/sessions";
import { act, type ActionContext } from "../context";
import { hashPassword } from "./password";

/** Managing members: who does it, and random bytes. */
export interface MemberContext extends ActionContext {
  member: { id: string; version: number; role: Role };
  random(length: number): Uint8Array;
  keys: SealingKeys;
  /** Tells the objects of these credentials, so that a change holds for their next request. */
  announce(credentials: readonly Credential[]): Promise<void>;
}

/** Refuses to give these roles, or to take them, to who may not. */
export function refuseRole({ member }: Pick<MemberContext, "member">, ...asked: Role[]): void {
  if (asked.every((role) => mayGive(member.role, role))) return;
  throw problem.roleRequired(may(member.role, "members") ? "owners" : "members");
}

/** The roles that this member may give and take. */
export const givenBy = ({ member }: Pick<MemberContext, "member">): Role[] =>
  roles.filter((role) => mayGive(member.role, role));

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
  const outcome = await updateMember(ctx.db, ctx.member, { id, version, role, disabledAt }, entry);
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
