import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { app } from "../../src/app";
import type { Fetch } from "./client";

export interface Counts {
  /** Round trips to D1: a lone statement or a batch. */
  d1: number;
  rowsRead: number;
  rowsWritten: number;
  /** Calls of the credential's object. */
  object: number;
  kv: number;
}

const none: Counts = { d1: 0, rowsRead: 0, rowsWritten: 0, object: 0, kv: 0 };

/** The service with bindings that count what a request costs. What runs behind the answer counts too. */
export function counted(): { fetch: Fetch; counts: Counts; reset: () => void } {
  const counts = { ...none };
  const bindings: Bindings = {
    ...env,
    DB: countingDatabase(env.DB, counts),
    GATE: countingObject(env.GATE, counts),
    REPLAYS: proxied(env.REPLAYS, () => (counts.kv += 1)),
  };
  const fetch: Fetch = async (request) => {
    const ctx = createExecutionContext();
    const response = await app.fetch(request, bindings, ctx);
    await waitOnExecutionContext(ctx);
    return response;
  };
  return { fetch, counts, reset: () => Object.assign(counts, none) };
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
      raw(options: never) {
        counts.d1 += 1;
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
    };
  };
  return { getByName } as unknown as Bindings["GATE"];
}

function proxied<T extends object>(target: T, onCall: () => void): T {
  return new Proxy(target, {
    get(from, name) {
      const value: unknown = Reflect.get(from, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        onCall();
        return value.apply(from, args);
      };
    },
  });
}
