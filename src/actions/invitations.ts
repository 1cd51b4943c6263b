import { canGrant, type Role } from "#domain/credential/permissions.ts";
import {
  sha256,
  createRandomSecret,
  openSignedSecret,
  signSecret,
} from "#domain/credential/keys.ts";
import { problem } from "#domain/problem/problem.ts";
import {
  acceptInvitation,
  deleteInvitation,
  findInvitation,
  insertInvitation,
  listMembersAndInvitations,
  type Invitation,
} from "#store/home/invitations.ts";
import { findMemberId, type MemberSummary } from "#store/home/members.ts";
import { auditRecord } from "./context.ts";
import {
  grantableRoles,
  hashNewPassword,
  requireGrantableRoles,
  type MemberContext,
  type SignInContext,
} from "./members.ts";

const invitationLifetimeMs = 7 * 24 * 60 * 60 * 1000;

const buildSealSubject = (email: string) => `invitation of ${email}`;

/** Creates an invitation and returns the secret of its link. The link works once, within seven days. */
export async function inviteMember(
  ctx: MemberContext,
  email: string,
  role: Role,
): Promise<{ secret: string; invitation: Invitation }> {
  requireGrantableRoles(ctx, role);
  const secret = createRandomSecret(ctx.random);
  const createdAt = ctx.now();
  const address = email.toLowerCase();
  const invitation = {
    hash: await sha256(secret),
    email: address,
    role,
    inviterId: ctx.member.id,
    createdAt,
    expiresAt: createdAt + invitationLifetimeMs,
    sealed: await ctx.keys.seal(secret, buildSealSubject(address)),
  };
  const entry = auditRecord(ctx, "member.invite", `member:${invitation.email}`);
  const outcome = await insertInvitation(
    ctx.databases.home,
    ctx.member,
    invitation,
    grantableRoles(ctx),
    entry,
  );
  switch (outcome) {
    case "invited":
      return { secret: await signSecret(ctx.keys, "invitation", secret), invitation };
    case "role_not_given":
      throw problem.roleRequired("owners");
    case "address_taken":
      throw problem.conflict(
        "This address already belongs to a member. To let them in again, create a password reset link for them.",
        "address_taken",
      );
  }
}

/** Deletes the invitation of an address. Succeeds when there is none. */
export async function withdrawInvitation(ctx: MemberContext, email: string): Promise<void> {
  const address = email.toLowerCase();
  requireGrantableRoles(ctx, "viewer");
  const entry = auditRecord(ctx, "member.withdraw", `member:${address}`);
  const withdrawal = { email: address, grantableRoles: grantableRoles(ctx), now: entry.at };
  if (!(await deleteInvitation(ctx.databases.home, ctx.member, withdrawal, entry)))
    throw problem.roleRequired("owners");
}

/** Returns an open invitation. Rejects invented links without reading storage. */
export async function getInvitation(
  ctx: Pick<SignInContext, "databases" | "keys" | "now">,
  signedSecret: string,
): Promise<Invitation> {
  const secret = await openSignedSecret(ctx.keys, "invitation", signedSecret);
  const invitation =
    secret === undefined
      ? undefined
      : await findInvitation(ctx.databases.home, await sha256(secret), ctx.now());
  if (!invitation) throw problem.notFound();
  return invitation;
}

/** Creates the member that the link invites, without a password if it is undefined. A second use returns 404. */
export async function joinAsMember(
  ctx: SignInContext,
  secret: string,
  { password, name }: { password: string | undefined; name: string },
): Promise<void> {
  const { hash, email } = await getInvitation(ctx, secret);
  const acceptance = {
    hash,
    // An address keeps its member id permanently, so this id is still correct when the batch runs.
    id: (await findMemberId(ctx.databases.home, email)) ?? ctx.newId(),
    name,
    password: await hashNewPassword(ctx, password),
    now: ctx.now(),
  };
  const entry = auditRecord(ctx, "member.join", `member:${email}`);
  if (!(await acceptInvitation(ctx.databases.home, acceptance, entry))) throw problem.notFound();
}

/** Lists all members and open invitations. Includes the secret of an invitation if this member may grant its role. */
export async function listMembersWithInvites(ctx: MemberContext): Promise<{
  members: MemberSummary[];
  invitations: (Invitation & { secret: string | undefined })[];
}> {
  const { members, invitations } = await listMembersAndInvitations(ctx.databases.home, ctx.now());
  const withSecrets = invitations.map(async (invitation) => {
    const canShare = canGrant(ctx.member.role, invitation.role);
    const { sealed, email } = invitation;
    const secret =
      canShare && sealed !== null
        ? await ctx.keys.open(sealed, buildSealSubject(email))
        : undefined;
    const signedSecret = secret && (await signSecret(ctx.keys, "invitation", secret));
    return { ...invitation, secret: signedSecret };
  });
  return { members, invitations: await Promise.all(withSecrets) };
}
