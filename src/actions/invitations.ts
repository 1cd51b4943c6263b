import { toBase64url } from "#domain/base64url.ts";
import { mayGive, type Role } from "#domain/credential/permissions.ts";
import { sha256 } from "#domain/credential/keys.ts";
import { problem } from "#domain/problem/problem.ts";
import { acceptInvitation, deleteInvitation, findInvitation, insertInvitation, listWithInvitations, type Invitation } from "#store/home/invitations.ts";
import { findMemberId, type MemberSummary } from "#store/home/members.ts";
import { act, type ActionContext } from "./context.ts";
import { givenBy, refuseRole, type MemberContext, hashPassword } from "./members.ts";

const invitedFor = 7 * 24 * 60 * 60 * 1000;

const about = (email: string) => `invitation of ${email}`;

/** Gives the secret of a link that makes a member, once, within seven days. */
export async function inviteMember(
  ctx: MemberContext,
  email: string,
  role: Role,
): Promise<{ secret: string; invitation: Invitation }> {
  refuseRole(ctx, role);
  const secret = toBase64url(ctx.random(32));
  const createdAt = ctx.now();
  const address = email.toLowerCase();
  const invitation = {
    hash: await sha256(secret),
    email: address,
    role,
    inviterId: ctx.member.id,
    createdAt,
    expiresAt: createdAt + invitedFor,
    sealed: await ctx.keys.seal(secret, about(address)),
  };
  const invited = act(ctx, "member.invite", `member:${invitation.email}`);
  const outcome = await insertInvitation(ctx.db, ctx.member, invitation, givenBy(ctx), invited);
  switch (outcome) {
    case "invited":
      return { secret, invitation };
    case "role_not_given":
      throw problem.roleRequired("owners");
    case "address_taken":
      throw problem.conflict("This address is a member's already.");
  }
}

/** Ends the invitation of an address; where there is none, there is none then either. */
export async function withdrawInvitation(ctx: MemberContext, email: string): Promise<void> {
  const address = email.toLowerCase();
  refuseRole(ctx, "viewer");
  const entry = act(ctx, "member.withdraw", `member:${address}`);
  const withdrawn = { email: address, given: givenBy(ctx), now: entry.at };
  if (!(await deleteInvitation(ctx.db, ctx.member, withdrawn, entry)))
    throw problem.roleRequired("owners");
}

export async function openInvitation(ctx: ActionContext, secret: string): Promise<Invitation> {
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
  const { hash, email } = await openInvitation(ctx, secret);
  const joined = {
    hash,
    // An address keeps its member for ever, so this holds until the batch.
    id: (await findMemberId(ctx.db, email)) ?? ctx.newId(),
    password: await hashPassword(password, ctx.random(16)),
    now: ctx.now(),
  };
  const entry = act(ctx, "member.join", `member:${email}`);
  if (!(await acceptInvitation(ctx.db, joined, entry))) throw problem.notFound();
}

/** Everybody, and the invitations that still work, each with its secret where this member may give it out. */
export async function openInvitations(ctx: MemberContext): Promise<{
  members: MemberSummary[];
  invitations: (Invitation & { secret: string | undefined })[];
}> {
  const { members, invitations } = await listWithInvitations(ctx.db, ctx.now());
  const opened = invitations.map(async (invitation) => {
    const mine = mayGive(ctx.member.role, invitation.role);
    const { sealed, email } = invitation;
    const secret = mine && sealed !== null ? await ctx.keys.open(sealed, about(email)) : undefined;
    return { ...invitation, secret };
  });
  return { members, invitations: await Promise.all(opened) };
}
