/**
 * A database with lagging replicas behind the interface of D1. A replica repeats the batches of the primary in their
 * order, some of them later. The version in a bookmark is the number of batches.
 */

interface Query {
  sql: string;
  values: unknown[];
}

interface Replica {
  db: D1Database;
  applied: number;
  /** Batches run one after another, so that each result belongs to one version. */
  lastRun: Promise<unknown>;
}

const isWrite = ({ sql }: Query) => !/^\s*(select|with)\b/i.test(sql);

const bookmarkOf = (version: number) =>
  `00000000-${version.toString(16).padStart(8, "0")}-00000000-${"0".repeat(32)}`;
const versionOf = (bookmark: string) => parseInt(bookmark.slice(9, 17), 16);

const toStatement = (db: D1Database, { sql, values }: Query) =>
  values.length > 0 ? db.prepare(sql).bind(...values) : db.prepare(sql);

export class LaggingDatabase {
  readonly #primary: Replica;
  readonly #replicas: Replica[];
  readonly #batches: Query[][] = [];
  /** Returns 0 to 1. Decides how many missing batches a replica applies before it runs a query. */
  readonly #random: () => number;

  constructor(db: D1Database, replicas: D1Database[], random: () => number) {
    const emptyReplica = (database: D1Database) => ({
      db: database,
      applied: 0,
      lastRun: Promise.resolve(),
    });
    this.#primary = emptyReplica(db);
    this.#replicas = replicas.map(emptyReplica);
    this.#random = random;
  }

  /** The binding of a Worker at one location. `versions` collects the versions that its reads saw, in order. */
  bindingAt(location: number): { db: D1Database; versions: number[] } {
    const versions: number[] = [];
    const nearest = this.#replicas[location % this.#replicas.length] as Replica;
    const session = (first: string): D1DatabaseSession => {
      let from: string | null = first;
      const run = async (queries: Query[]): Promise<D1Result[]> => {
        const isOnPrimary = from === "first-primary" || queries.some(isWrite);
        const minVersion = from?.startsWith("first-") === false ? versionOf(from) : 0;
        const replica = isOnPrimary ? this.#primary : nearest;
        const { version, results } = await this.#runInOrder(replica, minVersion, queries);
        if (!queries.some(isWrite)) versions.push(version);
        const bookmark = bookmarkOf(version);
        if (from === null || from.startsWith("first-") || bookmark > from) from = bookmark;
        return results.map((result) => ({
          ...result,
          meta: { ...result.meta, served_by_primary: isOnPrimary },
        }));
      };
      const getBookmark = () => (from?.startsWith("first-") ? null : from);
      return { ...queryMethods(run), getBookmark } as unknown as D1DatabaseSession;
    };
    const runOnPrimary = (queries: Query[]) =>
      this.#runInOrder(this.#primary, 0, queries).then(({ results }) => results);
    const db = { ...queryMethods(runOnPrimary), withSession: (from: string) => session(from) };
    return { db: db as unknown as D1Database, versions };
  }

  /** Applies all batches to the replica of a location. */
  async catchUp(location: number): Promise<void> {
    const from = bookmarkOf(this.#batches.length);
    await this.bindingAt(location).db.withSession(from).prepare("SELECT 1").all();
  }

  async #runInOrder(replica: Replica, minVersion: number, queries: Query[]) {
    const previousRun = replica.lastRun;
    const { promise, resolve } = Promise.withResolvers<void>();
    replica.lastRun = promise;
    await previousRun;
    try {
      if (replica !== this.#primary) await this.#catchUp(replica, minVersion);
      const results = await replica.db.batch(
        queries.map((query) => toStatement(replica.db, query)),
      );
      if (replica === this.#primary && queries.some(isWrite)) this.#batches.push(queries);
      return {
        version: replica === this.#primary ? this.#batches.length : replica.applied,
        results,
      };
    } finally {
      resolve();
    }
  }

  /** Applies at least the batches up to `minVersion`. */
  async #catchUp(replica: Replica, minVersion: number): Promise<void> {
    const missing = this.#batches.length - replica.applied;
    const batchCount = this.#random() < 0.5 ? 0 : Math.floor(missing * this.#random());
    const version = Math.max(minVersion, replica.applied + batchCount);
    const statements = this.#batches.slice(replica.applied, version).flat();
    if (statements.length > 0)
      await replica.db.batch(statements.map((query) => toStatement(replica.db, query)));
    replica.applied = Math.max(replica.applied, version);
  }
}

/** Implements `prepare` and `batch` with a function that runs queries together. */
function queryMethods(run: (queries: Query[]) => Promise<D1Result[]>) {
  const queriesByStatement = new WeakMap<object, Query>();
  const statement = (query: Query): object => {
    const all = async () => (await run([query]))[0] as D1Result<Record<string, unknown>>;
    const wrapped = {
      bind: (...values: unknown[]) => statement({ ...query, values }),
      all,
      run: all,
      first: async () => (await all()).results[0] ?? null,
      raw: async () => (await all()).results.map((row) => Object.values(row)),
    };
    queriesByStatement.set(wrapped, query);
    return wrapped;
  };
  return {
    prepare: (sql: string) => statement({ sql, values: [] }),
    batch: (statements: object[]) =>
      run(statements.flatMap((prepared) => queriesByStatement.get(prepared) ?? [])),
  };
}

/** Copies all rows to another database with the same tables. */
export async function copyAll(from: D1Database, to: D1Database): Promise<void> {
  const tables = await from
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'd1_*'",
    )
    .all<{ name: string }>();
  for (const { name } of tables.results) {
    const { results } = await from.prepare(`SELECT * FROM "${name}"`).all();
    for (const row of results) {
      const marks = Object.keys(row).map(() => "?");
      await to
        .prepare(
          `INSERT OR REPLACE INTO "${name}" (${Object.keys(row).join()}) VALUES (${marks.join()})`,
        )
        .bind(...Object.values(row))
        .run();
    }
  }
}
