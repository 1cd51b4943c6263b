import { randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

export interface Statement {
  results: Record<string, unknown>[];
  success: true;
  meta: object;
}

/** The databases of an account. */
export interface Storage {
  /** Returns the ID of a new, empty database. */
  createDatabase(): string;
  /** Runs the statements of a text as one transaction, as D1 does. */
  query(id: string, sql: string): Promise<Statement[]>;
  /** The state of a database, for Time Travel. */
  image(id: string): Promise<Image>;
  restore(id: string, image: Image): Promise<void>;
}

/** A file of SQLite, or the statements that recreate the database. */
export type Image = Uint8Array | readonly string[];

/** Members of Node's class that its types lack. */
type Connection = DatabaseSync & { serialize(): Uint8Array; deserialize(bytes: Uint8Array): void };

/** D1 rejects longer statements. */
const maxStatementBytes = 100_000;

/** Databases for tests of commands, in which no Worker runs. They need a tenth of the CPU time of D1 in workerd. */
export class SqliteStorage implements Storage {
  readonly #connections = new Map<string, Connection>();

  createDatabase(): string {
    const id = randomUUID();
    this.#connections.set(id, new DatabaseSync(":memory:") as Connection);
    return id;
  }

  #connection(id: string): Connection {
    const connection = this.#connections.get(id);
    if (!connection) throw new Error(`There is no database ${id}.`);
    return connection;
  }

  async query(id: string, sql: string): Promise<Statement[]> {
    const connection = this.#connection(id);
    connection.exec("BEGIN");
    try {
      const results = statementsOf(sql).map((text) => run(connection, text));
      connection.exec("COMMIT");
      return results;
    } catch (error) {
      connection.exec("ROLLBACK");
      throw new Error(`D1_ERROR: ${(error as Error).message}: SQLITE_ERROR`, { cause: error });
    }
  }

  async image(id: string): Promise<Image> {
    return this.#connection(id).serialize();
  }

  async restore(id: string, image: Image): Promise<void> {
    if (!(image instanceof Uint8Array)) throw new TypeError("The image is not a file of SQLite.");
    // A connection whose statements are not collected yet can crash when its file is replaced.
    const connection = new DatabaseSync(":memory:") as Connection;
    connection.deserialize(image);
    this.#connections.set(id, connection);
  }
}

function run(connection: Connection, text: string): Statement {
  if (Buffer.byteLength(text) > maxStatementBytes) throw new Error("statement too long");
  const results = connection.prepare(text).all() as Statement["results"];
  const pages = connection.prepare("PRAGMA page_count").get() as { page_count: number };
  return { results, success: true, meta: { size_after: pages.page_count * 4096 } };
}

const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[^]*?\*\/|;|[^'"\-/;]+|[^]/g;

/** Splits a text into statements. */
export function statementsOf(sql: string): string[] {
  const statements = [""];
  for (const [token] of sql.matchAll(tokens)) {
    if (token === ";") statements.push("");
    else if (!token.startsWith("--") && !token.startsWith("/*")) {
      statements[statements.length - 1] += token;
    }
  }
  return statements.map((statement) => statement.trim()).filter(Boolean);
}

const isOwnTable = `m.name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/** The columns of each table. */
export async function tablesOf(storage: Storage, id: string): Promise<Map<string, string[]>> {
  const sql = `SELECT m.name, group_concat(quote(c.name)) AS columns FROM sqlite_master m, pragma_table_info(m.name) c
    WHERE m.type = 'table' AND ${isOwnTable} GROUP BY m.name ORDER BY m.rowid`;
  const [tables] = await storage.query(id, sql);
  return new Map(
    (tables?.results ?? []).map(({ name, columns }) => [
      String(name),
      [...String(columns).matchAll(/'([^']+)'/g)].map(([, column = ""]) => column),
    ]),
  );
}

/** Returns the statements that recreate a database. */
export async function dump(storage: Storage, id: string): Promise<string[]> {
  const sql = `SELECT m.sql FROM sqlite_master m WHERE m.sql IS NOT NULL AND ${isOwnTable} ORDER BY m.type DESC, m.rowid`;
  const [schema] = await storage.query(id, sql);
  const statements = (schema?.results ?? []).map((row) => String(row["sql"]));
  const tables = [...(await tablesOf(storage, id))];
  const selects = tables.map(([table, columns]) => {
    const quoted = columns.map((name) => `quote("${name}")`);
    return `SELECT ${quoted.join(` || ',' || `)} AS row FROM "${table}"`;
  });
  const contents = await storage.query(id, selects.join(";\n"));
  for (const [index, { results }] of contents.entries())
    for (const { row } of results)
      statements.push(`INSERT INTO "${tables[index]?.[0]}" VALUES (${String(row)})`);
  return statements;
}
