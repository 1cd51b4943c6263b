import { homeName } from "#domain/bookmarks.ts";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Deployment } from "./deployment.ts";
import { queryDatabase } from "./query.ts";

/**
 * The erasures that a restore undoes and that the service then repeats. They stay in a file until the restore is
 * complete, so that an interrupted command can be repeated.
 */

const fileOfErasures = (environment: string) => `.wrangler/erasures.${environment}.json`;

/**
 * Saves the items, apps and forms that were erased after this moment. Without a moment, saves the erasures of the last
 * 31 days.
 */
export async function saveErasures(deployment: Deployment, since: number): Promise<void> {
  const { environment, settings } = deployment;
  const sql = `SELECT id AS subject FROM erased_item WHERE at >= ${since}
    UNION ALL SELECT collection_id || ' ' || kind || ':' || key FROM deletion WHERE state <> 'deleted' AND erase_at >= ${since}`;
  // A database without these tables is older than the feature of erasures.
  const subjects = new Set(readErasures(environment));
  for (const { binding } of settings.d1_databases) {
    const mayFail = /no such table/;
    const { results } = await queryDatabase<{ subject: string }>(deployment, binding, sql, mayFail);
    for (const { subject } of results) subjects.add(subject);
  }
  mkdirSync(".wrangler", { recursive: true });
  writeFileSync(fileOfErasures(environment), JSON.stringify([...subjects]));
}

function readErasures(environment: string): string[] {
  const file = fileOfErasures(environment);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : [];
}

/** The number of subjects per statement. A statement has at most 100 KB. */
const subjectsPerStatement = 500;

/** Stores the saved erasures in the home database before the service runs again. Returns their number. */
export async function storeErasures(deployment: Deployment): Promise<number> {
  const { environment } = deployment;
  const subjects = readErasures(environment).filter((subject) => /^[\w :-]+$/.test(subject));
  for (let start = 0; start < subjects.length; start += subjectsPerStatement) {
    const json = JSON.stringify(subjects.slice(start, start + subjectsPerStatement));
    const sql = `INSERT OR IGNORE INTO owed_erasure SELECT value FROM json_each('${json}')`;
    await queryDatabase(deployment, homeName, sql);
  }
  return subjects.length;
}

export function removeErasures(environment: string): void {
  rmSync(fileOfErasures(environment), { force: true });
}
