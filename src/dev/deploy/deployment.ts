import { homeName } from "#domain/bookmarks.ts";
import { Cloudflare } from "./cloudflare.ts";
import { readLiveWorker, type LiveWorker } from "./live-worker.ts";
import { requireNoPartialLoad } from "./load-steps.ts";
import type { DeploymentOptions } from "./options.ts";
import { listDatabases, queryDatabase, type Database } from "./query.ts";
import {
  createDatabaseSettings,
  isAssignedId,
  isDataDatabase,
  loadLocalSettings,
  mergeSettings,
  nameDataDatabase,
  settingsFileOf,
  type DatabaseSettings,
  type Settings,
} from "./settings.ts";
import { stop } from "./wrangler.ts";

/** An environment at Cloudflare. */
export interface Deployment {
  environment: string;
  settings: Settings;
  cloudflare: Cloudflare;
  /** Undefined before the first deployment. */
  live: LiveWorker | undefined;
  /** The names of the data databases that the home database contained at the start of the command. */
  directory: readonly string[];
}

/**
 * Reads the state of an environment from the saved file, the deployed Worker and the home database. Changes nothing.
 * Stops if the account lacks a database with apps or forms.
 */
export async function openDeployment(options: DeploymentOptions): Promise<Deployment> {
  const local = loadLocalSettings(options);
  const cloudflare = await Cloudflare.connect(local.accountId);
  const { accountId } = cloudflare;
  const live = await readLiveWorker(cloudflare, local.name);
  const settings = mergeSettings({ ...local, accountId }, live, options);
  const { environment } = options;
  const deployment: Deployment = { environment, settings, cloudflare, live, directory: [] };
  const missingDatabases = await findDatabases(deployment);
  const entries = hasHome(deployment) ? await loadDirectory(deployment) : [];
  await findDataDatabases(deployment, missingDatabases, entries);
  return { ...deployment, directory: entries.map(({ name }) => name) };
}

/** Like `openDeployment`, but stops if there is no installation. */
export async function openInstallation(options: DeploymentOptions): Promise<Deployment> {
  const deployment = await openDeployment(options);
  const [home] = deployment.settings.d1_databases;
  if (!hasHome(deployment))
    stop(`There is no database ${home?.database_name}. Run \`npm run deploy\`.`);
  await requireNoPartialLoad(deployment);
  return deployment;
}

export const hasHome = ({ settings }: Deployment): boolean =>
  settings.d1_databases.some(
    ({ binding, database_id: id }) => binding === homeName && isAssignedId(id),
  );

/** Finds the databases of the settings by ID or by name. Returns the data databases that the account does not have. */
async function findDatabases({ environment, settings, cloudflare }: Deployment) {
  const missingDatabases: DatabaseSettings[] = [];
  for (const database of settings.d1_databases) {
    const { binding, database_id: id, database_name: name } = database;
    const match = isAssignedId(id)
      ? await cloudflare.find<Database>(`/d1/database/${id}`)
      : (await listDatabases(cloudflare)).find((each) => each.name === name);
    if (match) {
      database.database_id = match.uuid;
      database.database_name = match.name;
      // Nothing creates a data database here, because the file does not contain its location.
    } else if (isDataDatabase(database)) missingDatabases.push(database);
    else if (isAssignedId(id))
      stop(
        `This account does not have the database ${id}, which ${binding} names. Nothing was changed. Choose the right ` +
          `account, or correct ${settingsFileOf(environment)}.`,
      );
  }
  return missingDatabases;
}

/** A data database in the directory of the home database. */
interface DirectoryEntry {
  name: string;
  location: string | null;
  /** Whether it has apps or forms. */
  isUsed: number;
}

const selectDirectory = `SELECT name, location, EXISTS (SELECT 1 FROM placement WHERE database = name) AS isUsed FROM data_database
  UNION ALL SELECT DISTINCT database, NULL, 1 FROM placement
    WHERE database <> '${homeName}' AND database NOT IN (SELECT name FROM data_database)`;

async function loadDirectory(deployment: Deployment): Promise<DirectoryEntry[]> {
  // A new database has no tables.
  const mayFail = /no such table/;
  return (await queryDatabase<DirectoryEntry>(deployment, homeName, selectDirectory, mayFail))
    .results;
}

/**
 * Stops if another machine has added a data database since the start of the command. This deployment would unbind it.
 */
export async function requireNoNewDatabase(deployment: Deployment): Promise<void> {
  const { settings, directory } = deployment;
  const names = [...directory, ...settings.d1_databases.map(({ binding }) => binding)];
  const entries = await loadDirectory(deployment);
  const newNames = entries.map(({ name }) => name).filter((name) => !names.includes(name));
  if (newNames.length > 0)
    stop(
      `Another machine has added ${newNames.join(", ")} in the meantime. Nothing was deployed. Run the same command again.`,
    );
}

/** Adds the data databases that only the home database contains, and drops missing ones that are empty. */
async function findDataDatabases(
  { environment, settings, cloudflare }: Deployment,
  missing: readonly DatabaseSettings[],
  entries: readonly DirectoryEntry[],
): Promise<void> {
  const databases = settings.d1_databases.filter((each) => !missing.includes(each));
  for (const { name: binding, location, isUsed } of entries) {
    if (databases.some((each) => each.binding === binding)) continue;
    const prefix = nameDataDatabase(settings, binding, "");
    const [match, ...others] = (await listDatabases(cloudflare)).filter(({ name }) =>
      location === null ? name.startsWith(prefix) : name === `${prefix}${location}`,
    );
    if (match && others.length === 0)
      databases.push(createDatabaseSettings(binding, match.name, match.uuid));
    else if (isUsed)
      stop(
        `${binding} has apps or forms, but this account has no database ${prefix}${location ?? "…"}. Nothing was changed. ` +
          `Choose the right account, or add its ID to ${settingsFileOf(environment)}.`,
      );
  }
  const [home, ...data] = databases;
  settings.d1_databases = [
    ...(home ? [home] : []),
    ...data.toSorted((a, b) => a.binding.localeCompare(b.binding)),
  ];
}
