import { formatBookmarks, homeName, parseBookmarks } from "#domain/bookmarks.ts";
import type { Databases } from "./database.ts";
import { classifyError } from "./retry.ts";
import type { Client } from "./routing.ts";

/** Tracks the database versions that reads come from, when replicas may serve them. */
export interface VersionTracker {
  /** Makes all later reads at least as new as these bookmarks. */
  notBefore(bookmarks: string): void;
  /** The newest bookmarks of all reads. Null if there was no read, or none returned a bookmark. */
  newestBookmark(): string | null;
  /** Whether the primary served every query. A replica's result must be confirmed before it leads to a rejection. */
  isFromPrimary(): boolean;
}

/** The tracker for databases that query only their primary. */
export const primaryOnly: VersionTracker = {
  notBefore: () => undefined,
  newestBookmark: () => null,
  isFromPrimary: () => true,
};

/** Always queries the primary. */
export const primary = "first-primary";
/** Queries the nearest replica, whatever version it has. */
export const nearest = "first-unconstrained";

type Start = typeof primary | typeof nearest;

/** The writes of a credential that its reads must include. */
interface ReadRequirement {
  bookmark: string | null;
  /**
   * Whether an unreported write may be in any database outside `confirmed`. Only the primaries of these databases are
   * certain to contain it.
   */
  untold: boolean;
  /** Missing if an object of an earlier version responded. */
  confirmed?: readonly string[];
}

/**
 * A connection that tracks the age of its results, with D1's Sessions API. Each query has its own D1 session, so its
 * version is known even when other queries run in parallel. Bookmarks name versions of one database and sort as text.
 */
export class Session implements VersionTracker {
  readonly #versions: ReadonlyMap<string, DatabaseVersions>;
  /** Handles that query through this session. Stores use them like any other handle. */
  readonly databases: Databases;

  /** `createHandles` builds handles of databases that query through this session. */
  constructor(
    clients: ReadonlyMap<string, D1Database>,
    from: Start,
    createHandles: (clients: ReadonlyMap<string, D1Database>) => Databases,
  ) {
    const versions = Array.from(clients, ([name, client]) => {
      return [name, new DatabaseVersions(client, from)] as const;
    });
    this.#versions = new Map(versions);
    this.databases = createHandles(
      new Map(versions.map(([name, { client }]) => [name, client] as const)),
    );
  }

  notBefore(bookmarks: string): void {
    const byDatabase = parseBookmarks(bookmarks);
    const isUnknown = byDatabase.get(homeName) === primary;
    for (const [name, versions] of this.#versions) {
      const bookmark = isUnknown ? primary : byDatabase.get(name);
      if (bookmark !== undefined) versions.notBefore(bookmark);
    }
  }

  /** Makes all later reads include the writes of a credential. */
  require(requirement: ReadRequirement): void {
    if (requirement.bookmark !== null) this.notBefore(requirement.bookmark);
    for (const [name, versions] of this.#versions)
      if (isUncertain(requirement, name)) versions.notBefore(primary);
  }

  newestBookmark(): string | null {
    const bookmarks = new Map<string, string>();
    for (const [name, { newest }] of this.#versions)
      if (newest !== null) bookmarks.set(name, newest);
    return formatBookmarks(bookmarks);
  }

  isFromPrimary(): boolean {
    return this.#every((versions) => versions.isFromPrimary());
  }

  /** Whether the outcome of every query is known. */
  isSettled(): boolean {
    return this.#every((versions) => versions.isSettled());
  }

  /** Whether every result includes the writes that the credential must see. */
  covers(requirement: ReadRequirement): boolean {
    const required = parseBookmarks(requirement.bookmark);
    return Array.from(this.#versions).every(
      ([name, versions]) =>
        versions.isFromPrimary() ||
        (!isUncertain(requirement, name) && (versions.oldest ?? "") >= (required.get(name) ?? "")),
    );
  }

  #every(isTrue: (versions: DatabaseVersions) => boolean): boolean {
    return Array.from(this.#versions.values()).every(isTrue);
  }
}

const isUncertain = ({ untold, confirmed = [] }: ReadRequirement, database: string): boolean =>
  untold && !confirmed.includes(database);

/** The part of a session in one database. */
class DatabaseVersions {
  readonly #database: D1Database;
  #constraintOrBookmark: string;
  #queryCount = 0;
  #settledCount = 0;
  #primaryCount = 0;
  oldest: string | null = null;
  newest: string | null = null;
  /** Queries the database, and tracks the versions of its results. */
  readonly client: Client;

  constructor(database: D1Database, from: Start) {
    this.#database = database;
    this.#constraintOrBookmark = from;
    const prepareFunctions = new WeakMap<D1PreparedStatement, Prepare>();
    const statement = (prepare: Prepare): D1PreparedStatement => {
      const run = () => this.#query(async (session) => prepare(session).all(), wasServedByPrimary);
      const wrapped = {
        bind: (...values: unknown[]) => statement((session) => prepare(session).bind(...values)),
        all: run,
        run,
        first: async () => (await run()).results[0] ?? null,
        // `raw` returns only rows, so it is unknown whether the primary served them.
        raw: (options?: never) =>
          this.#query(
            async (session) => prepare(session).raw(options),
            () => false,
          ),
      } as unknown as D1PreparedStatement;
      prepareFunctions.set(wrapped, prepare);
      return wrapped;
    };
    this.client = {
      prepare: (sql: string) => statement((session) => session.prepare(sql)),
      batch: (statements: D1PreparedStatement[]) =>
        this.#query(
          (session) =>
            session.batch(
              statements.map((wrapped) => prepareFunctions.get(wrapped)?.(session) ?? wrapped),
            ),
          (results) => results.every(wasServedByPrimary),
        ),
      usePrimary: () => this.notBefore(primary),
    } as unknown as Client;
  }

  async #query<T>(
    run: (session: D1DatabaseSession) => Promise<T>,
    cameFromPrimary: (result: T) => boolean,
  ): Promise<T> {
    const queriesPrimary = this.#constraintOrBookmark === primary;
    this.#queryCount += 1;
    try {
      const session = this.#database.withSession(this.#constraintOrBookmark);
      const result = await run(session);
      this.#recordBookmark(session.getBookmark());
      this.#settledCount += 1;
      if (queriesPrimary || cameFromPrimary(result)) this.#primaryCount += 1;
      return result;
    } catch (error) {
      if (queriesPrimary) this.#primaryCount += 1;
      const { kind } = classifyError(error);
      if (kind === "guard" || kind === "unique") this.#settledCount += 1;
      // The replica may be unavailable or lack a migration, or a restored database may not know the bookmark.
      this.#constraintOrBookmark = primary;
      throw error;
    }
  }

  #recordBookmark(bookmark: string | null): void {
    const version = bookmark ?? "";
    if (this.oldest === null || version < this.oldest) this.oldest = version;
    if (version > (this.newest ?? "")) this.newest = version;
    if (version !== "") this.notBefore(version);
  }

  notBefore(bookmark: string): void {
    if (this.#constraintOrBookmark === primary) return;
    if (
      bookmark === primary ||
      this.#constraintOrBookmark === nearest ||
      bookmark > this.#constraintOrBookmark
    ) {
      this.#constraintOrBookmark = bookmark;
    }
  }

  isFromPrimary(): boolean {
    return this.#queryCount === this.#primaryCount;
  }

  isSettled(): boolean {
    return this.#queryCount === this.#settledCount;
  }
}

type Prepare = (session: D1DatabaseSession) => D1PreparedStatement;

function wasServedByPrimary({ meta }: D1Result): boolean {
  return meta.served_by_primary === true;
}
