import { homeName, parseBookmarks } from "#domain/bookmarks.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { sequencesPerRestore } from "#domain/timeline.ts";
import {
  reconcile,
  selectHeld,
  type HeldRow,
  type PlacementRow,
  type Repair,
} from "./reconcile.ts";
import { forgetMoves, selectMoves, type MoveRow } from "./restored-moves.ts";
import { insertAuditEntry, queryDatabase, quote } from "./resources.ts";
import {
  isDataDatabase,
  settingsFileOf,
  type DatabaseSettings,
  type Settings,
} from "./settings.ts";
import { queryWrangler, stop } from "./wrangler.ts";

/** Time Travel of the databases of an installation. */

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;
const bookmarksPattern = /^((DATA_\d\d\/)?[0-9a-f]{8}(-[0-9a-f]{8,32}){3}(,|$))+$/;

/** The bookmark to which each database goes back. */
export type Targets = ReadonlyMap<string, string>;

/** A time and its databases, or the bookmarks of databases. */
export type RestoreRequest =
  | { time: string; databases: string[] }
  | { time: null; bookmarks: Targets };

/** A time concerns all databases, unless one is chosen. Bookmarks name theirs, as an earlier restore printed them. */
export function parseRequest(
  { d1_databases: databases }: Settings,
  to: string | boolean | undefined,
  only: string | boolean | undefined,
): RestoreRequest {
  if (typeof to !== "string" || !(timePattern.test(to) || bookmarksPattern.test(to)))
    stop("--to must be a time with a zone, like 2026-11-21T09:30:00Z, or database bookmarks.");
  const bindings = databases.map(({ binding }) => binding);
  const bookmarks = timePattern.test(to) ? null : parseBookmarks(to);
  const chosen = bookmarks ? [...bookmarks.keys()] : only === undefined ? bindings : [`${only}`];
  const unknown = chosen.filter((binding) => !bindings.includes(binding));
  if (unknown.length > 0)
    stop(`There is no database ${unknown.join(", ")}. There are ${bindings.join(", ")}.`);
  return bookmarks ? { time: null, bookmarks } : { time: to, databases: chosen };
}

export function findTargets(environment: string, request: RestoreRequest): Targets {
  if (request.time === null) return request.bookmarks;
  const { time, databases } = request;
  return new Map(databases.map((binding) => [binding, findBookmark(environment, binding, time)]));
}

function findBookmark(environment: string, binding: string, time: string): string {
  const command = ["d1", "time-travel", "info", binding, `--timestamp=${time}`, "--json"];
  const config = ["--config", settingsFileOf(environment)];
  // The database may be newer than that, or the time too long ago.
  const found = queryWrangler<{ bookmark: string }>([...command, ...config], /./);
  return (
    found?.bookmark ??
    stop(
      `${binding} cannot go back to ${time}. Choose a later time, or restore single databases with --database.`,
    )
  );
}

/** Restores the databases. Returns the bookmarks that undo it. */
export function travel(environment: string, targets: Targets): Map<string, string> {
  const config = ["--config", settingsFileOf(environment)];
  return new Map(
    Array.from(targets, ([binding, bookmark]) => {
      const command = ["d1", "time-travel", "restore", binding, `--bookmark=${bookmark}`, "--json"];
      const restored = queryWrangler<{ previous_bookmark: string }>([...command, ...config]);
      return [binding, restored?.previous_bookmark ?? ""];
    }),
  );
}

const longestFeedSql = `SELECT max((SELECT number FROM change WHERE number < (c.id + 1) * ${sequencesPerCollection}
  ORDER BY number DESC LIMIT 1) - c.id * ${sequencesPerCollection}) AS count FROM (SELECT abs(id) AS id FROM collection) c`;

/** The number of the next timeline. A feed that is longer than usual needs a higher one to stay below its start. */
export function nextTimeline(
  environment: string,
  { d1_databases: databases, vars }: Settings,
): number {
  const current = Number(vars["RESTORES"] ?? 0);
  const lengths = databases.map(
    ({ binding }) =>
      queryDatabase<{ count: number | null }>(environment, binding, longestFeedSql).results[0]
        ?.count ?? 0,
  );
  return Math.max(current, Math.floor(Math.max(...lengths) / sequencesPerRestore)) + 1;
}

/** The place of a data database, as `npm run databases -- add` named it. */
const placeOf = ({ database_name: name }: DatabaseSettings) =>
  /-data-\d\d-(\w+)$/.exec(name)?.[1] ?? null;

/** A statement has at most 100 KB. */
const repairsPerStatement = 100;

function runAll(environment: string, repairs: readonly Repair[]): void {
  const byDatabase = Map.groupBy(repairs, ({ database }) => database);
  for (const [database, own] of byDatabase)
    for (let start = 0; start < own.length; start += repairsPerStatement) {
      const statements = own.slice(start, start + repairsPerStatement).map(({ sql }) => sql);
      queryDatabase(environment, database, statements.join(";\n"));
    }
}

/**
 * Makes the directory and the databases agree, and records the restore in the audit. Returns what the operator should
 * know. The service must be paused, and the databases migrated.
 */
export function settleRestore(
  environment: string,
  { d1_databases: databases }: Settings,
  restored: Targets,
): string[] {
  const now = Date.now();
  const audits = [...restored.keys()].map((binding) => ({
    database: homeName,
    sql: insertAuditEntry({
      at: now,
      action: "database.restore",
      subject: `database:${binding}`,
      command: "npm run restore",
    }),
  }));
  if (!databases.some(isDataDatabase)) {
    runAll(environment, audits);
    return [];
  }
  const sql = "SELECT collection_id, kind, key, database, epoch, state FROM placement";
  const placements = queryDatabase<PlacementRow>(environment, homeName, sql).results;
  const held = new Map(
    databases.map(({ binding }) => [
      binding,
      queryDatabase<HeldRow>(environment, binding, selectHeld).results,
    ]),
  );
  const moves = queryDatabase<MoveRow>(environment, homeName, selectMoves).results;
  const state = { placements, held, moves };
  const { repairs, notes } = reconcile(state, now);
  // The home database may forget databases that were added after that moment.
  const siteRows = databases.filter(isDataDatabase).map((database) => ({
    database: homeName,
    sql: `INSERT OR IGNORE INTO data_database (name, location, used_from)
      VALUES ('${database.binding}', ${quote(placeOf(database))}, ${now})`,
  }));
  runAll(environment, [...forgetMoves(state), ...repairs, ...siteRows, ...audits]);
  return notes;
}
