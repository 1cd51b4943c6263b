import type { Host } from "./host.ts";
import type { Queue } from "./queue.ts";
import { Copy, sqlOf, tooBigCode, type Query, type QueryResult } from "./sqlite.ts";

/** A committed batch that replicas repeat, or a restore of an earlier version. */
type LogEntry = { writes: readonly Query[] } | { restored: number };

const maxQueriesPerInvocation = 1000;

/** The facts about each committed batch that a judge receives. */
export interface Commit {
  version: number;
  at: number;
  activity: string;
  writes: readonly Query[];
}

/** Simulates a D1 database: a primary that decides, and a replica in each place that lags behind. */
export class SimulatedDatabase {
  readonly name: string;
  #primary: Copy;
  readonly #log: LogEntry[] = [];
  /** The versions that a restore may return to. */
  readonly #kept = new Set<number>();
  readonly #base: Uint8Array;
  readonly #replicas = new Map<number, Copy>();
  readonly #now: () => number;
  onCommit: (commit: Commit) => void = () => undefined;
  /** Whether replicas may be older than the primary. */
  lags = true;
  /** Limits the database to one statement at a time, with this duration. If null, work takes no time. */
  writer: { queue: Queue; msOf: (statements: number, writes: number) => number } | null = null;

  constructor(name: string, image: Uint8Array, now: () => number) {
    this.name = name;
    this.#base = image;
    this.#primary = new Copy(image, 0);
    this.#now = now;
  }

  get version(): number {
    return this.#log.length;
  }

  image(): Uint8Array {
    return this.#primary.image();
  }

  /** Keeps the current version for a restore, and returns it. */
  keep(): number {
    const { version } = this;
    if (!this.#kept.has(version)) this.#primary.keep();
    this.#kept.add(version);
    return version;
  }

  /** Restores the version that was kept last. Bookmarks continue, like in D1 after Time Travel. */
  restore(version: number): void {
    this.#primary.restore(version);
    this.#log.push({ restored: version });
    this.#primary.version = this.version;
  }

  /** Applies migrations or rows of a test before replicas exist. */
  exec(sql: string): void {
    this.#primary.exec(sql);
  }

  /** Runs a write of an operator's command. */
  commit(sql: string, ...values: unknown[]): void {
    this.#runAtPrimary([{ sql: sqlOf(sql), values }], false, "operator");
  }

  /** Reads the current state of the primary, for a judge. */
  select<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#primary.run({ sql: sqlOf(sql), values }).results as Row[];
  }

  /** Closes the database after its last use. */
  close(): void {
    this.#primary.close();
    for (const replica of this.#replicas.values()) replica.close();
  }

  /** Runs the queries as one transaction at the primary. */
  #runAtPrimary(queries: readonly Query[], asArrays: boolean, activity: string) {
    const changing = queries.filter(({ sql }) => sql.isWrite);
    if (changing.length === 0) return queries.map((query) => this.#primary.run(query, asArrays));
    const results = this.#primary.runBatch(queries, asArrays);
    // Replicas need not repeat queries that changed no row.
    const effective = queries.filter(
      ({ sql }, index) => sql.isWrite && (results[index]?.changes !== 0 || !sql.isCounted),
    );
    this.#log.push({ writes: effective });
    this.#primary.version = this.version;
    this.onCommit({ version: this.version, at: this.#now(), activity, writes: changing });
    return results;
  }

  /** Returns the replica of a place at this version or a newer one. */
  #replicaAt(place: number, version: number): Copy {
    let replica = this.#replicas.get(place);
    if (!replica) {
      replica = new Copy(this.#base, 0);
      this.#replicas.set(place, replica);
    }
    for (; replica.version < version; replica.version += 1) {
      const entry = this.#log[replica.version] as LogEntry;
      if (this.#kept.has(replica.version)) replica.keep();
      if ("restored" in entry) replica.restore(entry.restored);
      else for (const query of entry.writes) replica.run(query);
    }
    return replica;
  }

  /** Returns the binding of a host. */
  binding(host: Host): D1Database {
    const execute = (queries: readonly Query[], source: Source, asArrays = false) =>
      this.#execute(host, queries, source, asArrays);
    const on = (source: Source) => ({
      prepare: (sql: string) => new Statement(execute, { sql: sqlOf(sql), values: [] }, source),
      batch: (statements: Statement[]) => batch(execute, statements, source),
    });
    return {
      ...on({ kind: "primary" }),
      withSession: (start: string) => {
        const source: Source = { kind: "session", start, bookmark: null };
        return { ...on(source), getBookmark: () => source.bookmark };
      },
    } as unknown as D1Database;
  }

  async #execute(host: Host, queries: readonly Query[], source: Source, asArrays: boolean) {
    const { activity } = host.scheduler;
    countQueries(host, queries.length);
    const label = () => {
      const [first] = queries;
      const one = first?.sql.text.slice(0, 40) ?? "";
      return `${this.name} ${queries.length === 1 ? one : `batch of ${queries.length}`}`;
    };
    const answer = () => {
      try {
        return this.#answer(host, queries, source, asArrays, activity.name);
      } catch (error) {
        throw typedError(error);
      }
    };
    const { writer } = this;
    const isRepeatable = !queries.some(({ sql }) => sql.isWrite);
    if (!writer) return host.call({ kind: "d1", label, run: answer, isRepeatable });
    const ms = writer.msOf(queries.length, queries.filter(({ sql }) => sql.isWrite).length);
    return host.call({ kind: "d1", label, run: () => writer.queue.enter(ms, answer) });
  }

  #answer(
    host: Host,
    queries: readonly Query[],
    source: Source,
    asArrays: boolean,
    activity: string,
  ) {
    const changes = queries.some(({ sql }) => sql.isWrite);
    const isAtPrimary = changes || source.kind === "primary" || source.start === "first-primary";
    if (isAtPrimary) {
      const results = this.#runAtPrimary(queries, asArrays, activity);
      if (source.kind === "session") source.bookmark = bookmarkOf(this.version);
      return { results, servedByPrimary: true };
    }
    const { random } = host.scheduler.activity;
    const required = source.start === "first-unconstrained" ? 0 : versionOf(source.start);
    const current = this.#replicas.get(host.place)?.version ?? 0;
    const lowest = Math.max(required, versionOf(source.bookmark), current);
    const isLate = this.lags && random.chance(0.5);
    const earliest = this.lags ? lowest : this.version;
    const target = isLate ? lowest : random.int(earliest, Math.max(earliest, this.version));
    const replica = this.#replicaAt(host.place, Math.min(target, this.version));
    const results = queries.map((query) => replica.run(query, asArrays));
    source.bookmark = bookmarkOf(replica.version);
    return { results, servedByPrimary: false };
  }
}

type Source = { kind: "primary" } | { kind: "session"; start: string; bookmark: string | null };

type Execute = (
  queries: readonly Query[],
  source: Source,
  asArrays?: boolean,
) => Promise<{ results: QueryResult[]; servedByPrimary: boolean }>;

/** A statement with D1's interface. */
class Statement {
  readonly query: Query;
  readonly #execute: Execute;
  readonly #source: Source;

  constructor(execute: Execute, query: Query, source: Source) {
    this.#execute = execute;
    this.query = query;
    this.#source = source;
  }

  bind(...values: unknown[]): Statement {
    const query = { sql: this.query.sql, values: values.map(toParameter) };
    return new Statement(this.#execute, query, this.#source);
  }

  async all() {
    const { results, servedByPrimary } = await this.#execute([this.query], this.#source);
    return results[0] && toResult(results[0], servedByPrimary);
  }

  run() {
    return this.all();
  }

  async first(column?: string) {
    const row = (await this.all())?.results[0] as Record<string, unknown> | undefined;
    return (column === undefined ? row : row?.[column]) ?? null;
  }

  async raw() {
    return (await this.#execute([this.query], this.#source, true)).results[0]?.results;
  }
}

async function batch(execute: Execute, statements: readonly Statement[], source: Source) {
  const queries = statements.map(({ query }) => query);
  if (queries.length === 0) throw new Error("D1_ERROR: No SQL statements detected.");
  const { results, servedByPrimary } = await execute(queries, source);
  return results.map((result) => toResult(result, servedByPrimary));
}

function toResult({ results, changes }: QueryResult, servedByPrimary: boolean) {
  const meta = {
    changes,
    rows_written: changes,
    rows_read: 0,
    size_after: 0,
    served_by_primary: servedByPrimary,
  };
  return { success: true, results, meta };
}

function toParameter(value: unknown): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === undefined || typeof value === "bigint") {
    throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported for value '${value}'`);
  }
  return value;
}

const queryCounts = new WeakMap<object, number>();

function countQueries(host: Host, count: number): void {
  const { activity } = host.scheduler;
  const total = (queryCounts.get(activity) ?? 0) + count;
  queryCounts.set(activity, total);
  if (total > maxQueriesPerInvocation) {
    throw new Error("D1_ERROR: Too many API requests by single worker invocation.");
  }
}

/** The names of SQLite's result codes that limits and constraints return. */
const codes: Record<number, string> = {
  [tooBigCode]: "SQLITE_TOOBIG",
  275: "SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_CHECK)",
  787: "SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_FOREIGNKEY)",
  1299: "SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_NOTNULL)",
  1555: "SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_PRIMARYKEY)",
  2067: "SQLITE_CONSTRAINT (extended: SQLITE_CONSTRAINT_UNIQUE)",
};

/** Converts an error to D1's format: a plain error with SQLite's message. */
function typedError(error: unknown): Error {
  const { message, errcode = 1 } = error as Error & { errcode?: number };
  const code = codes[errcode] ?? "SQLITE_ERROR";
  return new Error(`D1_ERROR: ${message}: ${code}`, { cause: new Error(message) });
}

const bookmarkOf = (version: number) =>
  `${version.toString(16).padStart(8, "0")}-00000000-00000001-${"0".repeat(32)}`;

const versionOf = (bookmark: string | null) =>
  bookmark === null ? 0 : Number.parseInt(bookmark.slice(0, 8), 16);
