import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { Fetch } from "./client";
import { withEveryDb } from "./databases";
import { reportsAtOnce, serve } from "./serve";

/** The service on databases that run `meanwhile` before the n-th batch with a statement like `pattern`, or before each. */
export function servedBetween(
  pattern: RegExp,
  meanwhile: (place: number) => Promise<unknown>,
  place: number | "each" = 1,
): Fetch {
  let count = 0;
  const texts = new WeakMap<object, string>();
  const wrap = <T extends D1Database | D1DatabaseSession>(database: T): T =>
    new Proxy(database, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "withSession")
          return (from: string) => wrap((target as D1Database).withSession(from));
        if (name === "prepare")
          return (sql: string) => {
            const remember = (statement: D1PreparedStatement): D1PreparedStatement => {
              texts.set(statement, sql);
              const bind = statement.bind.bind(statement);
              return Object.assign(statement, {
                bind: (...values: unknown[]) => remember(bind(...values)),
              });
            };
            return remember(target.prepare(sql));
          };
        if (name === "batch")
          return async (statements: D1PreparedStatement[]) => {
            if (statements.some((each) => pattern.test(texts.get(each) ?? ""))) {
              count += 1;
              if (place === "each" || count === place) await meanwhile(count);
            }
            return target.batch(statements);
          };
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  return async (request) => {
    const ctx = createExecutionContext();
    const bindings = withEveryDb({ ...env, TIMEOUTS: reportsAtOnce }, wrap);
    const response = await serve(request, bindings, ctx);
    await waitOnExecutionContext(ctx);
    expect(count).toBeGreaterThanOrEqual(place === "each" ? 1 : place);
    return response;
  };
}
