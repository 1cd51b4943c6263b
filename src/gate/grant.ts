import { isLive, liveSecrets, type Credential, type Secret } from "../domain/credential/credential";
import type { Exchanged, Grant } from "../domain/credential/grant";
import { sameText } from "../domain/credential/signature";
import type { Presented } from "../domain/credential/token";

/** What the credential grants to whoever presents this proof; undefined when it is not good. */
export function grantOf(
  credential: Credential,
  proof: Presented["proof"],
  now: number,
): Grant | undefined {
  if (!isLive(credential, now)) return undefined;
  const { id, kind, name, permissions, resources, limits, expiresAt, origins } = credential;
  const kept = { credentialId: id, kind, name, permissions, resources, limits, expiresAt };
  const grant: Grant = { ...kept, origins: origins ?? [] };
  if ("hash" in proof) return secretByHash(credential, proof.hash, now) && grant;
  const live = liveSecrets(credential, now).some((secret) => secret.id === proof.secretId);
  return live
    ? { ...grant, permissions: permissions.filter((each) => proof.scope.includes(each)) }
    : undefined;
}

export function exchangedFor(
  credential: Credential,
  proof: Presented["proof"],
  now: number,
): Exchanged | undefined {
  const grant = grantOf(credential, proof, now);
  const secret = "hash" in proof ? secretByHash(credential, proof.hash, now) : undefined;
  return grant && secret && { grant, secretId: secret.id };
}

function secretByHash(credential: Credential, hash: string, now: number): Secret | undefined {
  return liveSecrets(credential, now).find((secret) => sameText(secret.hash, hash));
}
