import { fromBase64url, toBase64url } from "#domain/base64url.ts";
import type { Random } from "#domain/ports.ts";

export interface SealingKeys {
  /** Encrypts and authenticates a text with AES-GCM and binds it to `subject`. Returns base64url. */
  seal(text: string, subject: string): Promise<string>;
  /** Returns undefined when these keys did not seal the text, or when `subject` differs. */
  open(sealed: string, subject: string): Promise<string | undefined>;
}

const encoder = new TextEncoder();

/** Derives separate keys from these secrets on first use. The first key seals; all keys open. */
export function createSealingKeys(
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
          // Another key or subject sealed the text, or somebody changed it.
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
