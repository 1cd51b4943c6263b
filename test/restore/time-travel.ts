import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Sender } from "../../src/delivery/sender.ts";
import { Gate } from "../../src/gate/gate.ts";
import type { WorkerBindings } from "../../src/platform.ts";
import { answerOf, type Answer } from "../support/client";
import { dataDb, homeDb } from "../support/databases";
import { serve, serviceWith } from "../support/serve";
import { adminRequest } from "../support/service";

type Tables = { db: D1Database; name: string; rows: Record<string, unknown>[] }[];

/** Reads all tables, as Time Travel keeps them. The storage of objects and KV is not part of it. */
export async function takeSnapshot(): Promise<Tables> {
  const tables: Tables = [];
  for (const db of new Set([homeDb, dataDb])) {
    const { results } = await db
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
      )
      .all<{ name: string }>();
    for (const { name } of results) {
      const { results: rows } = await db.prepare(`SELECT * FROM "${name}"`).all();
      tables.push({ db, name, rows });
    }
  }
  return tables;
}

/** Makes the tables what they were. */
export async function restoreSnapshot(tables: Tables): Promise<void> {
  for (const db of new Set([homeDb, dataDb])) {
    const own = tables.filter((table) => table.db === db);
    await db.batch([
      db.prepare("PRAGMA defer_foreign_keys = on"),
      ...own.map(({ name }) => db.prepare(`DELETE FROM "${name}"`)),
      ...own.flatMap(({ name, rows }) =>
        rows.map((row) => {
          const values = Object.values(row);
          const marks = values.map(() => "?").join();
          return db.prepare(`INSERT INTO "${name}" VALUES (${marks})`).bind(...values);
        }),
      ),
    ]);
  }
}

/** The service as `npm run restore` deploys it: other variables, and objects that start again from their storage. */
export class Deployment {
  readonly #bindings: Partial<WorkerBindings>;
  readonly #entered = new Set<string>();

  constructor(variables: Partial<WorkerBindings>) {
    const service = serviceWith(variables);
    const restarted = <T extends Rpc.DurableObjectBranded>(
      namespace: DurableObjectNamespace<T & undefined>,
      members: (state: DurableObjectState) => object,
    ) => ({
      getByName: (name: string) => {
        const enter = async () => {
          const key = namespace.idFromName(name).toString();
          if (this.#entered.has(key)) return;
          this.#entered.add(key);
          await runInDurableObject(namespace.getByName(name), (object, state) => {
            Object.assign(object, members(state));
          });
        };
        return new Proxy(
          {},
          {
            get:
              (_, method) =>
              async (...args: unknown[]) => {
                await enter();
                const stub = namespace.getByName(name) as never as Record<
                  string | symbol,
                  (...values: unknown[]) => unknown
                >;
                return stub[method]?.(...args);
              },
          },
        );
      },
    });
    this.#bindings = {
      ...variables,
      GATE: restarted(env.GATE as never, (state) => ({ gate: new Gate(state, service) })) as never,
      HOOKS: restarted(env.HOOKS as never, (state) => ({
        sender: new Sender(state, service),
      })) as never,
    };
  }

  fetch = (request: Request): Promise<Response> => serve(request, this.#bindings);

  /** A request to the administration area, as the owner. */
  async admin(method: string, path: string, body?: object): Promise<Answer> {
    return answerOf(await this.fetch(await adminRequest(method, path, body)));
  }

  /** Wakes the webhook and runs its alarm now. */
  async deliver(id: string): Promise<void> {
    await (this.#bindings.HOOKS as typeof env.HOOKS).getByName(id).wake(id);
    await runDurableObjectAlarm(env.HOOKS.getByName(id));
  }
}
