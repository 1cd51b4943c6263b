import type { AuditAction } from "#domain/audit.ts";
import type { DeploymentOptions } from "./options.ts";
import {
  isAssignedId,
  jurisdictionBucket,
  saveSettings,
  settingsFileOf,
  type Settings,
} from "./settings.ts";
import { captureWrangler, queryWrangler, runWranglerQuietly, stop, stopAfter } from "./wrangler.ts";

type PlaceOptions = Pick<DeploymentOptions, "environment" | "location" | "jurisdiction">;

/** Ensures that the databases, namespaces and buckets exist. Uses the known ids, else finds them by name, else creates them. */
export function ensureResources(options: PlaceOptions, settings: Settings): void {
  const config = ["--config", settingsFileOf(options.environment)];
  ensureDatabases(options, settings);
  for (const namespace of settings.kv_namespaces) {
    if (isAssignedId(namespace.id)) continue;
    const title = `${settings.name}-${namespace.binding.toLowerCase()}`;
    namespace.id = findNamespaceId(title, config) ?? createNamespace(title, config);
    saveSettings(options.environment, settings);
  }
  placeFiles(settings, config);
  for (const bucket of settings.r2_buckets) {
    if (bucket.bucket_name !== undefined) continue;
    const name = `${settings.name}-${bucket.binding.toLowerCase().replace("_", "-")}`;
    const jurisdiction =
      bucket.jurisdiction ?? options.jurisdiction ?? jurisdictionsOf(settings, config).get("DB");
    createBucket(name, { location: options.location, jurisdiction }, config);
    Object.assign(bucket, { bucket_name: name, ...(jurisdiction ? { jurisdiction } : {}) });
    saveSettings(options.environment, settings);
  }
}

export function ensureDatabases(options: PlaceOptions, settings: Settings): void {
  const config = ["--config", settingsFileOf(options.environment)];
  for (const database of settings.d1_databases) {
    const { database_name: name, database_id: id } = database;
    if (isAssignedId(id)) continue;
    database.database_id = findDatabaseId(name, config) ?? createDatabase(name, options, config);
    saveSettings(options.environment, settings);
  }
}

/** The account's resources by the command that lists them. Each takes a second, so they are listed again only after changes. */
const listed = new Map<string, unknown[]>();

function list<Resource>(command: string, config: string[]): Resource[] {
  const resources = listed.get(command) ?? queryWrangler([...command.split(" "), ...config]) ?? [];
  listed.set(command, resources);
  return resources as Resource[];
}

interface Database {
  name: string;
  uuid: string;
  jurisdiction?: string | null;
}

const listDatabases = (config: string[]) => list<Database>("d1 list --json", config);

/** The jurisdictions of our databases, by the names of their bindings. Files must not leave them either. */
function jurisdictionsOf({ d1_databases: ours }: Settings, config: string[]): Map<string, string> {
  const known = new Map(
    listDatabases(config).map(({ uuid, jurisdiction }) => [uuid, jurisdiction]),
  );
  return new Map(
    ours.flatMap(({ binding, database_id: id }) => {
      const jurisdiction = known.get(id);
      return jurisdiction ? [[binding, jurisdiction] as const] : [];
    }),
  );
}

/** Tells the service the jurisdictions of its databases, and adds the buckets that it needs there. */
function placeFiles(settings: Settings, config: string[]): void {
  const { d1_databases: databases, vars, r2_buckets: buckets } = settings;
  // The jurisdiction of a database never changes, and listing takes a second.
  if (databases.length === 1 && vars["JURISDICTIONS"] !== undefined) return;
  const jurisdictions = jurisdictionsOf(settings, config);
  vars["JURISDICTIONS"] = Array.from(jurisdictions, (pair) => pair.join("=")).join(",");
  for (const jurisdiction of new Set(jurisdictions.values())) {
    const binding = `${jurisdictionBucket}${jurisdiction.toUpperCase()}`;
    const isPresent = buckets.some((bucket) => bucket.binding === binding);
    if (jurisdiction !== jurisdictions.get("DB") && !isPresent)
      buckets.push({ binding, jurisdiction });
  }
}

/** Creates a bucket, unless the account has it in this jurisdiction. */
function createBucket(
  name: string,
  { location, jurisdiction }: Pick<DeploymentOptions, "location" | "jurisdiction">,
  config: string[],
): void {
  const option = jurisdiction ? [`--jurisdiction=${jurisdiction}`] : [];
  if (!jurisdiction && location) option.push(`--location=${location}`);
  const command = ["r2", "bucket", "create", name, ...option, "--update-config=false", ...config];
  // Cloudflare's code for a bucket of this name that the account owns.
  const { succeeded, stdout, stderr } = captureWrangler(command);
  if (!succeeded && !/code: 10004/.test(stdout + stderr)) stopAfter(command, stdout + stderr);
}

/** Finds the databases of a deployment by name where the settings lack their ids, as on a runner without its files. */
export function findDatabases(environment: string, settings: Settings): void {
  const config = ["--config", settingsFileOf(environment)];
  for (const database of settings.d1_databases) {
    if (isAssignedId(database.database_id)) continue;
    const name = database.database_name;
    database.database_id =
      findDatabaseId(name, config) ?? stop(`There is no database ${name}. Run \`npm run deploy\`.`);
  }
  saveSettings(environment, settings);
}

const findDatabaseId = (name: string, config: string[]) =>
  listDatabases(config).find((database) => database.name === name)?.uuid;

function createDatabase(
  name: string,
  options: Pick<DeploymentOptions, "location" | "jurisdiction">,
  config: string[],
): string {
  const { location, jurisdiction } = options;
  if (!location && !jurisdiction) {
    stop(
      "Choose where to create the database, which cannot be changed later: --location weur (or eeur, wnam, enam, apac, " +
        "oc), or --jurisdiction eu (or us, fedramp).",
    );
  }
  const locationOption = jurisdiction
    ? [`--jurisdiction=${jurisdiction}`]
    : [`--location=${location}`];
  runWranglerQuietly(["d1", "create", name, ...locationOption, "--update-config=false", ...config]);
  listed.clear();
  console.log(`Created the database ${name}.`);
  return (
    findDatabaseId(name, config) ?? stop(`The database ${name} was created but is not listed.`)
  );
}

interface DatabaseResult<Row> {
  results: Row[];
  meta: { size_after?: number };
}

/** Runs a statement in a deployed database. */
export function queryDatabase<Row>(
  environment: string,
  binding: string,
  sql: string,
  mayFail?: RegExp,
): DatabaseResult<Row> {
  const command = ["d1", "execute", binding, "--remote", "--json", "--command", sql];
  const results = queryWrangler<DatabaseResult<Row>[]>(
    [...command, "--config", settingsFileOf(environment)],
    mayFail,
  );
  return results?.[0] ?? { results: [], meta: {} };
}

/** A text as an SQL literal. Wrangler's commands take no parameters. */
export const quote = (text: string | null): string =>
  text === null ? "NULL" : `'${text.replaceAll("'", "''")}'`;

/** An entry of the audit of the home database, as a statement. With a condition, only where that is true. */
export const insertAuditEntry = (
  {
    at,
    action,
    subject,
    command,
  }: { at: number; action: AuditAction; subject: string; command: string },
  condition = "true",
): string => `INSERT INTO audit_entry (at, actor, action, subject, request_id)
  SELECT max(${at}, coalesce((SELECT at FROM audit_entry ORDER BY id DESC LIMIT 1), 0)), 'system', '${action}',
    ${quote(subject)}, '${command}' WHERE ${condition}`;

const findNamespaceId = (title: string, config: string[]) =>
  list<{ title: string; id: string }>("kv namespace list", config).find(
    (namespace) => namespace.title === title,
  )?.id;

export function createNamespace(title: string, config: string[]): string {
  runWranglerQuietly(["kv", "namespace", "create", title, "--update-config=false", ...config]);
  listed.clear();
  console.log(`Created the KV namespace ${title}.`);
  return (
    findNamespaceId(title, config) ?? stop(`The namespace ${title} was created but is not listed.`)
  );
}
