import { fromBase64url, toBase64url } from "#domain/base64url.ts";

export interface SealingKeys {
  /** A text that nobody else can read or change (AES-GCM), bound to what it is `about`; base64url. */
  seal(text: string, about: string): Promise<string>;
  /** Undefined where it was not sealed here, or is about something else. */
  open(sealed: string, about: string): Promise<string | undefined>;
}

const encoder = new TextEncoder();

/** Keys of their own, derived of these secrets when they are first used: the first seals, all open. */
export function sealingKeys(secrets: readonly string[]): SealingKeys {
  let derived: Promise<CryptoKey>[] | undefined;
  const keys = () => (derived ??= secrets.map(deriveKey));
  return {
    async seal(text, about) {
      const [key] = keys();
      if (!key) throw new Error("There is no key.");
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const sealed = await crypto.subtle.encrypt(gcm(iv, about), await key, encoder.encode(text));
      const bytes = new Uint8Array(ivLength + sealed.byteLength);
      bytes.set(iv);
      bytes.set(new Uint8Array(sealed), ivLength);
      return toBase64url(bytes);
    },
    async open(sealed, about) {
      const bytes = fromBase64url(sealed);
      if (!bytes || bytes.length <= ivLength) return undefined;
      const iv = bytes.subarray(0, ivLength);
      for (const key of keys()) {
        try {
          const opened = crypto.subtle.decrypt(gcm(iv, about), await key, bytes.subarray(ivLength));
          return new TextDecoder().decode(await opened);
        } catch {
          // Sealed by another key, changed, or about something else.
        }
      }
      return undefined;
    },
  };
}

const ivLength = 12;

function gcm(iv: Uint8Array, about: string) {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(about) };
}

/** RFC 5869: a key of its own from the same secret. */
async function deriveKey(secret: string): Promise<CryptoKey> {
  const from = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
    "deriveKey",
  ]);
  const hkdf = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: encoder.encode("edge-forms cursors"),
  };
  const aes = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey(hkdf, from, aes, false, ["encrypt", "decrypt"]);
}
