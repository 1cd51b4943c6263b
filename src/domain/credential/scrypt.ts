/** One of OWASP's scrypt settings: 16 MiB, about 250 ms. Each hash contains its settings, so they can be raised. */
export const scryptParameters = { N: 16_384, r: 8, p: 5 };
export const scryptKeyBytes = 32;

/** `scrypt$N$r$p$salt$key`, the last two in base64. */
export function formatPasswordHash(salt: string, key: string): string {
  const { N, r, p } = scryptParameters;
  return ["scrypt", N, r, p, salt, key].join("$");
}
