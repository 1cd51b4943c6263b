import { nodeCrypto } from "./node-crypto.ts";
import type { Random } from "#domain/ports.ts";

/** The parameters of scrypt (RFC 7914). */
export interface ScryptCost {
  N: number;
  r: number;
  p: number;
}

/** One of OWASP's scrypt settings: 16 MiB, about 250 ms. Each hash contains its settings, so they can be raised. */
const defaultPasswordCost: Readonly<ScryptCost> = { N: 16_384, r: 8, p: 5 };

const keyBytes = 32;

/** The stored value of a member who has no password, because Cloudflare Access signs members in. */
export const noPassword = "";

export interface Passwords {
  /** Returns `scrypt$N$r$p$salt$key`, the last two in base64. */
  hash(password: string): Promise<string>;
  /** Verifies a password. Without a hash, or for a member without a password, takes the same time and returns false. */
  verify(password: string, hash: string | undefined): Promise<boolean>;
}

export function createPasswords(
  random: Pick<Random, "bytes">,
  cost: ScryptCost = defaultPasswordCost,
): Passwords {
  return {
    async hash(password) {
      const salt = random.bytes(16);
      return format(cost, salt, await deriveKey(password, salt, cost));
    },
    async verify(password, hash = noPassword) {
      const hasPassword = hash !== noPassword;
      const comparedHash = hasPassword
        ? hash
        : format(cost, new Uint8Array(16), new Uint8Array(keyBytes));
      const [, N, r, p, salt = "", key = ""] = comparedHash.split("$");
      const expected = Buffer.from(key, "base64");
      const hashCost = { N: Number(N), r: Number(r), p: Number(p) };
      const derivedKey = await deriveKey(password, Buffer.from(salt, "base64"), hashCost);
      const isEqual =
        derivedKey.length === expected.length && nodeCrypto().timingSafeEqual(derivedKey, expected);
      return hasPassword && isEqual;
    },
  };
}

const format = ({ N, r, p }: ScryptCost, salt: Uint8Array, key: Uint8Array): string =>
  ["scrypt", N, r, p, toBase64(salt), toBase64(key)].join("$");

function deriveKey(password: string, salt: Uint8Array, cost: ScryptCost): Promise<Buffer> {
  const options = { ...cost, maxmem: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    nodeCrypto().scrypt(password.normalize("NFKC"), salt, keyBytes, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
