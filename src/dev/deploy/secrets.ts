import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Deployment } from "./deployment.ts";

const secretNames = ["TOKEN_SECRET", "SETUP_SECRET"] as const;
export type Secrets = Partial<Record<(typeof secretNames)[number], string>>;

/** Returns the local file with the secrets. Cloudflare never returns secrets, and rotation needs the old one. */
export const secretsFileOf = (environment: string) => `.secrets.${environment}.json`;

export function readSecrets(environment: string): Secrets {
  const file = secretsFileOf(environment);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Secrets) : {};
}

export function saveSecrets(environment: string, secrets: Secrets): void {
  const text = `${JSON.stringify(secrets, null, 2)}\n`;
  writeFileSync(secretsFileOf(environment), text, { mode: 0o600 });
}

export const createSecret = () => randomBytes(32).toString("base64url");

/** Returns the names of the deployed Worker's secrets. */
export async function findDeployedSecrets({ settings, cloudflare }: Deployment): Promise<string[]> {
  const path = `/workers/scripts/${settings.name}/secrets`;
  return ((await cloudflare.find<{ name: string }[]>(path)) ?? []).map(({ name }) => name);
}

/** Whether this is a CI runner. Its files and logs must not contain secrets. */
export const isRunner = () => Boolean(process.env["CI"]);

/**
 * Returns the secrets that the deployed Worker lacks: from variables with the same names, from the file, or new ones.
 * Saves them to the file before use. On a runner, only the Worker stores them.
 */
export function createMissingSecrets(
  environment: string,
  deployedNames: readonly string[],
): Secrets {
  const localSecrets = readSecrets(environment);
  const missingSecrets: Secrets = {};
  for (const name of secretNames) {
    if (deployedNames.includes(name)) continue;
    missingSecrets[name] = process.env[name] || localSecrets[name] || createSecret();
  }
  if (!isRunner() && Object.keys(missingSecrets).length > 0)
    saveSecrets(environment, { ...localSecrets, ...missingSecrets });
  return missingSecrets;
}

/** Calls `use` with a temporary file of the secrets, which only this user can read. Removes it afterwards. */
export async function withSecretsFile(
  secrets: Secrets,
  use: (path: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "edge-forms-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const path = join(folder, "secrets.json");
  writeFileSync(path, JSON.stringify(secrets), { mode: 0o600 });
  await use(path);
  remove();
}
