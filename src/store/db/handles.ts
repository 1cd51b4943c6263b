import { homeName } from "#domain/bookmarks.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Timing } from "#domain/ports.ts";
import type { Timeline } from "#domain/timeline.ts";
import type { Directory, PlacedName } from "./directory.ts";
import { retryTransient } from "./retry.ts";
import { RoutedClient } from "./routing.ts";

/**
 * The two scopes of an installation's tables. "home" has members, credentials and webhooks. "data" has everything
 * that is keyed by a collection. Both have `audit_entry` and `guard`.
 */
export type Scope = "home" | "data";

declare const tables: unique symbol;
export declare const needs: unique symbol;

/** The tables of these scopes. A database with more scopes is assignable to one with fewer. */
export type Tables<S extends Scope> = { readonly [Name in S]: true };

/** A statement that only a database with the tables of its scopes accepts. */
export type PreparedStatement<S extends Scope> = Pick<
  D1PreparedStatement,
  "all" | "first" | "run"
> & {
  readonly [needs]: (has: Tables<S>) => void;
};

/** A database with the tables of these scopes. Other code never gets the `D1Database` itself. */
export interface Database<S extends Scope> {
  readonly [tables]: Tables<S>;
  readonly timing: Timing;
  readonly timeline: Timeline;
  prepare<N extends S>(sql: string, values?: readonly unknown[]): PreparedStatement<N>;
  /** Runs the statements in one D1 call, as one transaction. Throws if they belong to several databases or collections. */
  batch<Row>(statements: readonly PreparedStatement<S>[]): Promise<D1Result<Row>[]>;
}

export interface HomeDatabase extends Database<"home"> {
  /** The name of its binding. */
  readonly name: string;
}

/** A database that has collections. */
export interface DataDatabase extends Database<"data"> {
  /** The name of its binding. */
  readonly name: string;
  /** Returns the handle of a collection that is stored here. */
  of(collection: { readonly id: number }): CollectionDatabase;
  /** Returns the handle of a collection that this database may not own yet or no longer owns. */
  unfenced(collection: { readonly id: number }): CollectionDatabase;
}

/** The database of one collection. Statements take the collection from here, never as a value. */
export interface CollectionDatabase extends Database<"data"> {
  readonly collectionId: number;
}

/**
 * Home and data in one database, or the home database with its own collections. A batch may mix both scopes, and a
 * statement may join their tables.
 */
export interface SingleDatabase extends Database<Scope> {
  /** The name of its binding. */
  readonly name: string;
}

/** The databases of an installation. Either all share one session, or all query their primaries. */
export interface Databases {
  /** Null if home and data are one database. */
  readonly directory: Directory | null;
  readonly timing: Timing;
  readonly timeline: Timeline;
  /** The jurisdictions of databases by name. A database without one may be anywhere. */
  readonly jurisdictions: ReadonlyMap<string, string>;
  /** Returns the jurisdiction of the database that owns a collection. Null if it has none. */
  readonly jurisdictionOf: (collection: { readonly id: number }) => Promise<string | null>;
  readonly home: HomeDatabase;
  /** The home database with its own collections, for lists and background work. */
  readonly homeWithData: SingleDatabase;
  /** Null if there are data databases. */
  readonly singleDatabase: SingleDatabase | null;
  /** Returns the database of a collection with a known id. */
  readonly of: (collection: { readonly id: number }) => CollectionDatabase;
  /** Returns the database of the app or form with this name, which may not exist yet. */
  readonly named: (kind: CollectionKind, key: string) => DataDatabase;
  /** Returns every database that may have collections, for sweeps, lists and background work. */
  readonly dataDatabases: () => readonly DataDatabase[];
}

/** The database and the collection of a statement. Batches compare them. */
interface Origin {
  client: D1Database;
  collectionId: number | null;
}

export const origins = new WeakMap<object, Origin>();

export const isSameClient = (first: unknown, second: unknown) =>
  RoutedClient.areSame(first, second);

export class Handle {
  declare readonly [tables]: Tables<Scope>;
  readonly name: string;
  readonly timing: Timing;
  readonly timeline: Timeline;
  readonly collectionId: number | null;
  readonly #client: D1Database;
  /** Whether the statements of a collection check that this database owns it. */
  readonly #isFenced: boolean;

  constructor(
    { name = homeName, client, isFenced = false }: HandleSource,
    { timing, timeline }: Pick<Databases, "timing" | "timeline">,
    collectionId: number | null = null,
  ) {
    this.name = name;
    this.#client = client;
    this.#isFenced = isFenced;
    this.timing = timing;
    this.timeline = timeline;
    this.collectionId = collectionId;
  }

  /** Returns the D1 database of a handle. */
  static client(handle: object): D1Database {
    if (handle instanceof Handle) return handle.#client;
    throw new TypeError("Not a database handle.");
  }

  /** Returns the same database with queries that go through another client. */
  static through(handle: object, client: D1Database): Handle {
    if (!(handle instanceof Handle)) throw new TypeError("Not a database handle.");
    return new Handle({ name: handle.name, client, isFenced: handle.#isFenced }, handle);
  }

  of({ id }: { readonly id: number }): CollectionDatabase {
    const client = this.#isFenced
      ? RoutedClient.within(this.#client, id, this.timing)
      : this.#client;
    return new Handle({ name: this.name, client }, this, id) as unknown as CollectionDatabase;
  }

  unfenced({ id }: { readonly id: number }): CollectionDatabase {
    const source = { name: this.name, client: this.#client };
    return new Handle(source, this, id) as unknown as CollectionDatabase;
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
      const id = origins.get(statement)?.collectionId ?? null;
      collectionId ??= id;
      if (id !== null && id !== collectionId)
        throw new Error(`A statement of collection ${id}, not ${collectionId}.`);
    }
    if (!statements.every((statement) => this.#accepts(statement)))
      throw new Error("A statement of another database.");
    return this.#client.batch<Row>(statements as unknown as D1PreparedStatement[]);
  }

  #accepts(statement: object): boolean {
    return isSameClient(origins.get(statement)?.client, this.#client);
  }
}

interface HandleSource {
  name?: string;
  client: D1Database;
  isFenced?: boolean;
}

/** The values that the handles of all sessions share. */
export type SharedParts = Pick<Databases, "timing" | "timeline" | "jurisdictions">;

/** Creates the handles of an installation with one database. */
export function singleDatabase(client: D1Database, shared: SharedParts): Databases {
  const handle = new Handle({ client }, shared);
  const dataDatabases: readonly DataDatabase[] = [handle];
  return {
    ...shared,
    directory: null,
    jurisdictionOf: async () => shared.jurisdictions.get(homeName) ?? null,
    home: handle,
    homeWithData: handle,
    singleDatabase: handle,
    of: (collection) => handle.of(collection),
    named: () => handle,
    dataDatabases: () => dataDatabases,
  };
}

/** Creates the handles of an installation whose collections are in several databases. */
export function severalDatabases(
  home: D1Database,
  clients: ReadonlyMap<string, D1Database>,
  directory: Directory,
  shared: SharedParts,
): Databases {
  const dataDatabases: readonly DataDatabase[] = Array.from(
    clients,
    ([name, client]) => new Handle({ name, client, isFenced: true }, shared),
  );
  const routed = (name: PlacedName, id: number | null) =>
    new Handle(
      { client: RoutedClient.from(clients, { directory, clients }, name, shared.timing) },
      shared,
      id,
    );
  const homeHandle = new Handle({ client: home }, shared);
  return {
    ...shared,
    directory,
    jurisdictionOf: async ({ id }) => {
      if (shared.jurisdictions.size === 0) return null;
      const placement = await retryTransient(homeHandle, () => directory.find({ id }));
      return shared.jurisdictions.get(placement?.database ?? homeName) ?? null;
    },
    home: homeHandle,
    homeWithData: homeHandle,
    singleDatabase: null,
    of: ({ id }) => routed({ id }, id) as unknown as CollectionDatabase,
    named: (kind, key) => routed({ kind, key }, null),
    dataDatabases: () => dataDatabases,
  };
}
