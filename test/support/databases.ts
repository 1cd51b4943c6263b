import { env } from "cloudflare:workers";
import { type Timing, defaultTimeouts } from "../../src/domain/ports.ts";
import { workerPorts } from "../../src/platform.ts";
import { openDatabases, type DataDatabase } from "../../src/store/db/database.ts";

/** With DATABASES=2, collections have a database of their own (test/vitest.config.ts). */
const { DATA_01 } = env as { DATA_01?: D1Database };

/** Where tests look into tables of members, credentials and webhooks. */
export const homeDb: D1Database = env.DB;

/** Where tests look into all tables that are keyed by a collection. */
export const dataDb: D1Database = DATA_01 ?? env.DB;

const { clock, random } = workerPorts(env);

/** For databases that a test opens itself. */
export const timing: Timing = { clock, random, timeouts: defaultTimeouts };

/** Handles, as the service has them. */
export const databases = openDatabases({ home: homeDb, data: DATA_01 ? { DATA_01 } : {} }, timing);
export const dataHandle = databases.dataDatabases()[0] as DataDatabase;

/** Bindings of a service whose collections are in this database. */
export function withDataDb<Bound extends object>(bindings: Bound, db: D1Database): Bound {
  return { ...bindings, [DATA_01 ? "DATA_01" : "DB"]: db };
}

/** Bindings whose databases are all changed in the same way. */
export function withEveryDb<Bound extends { DB: D1Database }>(
  bindings: Bound,
  change: (db: D1Database) => D1Database,
): Bound {
  const { DATA_01: own } = bindings as { DATA_01?: D1Database };
  const changed = { ...bindings, DB: change(bindings.DB) };
  return own ? { ...changed, DATA_01: change(own) } : changed;
}
