import { env } from "cloudflare:workers";
import { runMoves } from "../../src/actions/run-moves.ts";
import { workerPorts, workerSettings, type WorkerBindings } from "../../src/platform.ts";
import { createService } from "../../src/service.ts";
import { movedTables } from "../../src/store/db/moved-tables.ts";
import { first, home, second, valueOf } from "./installation";

/** Moves of collections between the databases of a test, as the schedule carries them out. */

export type Names = "DB" | "DATA_01" | "DATA_02";
export const databaseOf: Record<Names, D1Database> = { DB: home, DATA_01: first, DATA_02: second };

export function scheduleContext(replaced: object = {}) {
  const bindings: WorkerBindings & Record<string, unknown> = {
    ...env,
    DATA_01: first,
    DATA_02: second,
    ...replaced,
  };
  const ports = workerPorts(bindings);
  const service = createService(ports, workerSettings(bindings));
  return { databases: service.databases, files: service.files, now: () => Date.now() };
}

export const phaseOf = (name: string) =>
  valueOf(home, "select phase from collection_move where name = ? order by id desc limit 1", name);

/** Requests a move as `npm run databases -- move` does. */
export const request = (name: string, target: Names) =>
  home
    .prepare(
      `insert into collection_move (name, target, phase, actor, requested_at, changed_at)
        values (?, ?, 'requested', 'system', ?, ?)`,
    )
    .bind(name, target, Date.now(), Date.now())
    .run();

/** All isolates know of the move, requests have ended, and earlier runs are surely over. */
export const letTimePass = () =>
  home
    .prepare(
      `update collection_move set announced_at = announced_at - 100000, moved_at = moved_at - 100000, leased_until = 0`,
    )
    .run();

/** Runs the schedule until the move is over. */
export async function finish(name: string, ctx = scheduleContext(), maxRuns = 20): Promise<void> {
  for (let runs = 0; runs < maxRuns; runs += 1) {
    await runMoves(ctx);
    const phase = await phaseOf(name);
    if (phase === "kept" || phase === "stopped" || phase === "done") return;
    await letTimePass();
  }
  const move = await home
    .prepare("select * from collection_move where name = ? order by id desc")
    .bind(name)
    .first();
  throw new Error(`The move does not end: ${JSON.stringify(move)}`);
}

/** All rows of a collection in a database, by table, as text. */
export async function rowsOf(db: D1Database, id: number): Promise<Record<string, string[]>> {
  const ranges = {
    number: (column: string) => `${column} / 4294967296 = ${id}`,
    id: (column: string) => `${column} = ${id}`,
    absolute: (column: string) => `abs(${column}) = ${id}`,
    item: (column: string) => `substr(${column}, 15, 6) = printf('%06d', ${id}) or ${id} > 9`,
  };
  const tables: Record<string, string[]> = {};
  for (const { name, column, span } of movedTables()) {
    const { results } = await db
      .prepare(`select * from ${name} where ${ranges[span](column)}`)
      .all();
    tables[name] = results.map((row) => JSON.stringify(row)).toSorted();
  }
  return tables;
}

export const idOf = async (key: string): Promise<number> =>
  Number(
    (await valueOf(home, "select collection_id from placement where key = ?", key)) ??
      (await valueOf(home, "select id from collection where key = ?", key)),
  );

/** How many calls a run may make. It dies before the next one, or after that one was stored. */
export interface Life {
  calls: number;
  dies: "before" | "after";
}

/** Runs a call of a database, whose SQL it knows. */
type Call = <T>(sql: string, run: () => Promise<T>) => Promise<T>;

/** All databases. Their calls go through `call`. */
export function intercepted(call: Call): Record<Names, D1Database> {
  const texts = new WeakMap<object, string>();
  const originals = new WeakMap<object, D1PreparedStatement>();
  const wrapStatement = (statement: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const wrapped = {
      bind: (...values: unknown[]) => wrapStatement(statement.bind(...values), sql),
      all: () => call(sql, () => statement.all()),
      run: () => call(sql, () => statement.run()),
      first: () => call(sql, () => statement.first()),
      raw: () => call(sql, () => statement.raw()),
    } as unknown as D1PreparedStatement;
    texts.set(wrapped, sql);
    originals.set(wrapped, statement);
    return wrapped;
  };
  const wrap = (db: D1Database) =>
    ({
      prepare: (sql: string) => wrapStatement(db.prepare(sql), sql),
      batch: (statements: D1PreparedStatement[]) =>
        call(statements.map((each) => texts.get(each)).join("; "), () =>
          db.batch(statements.map((each) => originals.get(each) ?? each)),
        ),
    }) as unknown as D1Database;
  return { DB: wrap(home), DATA_01: wrap(first), DATA_02: wrap(second) };
}

/** The databases of a run that dies. */
function mortal(life: Life) {
  let calls = 0;
  const live: Call = async (_, run) => {
    calls += 1;
    if (calls > life.calls + 1 || (calls > life.calls && life.dies === "before"))
      throw new Error("The run was killed.");
    const result = await run();
    if (calls > life.calls) throw new Error("The run was killed.");
    return result;
  };
  return { dbs: intercepted(live), calls: () => calls };
}

/** Runs the schedule until the move is over, with this life for the first run. Returns how many calls that took. */
export async function finishAfter(name: string, life: Life): Promise<number> {
  const { calls, dbs } = mortal(life);
  await runMoves(scheduleContext(dbs)).catch(() => undefined);
  await letTimePass();
  await finish(name);
  return calls();
}
