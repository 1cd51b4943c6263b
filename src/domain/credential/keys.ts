import { toBase64url } from "#domain/base64url.ts";
import type { Random } from "#domain/ports.ts";
import { lazy } from "#domain/lazy.ts";
import { createSealingKeys, type SealingKeys } from "./sealing.ts";

const encoder = new TextEncoder();

/** Loaded on first use, because loading takes milliseconds and API requests do without it. */
export const nodeCrypto = lazy(() => process.getBuiltinModule("node:crypto"));

/** SHA-256 of a text without a promise, for thousands of texts at once. */
export function sha256Bytes(text: string): Uint8Array {
  return nodeCrypto().createHash("sha256").update(encoder.encode(text)).digest();
}

/** SHA-256 of a text, base64url. The result depends on the text only, so no port is needed. */
export async function sha256(text: string): Promise<string> {
  // oxlint-disable-next-line no-restricted-globals
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

/** The first key signs and seals; all keys verify and open. A key can therefore be replaced without downtime. */
export interface SigningKeys extends SealingKeys {
  sign(text: string): Promise<string>;
  /** Whether the signature of the text starts with `signatureStart`. */
  verify(text: string, signatureStart: string): Promise<boolean>;
}

export interface KeyPorts {
  subtle: SubtleCrypto;
  random: Pick<Random, "bytes">;
}

/**
 * The keys of a comma-separated list of secrets. They are imported on first use and then cached, because importing
 * them costs more than using them.
 */
export function createSigningKeys(ports: KeyPorts, secrets: string): SigningKeys {
  const { subtle } = ports;
  const secretList = secrets
    .split(",")
    .map((secret) => secret.trim())
    .filter((secret) => secret !== "");
  let importedKeys: Promise<CryptoKey>[] | undefined;
  const keys = () => {
    const allKeys = (importedKeys ??= secretList.map((secret) => importKey(subtle, secret)));
    const [signingKey] = allKeys;
    if (!signingKey) throw new Error("TOKEN_SECRET is empty.");
    return { signingKey, allKeys };
  };
  return {
    sign: async (text) => hmac(subtle, await keys().signingKey, text),
    async verify(text, signatureStart) {
      for (const key of keys().allKeys) {
        const signature = await hmac(subtle, await key, text);
        if (
          signatureStart.length > 0 &&
          constantTimeEqual(signature.slice(0, signatureStart.length), signatureStart)
        )
          return true;
      }
      return false;
    },
    ...createSealingKeys(ports, secretList),
  };
}

function importKey(subtle: SubtleCrypto, secret: string): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
}

/** HMAC-SHA-256, base64url: 43 characters. */
async function hmac(subtle: SubtleCrypto, key: CryptoKey, text: string): Promise<string> {
  return toBase64url(new Uint8Array(await subtle.sign("HMAC", key, encoder.encode(text))));
}

/** Compares in constant time, so that timing does not reveal where the texts differ. */
export function constantTimeEqual(left: string, right: string): boolean {
  const [a, b] = [encoder.encode(left), encoder.encode(right)];
  if (a.byteLength !== b.byteLength) return false;
  let difference = 0;
  for (const [index, byte] of a.entries()) difference |= byte ^ (b[index] ?? 0);
  return difference === 0;
}
