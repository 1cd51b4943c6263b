import type { Chosen } from "./options.ts";
import { fileOf, isKnown, keep, type Settings } from "./settings.ts";
import { ask, run, stop } from "./wrangler.ts";

/** Ensures that the databases and namespaces exist. Uses the known ids, else finds them by name, else creates them. */
export function ensureResources(options: Chosen, settings: Settings): void {
  const config = ["--config", fileOf(options.environment)];
  for (const database of settings.d1_databases) {
    const { database_name: name, database_id: id } = database;
    if (isKnown(id)) continue;
    database.database_id = databaseId(name, config) ?? createDatabase(name, options, config);
    keep(options.environment, settings);
  }
  for (const namespace of settings.kv_namespaces) {
    if (isKnown(namespace.id)) continue;
    const title = `${settings.name}-${namespace.binding.toLowerCase()}`;
    namespace.id = namespaceId(title, config) ?? createNamespace(title, config);
    keep(options.environment, settings);
  }
}

function databaseId(name: string, config: string[]): string | undefined {
  const databases = ask<{ name: string; uuid: string }[]>(["d1", "list", "--json", ...config]);
  return databases?.find((database) => database.name === name)?.uuid;
}

function createDatabase(name: string, options: Chosen, config: string[]): string {
  const { location, jurisdiction } = options;
  if (!location && !jurisdiction) {
    stop(
      "Choose the location of the database: --location weur (or eeur, wnam, enam, apac, oc), " +
        "or --jurisdiction eu (or us, fedramp). It can't be changed later.",
    );
  }
  const locationOption = jurisdiction
    ? [`--jurisdiction=${jurisdiction}`]
    : [`--location=${location}`];
  run(["d1", "create", name, ...locationOption, "--update-config=false", ...config]);
  return (
    databaseId(name, config) ??
    stop(`The database ${name} was created but is not listed. Run this command again.`)
  );
}

/** Runs a counting statement in the deployed database. Its only column must be `count`. */
export function countIn(environment: string, sql: string): number {
  const command = ["d1", "execute", "DB", "--remote", "--json", "--command", sql];
  const results = ask<{ results: { count: number }[] }[]>([
    ...command,
    "--config",
    fileOf(environment),
  ]);
  return results?.[0]?.results[0]?.count ?? 0;
}

/** Loads a backup into a database without tables. The backup includes the list of applied migrations. */
export function fill(environment: string, backup: string): void {
  const config = ["--config", fileOf(environment)];
  const sql = "SELECT count(*) AS count FROM sqlite_master WHERE name = 'collection'";
  if (countIn(environment, sql) !== 0) {
    stop(
      "--from fills a new database only, but this one already has tables. To go back in time, use `npm run restore`.",
    );
  }
  run(["d1", "execute", "DB", "--remote", "--yes", "--file", backup, ...config]);
}

function namespaceId(title: string, config: string[]): string | undefined {
  const namespaces = ask<{ title: string; id: string }[]>(["kv", "namespace", "list", ...config]);
  return namespaces?.find((namespace) => namespace.title === title)?.id;
}

export function createNamespace(title: string, config: string[]): string {
  run(["kv", "namespace", "create", title, "--update-config=false", ...config]);
  return (
    namespaceId(title, config) ??
    stop(`The namespace ${title} was created but is not listed. Run this command again.`)
  );
}
