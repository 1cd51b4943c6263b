import { homeName, parseBookmarks } from "#domain/bookmarks.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { sequencesPerRestore } from "#domain/timeline.ts";
import type { HeldRow, LostCollection, PlacementRow, Repair } from "./reconcile.ts";
import type { MoveRow } from "./restored-moves.ts";
import type { Deployment } from "./deployment.ts";
import { restoresOf } from "./live-worker.ts";
import { insertAuditEntry, queryDatabase, quote } from "./query.ts";
import { isDataDatabase, placeOf, type Settings } from "./settings.ts";
import { readUndo, saveUndo } from "./undo.ts";
import { stop } from "./wrangler.ts";

/** Restores the databases of an installation with D1 Time Travel. */

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const bookmarksPattern = /^((DATA_\d\d\/)?[0-9a-f]{8}(-[0-9a-f]{8,32}){3}(,|$))+$/;

/** The bookmark to which each database is restored. */
export type Targets = ReadonlyMap<string, string>;

/** A time and its databases, or the bookmarks of databases. */
export type RestoreRequest =
  | { time: string; databases: string[] }
  | { time: null; bookmarks: Targets };

/** Returns the time or the bookmarks of `--to`. Stops if it is neither. */
export function requireMoment(to: string | boolean | undefined): string {
  if (typeof to !== "string" || !(timePattern.test(to) || bookmarksPattern.test(to)))
    stop("--to must be a time with a zone, like 2026-11-21T09:30:00Z, or database bookmarks.");
  return to;
}

/**
 * Parses the request. A time applies to all databases unless one is chosen. Bookmarks contain the names of their
 * databases, as an earlier restore printed them.
 */
export function parseRequest(
  { d1_databases: databases }: Settings,
  to: string,
  only: string | boolean | undefined,
): RestoreRequest {
  const bindings = databases.map(({ binding }) => binding);
  const bookmarks = timePattern.test(to) ? null : parseBookmarks(to);
  const chosenBindings = bookmarks
    ? [...bookmarks.keys()]
    : only === undefined
      ? bindings
      : [`${only}`];
  const unknown = chosenBindings.filter((binding) => !bindings.includes(binding));
  if (unknown.length > 0)
    stop(`There is no database ${unknown.join(", ")}. There are ${bindings.join(", ")}.`);
  return bookmarks ? { time: null, bookmarks } : { time: to, databases: chosenBindings };
}

const travelPath = ({ settings }: Deployment, binding: string, action: string) => {
  const database = settings.d1_databases.find((each) => each.binding === binding);
  return `/d1/database/${database?.database_id}/time_travel/${action}`;
};

export async function findTargets(
  deployment: Deployment,
  request: RestoreRequest,
): Promise<Targets> {
  if (request.time === null) return request.bookmarks;
  const targets = new Map<string, string>();
  for (const binding of request.databases)
    targets.set(binding, await findBookmark(deployment, binding, request.time));
  return targets;
}

async function findBookmark(
  deployment: Deployment,
  binding: string,
  time: string,
): Promise<string> {
  const path = travelPath(deployment, binding, "bookmark");
  const query = { timestamp: new Date(time).toISOString() };
  const outcome = await deployment.cloudflare.attempt<{ bookmark: string }>("GET", path, { query });
  if (!("error" in outcome)) return outcome.result.bookmark;
  // The database may have been created later, or the time may be too long ago.
  return stop(
    `${binding} cannot go back to ${time}. Choose a later time, or restore single databases with --database.\n` +
      `Cloudflare says: ${outcome.error.message}`,
  );
}

/** Restores the databases. Returns the bookmarks that undo the restore, including those of an interrupted run. */
export async function travel(
  deployment: Deployment,
  targets: Targets,
): Promise<Map<string, string>> {
  const { environment, cloudflare } = deployment;
  const undo = readUndo(environment);
  for (const [binding, bookmark] of targets) {
    const current = await cloudflare.call<{ bookmark: string }>(
      "GET",
      travelPath(deployment, binding, "bookmark"),
    );
    if (!undo.has(binding)) undo.set(binding, current.bookmark);
    saveUndo(environment, undo);
    await cloudflare.call("POST", travelPath(deployment, binding, "restore"), {
      query: { bookmark },
    });
  }
  return undo;
}

const longestFeedSql = `SELECT max((SELECT number FROM change WHERE number < (c.id + 1) * ${sequencesPerCollection}
  ORDER BY number DESC LIMIT 1) - c.id * ${sequencesPerCollection}) AS count FROM (SELECT abs(id) AS id FROM collection) c`;

/**
 * Returns the number of the next timeline. A feed that is longer than usual needs a higher number, so that it stays
 * below the start.
 */
export async function nextTimeline(deployment: Deployment): Promise<number> {
  const { d1_databases: databases, vars } = deployment.settings;
  let longest = 0;
  for (const { binding } of databases) {
    const { results } = await queryDatabase<{ count: number | null }>(
      deployment,
      binding,
      longestFeedSql,
    );
    longest = Math.max(longest, results[0]?.count ?? 0);
  }
  return Math.max(restoresOf(vars), Math.floor(longest / sequencesPerRestore)) + 1;
}

/** The number of repairs per statement. A statement has at most 100 KB. */
const repairsPerStatement = 100;

async function runAll(deployment: Deployment, repairs: readonly Repair[]): Promise<void> {
  const byDatabase = Map.groupBy(repairs, ({ database }) => database);
  for (const [database, own] of byDatabase)
    for (let start = 0; start < own.length; start += repairsPerStatement) {
      const statements = own.slice(start, start + repairsPerStatement).map(({ sql }) => sql);
      await queryDatabase(deployment, database, statements.join(";\n"));
    }
}

/**
 * Returns statements of the home database that record the restore of databases, unless it was recorded since
 * `startedAt`.
 */
export const auditRestores = (
  bindings: Iterable<string>,
  command: string,
  startedAt: number,
): string[] =>
  Array.from(bindings, (binding) => {
    const entry = { action: "database.restore", subject: `database:${binding}` } as const;
    return insertAuditEntry(
      { ...entry, at: Date.now(), command },
      `NOT EXISTS (SELECT 1 FROM audit_entry WHERE action = '${entry.action}' AND subject = ${quote(entry.subject)}
        AND at >= ${startedAt})`,
    );
  });

/**
 * Reconciles the directory with the databases. Returns messages for the operator. The service must be paused, and the
 * databases must be migrated. `refuseLoss` stops the command if a collection is in no database.
 */
export async function settleRestore(
  deployment: Deployment,
  refuseLoss?: (lost: readonly LostCollection[]) => never,
): Promise<string[]> {
  const { d1_databases: databases } = deployment.settings;
  const now = Date.now();
  if (!databases.some(isDataDatabase)) return [];
  // Loaded here, because only this step needs the schema. Its packages take four times as long to load as all others.
  const { reconcile, selectHeld } = await import("./reconcile.ts");
  const { forgetMoves, selectMoves } = await import("./restored-moves.ts");
  const sql = "SELECT collection_id, kind, key, database, epoch, state FROM placement";
  const { results: placements } = await queryDatabase<PlacementRow>(deployment, homeName, sql);
  const held = new Map<string, HeldRow[]>();
  for (const { binding } of databases)
    held.set(binding, (await queryDatabase<HeldRow>(deployment, binding, selectHeld)).results);
  const { results: moves } = await queryDatabase<MoveRow>(deployment, homeName, selectMoves);
  const state = { placements, held, moves };
  const { repairs, notes, lost } = reconcile(state, now);
  if (lost.length > 0) refuseLoss?.(lost);
  // The home database may have lost the rows of databases that were added after the restored moment.
  const siteRows = databases.filter(isDataDatabase).map((database) => ({
    database: homeName,
    sql: `INSERT OR IGNORE INTO data_database (name, location, used_from)
      VALUES ('${database.binding}', ${quote(placeOf(database))}, ${now})`,
  }));
  await runAll(deployment, [...forgetMoves(state), ...repairs, ...siteRows]);
  return notes;
}
