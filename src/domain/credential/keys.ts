import { toBase64url } from "#domain/base64url.ts";
import { sealingKeys, type SealingKeys } from "./sealing.ts";

const encoder = new TextEncoder();

/** SHA-256 of a text, base64url. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

/** Keys that sign and seal: the first does, all verify and open, so that a key can be replaced without a break. */
export interface SigningKeys extends SealingKeys {
  sign(text: string): Promise<string>;
  verify(text: string, start: string): Promise<boolean>;
}

const known = new Map<string, SigningKeys>();

/** The keys of a comma-separated list of secrets; kept, since importing them costs more than using them. */
export function signingKeys(secrets: string): SigningKeys {
  const kept = known.get(secrets);
  if (kept) return kept;
  const each = secrets
    .split(",")
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
  const keys = each.map(importKey);
  const [first] = keys;
  if (!first) throw new Error("TOKEN_SECRET is empty.");
  const made: SigningKeys = {
    sign: async (text) => mac(await first, text),
    verify: async (text, start) => {
      for (const key of keys) {
        if (
          start.length > 0 &&
          sameText((await mac(await key, text)).slice(0, start.length), start)
        ) {
          return true;
        }
      }
      return false;
    },
    ...sealingKeys(each),
  };
  known.set(secrets, made);
  return made;
}

function importKey(secret: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
}

/** HMAC-SHA-256, base64url: 43 characters. */
async function mac(key: CryptoKey, text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text))));
}

/** Compares without telling by its time where the texts differ. */
export function sameText(one: string, other: string): boolean {
  const [a, b] = [encoder.encode(one), encoder.encode(other)];
  return a.byteLength === b.byteLength && crypto.subtle.timingSafeEqual(a, b);
}
