import { parseDeploymentOptions } from "./deploy/options.ts";
import { listActiveMoves, startMove, stopMove } from "./deploy/moves.ts";
import { migrate, migrateAndDeploy, waitUntilHealthy } from "./deploy/publish.ts";
import { ensureDatabases, ensureResources, queryDatabase } from "./deploy/resources.ts";
import {
  isAssignedId,
  isDataDatabase,
  loadSettings,
  saveSettings,
  settingsFileOf,
  type DatabaseSettings,
  type Settings,
} from "./deploy/settings.ts";
import { stop } from "./deploy/wrangler.ts";

/**
 * `npm run databases -- list` shows the databases of an installation. `npm run databases -- add --jurisdiction eu` and
 * `npm run databases -- move form:purchase --to DATA_02` say what they would do, and do it with `--yes`. Every step skips
 * finished work, so the same command continues after a failure.
 */

const [command = "", ...args] = process.argv.slice(2);
if (command.startsWith("-")) args.unshift(command);
else if (!["list", "add", "move"].includes(command))
  stop(`Unknown command '${command}'. See --help.`);
const [collection] = args[0]?.startsWith("-") ? [] : args.splice(0, 1);
const options = parseDeploymentOptions(
  ["env", "location", "jurisdiction"],
  { to: "string", stop: "boolean", yes: "boolean" },
  args,
);
const { environment, yes: isConfirmed, location, jurisdiction } = options;
const settings = loadSettings({ environment });
if (
  !settings.d1_databases.some(
    ({ binding, database_id: id }) => binding === "DB" && isAssignedId(id),
  )
)
  stop(`${settingsFileOf(environment)} has no database. \`npm run deploy\` creates that file.`);

/** D1's limit for a database. */
const maxBytes = 10_000_000_000;
/** New collections are placed in a database once the deployment that binds it has surely reached every location. */
const rolloutMs = 60_000;
const notYet = Number.MAX_SAFE_INTEGER;

function list(): void {
  saveSettings(environment, settings);
  const sites = new Map(loadListed().map((site) => [site.name, site]));
  const lines = settings.d1_databases.map(({ binding, database_name: name, database_id: id }) => {
    if (!isAssignedId(id)) return [binding, name, "", "", "", "", "not created"];
    const sql = "SELECT count(*) AS count FROM collection WHERE id > 0";
    const { results, meta } = queryDatabase<{ count: number }>(environment, binding, sql, missing);
    const bytes = meta.size_after ?? 0;
    const share = `${((100 * bytes) / maxBytes).toFixed(1)} %`;
    const size = `${(bytes / 1_000_000).toFixed(1)} MB`;
    const collections = String(results[0]?.count ?? 0);
    const { location: place, writes } = sites.get(binding) ?? {};
    return [binding, name, place ?? "", size, share, String(writes ?? ""), collections];
  });
  const rows = [
    ["Binding", "Name", "Location", "Size", "Of 10 GB", "Writes a minute", "Collections"],
    ...lines,
  ];
  for (const row of rows)
    console.log(
      row
        .map((cell, i) => cell.padEnd(widthOf(rows, i)))
        .join("  ")
        .trimEnd(),
    );
  listActiveMoves(environment);
}

const widthOf = (rows: readonly string[][], column: number) =>
  Math.max(...rows.map((row) => row[column]?.length ?? 0));

/** The locations of the databases, and what each last reported. One query reads both, because each takes a second. */
function loadListed() {
  const sql = `SELECT name, location, writes_per_minute AS writes
    FROM database_report FULL JOIN data_database USING (name)`;
  type Row = { name: string; location: string | null; writes: number | null };
  return queryDatabase<Row>(environment, "DB", sql, missing).results;
}

interface SiteRow {
  name: string;
  location: string | null;
  used_from: number;
}

// A database that an interrupted run created has no tables yet.
const missing = /no such table/;

function loadSites(): SiteRow[] {
  const sql = "SELECT name, location, used_from FROM data_database";
  return queryDatabase<SiteRow>(environment, "DB", sql, missing).results;
}

async function add(): Promise<void> {
  const place = jurisdiction ?? location;
  if (!place)
    stop(
      "Choose where: --location weur (or eeur, wnam, enam, apac, oc), or --jurisdiction eu (or us, fedramp).",
    );
  saveSettings(environment, settings);
  const database = findUnfinished(settings, place) ?? nextDatabase(settings, place);
  const { binding, database_name: name } = database;
  console.log(`Adds ${name} in ${place}, bound as ${binding}:
  1. creates the database
  2. migrates all databases
  3. deploys the service with the new binding
  4. lets new apps and forms use it a minute later. Existing ones stay where they are.`);
  if (!isConfirmed) return console.log("Nothing was done. Add --yes to do it.");
  if (!settings.d1_databases.includes(database)) settings.d1_databases.push(database);
  saveSettings(environment, settings);
  ensureDatabases({ environment, location, jurisdiction }, settings);
  // The place is that of the new database. A bucket that is still missing follows the home database.
  ensureResources({ environment }, settings);
  // Isolates that have the binding must find the row, so that they do not use the database before all others have it.
  migrate(environment, "DB");
  const insert = `INSERT OR IGNORE INTO data_database VALUES ('${binding}', '${place}', ${notYet})`;
  queryDatabase(environment, "DB", insert);
  const { url } = migrateAndDeploy(environment, settings);
  if (!(await waitUntilHealthy(url)))
    stop("The service is not healthy, so the new database is not used yet. Run this again.");
  const activate = `UPDATE data_database SET used_from = ${Date.now() + rolloutMs} WHERE name = '${binding}' AND used_from = ${notYet}`;
  queryDatabase(environment, "DB", activate);
  console.log(`${binding} is bound. New apps and forms use it in a minute.`);
}

/**
 * Finds a database in this place that an earlier run has not finished. That run may have been killed after its last
 * statement, so one that is not used yet counts too.
 */
function findUnfinished({ d1_databases: databases }: Settings, place: string) {
  const sites = new Map(loadSites().map((site) => [site.name, site]));
  return databases.filter(isDataDatabase).find(({ binding, database_name: name }) => {
    const site = sites.get(binding);
    return name.endsWith(`-${place}`) && (!site || site.used_from > Date.now());
  });
}

const maxDataDatabases = 99;

function nextDatabase(
  { d1_databases: databases, name }: Settings,
  place: string,
): DatabaseSettings {
  const numbers = databases.filter(isDataDatabase).map(({ binding }) => Number(binding.slice(-2)));
  const number = Math.max(0, ...numbers) + 1;
  if (number > maxDataDatabases)
    stop(`An installation has at most ${maxDataDatabases} data databases.`);
  const digits = String(number).padStart(2, "0");
  return {
    binding: `DATA_${digits}`,
    database_name: `${name}-data-${digits}-${place}`,
    database_id: "0".repeat(32),
    migrations_dir: "migrations",
  };
}

function move(): void {
  if (
    !/^(app|form):./.test(collection ?? "") ||
    (options.to === undefined) !== (options.stop === true)
  )
    stop(
      "Name the app or form and the database: `npm run databases -- move form:purchase --to DATA_02`, or --stop.",
    );
  saveSettings(environment, settings);
  const name = String(collection);
  if (options.stop) return stopMove(environment, name);
  startMove({
    environment,
    settings,
    name,
    to: String(options.to),
    isConfirmed: isConfirmed === true,
  });
}

if (command === "list") list();
else if (command === "add") await add();
else if (command === "move") move();
else
  stop(
    "Use `npm run databases -- list`, `add --location apac`, or `move form:purchase --to DATA_02`.",
  );
