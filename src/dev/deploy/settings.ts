import { existsSync, readFileSync, writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { parse as parseToml } from "smol-toml";
import type { DeploymentOptions } from "./options.ts";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queryWrangler } from "./wrangler.ts";

interface Binding {
  binding: string;
}

/** A database as wrangler's configuration names it. `DB` is the home database, `DATA_01` to `DATA_99` have collections. */
export interface DatabaseSettings extends Binding {
  database_name: string;
  database_id: string;
  migrations_dir?: string;
}

export const isDataDatabase = ({ binding }: Binding): boolean => /^DATA_\d\d$/.test(binding);

/** Buckets of jurisdictions are in the saved file alone. Their names begin like this. */
export const jurisdictionBucket = "FILES_";

/** The parts of wrangler's configuration that differ between environments. */
export interface Settings {
  name: string;
  account_id?: string;
  workers_dev: boolean;
  routes?: { pattern: string; custom_domain: true }[];
  vars: Record<string, string>;
  d1_databases: DatabaseSettings[];
  kv_namespaces: (Binding & { id: string })[];
  /** A bucket without a name does not exist yet. */
  r2_buckets: (Binding & { bucket_name?: string; jurisdiction?: string })[];
  ratelimits: { name: string; namespace_id: string; simple: object }[];
}

export const settingsFileOf = (environment: string) => `wrangler.${environment}.json`;

/** Merges wrangler.toml with the saved file of the environment and the options of the command. */
export function loadSettings(options: DeploymentOptions): Settings {
  const template = readConfig("wrangler.toml");
  const file = settingsFileOf(options.environment);
  const saved: Partial<Settings> = existsSync(file) ? readConfig(file) : {};
  const isProduction = options.environment === "production";
  const name =
    saved.name ?? (isProduction ? template.name : `${template.name}-${options.environment}`);
  const account = options.account ?? saved.account_id ?? process.env["CLOUDFLARE_ACCOUNT_ID"];
  const settings: Settings = {
    ...template,
    name,
    ...(account ? { account_id: account } : {}),
    ...(saved.routes ? { routes: saved.routes, workers_dev: false } : {}),
    vars: { ...template.vars, ...saved.vars },
    d1_databases: [
      ...template.d1_databases.map((database) => ({
        ...database,
        database_name: isProduction ? database.database_name : name,
        database_id: findSavedId(saved.d1_databases, database, isProduction, "database_id"),
      })),
      // `npm run databases -- add` adds them to the saved file alone.
      ...(saved.d1_databases ?? []).filter(isDataDatabase),
    ],
    kv_namespaces: template.kv_namespaces.map((namespace) => ({
      ...namespace,
      id: findSavedId(saved.kv_namespaces, namespace, isProduction, "id"),
    })),
    r2_buckets: [
      ...template.r2_buckets.map((bucket) => ({
        ...(isProduction ? bucket : { binding: bucket.binding }),
        ...saved.r2_buckets?.find(({ binding }) => binding === bucket.binding),
      })),
      ...(saved.r2_buckets ?? []).filter(({ binding }) => binding.startsWith(jurisdictionBucket)),
    ],
    ratelimits: isProduction ? template.ratelimits : buildSeparateLimiters(template, name),
  };
  return applyOptions(settings, options);
}

function applyOptions(settings: Settings, { domain, contact }: DeploymentOptions): Settings {
  if (contact) settings.vars["CONTACT_EMAIL"] = contact;
  if (!domain) return settings;
  settings.vars["ORIGIN"] = `https://${domain}`;
  return { ...settings, workers_dev: false, routes: [{ pattern: domain, custom_domain: true }] };
}

/** Saves the settings of an environment: ids and options, but no secrets. */
export function saveSettings(environment: string, settings: Settings): void {
  writeFileSync(settingsFileOf(environment), `${JSON.stringify(settings, null, 2)}\n`);
}

function readConfig(path: string): Settings {
  const text = readFileSync(path, "utf8");
  return (path.endsWith(".json") ? JSON.parse(text) : parseToml(text)) as Settings;
}

/** Whether Cloudflare assigned the id. False for the placeholder in wrangler.toml. */
export const isAssignedId = (id: string) => !/^[0-]*$/.test(id);
const noId = "0".repeat(32);

/** The saved id. Production falls back to the id in wrangler.toml, other environments to the placeholder. */
function findSavedId<K extends string, B extends Binding & Record<K, string>>(
  saved: B[] | undefined,
  binding: B,
  isProduction: boolean,
  key: K,
): string {
  return (
    saved?.find((candidate) => candidate.binding === binding.binding)?.[key] ??
    (isProduction ? binding[key] : noId)
  );
}

/** Numbers the rate limiters of an environment. Limiters of one account with the same number would share their counts. */
function buildSeparateLimiters(template: Settings, name: string): Settings["ratelimits"] {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 100_000;
  return template.ratelimits.map((limiter) => ({
    ...limiter,
    namespace_id: String(Number(limiter.namespace_id) + (hash + 1) * 10_000),
  }));
}

const secretNames = ["TOKEN_SECRET", "SETUP_SECRET"] as const;
export type Secrets = Partial<Record<(typeof secretNames)[number], string>>;

/** The local file with the secrets. Cloudflare never shows them again, and rotation needs the old one. */
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

/** The names of the deployed Worker's secrets. Undefined before the first deployment. */
export function findDeployedSecrets(environment: string): string[] | undefined {
  return queryWrangler<{ name: string }[]>(
    ["secret", "list", "--config", settingsFileOf(environment)],
    /Worker "[^"]+"[^\n]* not found/,
  )?.map(({ name }) => name);
}

/** Whether this is a runner of CI, whose files and logs must not keep secrets. */
export const isRunner = () => Boolean(process.env["CI"]);

/**
 * Returns the secrets that the deployed Worker lacks: from variables of the same names, from the file, or new ones.
 * Saves them to the file before use. On a runner, the Worker alone keeps them.
 */
export function createMissingSecrets(
  environment: string,
  deployedNames: readonly string[] = [],
): Secrets {
  const localSecrets = readSecrets(environment);
  const missing: Secrets = {};
  for (const name of secretNames) {
    if (deployedNames.includes(name)) continue;
    missing[name] = process.env[name] || localSecrets[name] || createSecret();
  }
  if (!isRunner() && Object.keys(missing).length > 0)
    saveSecrets(environment, { ...localSecrets, ...missing });
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
