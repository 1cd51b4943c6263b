import { randomBytes } from "node:crypto";
import { homeName } from "#domain/bookmarks.ts";
import { hashFile, type Backup } from "./backup-files.ts";
import { hasHome, type Deployment } from "./deployment.ts";
import { removeErasures, saveErasures, storeErasures } from "./erasures.ts";
import { restoresOf, timelineOf } from "./live-worker.ts";
import {
  createStepTable,
  dropStepTable,
  insertStep,
  namePart,
  parseTimeline,
  readSteps,
  type Steps,
} from "./load-steps.ts";
import { migrate } from "./migrate.ts";
import { notYet, startUsing } from "./new-databases.ts";
import type { DeploymentOptions } from "./options.ts";
import { queryDatabase } from "./query.ts";
import type { LostCollection } from "./reconcile.ts";
import {
  createDatabaseSettings,
  isDataDatabase,
  nameDataDatabase,
  placeOf,
  saveSettings,
  settingsFileOf,
} from "./settings.ts";
import { splitSql } from "./split-sql.ts";
import { auditRestores, nextTimeline, settleRestore } from "./travel.ts";
import { runWrangler, stop } from "./wrangler.ts";

/**
 * Loads a backup into the databases of a new environment. Meanwhile, each database has a table with the finished steps,
 * so that repeating the command after an interruption continues it. The exports were made at different times. Loading
 * therefore ends like a restore: the directory is reconciled with the databases, erasures are repeated, moves stop, and
 * the service starts a new timeline.
 */

/**
 * Adds the data databases of a backup to the settings of a new environment. Stops if the home database has tables,
 * unless an earlier run with this backup created them.
 */
export async function prepareLoad(
  deployment: Deployment,
  { files, places }: Backup,
  { location, jurisdiction }: DeploymentOptions,
): Promise<void> {
  const { settings } = deployment;
  if (hasHome(deployment)) await requireEmpty(deployment, homeName, await hashFile(homeOf(files)));
  for (const [binding, place] of places) {
    const existing = settings.d1_databases.find((each) => each.binding === binding);
    if (existing && place !== null && placeOf(existing) !== place)
      stop(`${binding} belongs in ${place}. ${adviseStartOver(deployment)}`);
    if (existing) continue;
    // A database without a known location gets the location of the home database.
    const name = nameDataDatabase(settings, binding, place ?? jurisdiction ?? location ?? "");
    settings.d1_databases.push(createDatabaseSettings(binding, name));
  }
}

const homeOf = (files: Backup["files"]): string => files.get(homeName) ?? "";

/** Stops if a database contains tables of anything but this export. Returns the finished steps. */
async function requireEmpty(deployment: Deployment, binding: string, hash: string): Promise<Steps> {
  const steps = await readSteps(deployment, binding);
  const loaded = steps.get("file");
  if (loaded === hash) return steps;
  if (loaded !== undefined)
    stop(`${binding} has tables of another backup. ${adviseStartOver(deployment)}`);
  const sql = "SELECT count(*) AS count FROM sqlite_master WHERE name = 'collection'";
  const { results } = await queryDatabase<{ count: number }>(deployment, binding, sql);
  if (results[0]?.count !== 0)
    stop(
      `--from fills a new database only, but ${binding} has tables. If an earlier run has loaded this backup, run ` +
        "`npm run deploy` without --from. To go back in time, use `npm run restore`.",
    );
  return steps;
}

function adviseStartOver({ environment, settings }: Deployment): string {
  const names = settings.d1_databases.map(({ database_name: name }) => name);
  const commands = names.map((name) => `\n  npx wrangler d1 delete ${name}`);
  return (
    `To start over with another backup, delete the new databases and ${settingsFileOf(environment)}, and run this ` +
    `again with the files of that backup:${commands.join("")}`
  );
}

export interface LoadOptions {
  /** Whether to continue without the apps and forms that no export contains. */
  allowsLoss: boolean;
}

/** Loads a backup into the existing databases. Afterwards, they are in the state of a restore before its deployment. */
export async function loadBackup(
  deployment: Deployment,
  backup: Backup,
  options: LoadOptions,
): Promise<void> {
  const { vars } = deployment.settings;
  const steps = await readSteps(deployment, homeName);
  if (steps.has("settled")) {
    const timeline = parseTimeline(steps);
    // The service may have been restored since the backup.
    if (restoresOf(vars) < restoresOf(timeline)) Object.assign(vars, timeline);
    return;
  }
  for (const [binding, file] of backup.files) await fill(deployment, binding, file);
  await settle(deployment, backup, options);
}

/**
 * Imports a file into a database without tables, or continues an import. The export includes the list of applied
 * migrations.
 */
async function fill(deployment: Deployment, binding: string, file: string): Promise<void> {
  const hash = await hashFile(file);
  const steps = await requireEmpty(deployment, binding, hash);
  if (steps.has("complete")) return;
  if (!steps.has("file")) {
    const start = `${createStepTable}\n${insertStep("file", hash)}`;
    await queryDatabase(deployment, binding, start);
  }
  // D1 imports a file completely or not at all, so the last statement of each part shows whether the part was imported.
  let part = 0;
  for await (const path of splitSql(file, undefined, (number) => insertStep(namePart(number)))) {
    part += 1;
    if (!steps.has(namePart(part))) await importPart(deployment.environment, binding, path);
  }
  await queryDatabase(deployment, binding, insertStep("complete"));
  console.log(`${binding}: loaded ${file}.`);
}

/**
 * The maximum number of restores of the lost service after the backup. The new timeline starts above all of their
 * timelines.
 */
const maxLostRestores = 15;

/** Reconciles the databases and begins a timeline. */
async function settle(
  deployment: Deployment,
  { files, restores }: Backup,
  { allowsLoss }: LoadOptions,
): Promise<void> {
  const { environment, settings } = deployment;
  const { vars } = settings;
  for (const binding of files.keys()) await migrate(deployment, binding);
  await saveErasures(deployment, 0);
  vars["RESTORES"] = String(Math.max(restores, restoresOf(vars)));
  vars["RESTORES"] = String((await nextTimeline(deployment)) + maxLostRestores);
  vars["RESTORE_EPOCH"] = randomBytes(6).toString("base64url");
  const refuseLoss = (lost: readonly LostCollection[]) => stop(describeLoss(deployment, lost));
  const notes = await settleRestore(deployment, allowsLoss ? undefined : refuseLoss);
  for (const note of notes) console.log(note);
  await storeErasures(deployment);
  const unused = `UPDATE data_database SET used_from = ${notYet}`;
  const settled = insertStep("settled", JSON.stringify(timelineOf(vars)));
  // The same transaction records the end of this step, so that the audit log has one entry even after an interruption.
  const audits = auditRestores(files.keys(), "npm run deploy", Date.now());
  await queryDatabase(deployment, homeName, [unused, ...audits, settled].join(";\n"));
  removeErasures(environment);
  saveSettings(environment, settings);
}

function describeLoss(deployment: Deployment, lost: readonly LostCollection[]): string {
  const lines = lost.map(({ name, database, former }) =>
    former === undefined
      ? `\n  ${name} should be in ${database}, but the export of ${database} does not have it`
      : `\n  ${name} moved away from ${former} while the backup was made, and no export has it in its new database`,
  );
  return (
    `The exports contradict each other:${lines.join("")}\nNothing was deployed. Use another backup if you can. ` +
    `${adviseStartOver(deployment)}\nIf this is your only backup, run the same command with --allow-loss. It starts ` +
    "without these apps and forms."
  );
}

/** Lets the service use the loaded databases, and deletes the recorded steps. The service must be deployed. */
export async function finishLoad(deployment: Deployment): Promise<void> {
  const bindings = deployment.settings.d1_databases.map(({ binding }) => binding);
  await startUsing(
    deployment,
    bindings.filter((binding) => isDataDatabase({ binding })),
  );
  // The home database comes last, because an interrupted run continues only while it has the steps.
  for (const binding of bindings.toReversed())
    await queryDatabase(deployment, binding, dropStepTable);
}

/** Imports a file of any size into a database with this binding or name. */
export async function importFile(environment: string, database: string, file: string) {
  for await (const part of splitSql(file)) await importPart(environment, database, part);
}

async function importPart(environment: string, database: string, part: string): Promise<void> {
  const config = ["--config", settingsFileOf(environment)];
  await runWrangler(["d1", "execute", database, "--remote", "--yes", "--file", part, ...config]);
}
