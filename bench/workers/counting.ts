import type { Counts } from "./counts";

/** Bindings that count what the service asks of them. */

export function countingBindings(env: Bindings, counts: Counts): Bindings {
  return {
    ...env,
    DB: countingDatabase(env.DB, counts),
    GATE: countingObject(env.GATE, counts),
    REPLAYS: countingCache(env.REPLAYS, counts),
  };
}

function countingDatabase(db: D1Database, counts: Counts): D1Database {
  const note = (meta: D1Meta | undefined) => {
    counts.rowsRead += meta?.rows_read ?? 0;
    counts.rowsWritten += meta?.rows_written ?? 0;
  };
  const originals = new WeakMap<object, D1PreparedStatement>();
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrap(statement.bind(...values)),
      async all() {
        counts.d1 += 1;
        const result = await statement.all();
        note(result.meta);
        return result;
      },
      async run() {
        counts.d1 += 1;
        const result = await statement.run();
        note(result.meta);
        return result;
      },
      async first() {
        counts.d1 += 1;
        const result = await statement.all();
        note(result.meta);
        return result.results[0] ?? null;
      },
      /** Only reads come this way, and their rows alone: what they cost is asked for beside them. */
      async raw(options: never) {
        counts.d1 += 1;
        note((await statement.all()).meta);
        return statement.raw(options);
      },
    } as unknown as D1PreparedStatement;
    originals.set(wrapped, statement);
    return wrapped;
  };
  return {
    prepare: (query: string) => wrap(db.prepare(query)),
    async batch(statements: D1PreparedStatement[]) {
      counts.d1 += 1;
      const results = await db.batch(statements.map((each) => originals.get(each) ?? each));
      for (const result of results) note(result.meta);
      return results;
    },
  } as unknown as D1Database;
}

function countingObject(gate: Bindings["GATE"], counts: Counts): Bindings["GATE"] {
  const getByName = (name: string) => {
    const stub = gate.getByName(name);
    return {
      admit: (...args: Parameters<typeof stub.admit>) => {
        counts.object += 1;
        return stub.admit(...args);
      },
      note: (...args: Parameters<typeof stub.note>) => stub.note(...args),
    };
  };
  return { getByName } as unknown as Bindings["GATE"];
}

function countingCache(cache: KVNamespace, counts: Counts): KVNamespace {
  return {
    get: (...args: Parameters<KVNamespace["get"]>) => {
      counts.kvReads += 1;
      return cache.get(...args);
    },
    put: (...args: Parameters<KVNamespace["put"]>) => {
      counts.kvWrites += 1;
      return cache.put(...args);
    },
  } as unknown as KVNamespace;
}
