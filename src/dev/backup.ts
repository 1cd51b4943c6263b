import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { homeName } from "#domain/bookmarks.ts";
import { nameBackupFile, noteRestores } from "./deploy/backup-files.ts";
import { openInstallation } from "./deploy/deployment.ts";
import { importFile } from "./deploy/load-backup.ts";
import { restoresOf } from "./deploy/live-worker.ts";
import { parseDeploymentOptions } from "./deploy/options.ts";
import { queryDatabase, runStatements } from "./deploy/query.ts";
import {
  createDatabase,
  deleteDatabase,
  ensureBucket,
  findJurisdiction,
} from "./deploy/resources.ts";
import { saveSettings, settingsFileOf } from "./deploy/settings.ts";
import {
  downloadBackup,
  storeFile,
  storeManifest,
  type BackupFolder,
  type StoredFile,
} from "./deploy/stored-backup.ts";
import { captureWrangler, runWrangler, stop } from "./deploy/wrangler.ts";

/**
 * `npm run backup -- --output backup.sql` exports each database of a deployment to `backup.DB.sql`. Then it restores
 * each file into a scratch database and compares the number of rows of every table. With `--bucket`, it stores the
 * files in an R2 bucket instead. With `--download`, it downloads them from that bucket.
 */

const options = parseDeploymentOptions(["env", "account", "jurisdiction"], {
  output: "string",
  bucket: "string",
  download: "string",
  "part-bytes": "string",
});
const { environment, jurisdiction, bucket } = options;
// Files for a bucket are deleted after the upload, so they must not replace a backup in this folder.
const isTemporary = bucket !== undefined && options.download === undefined;
const output = String(options.output ?? (isTemporary ? ".wrangler/backup.sql" : "backup.sql"));
const partBytes = options["part-bytes"] === undefined ? undefined : Number(options["part-bytes"]);
if (partBytes !== undefined && !(partBytes >= 1)) stop("--part-bytes must be a number.");
if (options.download !== undefined && bucket === undefined) stop("Name the bucket with --bucket.");
const deployment = await openInstallation(options);
const { settings, cloudflare } = deployment;
saveSettings(environment, settings);
const config = ["--config", settingsFileOf(environment)];
/** The maximum difference between the clocks of this machine and of the service. */
const clockToleranceMs = 60_000;

if (options.download === undefined) await store();
else await downloadStored(String(options.download));

function folderOf(name: string): BackupFolder {
  return { cloudflare, bucket: String(bucket), jurisdiction, folder: name };
}

async function downloadStored(name: string): Promise<void> {
  for (const path of await downloadBackup(folderOf(name), output))
    console.log(`${path}: complete.`);
}

async function store(): Promise<void> {
  const folder = new Date().toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
  const target = bucket === undefined ? undefined : folderOf(folder);
  if (target) await ensureBucket(cloudflare, target.bucket, { jurisdiction });
  mkdirSync(dirname(output), { recursive: true });
  const files: StoredFile[] = [];
  const startedAt = Date.now();
  for (const { binding, database_id: id, database_name: name } of settings.d1_databases) {
    const file = nameBackupFile(output, binding);
    if (target) await warnOfJurisdiction(binding, id);
    await exportDatabase(binding, id, `${name}-backup-check`, file);
    if (binding === homeName) noteRestores(file, restoresOf(settings.vars));
    if (!target) continue;
    files.push(await storeFile(target, file, partBytes));
    rmSync(file);
  }
  await requireNoMove(startedAt);
  if (!target) return;
  await storeManifest(target, { files, settings });
  console.log(
    `Stored in ${target.bucket}. To get it back, run: npm run backup -- --bucket ${target.bucket} --download ${folder}`,
  );
}

/** Stops if an app or form moved to a database that had already been exported. No file would contain it. */
async function requireNoMove(startedAt: number): Promise<void> {
  const bindings = settings.d1_databases.map(({ binding }) => binding);
  const sql = `SELECT name, source, target FROM collection_move
    WHERE phase = 'flipping' OR moved_at >= ${startedAt - clockToleranceMs}`;
  type Row = { name: string; source: string; target: string };
  const { results } = await queryDatabase<Row>(deployment, homeName, sql, /no such table/);
  const lost = results.find((row) => bindings.indexOf(row.target) < bindings.indexOf(row.source));
  if (lost)
    stop(
      `${lost.name} moved from ${lost.source} to ${lost.target} in the meantime, so this backup may lack it. Make another ` +
        "one when no move is under way.",
    );
}

/** Warns if a backup moves the data of a database out of its jurisdiction. */
async function warnOfJurisdiction(binding: string, id: string): Promise<void> {
  const place = await findJurisdiction(cloudflare, id);
  if (place !== undefined && place !== jurisdiction)
    console.warn(
      `${binding} is in the jurisdiction ${place}, but the bucket ${bucket} is not. To keep the backup there, name a new ` +
        `bucket and add --jurisdiction ${place}.`,
    );
}

/** Exports a database, and checks that a new database has the same rows after an import. */
async function exportDatabase(binding: string, id: string, scratch: string, file: string) {
  const before = await countRows(id);
  await runWrangler(["d1", "export", binding, "--remote", "--output", file, ...config]);
  const after = await countRows(id);
  const restored = await countRestoredRows(id, scratch, file);
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
  const tables = Object.keys(restored).length;
  console.log(`${file}: ${rows} rows of ${tables} tables, restored and counted.`);
}

/** Imports a backup into a new database in the same jurisdiction, counts its rows, and deletes it. */
async function countRestoredRows(
  source: string,
  scratch: string,
  file: string,
): Promise<Record<string, number>> {
  // An interrupted run may have left a database.
  await deleteDatabase(cloudflare, scratch);
  const scratchId = await createDatabase(cloudflare, scratch, {
    jurisdiction: await findJurisdiction(cloudflare, source),
  });
  const remove = () => captureWrangler(["d1", "delete", scratch, "--skip-confirmation", ...config]);
  process.once("exit", remove);
  await importFile(environment, scratch, file);
  const counts = await countRows(scratchId);
  await deleteDatabase(cloudflare, scratch);
  process.off("exit", remove);
  return counts;
}

/** Counts the rows of each table. Excludes D1's own tables, which exports do not contain. */
async function countRows(id: string): Promise<Record<string, number>> {
  const tables = await query<{ name: string }>(
    id,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%'",
  );
  const counts = tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`);
  const [row = {}] = await query<Record<string, number>>(id, `SELECT ${counts.join(", ")}`);
  return row;
}

async function query<Row>(id: string, sql: string): Promise<Row[]> {
  const outcome = await runStatements<Row>(cloudflare, id, sql);
  return "error" in outcome ? stop(outcome.error.message) : (outcome.result[0]?.results ?? []);
}
