import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Host } from "./host.ts";
import type { Queue } from "./queue.ts";

/** Members of Node's class that its types lack. */
type Connection = DatabaseSync & {
  serialize(): Uint8Array;
  deserialize(bytes: Uint8Array): void;
};

interface Query {
  sql: string;
  values: readonly unknown[];
}

/** A committed batch, as replicas repeat it. A restore replaces everything. */
type LogEntry = { writes: readonly Query[] } | { image: Uint8Array };

const maxParameters = 100;
const maxStatementBytes = 100_000;
const maxValueBytes = 2_000_000;
const maxQueriesPerInvocation = 1000;

/** A connection with its prepared statements. */
class Copy {
  #connection: Connection;
  readonly #statements = new Map<string, { rows: StatementSync; arrays?: StatementSync }>();
  /** How many committed batches it contains. */
  version: number;

  constructor(image: Uint8Array, version: number) {
    this.#connection = open(image);
    this.version = version;
  }

  replace(image: Uint8Array): void {
    this.#statements.clear();
    this.#connection.close();
    this.#connection = open(image);
  }

  image(): Uint8Array {
    return this.#connection.serialize();
  }

  exec(sql: string): void {
    this.#connection.exec(sql);
  }

  #prepare(sql: string, asArrays: boolean): StatementSync {
    let prepared = this.#statements.get(sql);
    if (!prepared) {
      prepared = { rows: this.#connection.prepare(sql) };
      this.#statements.set(sql, prepared);
    }
    if (!asArrays) return prepared.rows;
    if (!prepared.arrays) {
      prepared.arrays = this.#connection.prepare(sql);
      prepared.arrays.setReturnArrays(true);
    }
    return prepared.arrays;
  }

  run({ sql, values }: Query, asArrays = false): { results: unknown[]; changes: number } {
    const statement = this.#prepare(sql, asArrays);
    const parameters = values as never[];
    if (!isWrite(sql)) return { results: statement.all(...parameters), changes: 0 };
    if (statement.columns().length === 0) {
      return { results: [], changes: Number(statement.run(...parameters).changes) };
    }
    const results = statement.all(...parameters);
    const row = this.#prepare("select changes() as n", false).get() as { n: number };
    return { results, changes: row.n };
  }
}

function open(image: Uint8Array): Connection {
  const connection = new DatabaseSync(":memory:") as Connection;
  if (image.length > 0) connection.deserialize(image);
  connection.exec("PRAGMA foreign_keys = on");
  return connection;
}

const writes = new Map<string, boolean>();

function isWrite(sql: string): boolean {
  let known = writes.get(sql);
  if (known === undefined) {
    known = !/^\s*select/i.test(sql) && /\b(insert|update|delete|replace|create|drop)\b/i.test(sql);
    writes.set(sql, known);
  }
  return known;
}

/** What a judge learns about each committed batch. */
export interface Commit {
  version: number;
  at: number;
  activity: string;
  writes: readonly Query[];
}

/** A D1 database: a primary that decides, and a replica in each place that follows late. */
export class SimulatedDatabase {
  readonly name: string;
  #primary: Copy;
  readonly #log: LogEntry[] = [];
  readonly #base: Uint8Array;
  readonly #replicas = new Map<number, Copy>();
  readonly #now: () => number;
  onCommit: (commit: Commit) => void = () => undefined;
  /** Whether replicas may be older than the primary. */
  lags = true;
  /** Does all work in turn, in this time. Without it, work takes no time. */
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

  /** Goes back to an image. Bookmarks go on, as D1's do after Time Travel. */
  restore(image: Uint8Array): void {
    this.#primary.replace(image);
    this.#log.push({ image });
    this.#primary.version = this.version;
  }

  /** Applies migrations or rows of a test, before there are replicas. */
  exec(sql: string): void {
    this.#primary.exec(sql);
  }

  /** A write of an operator's command. */
  commit(sql: string, ...values: unknown[]): void {
    this.#runAtPrimary([{ sql, values }], false, "operator");
  }

  /** A read by a judge, which sees the primary as it is now. */
  select<Row>(sql: string, ...values: unknown[]): Row[] {
    return this.#primary.run({ sql, values }).results as Row[];
  }

  /** Runs the queries as one transaction at the primary. */
  #runAtPrimary(queries: readonly Query[], asArrays: boolean, activity: string) {
    const changing = queries.filter(({ sql }) => isWrite(sql));
    if (changing.length === 0) return queries.map((query) => this.#primary.run(query, asArrays));
    this.#primary.exec("BEGIN IMMEDIATE");
    try {
      const results = queries.map((query) => this.#primary.run(query, asArrays));
      this.#primary.exec("COMMIT");
      this.#log.push({ writes: changing });
      this.#primary.version = this.version;
      this.onCommit({ version: this.version, at: this.#now(), activity, writes: changing });
      return results;
    } catch (error) {
      this.#primary.exec("ROLLBACK");
      throw error;
    }
  }

  /** The replica of a place, at least at a version. */
  #replicaAt(place: number, version: number): Copy {
    let replica = this.#replicas.get(place);
    if (!replica) {
      replica = new Copy(this.#base, 0);
      this.#replicas.set(place, replica);
    }
    for (; replica.version < version; replica.version += 1) {
      const entry = this.#log[replica.version] as LogEntry;
      if ("image" in entry) {
        replica.replace(entry.image);
        continue;
      }
      replica.exec("BEGIN");
      for (const query of entry.writes) replica.run(query);
      replica.exec("COMMIT");
    }
    return replica;
  }

  /** The binding that a host has. */
  binding(host: Host): D1Database {
    const execute = (queries: readonly Query[], source: Source, asArrays = false) =>
      this.#execute(host, queries, source, asArrays);
    return {
      prepare: (sql: string) => makeStatement(execute, { sql, values: [] }, { kind: "primary" }),
      batch: (statements: D1PreparedStatement[]) => batch(execute, statements, { kind: "primary" }),
      withSession: (start: string) => {
        const source: Source = { kind: "session", start, bookmark: null };
        return {
          prepare: (sql: string) => makeStatement(execute, { sql, values: [] }, source),
          batch: (statements: D1PreparedStatement[]) => batch(execute, statements, source),
          getBookmark: () => source.bookmark,
        };
      },
    } as unknown as D1Database;
  }

  async #execute(host: Host, queries: readonly Query[], source: Source, asArrays: boolean) {
    for (const query of queries) check(query);
    const { activity } = host.scheduler;
    countQueries(host, queries.length);
    const [first] = queries;
    const work =
      queries.length === 1 ? (first?.sql.slice(0, 40) ?? "") : `batch of ${queries.length}`;
    const label = `${this.name} ${work}`;
    const answer = () => {
      try {
        return this.#answer(host, queries, source, asArrays, activity.name);
      } catch (error) {
        throw typedError(error);
      }
    };
    const { writer } = this;
    if (!writer) return host.call({ kind: "d1", label, run: answer });
    const ms = writer.msOf(queries.length, queries.filter(({ sql }) => isWrite(sql)).length);
    return host.call({ kind: "d1", label, run: () => writer.queue.enter(ms, answer) });
  }

  #answer(
    host: Host,
    queries: readonly Query[],
    source: Source,
    asArrays: boolean,
    activity: string,
  ) {
    const changes = queries.some(({ sql }) => isWrite(sql));
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
) => Promise<{ results: { results: unknown[]; changes: number }[]; servedByPrimary: boolean }>;

const queriesOf = new WeakMap<object, Query>();

function makeStatement(execute: Execute, query: Query, source: Source): D1PreparedStatement {
  const all = async () => {
    const { results, servedByPrimary } = await execute([query], source);
    const [result] = results;
    return result && toResult(result, servedByPrimary);
  };
  const made = {
    bind: (...values: unknown[]) =>
      makeStatement(execute, { ...query, values: values.map(toParameter) }, source),
    all,
    run: all,
    first: async (column?: string) => {
      const row = (await all())?.results[0] as Record<string, unknown> | undefined;
      return (column === undefined ? row : row?.[column]) ?? null;
    },
    raw: async () => (await execute([query], source, true)).results[0]?.results,
  } as unknown as D1PreparedStatement;
  queriesOf.set(made, query);
  return made;
}

async function batch(execute: Execute, statements: D1PreparedStatement[], source: Source) {
  const queries = statements.map((made) => queriesOf.get(made) as Query);
  if (queries.length === 0) throw new Error("D1_ERROR: No SQL statements detected.");
  const { results, servedByPrimary } = await execute(queries, source);
  return results.map((result) => toResult(result, servedByPrimary));
}

function toResult(
  { results, changes }: { results: unknown[]; changes: number },
  servedByPrimary: boolean,
) {
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
  if (typeof value === "string" && value.length > maxValueBytes) {
    throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
  }
  return value;
}

function check({ sql, values }: Query): void {
  if (values.length > maxParameters) {
    throw new Error("D1_ERROR: too many SQL variables: SQLITE_ERROR");
  }
  if (sql.length > maxStatementBytes) {
    throw new Error("D1_ERROR: statement too long: SQLITE_TOOBIG");
  }
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

/** D1's errors are plain, with the text of SQLite. */
function typedError(error: unknown): Error {
  const text = error instanceof Error ? error.message : String(error);
  const code = /constraint failed/.test(text) ? "SQLITE_CONSTRAINT" : "SQLITE_ERROR";
  return new Error(`D1_ERROR: ${text}: ${code}`, { cause: new Error(text) });
}

const bookmarkOf = (version: number) =>
  `${version.toString(16).padStart(8, "0")}-00000000-00000001-${"0".repeat(32)}`;

const versionOf = (bookmark: string | null) =>
  bookmark === null ? 0 : Number.parseInt(bookmark.slice(0, 8), 16);
