import { fromBase64url, toBase64url } from "./base64url";

const encoder = new TextEncoder();

/** SHA-256 of a text, base64url. */
export async function sha256(text: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(text))));
}

/** Keys that sign and seal: the first does, all verify and open, so that a key can be replaced without a break. */
export interface SigningKeys {
  sign(text: string): Promise<string>;
  verify(text: string, start: string): Promise<boolean>;
  /** A text that nobody else can read or change (AES-GCM), bound to what it is `about`; base64url. */
  seal(text: string, about: string): Promise<string>;
  /** Undefined where it was not sealed here, or is about something else. */
  open(sealed: string, about: string): Promise<string | undefined>;
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
  let sealing: Promise<CryptoKey>[] | undefined;
  const sealingKeys = () => (sealing ??= each.map(deriveKey));
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
    seal: async (text, about) => {
      const [key] = sealingKeys();
      if (!key) throw new Error("There is no key.");
      const iv = crypto.getRandomValues(new Uint8Array(ivLength));
      const sealed = await crypto.subtle.encrypt(gcm(iv, about), await key, encoder.encode(text));
      const bytes = new Uint8Array(ivLength + sealed.byteLength);
      bytes.set(iv);
      bytes.set(new Uint8Array(sealed), ivLength);
      return toBase64url(bytes);
    },
    open: async (sealed, about) => {
      const bytes = fromBase64url(sealed);
      if (!bytes || bytes.length <= ivLength) return undefined;
      const iv = bytes.subarray(0, ivLength);
      for (const key of sealingKeys()) {
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
  known.set(secrets, made);
  return made;
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
