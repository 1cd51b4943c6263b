import type { Random } from "#domain/ports.ts";
import { nodeCrypto } from "./node-crypto.ts";
import { macLength, secretBytes, secretLength, signedText } from "./signed-secret.ts";

const encoder = new TextEncoder();

/** Returns the SHA-256 of a text without a promise, for thousands of texts at once. */
export function sha256Bytes(text: string): Uint8Array {
  return nodeCrypto().createHash("sha256").update(encoder.encode(text)).digest();
}

/** Returns the SHA-256 of a text as base64url. The result depends only on the text, so it needs no port. */
export async function sha256(text: string): Promise<string> {
  // oxlint-disable-next-line no-restricted-globals
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

/** The first key signs and seals. All keys verify and open. A key can therefore be replaced without downtime. */
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
 * Creates the keys for a comma-separated list of secrets. Imports them on first use and caches them, because importing
 * a key costs more than using it.
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

/** Returns the HMAC-SHA256 of a text as 43 characters of base64url. */
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

interface SealingKeys {
  /** Encrypts and authenticates a text with AES-GCM and binds it to `subject`. Returns base64url. */
  seal(text: string, subject: string): Promise<string>;
  /** Returns undefined when these keys did not seal the text, or when `subject` differs. */
  open(sealed: string, subject: string): Promise<string | undefined>;
}

/** Derives separate keys from these secrets on first use. The first key seals; all keys open. */
function createSealingKeys(
  { subtle, random }: { subtle: SubtleCrypto; random: Pick<Random, "bytes"> },
  secrets: readonly string[],
): SealingKeys {
  let derivedKeys: Promise<CryptoKey>[] | undefined;
  const keys = () => (derivedKeys ??= secrets.map((secret) => deriveKey(subtle, secret)));
  return {
    async seal(text, subject) {
      const [key] = keys();
      if (!key) throw new Error("TOKEN_SECRET is empty.");
      const iv = random.bytes(ivLength);
      const ciphertext = await subtle.encrypt(
        gcmParams(iv, subject),
        await key,
        encoder.encode(text),
      );
      const bytes = new Uint8Array(ivLength + ciphertext.byteLength);
      bytes.set(iv);
      bytes.set(new Uint8Array(ciphertext), ivLength);
      return toBase64url(bytes);
    },
    async open(sealed, subject) {
      const bytes = fromBase64url(sealed);
      if (!bytes || bytes.length <= ivLength) return undefined;
      const iv = bytes.subarray(0, ivLength);
      for (const key of keys()) {
        try {
          const plaintext = subtle.decrypt(
            gcmParams(iv, subject),
            await key,
            bytes.subarray(ivLength),
          );
          return new TextDecoder().decode(await plaintext);
        } catch {
          // The text was sealed with another key or for another subject, or it was changed afterwards.
        }
      }
      return undefined;
    },
  };
}

const ivLength = 12;

function gcmParams(iv: Uint8Array, subject: string) {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(subject) };
}

/** Derives a separate key from the same secret (HKDF, RFC 5869). */
async function deriveKey(subtle: SubtleCrypto, secret: string): Promise<CryptoKey> {
  const baseKey = await subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
    "deriveKey",
  ]);
  const hkdf = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: encoder.encode("edge-forms cursors"),
  };
  const aes = { name: "AES-GCM", length: 256 };
  return subtle.deriveKey(hkdf, baseKey, aes, false, ["encrypt", "decrypt"]);
}

/** A secret for one purpose is invalid for the others. */
type Purpose = "session" | "invitation" | "password reset";

/** Creates 256 random bits as text. */
export const createRandomSecret = (random: Pick<Random, "bytes">): string =>
  toBase64url(random.bytes(secretBytes));

/** Appends a MAC of 132 bits, so that invented secrets are rejected without reading storage. */
export async function signSecret(
  keys: Pick<SigningKeys, "sign">,
  purpose: Purpose,
  secret: string,
): Promise<string> {
  return secret + (await keys.sign(signedText(purpose, secret))).slice(0, macLength);
}

/** Returns the secret without its MAC, or undefined if the service did not sign it for this purpose. */
export async function openSignedSecret(
  keys: Pick<SigningKeys, "verify">,
  purpose: Purpose,
  signedSecret: string,
): Promise<string | undefined> {
  if (signedSecret.length !== secretLength + macLength) return undefined;
  const secret = signedSecret.slice(0, secretLength);
  const isSigned = await keys.verify(signedText(purpose, secret), signedSecret.slice(secretLength));
  return isSigned ? secret : undefined;
}

/** Encodes as RFC 4648, section 5, without padding. */
export function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Decodes `text`. Returns undefined unless it is the one canonical encoding (RFC 4648, section 3.5). */
export function fromBase64url(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    return toBase64url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
