/** What a request asked of storage: the calls of the credential's object, and the round trips to D1. */
export interface Recorded {
  admissions: Parameters<Stub["admit"]>[];
  trips: { sql: string; values: unknown[] }[][];
  /** Keys that KV was asked for, and what it was given to keep. */
  recalled: string[];
  remembered: Parameters<KVNamespace["put"]>[];
}

type Stub = ReturnType<Bindings["GATE"]["getByName"]>;

/** The bindings, with a record of all that is asked of them. */
export function recording(env: Bindings): { bindings: Bindings; recorded: Recorded } {
  const recorded: Recorded = { admissions: [], trips: [], recalled: [], remembered: [] };
  const gate = {
    getByName: (name: string) => ({
      admit: (...args: Parameters<Stub["admit"]>) => {
        recorded.admissions.push(args);
        return env.GATE.getByName(name).admit(...args);
      },
      note: () => Promise.resolve(),
    }),
  };
  const replays = {
    get: (...args: Parameters<KVNamespace["get"]>) => {
      recorded.recalled.push(String(args[0]));
      return env.REPLAYS.get(...args);
    },
    put: (...args: Parameters<KVNamespace["put"]>) => {
      recorded.remembered.push(args);
      return env.REPLAYS.put(...args);
    },
  };
  const bindings = {
    ...env,
    GATE: gate,
    REPLAYS: replays,
    DB: recordingDatabase(env.DB, recorded.trips),
  } as unknown as Bindings;
  return { bindings, recorded };
}

function recordingDatabase(db: D1Database, trips: Recorded["trips"]) {
  const known = new WeakMap<
    object,
    { real: D1PreparedStatement; sql: string; values: unknown[] }
  >();
  const wrap = (real: D1PreparedStatement, sql: string, values: unknown[]) => {
    const alone = () => trips.push([{ sql, values }]);
    const statement = {
      bind: (...bound: unknown[]) => wrap(real.bind(...bound), sql, bound),
      all: () => (alone(), real.all()),
      run: () => (alone(), real.run()),
      first: () => (alone(), real.first()),
      raw: () => (alone(), real.raw()),
    };
    known.set(statement, { real, sql, values });
    return statement;
  };
  return {
    prepare: (sql: string) => wrap(db.prepare(sql), sql, []),
    batch: (statements: object[]) => {
      const found = statements.map((each) => {
        const one = known.get(each);
        if (!one) throw new Error("A statement of another database.");
        return one;
      });
      trips.push(found.map(({ sql, values }) => ({ sql, values })));
      return db.batch(found.map(({ real }) => real));
    },
  };
}
