import { findValidSecrets, isValidCredential } from "#domain/credential/credential.ts";
import { problem } from "#domain/problem/problem.ts";
import { removeOldSecret } from "#store/home/revoke-credential.ts";
import { auditRecord } from "./context.ts";
import {
  assertCanGrant,
  getUnrevokedCredential,
  issueSecret,
  pushStoredCredential,
  replaceCredential,
  type CredentialContext,
  type CredentialWithSecret,
} from "./credentials.ts";

const maxSecrets = 2;

/** Adds a secret. The previous one stays valid for `overlapMs`. Older ones expire immediately. */
export async function rotateCredential(
  ctx: CredentialContext,
  id: string,
  overlapMs: number,
): Promise<CredentialWithSecret> {
  const before = await getUnrevokedCredential(ctx, id);
  const now = ctx.now();
  if (!isValidCredential(before, now)) throw problem.notFound();
  // A new secret has all rights of the credential, so the member must be able to grant them all.
  assertCanGrant(ctx, before.kind, before, before.limits);
  const newestId = Math.max(...before.secrets.map((item) => item.id));
  const { secret, storedSecret } = await issueSecret(ctx, before.kind, id, newestId + 1);
  const overlapEnd = now + overlapMs;
  const previousSecrets = findValidSecrets(before, now)
    .slice(1 - maxSecrets)
    .map((item) => ({
      ...item,
      expires_at: Math.min(item.expires_at ?? overlapEnd, overlapEnd),
    }))
    // A secret that expires now is removed, because the clock of the object may be behind this one.
    .filter(({ expires_at }) => expires_at > now);
  const after = { ...before, secrets: [...previousSecrets, storedSecret] };
  const credential = await replaceCredential(ctx, before.version, after, "credential.rotate");
  return { credential, secret };
}

/**
 * Removes a secret that a rotation replaced, before it expires. A repeated call pushes the stored secrets to the
 * Durable Object again. The newest secret ends only with its credential.
 */
export async function expireOldSecret(
  ctx: CredentialContext,
  id: string,
  secretId: number,
): Promise<void> {
  const { secrets } = await getUnrevokedCredential(ctx, id);
  if (secrets.every((secret) => secret.id <= secretId)) throw problem.notFound();
  await removeOldSecret(
    ctx.databases.home,
    ctx.member,
    { id, secretId },
    auditRecord(ctx, "credential.expire_secret", `credential:${id}`),
  );
  await pushStoredCredential(ctx, id);
}
