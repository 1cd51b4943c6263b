import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileOf } from "./settings.ts";
import { ask } from "./wrangler.ts";

const secretNames = ["TOKEN_SECRET", "SETUP_SECRET"] as const;
export type Secrets = Partial<Record<(typeof secretNames)[number], string>>;

/** The local file with the secrets. Cloudflare never shows them again, and rotation needs the old one. */
export const secretsFileOf = (environment: string) => `.secrets.${environment}.json`;

export function readSecrets(environment: string): Secrets {
  const file = secretsFileOf(environment);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Secrets) : {};
}

export function keepSecrets(environment: string, secrets: Secrets): void {
  const text = `${JSON.stringify(secrets, null, 2)}\n`;
  writeFileSync(secretsFileOf(environment), text, { mode: 0o600 });
}

export const newSecret = () => randomBytes(32).toString("base64url");

/** The secrets that the deployed Worker lacks. Creates those that the file lacks and saves them before use. */
export function missingSecrets(environment: string): Secrets {
  const deployed = ask<{ name: string }[]>(
    ["secret", "list", "--config", fileOf(environment)],
    /Worker "[^"]+"[^\n]* not found/, // Before the first deployment.
  );
  const deployedNames = new Set((deployed ?? []).map(({ name }) => name));
  const localSecrets = readSecrets(environment);
  const missing: Secrets = {};
  for (const name of secretNames)
    if (!deployedNames.has(name)) missing[name] = localSecrets[name] ?? newSecret();
  if (Object.keys(missing).length > 0) keepSecrets(environment, { ...localSecrets, ...missing });
  return missing;
}

/** Calls `use` with a temporary file of the secrets, which only this user can read. Removes it afterwards. */
export function withSecretsFile(secrets: Secrets, use: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const path = join(folder, "secrets.json");
  writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
  use(path);
  remove();
}
