import { homeName } from "#domain/bookmarks.ts";
import { staysInJurisdiction, type Location } from "#domain/definition/location.ts";
import { openInstallation } from "./deploy/deployment.ts";
import { migrate } from "./deploy/migrate.ts";
import { listMoves, startMove, stopMove } from "./deploy/moves.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { migrateAndDeploy, requireRunning, waitUntilHealthy } from "./deploy/publish.ts";
import { queryDatabase } from "./deploy/query.ts";
import { ensureResources } from "./deploy/resources.ts";
import {
  createDatabaseSettings,
  isDataDatabase,
  nameDataDatabase,
  placeOf,
  saveSettings,
  type DatabaseSettings,
} from "./deploy/settings.ts";
import { notYet, startUsing } from "./deploy/new-databases.ts";
import { stop } from "./deploy/wrangler.ts";

/**
 * `npm run databases -- list` lists the databases of an installation. `npm run databases -- add --jurisdiction eu` and
 * `npm run databases -- move form:purchase --to DATA_02` print their effects, and run only with `--yes`. Every step
 * skips finished work, so repeating the command after a failure continues it.
 */

const usage =
  "Use `npm run databases -- list`, `add --location apac`, or `move form:purchase --to DATA_02`.";
const [command = "", ...args] = process.argv.slice(2);
if (command === "") stop(usage);
if (command.startsWith("-")) args.unshift(command);
else if (!["list", "add", "move"].includes(command))
  stop(`Unknown command '${command}'. See --help.`);
const [collection] = args[0]?.startsWith("-") ? [] : args.splice(0, 1);
const options = parseDeploymentOptions(
  ["env", "account", "location", "jurisdiction"],
  { to: "string", stop: "boolean", yes: "boolean" },
  args,
);
const { environment, yes: isConfirmed, location, jurisdiction } = options;
const deployment = await openInstallation(options);
const { settings } = deployment;
saveSettings(environment, settings);

/** D1's limit for a database. */
const maxBytes = 10_000_000_000;

async function list(): Promise<void> {
  const reports = new Map((await loadReports()).map((report) => [report.name, report]));
  const rows = [
    ["Binding", "Name", "Location", "Size", "Of 10 GB", "Writes a minute", "Apps and forms"],
  ];
  for (const { binding, database_name: name } of settings.d1_databases) {
    const { location: place, writes } = reports.get(binding) ?? {};
    const [size, share, count] = await measure(binding);
    rows.push([binding, name, place ?? "", size, share, `${writes ?? ""}`, count]);
  }
  for (const row of rows)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widthOf(rows, i)))
        .join("  ")
        .trimEnd(),
    );
  await listUnfinished();
  await listMoves(deployment);
}

/** Returns the size of a database, its share of the limit, and its number of collections. */
async function measure(binding: string): Promise<[string, string, string]> {
  const sql = "SELECT count(*) AS count FROM collection WHERE id > 0";
  const { results, meta } = await queryDatabase<{ count: number }>(
    deployment,
    binding,
    sql,
    missingTable,
  );
  const bytes = meta.size_after ?? 0;
  const share = `${((100 * bytes) / maxBytes).toFixed(1)} %`;
  return [`${(bytes / 1_000_000).toFixed(1)} MB`, share, String(results[0]?.count ?? 0)];
}

const widthOf = (rows: readonly string[][], column: number) =>
  Math.max(...rows.map((row) => row[column]?.length ?? 0));

interface ReportRow {
  name: string;
  location: string | null;
  writes: number | null;
}

/** Loads the locations of the databases, and the writes per minute that the service last reported. */
async function loadReports(): Promise<ReportRow[]> {
  const sql = `SELECT name, location, writes_per_minute AS writes
    FROM data_database FULL JOIN database_report USING (name)`;
  return (await queryDatabase<ReportRow>(deployment, homeName, sql, missingTable)).results;
}

interface SiteRow {
  name: string;
  used_from: number;
}

// A database that an interrupted run created has no tables yet.
const missingTable = /no such table/;

async function loadSites(): Promise<SiteRow[]> {
  const sql = "SELECT name, used_from FROM data_database";
  return (await queryDatabase<SiteRow>(deployment, homeName, sql, missingTable)).results;
}

/** Prints the databases that accept no apps and forms yet, and what the operator can do about them. */
async function listUnfinished(): Promise<void> {
  const sites = new Map((await loadSites()).map((site) => [site.name, site.used_from]));
  for (const database of settings.d1_databases.filter(isDataDatabase)) {
    const { binding } = database;
    const usedFrom = sites.get(binding) ?? notYet;
    if (usedFrom <= Date.now()) continue;
    const place = placeOf(database) ?? "";
    const placeOption = staysInJurisdiction({ location: place as Location })
      ? `--jurisdiction ${place}`
      : `--location ${place}`;
    const addCommand = `npm run databases -- add --env ${environment} ${placeOption} --yes`;
    console.log(
      usedFrom === notYet
        ? `\n${binding} is not in use yet. To finish, run: ${addCommand}`
        : `\n${binding} accepts apps, forms and moves from ${new Date(usedFrom).toISOString()}.`,
    );
  }
}

async function add(): Promise<void> {
  const place = jurisdiction ?? location;
  if (!place)
    stop(
      "Choose where: --location weur (or eeur, wnam, enam, apac, oc), or --jurisdiction eu (or us, fedramp).",
    );
  requireRunning(deployment);
  const database = (await findUnfinished(place)) ?? nextDatabase(place);
  const { binding, database_name: name } = database;
  const bucketText = jurisdiction ? `, and the bucket for files in ${place} if it is missing` : "";
  console.log(`Adds ${name} in ${place}, bound as ${binding}:
  1. creates the database${bucketText}
  2. migrates all databases
  3. deploys the service with the new binding
  4. lets new apps and forms use it a minute later. Existing ones stay where they are.`);
  if (!isConfirmed) return console.log("Nothing was done. Add --yes to do it.");
  if (!settings.d1_databases.includes(database)) settings.d1_databases.push(database);
  saveSettings(environment, settings);
  // The options are the location of the new database. A missing bucket gets the location of the home database.
  await ensureResources(deployment, {});
  // Isolates with the binding must find the row, so that they do not use the database before all other isolates have
  // it.
  await migrate(deployment, homeName);
  const insert = `INSERT OR IGNORE INTO data_database VALUES ('${binding}', '${place}', ${notYet})`;
  await queryDatabase(deployment, homeName, insert);
  const { url } = await migrateAndDeploy(deployment);
  if (!(await waitUntilHealthy(url)))
    stop("The service is not healthy, so the new database is not used yet. Run this again.");
  await startUsing(deployment, [binding]);
  console.log(`${binding} is bound. It accepts apps, forms and moves in a minute.`);
}

/**
 * Finds a database in this location that an earlier run has not finished. The run may have been killed after its last
 * statement, so a database that is not used yet also counts.
 */
async function findUnfinished(place: string): Promise<DatabaseSettings | undefined> {
  const sites = new Map((await loadSites()).map((site) => [site.name, site]));
  return settings.d1_databases.filter(isDataDatabase).find(({ binding, database_name: name }) => {
    const site = sites.get(binding);
    return name.endsWith(`-${place}`) && (!site || site.used_from > Date.now());
  });
}

const maxDataDatabases = 99;

function nextDatabase(place: string): DatabaseSettings {
  const { d1_databases: databases } = settings;
  const numbers = databases.filter(isDataDatabase).map(({ binding }) => Number(binding.slice(-2)));
  const number = Math.max(0, ...numbers) + 1;
  if (number > maxDataDatabases)
    stop(`An installation has at most ${maxDataDatabases} data databases.`);
  const binding = `DATA_${String(number).padStart(2, "0")}`;
  return createDatabaseSettings(binding, nameDataDatabase(settings, binding, place));
}

async function move(): Promise<void> {
  if (
    !/^(app|form):./.test(collection ?? "") ||
    (options.to === undefined) !== (options.stop === true)
  )
    stop(
      "Name the app or form and the database: `npm run databases -- move form:purchase --to DATA_02`, or --stop.",
    );
  const name = String(collection);
  if (options.stop) return stopMove(deployment, name);
  await startMove(deployment, { name, to: String(options.to), isConfirmed: isConfirmed === true });
}

if (command === "list") await list();
else if (command === "add") await add();
else if (command === "move") await move();
else stop(usage);
