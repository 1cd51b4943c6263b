import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileOf } from "./settings.ts";
import { ask } from "./wrangler.ts";

const secretNames = ["TOKEN_SECRET", "SETUP_SECRET"] as const;
export type Secrets = Partial<Record<(typeof secretNames)[number], string>>;

/** Where the secrets stand on this machine: Cloudflare never shows them again, and rotation needs the old one. */
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

/** The secrets that the deployed Worker lacks, made where they are not in the file yet; kept before they are sent. */
export function missingSecrets(environment: string): Secrets {
  const set = ask<{ name: string }[]>(
    ["secret", "list", "--config", fileOf(environment)],
    /Worker "[^"]+"[^\n]* not found/, // there is none yet
  );
  const there = new Set((set ?? []).map(({ name }) => name));
  const known = readSecrets(environment);
  const missing: Secrets = {};
  for (const name of secretNames) if (!there.has(name)) missing[name] = known[name] ?? newSecret();
  if (Object.keys(missing).length > 0) keepSecrets(environment, { ...known, ...missing });
  return missing;
}

/** Gives `use` a file that holds these secrets and nobody else can read; it is gone afterwards. */
export function withSecretsFile(secrets: Secrets, use: (path: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const path = join(folder, "secrets.json");
  writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
  use(path);
  remove();
}
