import { parseDeploymentOptions } from "./deploy/options.ts";
import { findDatabases } from "./deploy/resources.ts";
import { loadSettings, saveSettings, settingsFileOf } from "./deploy/settings.ts";
import { captureWrangler, queryWrangler, runWranglerQuietly, stop } from "./deploy/wrangler.ts";

/**
 * `npm run backup -- --output backup.sql` exports each database of a deployment to `backup.DB.sql`. Then it restores each
 * file into a scratch database and compares the number of rows of every table.
 */

const options = parseDeploymentOptions(["env", "account"], { output: "string" });
const { environment, output = "backup.sql" } = options;
const settings = loadSettings(options);
saveSettings(environment, settings);
findDatabases(environment, settings);
const config = ["--config", settingsFileOf(environment)];

for (const { binding, database_name: name } of settings.d1_databases) {
  const file = String(output).replace(/(\.\w+)?$/, `.${binding}$1`);
  const before = countRows(binding);
  runWranglerQuietly(["d1", "export", binding, "--remote", "--output", file, ...config]);
  const after = countRows(binding);
  const restored = countRestoredRows(`${name}-backup-check`, file);
  const wrong = Object.keys(after).filter((table) => {
    const limits = [before[table] ?? 0, after[table] ?? 0];
    const count = restored[table] ?? -1;
    return count < Math.min(...limits) || count > Math.max(...limits);
  });
  if (wrong.length > 0) {
    const numbers = wrong.map(
      (table) => `${table}: ${restored[table] ?? "missing"} rows, not ${after[table]}`,
    );
    stop(`${file} is incomplete. ${numbers.join("; ")}.`);
  }
  const rows = Object.values(restored).reduce((sum, count) => sum + count, 0);
  console.log(
    `${file}: ${rows} rows of ${Object.keys(restored).length} tables, restored and counted.`,
  );
}

/** Restores a backup into a new database, counts its rows, and deletes it. */
function countRestoredRows(scratch: string, file: string): Record<string, number> {
  const remove = () => captureWrangler(["d1", "delete", scratch, "--skip-confirmation", ...config]);
  // An interrupted run may have left one.
  remove();
  runWranglerQuietly(["d1", "create", scratch, "--update-config=false", ...config]);
  process.once("exit", remove);
  runWranglerQuietly(["d1", "execute", scratch, "--remote", "--yes", "--file", file, ...config]);
  return countRows(scratch);
}

/** The number of rows of each table. D1's own tables are not part of an export. */
function countRows(database: string): Record<string, number> {
  const tables = query<{ name: string }>(
    database,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
  );
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
  const [row = {}] = query<Record<string, number>>(database, `SELECT ${counts.join(", ")}`);
  return row;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what it asked for
function query<Row>(database: string, sql: string): Row[] {
  const command = ["d1", "execute", database, "--remote", "--json", "--yes", "--command", sql];
  return queryWrangler<{ results: Row[] }[]>([...command, ...config])?.[0]?.results ?? [];
}
