import { failureOf } from "./retry.ts";

/** Of what version of the database reads tell, where a replica may answer them. */
export interface Versions {
  /** None of what is read from now on is older than this. */
  notBefore(bookmark: string): void;
  /** The newest that was told; null where nothing was asked, or what was asked tells none. */
  reached(): string | null;
  /** Whether the primary said all of it: what a replica says has to be confirmed before somebody is refused for it. */
  isSure(): boolean;
}

/** Where the primary alone is asked. */
export const ofPrimary: Versions = {
  notBefore: () => undefined,
  reached: () => null,
  isSure: () => true,
};

/** Asks the primary, always. */
export const primary = "first-primary";
/** Asks the nearest, whatever version it has. */
export const nearest = "first-unconstrained";

/** What a credential has to see of its own writes. */
interface Seen {
  bookmark: string | null;
  untold: boolean;
}

/**
 * A way to the database that knows how old what it was told may be (D1's Sessions API). Each question has a session of
 * D1's own, so that the version that it was answered from is known, whatever is asked beside it; bookmarks name versions
 * and sort as text.
 */
export class Session implements Versions {
  readonly #database: D1Database;
  #from: string;
  #asked = 0;
  #answered = 0;
  #saidByPrimary = 0;
  #oldest: string | null = null;
  #newest: string | null = null;
  /** For stores, which need not know. */
  readonly db: D1Database;

  constructor(database: D1Database, from: typeof primary | typeof nearest) {
    this.#database = database;
    this.#from = from;
    const made = new WeakMap<D1PreparedStatement, Prepare>();
    const statement = (prepare: Prepare): D1PreparedStatement => {
      const all = () => this.#ask(async (on) => prepare(on).all(), isFromPrimary);
      const wrapped = {
        bind: (...values: unknown[]) => statement((on) => prepare(on).bind(...values)),
        all,
        run: all,
        first: async () => (await all()).results[0] ?? null,
        // Rows alone: nothing tells who gave them.
        raw: (options?: never) =>
          this.#ask(
            async (on) => prepare(on).raw(options),
            () => false,
          ),
      } as unknown as D1PreparedStatement;
      made.set(wrapped, prepare);
      return wrapped;
    };
    this.db = {
      prepare: (sql: string) => statement((on) => on.prepare(sql)),
      batch: (statements: D1PreparedStatement[]) =>
        this.#ask(
          (on) => on.batch(statements.map((each) => made.get(each)?.(on) ?? each)),
          (results) => results.every(isFromPrimary),
        ),
    } as unknown as D1Database;
  }

  async #ask<T>(
    run: (on: D1DatabaseSession) => Promise<T>,
    byPrimary: (answer: T) => boolean,
  ): Promise<T> {
    const atPrimary = this.#from === primary;
    this.#asked += 1;
    try {
      const session = this.#database.withSession(this.#from);
      const answer = await run(session);
      this.#note(session.getBookmark());
      this.#answered += 1;
      if (atPrimary || byPrimary(answer)) this.#saidByPrimary += 1;
      return answer;
    } catch (error) {
      if (atPrimary) this.#saidByPrimary += 1;
      const { kind } = failureOf(error);
      if (kind === "guard" || kind === "unique") this.#answered += 1;
      // A replica that is away, or behind a migration; or a version that a restored database does not know.
      this.#from = primary;
      throw error;
    }
  }

  #note(bookmark: string | null): void {
    const version = bookmark ?? "";
    if (this.#oldest === null || version < this.#oldest) this.#oldest = version;
    if (version > (this.#newest ?? "")) this.#newest = version;
    if (version !== "") this.notBefore(version);
  }

  notBefore(bookmark: string): void {
    if (this.#from === primary) return;
    if (bookmark === primary || this.#from === nearest || bookmark > this.#from) {
      this.#from = bookmark;
    }
  }

  reached(): string | null {
    return this.#newest;
  }

  isSure(): boolean {
    return this.#asked === this.#saidByPrimary;
  }

  /** Whether it is certain what has become of all that was asked. */
  isSettled(): boolean {
    return this.#asked === this.#answered;
  }

  /** Whether all that was told has what the credential has to see. */
  sees({ bookmark, untold }: Seen): boolean {
    if (this.isSure()) return true;
    return !untold && (bookmark === null || (this.#oldest ?? "") >= bookmark);
  }
}

type Prepare = (on: D1DatabaseSession) => D1PreparedStatement;

function isFromPrimary({ meta }: D1Result): boolean {
  return meta.served_by_primary === true;
}

/** What has been asked of D1: each statement of a batch is a query. */
export interface Spent {
  queries: number;
  rowsWritten: number;
}

/** The same database, which counts what is asked of it; rows that are written outside batches are not known. */
export function counted(db: D1Database): { db: D1Database; spent: Readonly<Spent> } {
  const spent: Spent = { queries: 0, rowsWritten: 0 };
  const counting: D1Database = {
    prepare(text) {
      spent.queries += 1;
      return db.prepare(text);
    },
    async batch<Row>(statements: D1PreparedStatement[]) {
      const results = await db.batch<Row>(statements);
      for (const { meta } of results) spent.rowsWritten += meta.rows_written;
      return results;
    },
    exec: (text) => db.exec(text),
    withSession: (from) => db.withSession(from),
    dump: () => db.dump(),
  };
  return { db: counting, spent };
}
