import {
  createRandomSecret,
  openSignedSecret,
  sha256,
  signSecret,
} from "#domain/credential/keys.ts";
import { problem } from "#domain/problem/problem.ts";
import { listMembers } from "#store/home/members.ts";
import {
  findPasswordReset,
  insertPasswordReset,
  resetPassword as storeNewPassword,
} from "#store/home/password-resets.ts";
import { auditRecord } from "./context.ts";
import { requireGrantableRoles, type MemberContext, type SignInContext } from "./members.ts";

const resetLifetimeMs = 24 * 60 * 60 * 1000;

/** Creates a link with which a member sets a new password. It works once, within 24 hours. */
export async function createPasswordReset(
  ctx: MemberContext,
  id: string,
): Promise<{ signedSecret: string; email: string; expiresAt: number }> {
  const target = (await listMembers(ctx.databases.home)).find((member) => member.id === id);
  if (!target) throw problem.notFound();
  requireGrantableRoles(ctx, target.role);
  if (target.disabledAt !== null) {
    throw problem.conflict("This member is removed. Restore access first.", "member_removed");
  }
  const secret = createRandomSecret(ctx.random);
  const createdAt = ctx.now();
  const reset = {
    memberId: id,
    hash: await sha256(secret),
    version: target.version,
    creatorId: ctx.member.id,
    createdAt,
    expiresAt: createdAt + resetLifetimeMs,
  };
  const record = auditRecord(ctx, "member.reset_link", `member:${id}`);
  if (!(await insertPasswordReset(ctx.databases.home, ctx.member, reset, record))) {
    throw problem.conflict(
      "Someone else changed this member. Reload the page and try again.",
      "member_changed",
    );
  }
  const { email } = target;
  const { expiresAt } = reset;
  const signedSecret = await signSecret(ctx.keys, "password reset", secret);
  return { signedSecret, email, expiresAt };
}

/** Returns the member whose password the link resets. Rejects invented links without reading storage. */
export async function getPasswordReset(
  ctx: Pick<SignInContext, "databases" | "keys" | "now">,
  signedSecret: string,
): Promise<{ id: string; email: string; hash: string }> {
  const secret = await openSignedSecret(ctx.keys, "password reset", signedSecret);
  if (secret === undefined) throw problem.notFound();
  const hash = await sha256(secret);
  const found = await findPasswordReset(ctx.databases.home, hash, ctx.now());
  if (!found) throw problem.notFound();
  return { ...found, hash };
}

/** Sets a new password and ends all sessions of the member. A second use returns 404. */
export async function resetPassword(
  ctx: SignInContext,
  signedSecret: string,
  newPassword: string,
): Promise<void> {
  const { id, hash } = await getPasswordReset(ctx, signedSecret);
  const passwordHash = await ctx.passwords.hash(newPassword);
  const record = auditRecord(ctx, "member.reset", `member:${id}`);
  const change = { id, hash, password: passwordHash, now: ctx.now() };
  if (!(await storeNewPassword(ctx.databases.home, change, record))) throw problem.notFound();
}
