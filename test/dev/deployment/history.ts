import type { Runtime } from "./runtime.ts";

interface Minute {
  at: number;
  bookmark: string;
  statements: string[];
}

/** Time Travel of one database: states that it had, by their bookmarks. */
export class History {
  readonly #runtime: Runtime;
  readonly #database: string;
  readonly #minutes: Minute[] = [];

  constructor(runtime: Runtime, database: string) {
    this.#runtime = runtime;
    this.#database = database;
  }

  async note(): Promise<string> {
    const place = (this.#minutes.length + 1).toString(16).padStart(8, "0");
    const bookmark = `${place}-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683`;
    const statements = await dump(this.#runtime, this.#database);
    this.#minutes.push({ at: Date.now(), bookmark, statements });
    return bookmark;
  }

  /** The newest state that is not after this time; now, where no time is given. */
  async bookmarkAt(time: string | null): Promise<string> {
    if (time === null) return this.note();
    const found = this.#minutes.findLast(({ at }) => at <= Date.parse(time));
    if (!found) throw new Error(`The database did not exist at ${time}.`);
    return found.bookmark;
  }

  async restore(bookmark: string): Promise<string> {
    const wanted = this.#minutes.find((each) => each.bookmark === bookmark);
    if (!wanted) throw new Error(`There is no bookmark ${bookmark}.`);
    const previous = await this.note();
    const tables = await names(this.#runtime, this.#database);
    const drops = tables.map((name) => `DROP TABLE "${name}"`);
    const all = ["PRAGMA defer_foreign_keys = on", ...drops, ...wanted.statements];
    await this.#runtime.query(this.#database, all.join(";\n"));
    return previous;
  }
}

const ours = `name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

async function names(runtime: Runtime, database: string): Promise<string[]> {
  const sql = `SELECT name FROM sqlite_master WHERE type = 'table' AND ${ours}`;
  const [tables] = await runtime.query(database, sql);
  return (tables?.results ?? []).map(({ name }) => String(name));
}

/** The statements that make the database as it is. */
export async function dump(runtime: Runtime, database: string): Promise<string[]> {
  const sql = `SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND ${ours} ORDER BY type DESC, rowid`;
  const [made] = await runtime.query(database, sql);
  const statements = (made?.results ?? []).map((row) => String(row["sql"]));
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
