import { homeName } from "#domain/bookmarks.ts";
import type { Deployment } from "./deployment.ts";
import { restoresOf } from "./live-worker.ts";
import { queryDatabase, quote } from "./query.ts";
import { stop } from "./wrangler.ts";

/** The steps of loading a backup. Until the last step, each database has a table of the finished steps. */

const table = "backup_import";

/** The SHA-256 of the file, the imported parts, `complete`, and in the home database `settled`. */
export type Steps = ReadonlyMap<string, string>;

/** Reads the finished steps of a database. Empty if no backup is being loaded. */
export async function readSteps(deployment: Deployment, binding: string): Promise<Steps> {
  const sql = `SELECT step, value FROM ${table}`;
  const mayFail = /no such table/;
  const { results } = await queryDatabase<{ step: string; value: string }>(
    deployment,
    binding,
    sql,
    mayFail,
  );
  return new Map(results.map(({ step, value }) => [step, value]));
}

export const createStepTable = `CREATE TABLE ${table} (step TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;`;
export const dropStepTable = `DROP TABLE IF EXISTS ${table}`;

export const insertStep = (step: string, value = ""): string =>
  `INSERT INTO ${table} (step, value) VALUES (${quote(step)}, ${quote(value)});`;

export const namePart = (number: number): string => `part ${number}`;

/** Returns the variables of the timeline that begins with the loaded backup. Empty until the step `settled`. */
export const parseTimeline = (steps: Steps): Record<string, string> =>
  JSON.parse(steps.get("settled") ?? "{}") as Record<string, string>;

/** Stops while an earlier run has loaded a backup only partially, or has not deployed it. */
export async function requireNoPartialLoad(deployment: Deployment): Promise<void> {
  const steps = await readSteps(deployment, homeName);
  if (steps.size === 0) return;
  const isDeployed = restoresOf(deployment.live?.vars) >= restoresOf(parseTimeline(steps));
  if (!steps.has("settled") || !isDeployed)
    stop(
      "An earlier run has not loaded all of a backup. Run the same `npm run deploy -- --from` command again to finish it.",
    );
}
