import { env } from "cloudflare:workers";
import { type Timing, defaultTimeouts } from "../../src/domain/ports.ts";
import { workerPorts } from "../../src/platform.ts";
import { openDatabases, type DataDatabase } from "../../src/store/db/database.ts";

/** With DATABASES=2, collections are in a separate database (test/vitest.config.ts). */
const { DATA_01 } = env as { DATA_01?: D1Database };

/** The database with the tables of members, credentials and webhooks. */
export const homeDb: D1Database = env.DB;

/** The database with all tables that are keyed by a collection. */
export const dataDb: D1Database = DATA_01 ?? env.DB;

const { clock, random } = workerPorts(env);

/** For databases that a test opens itself. */
export const timing: Timing = { clock, random, timeouts: defaultTimeouts };

/** Handles like those of the service. */
export const databases = openDatabases({ home: homeDb, data: DATA_01 ? { DATA_01 } : {} }, timing);
export const dataHandle = databases.dataDatabases()[0] as DataDatabase;

/**
 * The number of additional rows that each request reads if collections are in several databases: the row of the owner.
 */
export const ownerRows = DATA_01 ? 1 : 0;

/** Places the collections that a test inserted with SQL, like their creation would. */
export async function placeCollections(): Promise<void> {
  if (!DATA_01) return;
  const { results } = await DATA_01.prepare(
    "INSERT OR IGNORE INTO owner (collection_id, epoch, state) SELECT id, 1, 'owned' FROM collection WHERE id > 0 RETURNING collection_id",
  ).all<{ collection_id: number }>();
  const ids = JSON.stringify(results.map(({ collection_id }) => collection_id));
  const { results: rows } = await DATA_01.prepare(
    "SELECT id, kind, key FROM collection WHERE id IN (SELECT value FROM json_each(?))",
  )
    .bind(ids)
    .all();
  await homeDb
    .prepare(
      `INSERT OR IGNORE INTO placement (collection_id, kind, key, database, epoch, state)
        SELECT value ->> 'id', value ->> 'kind', value ->> 'key', 'DATA_01', 1, 'placed' FROM json_each(?)`,
    )
    .bind(JSON.stringify(rows))
    .run();
}

/** Returns the bindings of a service whose collections are in this database. */
export function withDataDb<Bound extends object>(bindings: Bound, db: D1Database): Bound {
  return { ...bindings, [DATA_01 ? "DATA_01" : "DB"]: db };
}

/** Returns bindings whose databases are all changed in the same way. */
export function withEveryDb<Bound extends { DB: D1Database }>(
  bindings: Bound,
  change: (db: D1Database) => D1Database,
): Bound {
  const { DATA_01: own } = bindings as { DATA_01?: D1Database };
  const changed = { ...bindings, DB: change(bindings.DB) };
  return own ? { ...changed, DATA_01: change(own) } : changed;
}
