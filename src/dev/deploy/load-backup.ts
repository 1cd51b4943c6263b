import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { queryDatabase } from "./resources.ts";
import { settingsFileOf } from "./settings.ts";
import { runWrangler, stop } from "./wrangler.ts";

const placedElsewhere = /^INSERT INTO "?placement"?\W.*'(DATA_\d\d)'/i;

/** Stops if the backup places apps or forms in data databases, which the new installation would lack. */
export async function requireWholeBackup(backup: string): Promise<void> {
  const missing = new Set<string>();
  const lines = createInterface({ input: createReadStream(backup), crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      const [, database] = placedElsewhere.exec(line) ?? [];
      if (database !== undefined) missing.add(database);
    }
  } catch {
    stop(`--from cannot read ${backup}.`);
  }
  if (missing.size > 0) {
    const names = [...missing].toSorted().join(", ");
    stop(
      `--from fills one database, but ${backup} has apps and forms in ${names}. Move them to DB and make a new backup.`,
    );
  }
}

/** Loads a backup into a database without tables. The backup includes the list of applied migrations. */
export function loadBackup(environment: string, backup: string): void {
  const sql = "SELECT count(*) AS count FROM sqlite_master WHERE name = 'collection'";
  const [row] = queryDatabase<{ count: number }>(environment, "DB", sql).results;
  if (row?.count !== 0) {
    stop(
      "--from fills a new database only, but this one has tables. To go back in time, use `npm run restore`.",
    );
  }
  const config = ["--config", settingsFileOf(environment)];
  runWrangler(["d1", "execute", "DB", "--remote", "--yes", "--file", backup, ...config]);
}
