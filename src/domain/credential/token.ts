import { toBase64url } from "../base64url";
import type { Permission } from "./permissions";
import { sha256, type SigningKeys } from "./signature";

/**
 * Secrets look like `efp_` + the credential's id (26) + 256 random bits (43) + a keyed checksum (6). With the
 * checksum, random and mistyped bearers are refused without touching storage; with the id, the credential's
 * object is known without a look-up.
 */
export type SecretPrefix = "efp" | "efs";

const idLength = 26;
const randomLength = 43;
const checksumLength = 6;
const secretForm = /^(efp|efs)_([0-9A-HJKMNP-TV-Z]{26})[A-Za-z0-9_-]{43}([A-Za-z0-9_-]{6})$/;

/** The prefix and the id are no secret: they tell one secret from another in lists. */
export const openLength = 4 + idLength;

/** Makes a secret of `random`, 32 bytes. */
export async function makeSecret(
  keys: SigningKeys,
  prefix: SecretPrefix,
  credentialId: string,
  random: Uint8Array,
): Promise<string> {
  const body = `${prefix}_${credentialId}${toBase64url(random)}`;
  return body + (await keys.sign(body)).slice(0, checksumLength);
}

/** A bearer or client secret whose checksum is right; whether it is live is for the credential's object to say. */
export type Presented = {
  credentialId: string;
  /** Who it is for the object: a secret by its hash, or an access token by the secret it was exchanged for. */
  proof: { hash: string } | { secretId: number; scope: Permission[] };
};

export async function readSecret(
  keys: SigningKeys,
  prefix: SecretPrefix,
  secret: string,
): Promise<Presented | undefined> {
  const [, kind, credentialId, checksum] = secretForm.exec(secret) ?? [];
  if (kind !== prefix || credentialId === undefined || checksum === undefined) return undefined;
  const body = secret.slice(0, prefix.length + 1 + idLength + randomLength);
  if (!(await keys.verify(body, checksum))) return undefined;
  return { credentialId, proof: { hash: await sha256(secret) } };
}
