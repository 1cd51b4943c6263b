import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SimulatedDatabase } from "./platform/database.ts";
import { Host } from "./platform/host.ts";
import { Scheduler } from "./platform/scheduler.ts";

const repeat = (count: number, text: string, separator: string) =>
  Array.from({ length: count }, () => text).join(separator);
const marks = (count: number) => `select ${repeat(count, "?", ",")} from t`;
const text = (length: number, character = "x") => character.repeat(length);

/** Statements with their values, at a limit of D1 and beyond it. */
const statements: [name: string, sql: string, values: unknown[]][] = [
  ["100 parameters", marks(100), Array(100).fill(1)],
  ["101 parameters", marks(101), Array(101).fill(1)],
  ["a numbered parameter above 100", "select ?101", Array(101).fill(1)],
  ["a statement of 100,000 bytes", `select 1 --${text(99_989)}`, []],
  ["a statement of more than 100,000 bytes", `select 1 --${text(100_000)}`, []],
  ["a statement of 51,000 characters of two bytes", `select 1 --${text(51_000, "é")}`, []],
  ["5 compound terms", repeat(5, "select 1", " union all "), []],
  ["6 compound terms", repeat(6, "select 1", " union all "), []],
  ["VALUES with 30 rows", `values ${repeat(30, "(1)", ",")}`, []],
  ["a pattern of 50 bytes", "select 'a' like ?", [text(50)]],
  ["a pattern of 51 bytes", "select 'a' like ?", [text(51)]],
  ["a pattern of 26 characters of two bytes", "select 'a' like ?", [text(26, "é")]],
  ["a deep expression", `select ${repeat(98, "1", " and ")}`, []],
  ["an expression that is too deep", `select ${repeat(102, "1", " and ")}`, []],
  ["100 columns", `select ${repeat(100, "1", ",")}`, []],
  ["101 columns", `select ${repeat(101, "1", ",")}`, []],
  ["a value of 2,000,000 bytes", "select length(?) as n", [text(2_000_000)]],
  ["a constraint that fails", "insert into guard values (1)", []],
  ["a value that is not unique", "insert into once values (1), (1)", []],
  ["a primary key that exists", "insert into keyed values (1, 1), (1, 2)", []],
  ["a value that is missing", "insert into keyed values (2, null)", []],
  ["a missing table", "select * from missing", []],
  ["an insert that returns rows", "insert into t values (1, 2), (3, 4) returning a", []],
  ["an update of no row", "update t set a = 1 where a = 99", []],
  ["a write in a with clause", "with x as (select 5 as n) insert into t select n, n from x", []],
  ["a boolean", "select ? as value", [true]],
  ["undefined", "select ? as value", [undefined]],
  ["the type of a number", "select typeof(?) as type", [1]],
];

/** Statements above the documented 2 MB. workerd allows twice as much. */
const tooLarge: typeof statements = [
  ["a value of 2,000,001 bytes", "select length(?) as n", [text(2_000_001)]],
  ["a value of 1,000,001 characters of two bytes", "select length(?) as n", [text(1_000_001, "é")]],
  ["a computed value", "select length(zeroblob(2000001)) as n", []],
  ["a row", "insert into t values (?, ?)", [text(1_200_000), text(1_200_000)]],
];

const tables = [
  "create table t (a, b)",
  "create table once (a unique)",
  "create table keyed (k text primary key, v not null)",
  "create table guard (code, constraint form_closed check (code <> 1))",
];

describe("the simulated database", () => {
  const script = "export default { fetch: () => new Response() }";
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({ modules: true, script, d1Databases: ["DB"] }),
  );
  let real: D1Database;
  let simulated: D1Database;
  let run: <T>(work: () => Promise<T>) => Promise<T>;
  beforeAll(async () => {
    real = await miniflare.getD1Database("DB");
    const scheduler = new Scheduler(0, false);
    const db = new SimulatedDatabase("DB", new Uint8Array(), () => scheduler.now);
    simulated = db.binding(new Host("isolate", 0, scheduler, 0));
    run = async (work) => {
      const result = scheduler.within(scheduler.startActivity("test", 1), work);
      result.catch(() => undefined);
      await scheduler.advance(scheduler.now + 10_000);
      return result;
    };
    for (const sql of tables) {
      db.exec(sql);
      await real.exec(sql);
    }
  });
  afterAll(() => miniflare.dispose());

  /** Returns the result of a statement, alone and in a batch, or the message of its error. */
  const outcome = async (db: D1Database, sql: string, values: unknown[]) => {
    const bind = () => (values.length > 0 ? db.prepare(sql).bind(...values) : db.prepare(sql));
    // Node does not report the position of an error in a statement.
    const messageOf = (error: unknown) => (error as Error).message.replace(/ at offset \d+/, "");
    const all = async () => {
      const { results, meta } = await bind().all();
      return { results, changes: meta.changes };
    };
    const alone = await all().catch(messageOf);
    const batch = async () => (await db.batch([db.prepare("select 1 as one"), bind()])).length;
    return { alone, batch: await batch().catch(messageOf) };
  };

  it.each(statements)("answers as D1 does: %s", async (_, sql, values) => {
    const expected = await outcome(real, sql, values);
    expect(await run(() => outcome(simulated, sql, values))).toEqual(expected);
  });

  it.each(tooLarge)("rejects what is larger than 2 MB: %s", async (_, sql, values) => {
    const error = "D1_ERROR: string or blob too big: SQLITE_TOOBIG";
    expect(await run(() => outcome(simulated, sql, values))).toEqual({
      alone: error,
      batch: error,
    });
  });
});
