import type { Runtime } from "./runtime.ts";

interface Snapshot {
  at: number;
  bookmark: string;
  statements: string[];
}

/** Time Travel of one database: its earlier states by bookmark. */
export class History {
  readonly #runtime: Runtime;
  readonly #database: string;
  readonly #snapshots: Snapshot[] = [];

  constructor(runtime: Runtime, database: string) {
    this.#runtime = runtime;
    this.#database = database;
  }

  async note(): Promise<string> {
    const sequence = (this.#snapshots.length + 1).toString(16).padStart(8, "0");
    const bookmark = `${sequence}-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683`;
    const statements = await dump(this.#runtime, this.#database);
    this.#snapshots.push({ at: Date.now(), bookmark, statements });
    return bookmark;
  }

  /** Returns the bookmark of the newest state up to this time. Without a time, records the current state. */
  async bookmarkAt(time: string | null): Promise<string> {
    if (time === null) return this.note();
    const snapshot = this.#snapshots.findLast(({ at }) => at <= Date.parse(time));
    if (!snapshot) throw new Error(`The database did not exist at ${time}.`);
    return snapshot.bookmark;
  }

  async restore(bookmark: string): Promise<string> {
    const target = this.#snapshots.find((snapshot) => snapshot.bookmark === bookmark);
    if (!target) throw new Error(`There is no bookmark ${bookmark}.`);
    const previous = await this.note();
    const tables = await names(this.#runtime, this.#database);
    const drops = tables.map((name) => `DROP TABLE "${name}"`);
    const statements = ["PRAGMA defer_foreign_keys = on", ...drops, ...target.statements];
    await this.#runtime.query(this.#database, statements.join(";\n"));
    return previous;
  }
}

const isOwnTable = `name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

async function names(runtime: Runtime, database: string): Promise<string[]> {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND ${isOwnTable}`;
  const [tables] = await runtime.query(database, sql);
  return (tables?.results ?? []).map(({ name }) => String(name));
}

/** Returns the statements that recreate the database. */
export async function dump(runtime: Runtime, database: string): Promise<string[]> {
  const sql = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ${isOwnTable} ORDER BY type DESC, rowid`;
  const [schema] = await runtime.query(database, sql);
  const statements = (schema?.results ?? []).map((row) => String(row["sql"]));
  for (const table of await names(runtime, database)) {
    const [columns] = await runtime.query(database, `PRAGMA table_info("${table}")`);
    const quoted = (columns?.results ?? []).map(({ name }) => `quote("${String(name)}")`);
    const values = `SELECT ${quoted.join(` || ',' || `)} AS row FROM "${table}"`;
    const [rows] = await runtime.query(database, values);
    for (const { row } of rows?.results ?? []) {
      statements.push(`INSERT INTO "${table}" VALUES (${String(row)})`);
    }
  }
  return statements;
}
