import { toBase64url } from "#domain/base64url.ts";
import { type Permission, permissions } from "./permissions.ts";
import { sha256, type SigningKeys } from "./keys.ts";

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

/**
 * Access tokens carry what they say, signed: `efa_` + credential id + the id of the secret + expiry in seconds
 * + permissions as bits, in fixed-width hexadecimal, + a MAC of 256 bits. So issuing one writes nothing, and the
 * secret's end or the credential's ends them.
 */
const accessForm =
  /^efa_([0-9A-HJKMNP-TV-Z]{26})([0-9a-f]{4})([0-9a-f]{9})([0-9a-f]{4})([A-Za-z0-9_-]{43})$/;

export interface AccessToken {
  credentialId: string;
  secretId: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  scope: readonly Permission[];
}

export async function makeAccessToken(keys: SigningKeys, token: AccessToken): Promise<string> {
  const body = [
    `efa_${token.credentialId}`,
    hex(token.secretId, 4),
    hex(Math.floor(token.expiresAt / 1000), 9),
    hex(bitsOf(token.scope), 4),
  ].join("");
  return body + (await keys.sign(body));
}

export async function readAccessToken(
  keys: SigningKeys,
  bearer: string,
  now: number,
): Promise<Presented | undefined> {
  const [, credentialId, secret, expiry, bits, mac] = accessForm.exec(bearer) ?? [];
  if (!credentialId || !secret || !expiry || !bits || !mac) return undefined;
  if (!(await keys.verify(bearer.slice(0, -mac.length), mac))) return undefined;
  if (now >= Number.parseInt(expiry, 16) * 1000) return undefined;
  const scope = permissions.filter((_, index) => (Number.parseInt(bits, 16) >> index) & 1);
  return { credentialId, proof: { secretId: Number.parseInt(secret, 16), scope } };
}

function hex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}

function bitsOf(scope: readonly Permission[]): number {
  return permissions.reduce(
    (bits, permission, index) => bits | (scope.includes(permission) ? 1 << index : 0),
    0,
  );
}

/** Reads what stands behind `Bearer `: a personal token or an access token. */
export async function readBearer(
  keys: SigningKeys,
  bearer: string,
  now: number,
): Promise<Presented | undefined> {
  return bearer.startsWith("efa_")
    ? readAccessToken(keys, bearer, now)
    : readSecret(keys, "efp", bearer);
}
