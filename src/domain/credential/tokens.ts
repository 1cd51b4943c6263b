import { toBase64url, sha256, type SigningKeys } from "./keys.ts";
import { type Permission, permissions } from "./permissions.ts";

/**
 * Secrets look like `efp_` + the credential's id (26) + 256 random bits (43) + a keyed checksum (6). The checksum
 * rejects random and mistyped bearers without reading storage. The id identifies the credential's object without a
 * query.
 */
export type SecretPrefix = "efp" | "efs";

const idLength = 26;
const randomLength = 43;
const checksumLength = 6;
const secretPattern = /^(efp|efs)_([0-9A-HJKMNP-TV-Z]{26})[A-Za-z0-9_-]{43}([A-Za-z0-9_-]{6})$/;

/** The prefix and the id are not secret. Lists use them to identify a secret. */
export const publicPartLength = 4 + idLength;

/** Creates a secret from 32 random bytes. */
export async function createSecret(
  keys: SigningKeys,
  prefix: SecretPrefix,
  credentialId: string,
  randomBytes: Uint8Array,
): Promise<string> {
  const body = `${prefix}_${credentialId}${toBase64url(randomBytes)}`;
  return body + (await keys.sign(body)).slice(0, checksumLength);
}

/** A bearer token or client secret with a valid checksum. The credential's object decides whether it is valid. */
export type PresentedCredential = {
  credentialId: string;
  /** The hash of a secret. For an access token, the id of the secret that created it. */
  proof: { hash: string } | { secretId: number; scope: Permission[] };
};

export async function decodeSecret(
  keys: SigningKeys,
  prefix: SecretPrefix,
  secret: string,
): Promise<PresentedCredential | undefined> {
  const [, kind, credentialId, checksum] = secretPattern.exec(secret) ?? [];
  if (kind !== prefix || credentialId === undefined || checksum === undefined) return undefined;
  const body = secret.slice(0, prefix.length + 1 + idLength + randomLength);
  if (!(await keys.verify(body, checksum))) return undefined;
  return { credentialId, proof: { hash: await sha256(secret) } };
}

/**
 * Access tokens contain their own signed data: `efa_` + credential id + the id of the secret + expiry in seconds +
 * permissions as bits, in fixed-width hexadecimal, + a MAC of 256 bits. Issuing a token therefore writes nothing. A
 * token ends with its secret or its credential.
 */
const accessTokenPattern =
  /^efa_([0-9A-HJKMNP-TV-Z]{26})([0-9a-f]{4})([0-9a-f]{9})([0-9a-f]{4})([A-Za-z0-9_-]{43})$/;

export interface AccessToken {
  credentialId: string;
  secretId: number;
  /** Milliseconds since 1970. */
  expiresAt: number;
  scope: readonly Permission[];
}

export async function createAccessToken(keys: SigningKeys, token: AccessToken): Promise<string> {
  const body = [
    `efa_${token.credentialId}`,
    toHex(token.secretId, 4),
    toHex(Math.floor(token.expiresAt / 1000), 9),
    toHex(permissionBits(token.scope), 4),
  ].join("");
  return body + (await keys.sign(body));
}

async function decodeAccessToken(
  keys: SigningKeys,
  bearer: string,
  now: number,
): Promise<PresentedCredential | undefined> {
  const [, credentialId, secret, expiry, bits, mac] = accessTokenPattern.exec(bearer) ?? [];
  if (!credentialId || !secret || !expiry || !bits || !mac) return undefined;
  if (!(await keys.verify(bearer.slice(0, -mac.length), mac))) return undefined;
  if (now >= Number.parseInt(expiry, 16) * 1000) return undefined;
  const scope = permissions.filter((_, index) => (Number.parseInt(bits, 16) >> index) & 1);
  return { credentialId, proof: { secretId: Number.parseInt(secret, 16), scope } };
}

function toHex(value: number, width: number): string {
  return value.toString(16).padStart(width, "0");
}

function permissionBits(scope: readonly Permission[]): number {
  return permissions.reduce(
    (bits, permission, index) => bits | (scope.includes(permission) ? 1 << index : 0),
    0,
  );
}

/** Decodes the value after `Bearer `: a personal token or an access token. */
export async function decodeBearer(
  keys: SigningKeys,
  bearer: string,
  now: number,
): Promise<PresentedCredential | undefined> {
  return bearer.startsWith("efa_")
    ? decodeAccessToken(keys, bearer, now)
    : decodeSecret(keys, "efp", bearer);
}
