import { DatabaseSync, type StatementSync } from "node:sqlite";

/** Members of Node's class that its types lack. */
type Connection = DatabaseSync & {
  serialize(): Uint8Array;
  deserialize(bytes: Uint8Array): void;
};

/** The limits that D1 sets for SQLite. Lengths are in bytes. D1 documents 2 MB for a value or a row; workerd allows twice that. */
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

/** SQLite's result code for what is too large. */
export const tooBigCode = 18;
/** SQLite would say that a value is too large. */
const tooBig = (message: string) => Object.assign(new Error(message), { errcode: tooBigCode });

/** The text of a statement. All statements with this text share the object. */
export interface Sql {
  readonly text: string;
  readonly isWrite: boolean;
}

const known = new Map<string, Sql>();

const isWriting =
  /^\s*(insert|update|delete|replace|create|drop)\b|^\s*with\b.*\b(insert\s+(or\s+\w+\s+)?into|update\s+\S+\s+set|delete\s+from)\b/is;

export function sqlOf(text: string): Sql {
  let sql = known.get(text);
  if (!sql) {
    // SQLite prepares a statement again whenever the parameter of a limit changes, but not that of a sum.
    sql = { text: text.replaceAll(/\blimit \?/gi, "limit +?"), isWrite: isWriting.test(text) };
    known.set(text, sql);
  }
  return sql;
}

export interface Query {
  sql: Sql;
  values: readonly unknown[];
}

export interface QueryResult {
  results: unknown[];
  changes: number;
}

/** A statement of a connection, for rows as objects or as arrays. */
interface Prepared {
  statement: StatementSync;
  hasRows: boolean;
}

/** An open connection with its prepared statements. */
interface Open {
  connection: Connection;
  objects: Map<Sql, Prepared>;
  arrays: Map<Sql, Prepared>;
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
  return { connection, objects: new Map(), arrays: new Map() };
}

/** Undoes what happened to a connection since its image, and keeps it for the next copy. */
function close(image: Uint8Array, { connection, objects, arrays }: Open): void {
  if (!connection.isTransaction || objects.size + arrays.size > maxStatements) {
    connection.close();
    return;
  }
  connection.exec("ROLLBACK");
  const others = idle.get(image) ?? [];
  idle.set(image, others);
  others.push({ connection, objects, arrays });
}

/** A copy of a database in memory. All its changes are part of one transaction, so that they can be undone together. */
export class Copy {
  #open: Open;
  #image: Uint8Array;
  /** How many committed batches it contains. */
  version: number;

  constructor(image: Uint8Array, version: number) {
    this.#open = open(image);
    this.#image = image;
    this.version = version;
  }

  replace(image: Uint8Array): void {
    this.close();
    this.#image = image;
    this.#open = open(image);
  }

  close(): void {
    close(this.#image, this.#open);
  }

  image(): Uint8Array {
    const { connection } = this.#open;
    // A serialized database lacks changes that are not committed.
    if (connection.isTransaction) connection.exec("COMMIT");
    return connection.serialize();
  }

  exec(sql: string): void {
    this.#open.connection.exec(sql);
  }

  /** Runs queries as one transaction. */
  runBatch(queries: readonly Query[], asArrays = false): QueryResult[] {
    this.exec("SAVEPOINT batch");
    try {
      const results = queries.map((query) => this.run(query, asArrays));
      this.exec("RELEASE batch");
      return results;
    } catch (error) {
      this.exec("ROLLBACK TO batch; RELEASE batch");
      throw error;
    }
  }

  run({ sql, values }: Query, asArrays = false): QueryResult {
    const { statement, hasRows } = this.#prepare(sql, asArrays);
    const parameters = values as never[];
    if (!hasRows) return { results: [], changes: Number(statement.run(...parameters).changes) };
    const results = statement.all(...parameters);
    return { results, changes: sql.isWrite ? results.length : 0 };
  }

  #prepare(sql: Sql, asArrays: boolean): Prepared {
    const statements = asArrays ? this.#open.arrays : this.#open.objects;
    let prepared = statements.get(sql);
    if (!prepared) {
      if (Buffer.byteLength(sql.text) > limits.sqlLength) throw tooBig("statement too long");
      const statement = this.#open.connection.prepare(sql.text);
      if (asArrays) statement.setReturnArrays(true);
      prepared = { statement, hasRows: statement.columns().length > 0 };
      statements.set(sql, prepared);
    }
    return prepared;
  }
}
