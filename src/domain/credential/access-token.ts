import { permissions, type Permission } from "./permissions";
import type { SigningKeys } from "./signature";
import type { Presented } from "./token";

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
