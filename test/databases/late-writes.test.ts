import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import { copiedTables } from "../../src/store/db/moved-tables.ts";
import type { Client } from "../support/client";
import { freshKey } from "../support/service";
import { isFullSize } from "../support/size";
import { databasesOf, first, home, isolate, migrate, newCaller, useOnly } from "./installation";
import {
  databaseOf,
  finish,
  idOf,
  intercepted,
  letTimePass,
  phaseOf,
  request,
  rowsOf,
  scheduleContext,
  type Names,
} from "./moves";

/** D1 may run a call whose answer was lost, minutes after the schedule has repeated it. */

let several: Client;
beforeAll(async () => {
  await migrate();
  several = isolate(await newCaller());
});
beforeEach(async () => {
  await home.prepare("update collection_move set phase = 'done'").run();
});

interface Form {
  /** `form:late_1`. */
  name: string;
  key: string;
  id: number;
}

/** Creates a form in DATA_01 with three items, and a file that is not attached. */
async function makeForm(): Promise<Form> {
  const key = freshKey("late");
  await useOnly("DATA_01");
  const fields = [{ key: "title", type: "text", searchable: true }];
  expect((await several.put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  await home.prepare("update data_database set used_from = 0").run();
  for (const title of ["a", "b", "c"])
    await several.post(`/forms/${key}/submissions`, { data: { title } });
  const id = await idOf(key);
  await first
    .prepare(
      `insert into file (id, collection_id, field, owner, name, bytes, sha256, created_at)
        values (?, ?, 1, 'system', 'a.txt', 1, '', ?)`,
    )
    .bind(`file_${key}`, id, Date.now())
    .run();
  return { name: `form:${key}`, key, id };
}

interface Write {
  sql: string;
  /** Runs it once more. */
  repeat: () => Promise<unknown>;
}

const isWrite = (sql: string) => /\b(insert|update|delete|create|drop)\b/i.test(sql);

/** A claim that runs late counts a run that nobody works on. */
const isClaim = (sql: string) => sql.startsWith("update collection_move set run = ");

/** The context of runs whose writes are recorded. */
function recorded(writes: Write[]) {
  const dbs = intercepted((sql, run) => {
    if (isWrite(sql) && !isClaim(sql))
      writes.push({ sql, repeat: () => run().catch(() => undefined) });
    return run();
  });
  return scheduleContext(dbs);
}

/** Everything in all databases, as text. */
async function loadAll(): Promise<string> {
  const contents = Object.entries(databaseOf).map(async ([name, db]) => {
    const { results: schema } = await db
      .prepare(
        "select type, name from sqlite_schema where type in ('table', 'trigger') and name not like '\\_cf%' escape '\\'",
      )
      .all<{ type: string; name: string }>();
    const tables = schema.filter(({ type }) => type === "table");
    const rows = await db.batch(tables.map((each) => db.prepare(`select * from ${each.name}`)));
    // A lease ends by itself.
    const withoutLeases = (key: string, value: unknown) =>
      key === "leased_until" ? undefined : value;
    return JSON.stringify([name, schema, rows.map(({ results }) => results)], withoutLeases);
  });
  return (await Promise.all(contents)).join("\n");
}

/** Runs the writes again. Returns everything in all databases before and after that. */
async function repeatAll(late: readonly Write[]): Promise<[before: string, after: string]> {
  const before = await loadAll();
  // The last ones come first, so that those that clean up hide nothing.
  for (const { repeat } of late.toReversed()) await repeat();
  return [before, await loadAll()];
}

/** Stops the move as a member does. */
const stop = (name: string) =>
  home
    .prepare(
      "update collection_move set phase = 'stopping', position = null where name = ? and phase in ('copying', 'following')",
    )
    .bind(name)
    .run();

/** Begins a move from DATA_01 to DATA_02, and stops it. Returns the writes of its runs. */
async function stoppedMove(name: string): Promise<Write[]> {
  const writes: Write[] = [];
  await request(name, "DATA_02");
  await runMoves(recorded(writes));
  expect(await phaseOf(name)).toBe("following");
  await stop(name);
  await finish(name, recorded(writes));
  expect(await phaseOf(name)).toBe("stopped");
  return writes;
}

/**
 * Runs a move to its end, while the writes of an earlier one arrive after each run. Returns the names of the databases that
 * have the form afterwards.
 */
async function finishDespite(
  late: readonly Write[],
  { name, key, id }: Form,
  target: Names,
): Promise<string[]> {
  const path = `/forms/${key}/submissions`;
  await request(name, target);
  for (let runs = 0; runs < 20; runs += 1) {
    await runMoves(scheduleContext());
    const [before, after] = await repeatAll(late);
    expect(after).toBe(before);
    const phase = await phaseOf(name);
    if (phase === "kept") {
      const rows = await rowsOf(databaseOf[target], id);
      const counts = ["item", "change", "file"].map((table) => rows[table]?.length);
      expect(counts).toEqual([4, 4, 1]);
      break;
    }
    // The move has to follow this.
    if (phase === "following")
      await several.post(path, { data: { title: "d" } }, { "Idempotency-Key": `${key}-d` });
    await letTimePass();
  }
  return databasesOf(key);
}

describe("A write of a stopped move that arrives late", () => {
  it("changes nothing", async () => {
    const { name } = await makeForm();
    const [before, after] = await repeatAll(await stoppedMove(name));
    expect(after).toBe(before);
  });

  it("changes nothing while the same form moves", async () => {
    const form = await makeForm();
    const late = await stoppedMove(form.name);
    expect(await finishDespite(late, form, "DATA_02")).toEqual(["DATA_02"]);
  });

  it("changes nothing while another form moves", async () => {
    const late = await stoppedMove((await makeForm()).name);
    expect(await finishDespite(late, await makeForm(), "DATA_02")).toEqual(["DATA_02"]);
  });
});

/** Moves a form from DATA_01 to DATA_02. Returns the writes of its runs. */
async function finishedMove(name: string): Promise<Write[]> {
  const writes: Write[] = [];
  await request(name, "DATA_02");
  await finish(name, recorded(writes));
  expect(await phaseOf(name)).toBe("kept");
  return writes;
}

describe("A write of a finished move that arrives late", () => {
  it("changes nothing", async () => {
    const { name } = await makeForm();
    const [before, after] = await repeatAll(await finishedMove(name));
    expect(after).toBe(before);
  });

  it("changes nothing while the form moves back", async () => {
    const form = await makeForm();
    const late = await finishedMove(form.name);
    expect(await finishDespite(late, form, "DATA_01")).toEqual(["DATA_01"]);
  });

  it("changes nothing while another form moves", async () => {
    const late = await finishedMove((await makeForm()).name);
    expect(await finishDespite(late, await makeForm(), "DATA_02")).toEqual(["DATA_02"]);
  });
});

describe("A write that arrives again after later writes of its run", () => {
  it("changes nothing", async () => {
    const all = Array.from({ length: 14 }, (_, index) => 1 + index * 3);
    for (const distance of isFullSize ? all : [27, 40]) {
      const { name, key, id } = await makeForm();
      const writes: Write[] = [];
      let calls = 0;
      const dbs = intercepted(async (sql, run) => {
        calls += 1;
        // Clients change rows between some of the steps.
        if (calls % 9 === 0)
          await first
            .prepare(
              `update item set updated_at = updated_at + 1 where collection_id = ?1
                and (select state from owner where collection_id = ?1) = 'owned'`,
            )
            .bind(id)
            .run();
        if (!isWrite(sql) || isClaim(sql)) return run();
        writes.push({ sql, repeat: () => run().catch(() => undefined) });
        const result = await run();
        await writes.at(-1 - distance)?.repeat();
        return result;
      });
      await request(name, "DATA_02");
      await finish(name, scheduleContext(dbs));
      expect([distance, await phaseOf(name), await databasesOf(key)]).toEqual([
        distance,
        "kept",
        ["DATA_02"],
      ]);
      const [given, taken] = await Promise.all([
        rowsOf(databaseOf.DATA_01, id),
        rowsOf(databaseOf.DATA_02, id),
      ]);
      for (const { name: table } of copiedTables())
        if (table !== "file")
          expect([distance, table, taken[table]]).toEqual([distance, table, given[table]]);
    }
  });
});
