import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import { drizzle } from "drizzle-orm/d1";
import { homeName } from "#domain/bookmarks.ts";
import { createMemory } from "#domain/memory.ts";
import type { Timing } from "#domain/ports.ts";
import { originalTimeline } from "#domain/timeline.ts";
import { Directory } from "./directory.ts";
import {
  Handle,
  isSameClient,
  origins,
  severalDatabases,
  singleDatabase,
  type Database,
  type DataDatabase,
  type Databases,
  type HomeDatabase,
  type Scope,
  type SingleDatabase,
  type SharedParts,
  type needs,
  type Tables,
} from "./handles.ts";
import { Lists, type PlacedRow } from "./lists.ts";
import { Session, type nearest, type primary } from "./session.ts";

export type {
  CollectionDatabase,
  Database,
  DataDatabase,
  Databases,
  HomeDatabase,
  PreparedStatement,
  Scope,
  SingleDatabase,
} from "./handles.ts";

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
  return { db: Handle.through(db, countingClient), counts };
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
    if (!isSameClient(origins.get(batchQuery)?.client, client))
      throw new Error("A query of another database.");
  }
  return drizzle(client).batch(queries as never);
}

/**
 * The lists of several databases, for each query. Each row has a column for whether its database owns the collection.
 */
type ListsOf<R extends readonly unknown[]> = {
  [Index in keyof R]: R[Index] extends readonly (infer Row extends PlacedRow)[]
    ? Lists<Row>
    : never;
};

/**
 * Reads from the home database and its collections, and from every database that may have collections. Each database
 * takes one D1 call. Several calls run in parallel. Returns the results of the home queries, and the lists of each data
 * query.
 */
export async function batchHomeAndData<
  const Home extends Queries<Scope>,
  const Data extends Queries<"data">,
>(
  { homeWithData, dataDatabases }: Databases,
  homeQueries: (db: SingleDatabase) => Home,
  dataQueries: (db: DataDatabase) => Data,
): Promise<[home: Results<Home>, data: ListsOf<Results<Data>>]> {
  const homeBatch = homeQueries(homeWithData);
  const isWithHome = (db: DataDatabase) =>
    isSameClient(Handle.client(db), Handle.client(homeWithData));
  const separateHome = dataDatabases().some(isWithHome)
    ? null
    : batchQueries(homeWithData, homeBatch);
  let homeResults: unknown = [];
  const results = await Promise.all(
    dataDatabases().map(async (db): Promise<PlacedRow[][]> => {
      const queries = dataQueries(db);
      if (!isWithHome(db)) return (await batchQueries(db, queries)) as never;
      const batch = [...homeBatch, ...queries] as Queries<Scope>;
      const rows = (await batchQueries(homeWithData, batch)) as PlacedRow[][];
      homeResults = rows.slice(0, homeBatch.length);
      return rows.slice(homeBatch.length);
    }),
  );
  const data = (results[0] ?? []).map((_, i) => new Lists(results.map((rows) => rows[i] ?? [])));
  return [((await separateHome) ?? homeResults) as never, data as never];
}

/** An installation's databases, queried at their primaries. */
export interface PrimaryDatabases extends Databases {
  /**
   * Opens a session whose reads replicas may serve. With data databases, replicas and tracked versions apply only to
   * collections. Members and credentials are always read at the primary of the home database.
   */
  openSession(from: typeof primary | typeof nearest): Session;
  /** Returns the same databases for one request. Its batches share a limit for the time that they wait for moves. */
  forRequest(): PrimaryDatabases;
}

/** The D1 bindings of an installation. */
export interface DatabaseBindings {
  home: D1Database;
  /** The data databases by the names of their bindings. Without them, collections are in the home database. */
  data?: Readonly<Record<string, D1Database>>;
  /** The jurisdictions by the names of the bindings. */
  jurisdictions?: ReadonlyMap<string, string>;
}

/**
 * The only place that creates handles from D1 bindings. The home database has the collections that were never placed in
 * a data database.
 */
export function openDatabases(
  { home, data = {}, jurisdictions = new Map() }: DatabaseBindings,
  timing: Timing,
  timeline = originalTimeline,
  memory = createMemory(),
): PrimaryDatabases {
  const clients = new Map([...Object.entries(data), [homeName, home] as const]);
  const directory = clients.size > 1 ? new Directory(home, timing.clock, memory) : null;
  const open = (shared: SharedParts): PrimaryDatabases => {
    const create = (from: ReadonlyMap<string, D1Database>) =>
      directory
        ? severalDatabases(home, from, directory, shared)
        : singleDatabase(from.get(homeName) ?? home, shared);
    const databases: PrimaryDatabases = {
      ...create(clients),
      openSession: (from) => new Session(clients, from, create),
      forRequest: () =>
        directory ? open({ ...shared, timing: { ...timing, moveWait: {} } }) : databases,
    };
    return databases;
  };
  return open({ timing, timeline, jurisdictions });
}
