import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parse as parseToml } from "smol-toml";
import { restoresOf, timelineOf, type LiveWorker } from "./live-worker.ts";
import type { DeploymentOptions } from "./options.ts";

interface Binding {
  binding: string;
}

/** A database in wrangler's configuration. `DB` is the home database. `DATA_01` to `DATA_99` contain collections. */
export interface DatabaseSettings extends Binding {
  database_name: string;
  database_id: string;
  migrations_dir?: string;
}

export const isDataDatabase = ({ binding }: Binding): boolean => /^DATA_\d\d$/.test(binding);

/** Whether a bucket belongs to a jurisdiction. wrangler.toml does not contain such buckets. */
const isJurisdictionBucket = ({ binding }: Binding): boolean => binding.startsWith("FILES_");

export const jurisdictionBinding = (jurisdiction: string): string =>
  `FILES_${jurisdiction.toUpperCase()}`;

/** Creates the settings of a data database. Without a name, uses the name in the deployed Worker. */
export const createDatabaseSettings = (
  binding: string,
  name = "",
  id = noId,
): DatabaseSettings => ({
  binding,
  database_name: name,
  database_id: id,
  migrations_dir: "migrations",
});

/** Returns the name of a new data database. It ends in its location or jurisdiction. */
export const nameDataDatabase = (
  { name }: Pick<Settings, "name">,
  binding: string,
  place: string,
) => `${name}-data-${binding.slice(-2)}-${place}`;

/** Returns the location or jurisdiction in the name of a data database. */
export const placeOf = ({ database_name: name }: DatabaseSettings): string | null =>
  /-data-\d\d-(\w+)$/.exec(name)?.[1] ?? null;

/** The parts of wrangler's configuration that differ between environments. */
export interface Settings {
  name: string;
  account_id?: string;
  workers_dev: boolean;
  routes?: { pattern: string; custom_domain: true }[];
  vars: Record<string, string>;
  d1_databases: DatabaseSettings[];
  kv_namespaces: (Binding & { id: string })[];
  r2_buckets: (Binding & { bucket_name: string; jurisdiction?: string })[];
  ratelimits: { name: string; namespace_id: string; simple: object }[];
}

export const settingsFileOf = (environment: string) => `wrangler.${environment}.json`;

/** The settings of an environment on this machine. */
export interface LocalSettings {
  environment: string;
  name: string;
  accountId: string | undefined;
  /** The contents of wrangler.toml. */
  template: Settings;
  /** The contents of the file that the last command on this machine wrote. Empty if it is missing. */
  saved: Partial<Settings>;
}

export function loadLocalSettings(options: DeploymentOptions): LocalSettings {
  const template = readConfig("wrangler.toml");
  const file = settingsFileOf(options.environment);
  const saved: Partial<Settings> = existsSync(file) ? readConfig(file) : {};
  const suffix = isProduction(options) ? "" : `-${options.environment}`;
  return {
    environment: options.environment,
    // Workers Builds deploys the Worker whose build it runs, whatever name the configuration has.
    name: process.env["WRANGLER_CI_OVERRIDE_NAME"] || (saved.name ?? `${template.name}${suffix}`),
    accountId: options.account ?? saved.account_id ?? process.env["CLOUDFLARE_ACCOUNT_ID"],
    template,
    saved,
  };
}

const isProduction = ({ environment }: { environment: string }) => environment === "production";

/**
 * Merges wrangler.toml with the saved file of the environment, the deployed Worker and the options of the command. The
 * file has precedence over the Worker, unless another machine has restored the service since. wrangler.toml names only
 * resources of production.
 */
export function mergeSettings(
  local: LocalSettings,
  live: LiveWorker | undefined,
  options: DeploymentOptions,
): Settings {
  const { template, saved, name, accountId } = local;
  const routes = saved.routes ?? routesOf(live?.domains ?? []);
  const isRestoredElsewhere = restoresOf(live?.vars) > restoresOf(saved.vars);
  const settings: Settings = {
    ...template,
    name,
    ...(accountId ? { account_id: accountId } : {}),
    ...(routes ? { routes, workers_dev: false } : {}),
    vars: {
      ...mergeVars(template.vars, saved.vars ?? {}, live?.vars ?? {}),
      ...(isRestoredElsewhere ? timelineOf(live?.vars ?? {}) : {}),
    },
    ...mergeResources(local, live, isRestoredElsewhere),
    ratelimits: isProduction(local) ? template.ratelimits : buildSeparateLimiters(template, name),
  };
  return applyOptions(settings, options);
}

function mergeResources(
  local: LocalSettings,
  live: LiveWorker | undefined,
  isRestoredElsewhere: boolean,
): Pick<Settings, "d1_databases" | "kv_namespaces" | "r2_buckets"> {
  const { template, saved, name } = local;
  const isMain = isProduction(local);
  return {
    d1_databases: [
      ...template.d1_databases.map((database) => ({
        ...database,
        database_name: isMain ? database.database_name : name,
        database_id: firstAssigned(
          saved.d1_databases?.find(isSame(database))?.database_id,
          isMain ? database.database_id : undefined,
          live?.databases.find(isSame(database))?.id,
        ),
      })),
      ...mergeDataDatabases(saved.d1_databases ?? [], live?.databases ?? []),
    ],
    kv_namespaces: template.kv_namespaces.map((namespace) => {
      const liveId = live?.namespaces.find(isSame(namespace))?.id;
      return {
        ...namespace,
        // A restore replaces the namespace and deletes the former one.
        id: firstAssigned(
          isRestoredElsewhere ? liveId : undefined,
          saved.kv_namespaces?.find(isSame(namespace))?.id,
          liveId,
          isMain ? namespace.id : undefined,
        ),
      };
    }),
    r2_buckets: [
      ...template.r2_buckets.map((bucket) => ({
        ...bucket,
        ...(isMain ? {} : { bucket_name: `${name}-${bucket.binding.toLowerCase()}` }),
        ...live?.buckets.find(isSame(bucket)),
        ...saved.r2_buckets?.find(isSame(bucket)),
      })),
      ...mergeJurisdictionBuckets(saved.r2_buckets ?? [], live?.buckets ?? []),
    ],
  };
}

const isSame =
  ({ binding }: Binding) =>
  (other: Binding) =>
    other.binding === binding;

const routesOf = (domains: readonly string[]): Settings["routes"] =>
  domains.length === 0
    ? undefined
    : domains.map((pattern) => ({ pattern, custom_domain: true as const }));

/** Whether an operator has chosen the value. wrangler.toml contains empty texts and an address at example.com. */
const isChosen = (value: string | undefined) =>
  value !== undefined && value !== "" && !value.endsWith("@example.com");

/**
 * Uses the first chosen value of each variable: from the saved file, from wrangler.toml, or from the deployed Worker.
 */
function mergeVars(
  template: Record<string, string>,
  saved: Record<string, string>,
  live: Readonly<Record<string, string>>,
): Record<string, string> {
  const names = Object.keys({ ...template, ...saved });
  return Object.fromEntries(
    names.map((name) => {
      const values = [saved[name], template[name], live[name]];
      return [name, values.find(isChosen) ?? (saved[name] || live[name] || template[name] || "")];
    }),
  );
}

/**
 * Merges the data databases of the saved file and the Worker, which `npm run databases -- add` adds. wrangler.toml has
 * none.
 */
function mergeDataDatabases(
  saved: readonly DatabaseSettings[],
  live: LiveWorker["databases"],
): DatabaseSettings[] {
  const local = saved.filter(isDataDatabase);
  const others = live.filter((each) => isDataDatabase(each) && !local.some(isSame(each)));
  return [...local, ...others.map(({ binding, id }) => createDatabaseSettings(binding, "", id))];
}

function mergeJurisdictionBuckets(
  saved: Settings["r2_buckets"],
  live: LiveWorker["buckets"],
): Settings["r2_buckets"] {
  const local = saved.filter(isJurisdictionBucket);
  return [
    ...local,
    ...live.filter((each) => isJurisdictionBucket(each) && !local.some(isSame(each))),
  ];
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

const noId = "0".repeat(32);
/** Whether Cloudflare has assigned the id. False for the placeholder in wrangler.toml. */
export const isAssignedId = (id: string) => !/^[0-]*$/.test(id);

const firstAssigned = (...ids: (string | undefined)[]): string =>
  ids.find((id) => id !== undefined && isAssignedId(id)) ?? noId;

/**
 * Numbers the rate limiters of an environment. Limiters of one account with the same number would share their counts.
 */
function buildSeparateLimiters(template: Settings, name: string): Settings["ratelimits"] {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) % 100_000;
  return template.ratelimits.map((limiter) => ({
    ...limiter,
    namespace_id: String(Number(limiter.namespace_id) + (hash + 1) * 10_000),
  }));
}
