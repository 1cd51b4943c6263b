import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { app } from "../../src/app.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { createService } from "../../src/service.ts";
import { answerOf, type Answer, type Client } from "../support/client";
import { createAllTables } from "../support/empty-storage";
import { adminRequest, client } from "../support/service";
import { reportsAtOnce } from "../support/serve";

/** An installation with a home database and two data databases. */

const { REPLICA_A, REPLICA_B } = env as unknown as {
  REPLICA_A: D1Database;
  REPLICA_B: D1Database;
};

export const first = REPLICA_A;
export const second = REPLICA_B;
export const home: D1Database = env.DB;

export const migrate = (): Promise<void> => createAllTables(first, second);

type Replaced = Partial<WorkerBindings> & Record<`DATA_${number}`, D1Database | undefined>;

export const bothDatabases: Replaced = { DATA_01: first, DATA_02: second };
export const homeAlone: Replaced = { DATA_01: undefined };

/** A caller whose requests reach one new isolate with these bindings. */
export function isolate(caller: Client, replaced: Replaced = bothDatabases): Client {
  const bindings = { ...env, TIMEOUTS: reportsAtOnce, ...replaced } as unknown as WorkerBindings;
  const service = createService(workerPorts(bindings), workerSettings(bindings));
  return caller.through(async (request) => app.fetch(request, service, createExecutionContext()));
}

/** A request of the owner to the administration area, in a new isolate with these bindings. */
export async function area(
  path: string,
  body?: object,
  {
    headers,
    replaced = bothDatabases,
  }: { headers?: Record<string, string>; replaced?: object | undefined } = {},
): Promise<Answer> {
  const bindings = { ...env, ...replaced } as unknown as WorkerBindings;
  const service = createService(workerPorts(bindings), workerSettings(bindings));
  const ctx = createExecutionContext();
  const sent = await adminRequest(body ? "POST" : "GET", path, body, headers);
  const answer = await answerOf(await app.fetch(sent, service, ctx));
  await waitOnExecutionContext(ctx);
  return answer;
}

export const newCaller = (): Promise<Client> => client();

/** Only these databases take new collections. */
export async function useOnly(...names: string[]): Promise<void> {
  for (const name of ["DATA_01", "DATA_02"])
    await home
      .prepare("insert or replace into data_database values (?, null, ?)")
      .bind(name, names.includes(name) ? 0 : Date.now() + 1e9)
      .run();
}

/** The value of the only column of the only row. */
export async function valueOf(db: D1Database, sql: string, ...values: unknown[]): Promise<unknown> {
  const row = await db
    .prepare(sql)
    .bind(...values)
    .first();
  return row && Object.values(row)[0];
}

/** The names of the databases that have this collection. */
export async function databasesOf(key: string): Promise<string[]> {
  const found: string[] = [];
  for (const [name, db] of Object.entries({ DB: home, DATA_01: first, DATA_02: second }))
    if ((await valueOf(db, "select count(*) from collection where key = ?", key)) === 1)
      found.push(name);
  return found;
}

/** A database whose batches and single writes fail while `isBroken` returns true for their SQL. */
export function breakable(db: D1Database, isBroken: (sql: string) => boolean): D1Database {
  const texts = new WeakMap<object, string>();
  const wrap = (target: D1Database | D1DatabaseSession): object =>
    new Proxy(target, {
      get(_, name) {
        if (name === "prepare")
          return (sql: string) => {
            const remember = (statement: D1PreparedStatement): D1PreparedStatement => {
              texts.set(statement, sql);
              const bind = statement.bind.bind(statement);
              const run = statement.run.bind(statement);
              return Object.assign(statement, {
                bind: (...values: unknown[]) => remember(bind(...values)),
                run: async () => {
                  if (isBroken(sql)) throw new Error("D1_ERROR: Network connection lost.");
                  return run();
                },
              });
            };
            return remember(target.prepare(sql));
          };
        if (name === "batch")
          return async (statements: D1PreparedStatement[]) => {
            if (statements.some((statement) => isBroken(texts.get(statement) ?? "")))
              throw new Error("D1_ERROR: Network connection lost.");
            return target.batch(statements);
          };
        if (name === "withSession")
          return (from: string) => wrap((target as D1Database).withSession(from));
        const member: unknown = Reflect.get(target, name);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
  return wrap(db) as D1Database;
}
