import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { homeName } from "#domain/bookmarks.ts";
import type { Deployment } from "./deployment.ts";
import { queryDatabase } from "./query.ts";
import { settingsFileOf } from "./settings.ts";
import { splitSql } from "./split-sql.ts";
import { runWranglerQuietly, stop } from "./wrangler.ts";

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
export async function loadBackup(deployment: Deployment, backup: string): Promise<void> {
  const sql = "SELECT count(*) AS count FROM sqlite_master WHERE name = 'collection'";
  const { results } = await queryDatabase<{ count: number }>(deployment, homeName, sql);
  if (results[0]?.count !== 0) {
    stop(
      "--from fills a new database only, but this one has tables. To go back in time, use `npm run restore`.",
    );
  }
  await importFile(deployment.environment, homeName, backup);
  // The new installation has none of them. A backup from before several databases lacks the table.
  await queryDatabase(deployment, homeName, "DELETE FROM data_database", /no such table/);
}

/** Imports a file of any size into a database, which is named by its binding or by its name. */
export async function importFile(environment: string, database: string, file: string) {
  const config = ["--config", settingsFileOf(environment)];
  for await (const part of splitSql(file))
    await runWranglerQuietly([
      "d1",
      "execute",
      database,
      "--remote",
      "--yes",
      "--file",
      part,
      ...config,
    ]);
}
