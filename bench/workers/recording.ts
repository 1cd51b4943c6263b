import type { Counts } from "./counts";

/** The storage calls of a request: calls to the credential's object, round trips to D1, and KV calls. */
export interface Recorded {
  admissions: Parameters<Stub["admit"]>[];
  /** Other object calls that a caller waited for. */
  asked: string[];
  trips: Trip[];
  /** The keys that were read from KV, and the values that were written. */
  recalled: string[];
  remembered: Parameters<KVNamespace["put"]>[];
}

/** A single statement or a batch. */
interface Trip {
  statements: { sql: string; values: unknown[] }[];
  rowsRead: number;
  rowsWritten: number;
}

type Stub = ReturnType<Bindings["GATE"]["getByName"]>;

export const nothing = (): Recorded => ({
  admissions: [],
  asked: [],
  trips: [],
  recalled: [],
  remembered: [],
});

export function countsOf({ admissions, asked, trips, recalled, remembered }: Recorded): Counts {
  const sum = (rows: "rowsRead" | "rowsWritten") =>
    trips.reduce((total, trip) => total + trip[rows], 0);
  return {
    d1: trips.length,
    rowsRead: sum("rowsRead"),
    rowsWritten: sum("rowsWritten"),
    object: admissions.length + asked.length,
    kvReads: recalled.length,
    kvWrites: remembered.length,
  };
}

/** Wraps the bindings so that they record all calls. */
export function recording(env: Bindings, recorded: Recorded): Bindings {
  const { DATA_01: data } = env as { DATA_01?: D1Database };
  return {
    ...env,
    ...(data && { DATA_01: recordingDatabase(data, recorded) }),
    DB: recordingDatabase(env.DB, recorded),
    GATE: recordingGate(env.GATE, recorded),
    HOOKS: recordingObject(env.HOOKS, (name) => {
      if (name !== "wake") recorded.asked.push(name);
    }),
    REPLAYS: recordingCache(env.REPLAYS, recorded),
  };
}

/** Does not record `note`, which runs after the response, so that no caller waits for it. */
function recordingGate(gate: Bindings["GATE"], { admissions, asked }: Recorded): Bindings["GATE"] {
  return recordingObject(gate, (name, args) => {
    if (name === "admit") admissions.push(args as Parameters<Stub["admit"]>);
    else if (name !== "note") asked.push(name);
  });
}

function recordingObject<Namespace extends Bindings["GATE"] | Bindings["HOOKS"]>(
  objects: Namespace,
  record: (name: string, args: unknown[]) => void,
): Namespace {
  const getByName = (id: string) =>
    new Proxy(
      {},
      {
        get:
          (_, name: string) =>
          (...args: unknown[]) => {
            record(name, args);
            const stub = objects.getByName(id) as unknown as Record<
              string,
              (...args: unknown[]) => unknown
            >;
            return stub[name]?.(...args);
          },
      },
    );
  return { getByName } as unknown as Namespace;
}

function recordingCache(cache: KVNamespace, { recalled, remembered }: Recorded): KVNamespace {
  return {
    get: (...args: Parameters<KVNamespace["get"]>) => {
      recalled.push(String(args[0]));
      return cache.get(...args);
    },
    put: (...args: Parameters<KVNamespace["put"]>) => {
      remembered.push(args);
      return cache.put(...args);
    },
  } as unknown as KVNamespace;
}

interface Statement {
  real: D1PreparedStatement;
  sql: string;
  values: unknown[];
}

function recordingDatabase(db: D1Database, recorded: Recorded): D1Database {
  const asked = recorder(recorded);
  const withSession = (from?: string) => {
    const session = db.withSession(from);
    return { ...asked(session), getBookmark: () => session.getBookmark() };
  };
  return { ...asked(db), withSession } as unknown as D1Database;
}

/** Records all calls to a database or to a session. */
function recorder({ trips }: Recorded) {
  const known = new WeakMap<object, Statement>();
  const depart = (statements: Statement[]) => {
    const told = statements.map(({ sql, values }) => ({ sql, values }));
    const trip: Trip = { statements: told, rowsRead: 0, rowsWritten: 0 };
    trips.push(trip);
    return <Result extends D1Result>(results: Result[]): Result[] => {
      for (const { meta } of results) {
        trip.rowsRead += meta.rows_read;
        trip.rowsWritten += meta.rows_written;
      }
      return results;
    };
  };
  const alone = async (statement: Statement): Promise<D1Result> => {
    const arrive = depart([statement]);
    const result = await statement.real.all();
    arrive([result]);
    return result;
  };
  const wrap = (statement: Statement): D1PreparedStatement => {
    const { real, sql } = statement;
    const wrapped = {
      bind: (...values: unknown[]) => wrap({ real: real.bind(...values), sql, values }),
      all: () => alone(statement),
      run: () => alone(statement),
      first: async () => (await alone(statement)).results[0] ?? null,
      /** Only reads use `raw`, which returns rows without their cost. A second call gets the cost. */
      raw: async (options: never) => {
        await alone(statement);
        return real.raw(options);
      },
    } as unknown as D1PreparedStatement;
    known.set(wrapped, statement);
    return wrapped;
  };
  return (on: D1Database | D1DatabaseSession) => ({
    prepare: (sql: string) => wrap({ real: on.prepare(sql), sql, values: [] }),
    async batch(statements: D1PreparedStatement[]) {
      const found = statements.map((each) => {
        const statement = known.get(each);
        if (!statement) throw new Error("A statement of another database.");
        return statement;
      });
      const arrive = depart(found);
      return arrive(await on.batch(found.map(({ real }) => real)));
    },
  });
}
