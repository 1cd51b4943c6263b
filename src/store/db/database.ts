import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Timing } from "#domain/ports.ts";
import { originalTimeline, type Timeline } from "#domain/timeline.ts";
import { Session, type nearest, type primary } from "./session.ts";

/**
 * The two scopes of an installation's tables. "home" has members, credentials and webhooks. "data" has everything
 * that is keyed by a collection. Both have `audit_entry` and `guard`.
 */
export type Scope = "home" | "data";

declare const tables: unique symbol;
declare const needs: unique symbol;

/** The tables of these scopes. A database with more scopes is valid where fewer are required. */
type Tables<S extends Scope> = { readonly [Name in S]: true };

/** A statement that only a database with the tables of its scopes accepts. */
export type PreparedStatement<S extends Scope> = Pick<
  D1PreparedStatement,
  "all" | "first" | "run"
> & {
  readonly [needs]: (has: Tables<S>) => void;
};

/** A database with the tables of these scopes. `D1Database` itself is never passed on. */
export interface Database<S extends Scope> {
  readonly [tables]: Tables<S>;
  readonly timing: Timing;
  readonly timeline: Timeline;
  prepare<N extends S>(sql: string, values?: readonly unknown[]): PreparedStatement<N>;
  /** Runs the statements in one D1 call, as one transaction. Throws if they belong to several databases or collections. */
  batch<Row>(statements: readonly PreparedStatement<S>[]): Promise<D1Result<Row>[]>;
}

export type HomeDatabase = Database<"home">;

/** A database that has collections. */
export interface DataDatabase extends Database<"data"> {
  /** The handle of a collection that is stored here. */
  of(collection: { readonly id: number }): CollectionDatabase;
}

/** The database of one collection. Statements take the collection from here, never as a value. */
export interface CollectionDatabase extends Database<"data"> {
  readonly collectionId: number;
}

/** Home and data in one database. A batch may mix both scopes, and a statement may join their tables. */
export type SingleDatabase = Database<Scope>;

/** The databases of an installation. Either all share one session, or all query their primaries. */
export interface Databases {
  readonly timing: Timing;
  readonly timeline: Timeline;
  readonly home: HomeDatabase;
  /** Null where home and data are two databases. */
  readonly singleDatabase: SingleDatabase | null;
  /** The database of a collection whose id is known. */
  readonly of: (collection: { readonly id: number }) => CollectionDatabase;
  /** The database of the app or form with this name, which may not exist yet. */
  readonly named: (kind: CollectionKind, key: string) => DataDatabase;
  /** Every data database, for sweeps, lists and background work. */
  readonly dataDatabases: () => readonly DataDatabase[];
}

/** The database and the collection of a statement. Batches compare them. */
interface Origin {
  client: D1Database;
  collectionId: number | null;
}

const origins = new WeakMap<object, Origin>();

class Handle {
  declare readonly [tables]: Tables<Scope>;
  readonly timing: Timing;
  readonly timeline: Timeline;
  readonly collectionId: number | null;
  readonly #client: D1Database;

  constructor(
    client: D1Database,
    timing: Timing,
    timeline: Timeline,
    collectionId: number | null = null,
  ) {
    this.#client = client;
    this.timing = timing;
    this.timeline = timeline;
    this.collectionId = collectionId;
  }

  /** The D1 database of a handle. */
  static client(handle: object): D1Database {
    if (handle instanceof Handle) return handle.#client;
    throw new TypeError("Not a database handle.");
  }

  of({ id }: { readonly id: number }): CollectionDatabase {
    return new Handle(
      this.#client,
      this.timing,
      this.timeline,
      id,
    ) as unknown as CollectionDatabase;
  }

  prepare<N extends Scope>(sql: string, values: readonly unknown[] = []): PreparedStatement<N> {
    const prepared = this.#client.prepare(sql);
    const bound = values.length > 0 ? prepared.bind(...values) : prepared;
    origins.set(bound, { client: this.#client, collectionId: this.collectionId });
    return bound as unknown as PreparedStatement<N>;
  }

  batch<Row>(statements: readonly PreparedStatement<Scope>[]): Promise<D1Result<Row>[]> {
    let collectionId = this.collectionId;
    for (const statement of statements) {
      const origin = origins.get(statement);
      if (origin?.client !== this.#client) throw new Error("A statement of another database.");
      collectionId ??= origin.collectionId;
      if (origin.collectionId !== null && origin.collectionId !== collectionId) {
        throw new Error(`A statement of collection ${origin.collectionId}, not ${collectionId}.`);
      }
    }
    return this.#client.batch<Row>(statements as unknown as D1PreparedStatement[]);
  }
}

/** Creates the handles of an installation's databases. `home` and `data` may be one database. */
function makeDatabases(
  home: D1Database,
  data: D1Database,
  timing: Timing,
  timeline = originalTimeline,
): Databases {
  const dataHandle = new Handle(data, timing, timeline);
  const dataDatabases: readonly DataDatabase[] = [dataHandle];
  return {
    timing,
    timeline,
    home: data === home ? dataHandle : new Handle(home, timing, timeline),
    singleDatabase: data === home ? dataHandle : null,
    of: (collection) => dataHandle.of(collection),
    named: () => dataHandle,
    dataDatabases: () => dataDatabases,
  };
}

/** Counts of D1 work. Each statement of a batch is a query. */
export interface QueryCounts {
  queries: number;
  rowsWritten: number;
}

/** Wraps a database to count its queries. Does not count rows that are written outside batches. */
export function countingDatabase(db: DataDatabase): {
  db: DataDatabase;
  counts: Readonly<QueryCounts>;
} {
  const client = Handle.client(db);
  const counts: QueryCounts = { queries: 0, rowsWritten: 0 };
  const countingClient = {
    prepare(text: string) {
      counts.queries += 1;
      return client.prepare(text);
    },
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await client.batch<Row>(statements);
      for (const { meta } of results) counts.rowsWritten += meta.rows_written;
      return results;
    },
  } as D1Database;
  return { db: new Handle(countingClient, db.timing, db.timeline), counts };
}

/** A Drizzle query that only a database with the tables of its scope accepts. */
export type Scoped<S extends Scope, Query> = Query & {
  readonly [needs]: (has: Tables<S>) => void;
};

type Orm = ReturnType<typeof drizzle>;

/** Drizzle on a database, for queries outside batches. */
export const orm = (db: HomeDatabase | Database<"data">): Orm => drizzle(Handle.client(db));

/** Builds a query for a batch of its database. */
export function query<S extends Scope, Query extends object>(
  db: Database<S>,
  build: (drizzleClient: Orm) => Query,
): Scoped<S, Query> {
  const client = Handle.client(db);
  const scopedQuery = build(drizzle(client));
  origins.set(scopedQuery, { client, collectionId: null });
  return scopedQuery as Scoped<S, Query>;
}

type Queries<S extends Scope> = readonly Scoped<S, BatchItem<"sqlite">>[];
type Results<Q extends readonly unknown[]> = Q extends readonly BatchItem<"sqlite">[]
  ? BatchResponse<Q>
  : never;

/** Runs queries in one D1 call. */
export async function batchQueries<S extends Scope, const Q extends Queries<S>>(
  db: Database<S>,
  queries: Q,
): Promise<Results<Q>> {
  const client = Handle.client(db);
  for (const batchQuery of queries) {
    if (origins.get(batchQuery)?.client !== client) throw new Error("A query of another database.");
  }
  return drizzle(client).batch(queries as never);
}

/**
 * Runs queries of the home database and of every data database. A single database takes one D1 call. Several take one
 * call each, in parallel. Calls have no order, so use it only for reads and for writes that need none.
 * Returns the results of the home database and those of each data database.
 */
export async function batchHomeAndData<
  const Home extends Queries<"home">,
  const Data extends Queries<"data">,
>(
  { home, singleDatabase, dataDatabases }: Databases,
  homeQueries: (db: HomeDatabase) => Home,
  dataQueries: (db: DataDatabase) => Data,
): Promise<[home: Results<Home>, data: Results<Data>[]]> {
  if (singleDatabase) {
    const homeBatch = homeQueries(home);
    const dataBatch = dataDatabases().flatMap((db) => [...dataQueries(db)]);
    const results = (await batchQueries(singleDatabase, [
      ...homeBatch,
      ...dataBatch,
    ] as Queries<Scope>)) as unknown[];
    return [
      results.slice(0, homeBatch.length) as never,
      [results.slice(homeBatch.length) as never],
    ];
  }
  return Promise.all([
    batchQueries(home, homeQueries(home)),
    Promise.all(dataDatabases().map((db) => batchQueries(db, dataQueries(db)))),
  ]);
}

/** An installation's databases, queried at their primaries. */
export interface PrimaryDatabases extends Databases {
  /**
   * Opens a session whose reads a replica may serve. If home and data are two databases, only the data database has
   * replica reads and versions. The home database is queried at its primary, because bookmarks are valid for one database.
   */
  openSession(from: typeof primary | typeof nearest): Session;
}

/**
 * The only place that creates handles from D1 bindings. Collections are in the data database if there is one.
 * Otherwise they share a database with the home tables.
 */
export function openDatabases(
  { home, data = home }: { home: D1Database; data?: D1Database | undefined },
  timing: Timing,
  timeline = originalTimeline,
): PrimaryDatabases {
  return {
    ...makeDatabases(home, data, timing, timeline),
    openSession: (from) =>
      new Session(data, from, (session) =>
        makeDatabases(data === home ? session : home, session, timing, timeline),
      ),
  };
}
