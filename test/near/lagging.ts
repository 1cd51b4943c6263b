/**
 * A database with replicas that lag behind it, under D1's own interface: each gets what was written in the order of
 * commit, some of it later, as statements that are run again. Bookmarks name how much was written.
 */

interface Asking {
  sql: string;
  values: unknown[];
}

interface Replica {
  db: D1Database;
  applied: number;
  /** One question at a time, so that it is known from which version it is answered. */
  turn: Promise<unknown>;
}

const isWrite = ({ sql }: Asking) => !/^\s*(select|with)\b/i.test(sql);

const bookmarkOf = (version: number) =>
  `00000000-${version.toString(16).padStart(8, "0")}-00000000-${"0".repeat(32)}`;
const versionOf = (bookmark: string) => parseInt(bookmark.slice(9, 17), 16);

const bound = (db: D1Database, { sql, values }: Asking) =>
  values.length > 0 ? db.prepare(sql).bind(...values) : db.prepare(sql);

export class Lagging {
  readonly #primary: Replica;
  readonly #replicas: Replica[];
  readonly #written: Asking[][] = [];
  /** Between 0 and 1; how much of what is missing a replica gets before it is asked. */
  readonly #random: () => number;

  constructor(db: D1Database, replicas: D1Database[], random: () => number) {
    const beginning = (of: D1Database) => ({ db: of, applied: 0, turn: Promise.resolve() });
    this.#primary = beginning(db);
    this.#replicas = replicas.map(beginning);
    this.#random = random;
  }

  /** The binding of a Worker in one of the places. `versions` are those that its reads were answered from, in order. */
  at(place: number): { db: D1Database; versions: number[] } {
    const versions: number[] = [];
    const nearest = this.#replicas[place % this.#replicas.length] as Replica;
    const session = (first: string): D1DatabaseSession => {
      let from: string | null = first;
      const ask = async (asked: Asking[]): Promise<D1Result[]> => {
        const primary = from === "first-primary" || asked.some(isWrite);
        const least = from?.startsWith("first-") === false ? versionOf(from) : 0;
        const on = primary ? this.#primary : nearest;
        const { version, results } = await this.#inTurn(on, least, asked);
        if (!asked.some(isWrite)) versions.push(version);
        const bookmark = bookmarkOf(version);
        if (from === null || from.startsWith("first-") || bookmark > from) from = bookmark;
        return results.map((each) => ({
          ...each,
          meta: { ...each.meta, served_by_primary: primary },
        }));
      };
      const getBookmark = () => (from?.startsWith("first-") ? null : from);
      return { ...asking(ask), getBookmark } as unknown as D1DatabaseSession;
    };
    const always = (asked: Asking[]) =>
      this.#inTurn(this.#primary, 0, asked).then(({ results }) => results);
    const db = { ...asking(always), withSession: (from: string) => session(from) };
    return { db: db as unknown as D1Database, versions };
  }

  /** The replica near a place has everything by now. */
  async catchUp(place: number): Promise<void> {
    const from = bookmarkOf(this.#written.length);
    await this.at(place).db.withSession(from).prepare("SELECT 1").all();
  }

  async #inTurn(on: Replica, least: number, asked: Asking[]) {
    const before = on.turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    on.turn = promise;
    await before;
    try {
      if (on !== this.#primary) await this.#catchUp(on, least);
      const results = await on.db.batch(asked.map((each) => bound(on.db, each)));
      if (on === this.#primary && asked.some(isWrite)) this.#written.push(asked);
      return { version: on === this.#primary ? this.#written.length : on.applied, results };
    } finally {
      resolve();
    }
  }

  /** A replica that is asked for a version that it does not have waits for it. */
  async #catchUp(on: Replica, least: number): Promise<void> {
    const missing = this.#written.length - on.applied;
    const more = this.#random() < 0.5 ? 0 : Math.floor(missing * this.#random());
    const to = Math.max(least, on.applied + more);
    const statements = this.#written.slice(on.applied, to).flat();
    if (statements.length > 0) await on.db.batch(statements.map((each) => bound(on.db, each)));
    on.applied = Math.max(on.applied, to);
  }
}

/** `prepare` and `batch` of whoever runs some statements at once. */
function asking(ask: (asked: Asking[]) => Promise<D1Result[]>) {
  const made = new WeakMap<object, Asking>();
  const statement = (asked: Asking): object => {
    const all = async () => (await ask([asked]))[0] as D1Result<Record<string, unknown>>;
    const wrapped = {
      bind: (...values: unknown[]) => statement({ ...asked, values }),
      all,
      run: all,
      first: async () => (await all()).results[0] ?? null,
      raw: async () => (await all()).results.map((row) => Object.values(row)),
    };
    made.set(wrapped, asked);
    return wrapped;
  };
  return {
    prepare: (sql: string) => statement({ sql, values: [] }),
    batch: (statements: object[]) => ask(statements.flatMap((each) => made.get(each) ?? [])),
  };
}

/** Everything that is in one database, in another one with the same tables. */
export async function copyAll(from: D1Database, to: D1Database): Promise<void> {
  const tables = await from
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'd1_*'",
    )
    .all<{ name: string }>();
  for (const { name } of tables.results) {
    const { results } = await from.prepare(`SELECT * FROM "${name}"`).all();
    for (const row of results) {
      const marks = Object.keys(row).map(() => "?");
      await to
        .prepare(
          `INSERT OR REPLACE INTO "${name}" (${Object.keys(row).join()}) VALUES (${marks.join()})`,
        )
        .bind(...Object.values(row))
        .run();
    }
  }
}
