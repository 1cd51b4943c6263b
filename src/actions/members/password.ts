import { scrypt, timingSafeEqual } from "node:crypto";
import * as z from "zod/mini";

/** What a member may choose; the longest is no burden to hash. */
export const newPassword = z.string().check(z.minLength(12), z.maxLength(1000));

/** scrypt with one of OWASP's listed settings: 16 MiB, about 250 ms. Written into each hash, so it can be raised. */
const parameters = { N: 16_384, r: 8, p: 5 };
const keyLength = 32;

/** `scrypt$N$r$p$salt$key`, the last two in base64. */
export async function hashPassword(password: string, salt: Uint8Array): Promise<string> {
  const key = await derive(password, salt, parameters);
  const { N, r, p } = parameters;
  return ["scrypt", N, r, p, base64(salt), base64(key)].join("$");
}

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = hash.split("$");
  const expected = Buffer.from(key, "base64");
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, "base64"), cost);
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** The hash of no password: what an unknown account is compared with, so that it takes as long as a known one. */
export const nobody = `scrypt$16384$8$5$${base64(new Uint8Array(16))}$${base64(new Uint8Array(keyLength))}`;

function derive(password: string, salt: Uint8Array, cost: typeof parameters): Promise<Buffer> {
  const options = { ...cost, maxmem: 64 * 1024 * 1024 };
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, keyLength, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
