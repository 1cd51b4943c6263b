import { DatabaseSync, type StatementSync } from "node:sqlite";

/** Members of Node's class that its types lack. */
type Connection = DatabaseSync & {
  serialize(): Uint8Array;
  deserialize(bytes: Uint8Array): void;
};

/**
 * The limits that D1 sets for SQLite. Lengths are in bytes. D1 documents 2 MB for a value or a row, but workerd allows
 * twice that.
 */
const limits = {
  length: 2_000_000,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  vdbeOp: 25_000,
  functionArg: 127,
  attach: 0,
  likePatternLength: 50,
  variableNumber: 100,
  triggerDepth: 10,
};

/** SQLite's result code for values that are too large. */
export const tooBigCode = 18;
/** Creates the error of SQLite for a value that is too large. */
const tooBig = (message: string) => Object.assign(new Error(message), { errcode: tooBigCode });

/** The text of a statement. All statements with this text share the object. */
export interface Sql {
  readonly text: string;
  readonly isWrite: boolean;
  /** Whether SQLite counts all rows that the statement changes. It does not for changes of the schema. */
  readonly isCounted: boolean;
}

const known = new Map<string, Sql>();

const isWriting =
  /^\s*(insert|update|delete|replace|create|drop)\b|^\s*with\b.*\b(insert\s+(or\s+\w+\s+)?into|update\s+\S+\s+set|delete\s+from)\b/is;

const isOfSchema = /^\s*(create|drop)\b/i;

export function sqlOf(text: string): Sql {
  let sql = known.get(text);
  if (!sql) {
    // SQLite prepares a statement again when the parameter of a limit changes, but not when the parameter of a sum
    // does.
    sql = {
      text: text.replaceAll(/\blimit \?/gi, "limit +?"),
      isWrite: isWriting.test(text),
      isCounted: !isOfSchema.test(text),
    };
    known.set(text, sql);
  }
  return sql;
}

export interface Query {
  sql: Sql;
  values: readonly unknown[];
}

const beginBatch: Query = { sql: sqlOf("SAVEPOINT batch"), values: [] };
const endBatch: Query = { sql: sqlOf("RELEASE batch"), values: [] };

export interface QueryResult {
  results: unknown[];
  changes: number;
}

/** A statement of a connection. */
interface Prepared {
  statement: StatementSync;
  /** Builds an object from a row's values. Null if the statement returns no rows. */
  toRow: ToRow | null;
}

type ToRow = (values: unknown[]) => Record<string, unknown>;

/** By column names. */
const rowMakers = new Map<string, ToRow>();

/** Objects of one shape are much faster than Node's own row objects, which are dictionaries. */
function makerOf(names: readonly string[]): ToRow {
  const key = JSON.stringify(names);
  let toRow = rowMakers.get(key);
  if (!toRow) {
    const members = names.map((name, index) => `${JSON.stringify(name)}: values[${index}]`);
    // oxlint-disable-next-line typescript/no-implied-eval
    toRow = new Function("values", `return { ${members.join()} };`) as ToRow;
    rowMakers.set(key, toRow);
  }
  return toRow;
}

/** An open connection with its prepared statements. */
interface Open {
  connection: Connection;
  statements: Map<Sql, Prepared>;
}

const maxStatements = 3000;
/** Connections that contain an image and are not in use. Their prepared statements stay. */
const idle = new WeakMap<Uint8Array, Open[]>();

function open(image: Uint8Array): Open {
  const existing = idle.get(image)?.pop();
  if (existing) {
    existing.connection.exec("BEGIN");
    return existing;
  }
  const connection = new DatabaseSync(":memory:", { limits } as object) as Connection;
  if (image.length > 0) connection.deserialize(image);
  connection.exec("PRAGMA foreign_keys = on; BEGIN");
  return { connection, statements: new Map() };
}

/** Rolls back all changes of a connection since its image, and keeps the connection for the next copy. */
function close(image: Uint8Array, { connection, statements }: Open): void {
  if (!connection.isTransaction || statements.size > maxStatements) {
    connection.close();
    return;
  }
  connection.exec("ROLLBACK");
  const others = idle.get(image) ?? [];
  idle.set(image, others);
  others.push({ connection, statements });
}

/** A copy of a database in memory. All its changes are in one transaction, so that they can be rolled back together. */
export class Copy {
  readonly #open: Open;
  readonly #image: Uint8Array;
  /** The number of committed batches that the copy contains. */
  version: number;

  constructor(image: Uint8Array, version: number) {
    this.#open = open(image);
    this.#image = image;
    this.version = version;
  }

  /** Keeps the current version, so that it can be restored without a new connection. */
  keep(): void {
    this.exec(`SAVEPOINT kept${this.version}`);
  }

  /** Undoes all changes since a kept version. */
  restore(version: number): void {
    this.exec(`ROLLBACK TO kept${version}`);
  }

  close(): void {
    close(this.#image, this.#open);
  }

  image(): Uint8Array {
    const { connection } = this.#open;
    // A serialized database does not contain uncommitted changes.
    if (connection.isTransaction) connection.exec("COMMIT");
    return connection.serialize();
  }

  exec(sql: string): void {
    this.#open.connection.exec(sql);
  }

  /** Runs queries as one transaction. */
  runBatch(queries: readonly Query[], asArrays = false): QueryResult[] {
    this.run(beginBatch);
    try {
      const results = queries.map((query) => this.run(query, asArrays));
      this.run(endBatch);
      return results;
    } catch (error) {
      this.exec("ROLLBACK TO batch; RELEASE batch");
      throw error;
    }
  }

  run({ sql, values }: Query, asArrays = false): QueryResult {
    const { statement, toRow } = this.#prepare(sql);
    const parameters = values as never[];
    if (!toRow) return { results: [], changes: Number(statement.run(...parameters).changes) };
    const rows = statement.all(...parameters) as unknown as unknown[][];
    return { results: asArrays ? rows : rows.map(toRow), changes: sql.isWrite ? rows.length : 0 };
  }

  #prepare(sql: Sql): Prepared {
    const { connection, statements } = this.#open;
    let prepared = statements.get(sql);
    if (!prepared) {
      if (Buffer.byteLength(sql.text) > limits.sqlLength) throw tooBig("statement too long");
      const statement = connection.prepare(sql.text);
      statement.setReturnArrays(true);
      const names = statement.columns().map(({ name }) => name);
      prepared = { statement, toRow: names.length > 0 ? makerOf(names) : null };
      statements.set(sql, prepared);
    }
    return prepared;
  }
}
