import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { freshKey } from "../support/service";
import { openDatabases, type Databases } from "../../src/store/db/database.ts";
import { primary } from "../../src/store/db/session.ts";
import {
  bothDatabases,
  breakable,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  second,
  valueOf,
} from "./installation";

let caller: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
  await home.batch(
    [
      ["DATA_01", 0],
      ["DATA_02", Date.now() + 1e9],
    ].map((values) =>
      home.prepare("insert into data_database values (?, null, ?)").bind(...values),
    ),
  );
});

/** The tables of a collection in this test, with the column of its id or numbers. */
const tables = ["collection", "tally", "item"];

/** Copies a collection to the second database and gives it to that database, as a move does. */
async function move(key: string): Promise<void> {
  const id = await idOf(key);
  for (const table of tables) {
    const column = table === "collection" ? "id" : "collection_id";
    const { results } = await first
      .prepare(`select * from ${table} where ${column} = ?`)
      .bind(id)
      .all();
    for (const row of results)
      await second
        .prepare(
          `insert into ${table} (${Object.keys(row).join()}) values (${Object.keys(row)
            .map(() => "?")
            .join()})`,
        )
        .bind(...Object.values(row))
        .run();
  }
  await second
    .prepare("insert into owner (collection_id, epoch, state) values (?, 2, 'owned')")
    .bind(id)
    .run();
  await setOwner(key, "moved");
  await home
    .prepare("update placement set database = 'DATA_02', epoch = 2 where collection_id = ?")
    .bind(id)
    .run();
}

const idOf = (key: string) =>
  valueOf(home, "select collection_id from placement where key = ?", key);
const setOwner = async (key: string, state: string) =>
  first
    .prepare("update owner set state = ?, frozen_until = 9e15 where collection_id = ?")
    .bind(state, await idOf(key))
    .run();

describe("An isolate that has cached where a collection is", () => {
  let key: string;
  let path: string;
  let item: Json;
  let stale: Client;
  beforeEach(async () => {
    stale = isolate(caller);
    key = freshKey("moving");
    path = `/forms/${key}/submissions`;
    const fields = [{ key: "title", type: "text", searchable: false }];
    await stale.put(`/forms/${key}/schema`, { fields });
    item = (await stale.post(path, { data: { title: "a" } })).body;
    await stale.get(path);
  });

  it("reads and writes in the new database after a move, with the first request", async () => {
    await move(key);
    await first.prepare("update item set data = '{}' where id = ?").bind(item.id).run();
    const read = await stale.get(`/submissions/${item.id}`);
    expect([read.status, read.body.data.title]).toEqual([200, "a"]);
    expect((await stale.post(path, { data: { title: "b" } })).status).toBe(201);
    const count = "select count(*) from item where collection_id = ?";
    const id = await idOf(key);
    expect([await valueOf(first, count, id), await valueOf(second, count, id)]).toEqual([1, 2]);
  });

  it("stores nothing in the former database when its first request is a write", async () => {
    await move(key);
    const answers = [
      await stale.post(path, { data: { title: "b" } }),
      await stale.patch(`/submissions/${item.id}`, { data: { title: "c" } }),
      await stale.put(`/forms/${key}/schema`, { fields: [{ key: "name", type: "text" }] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    const version = "select version from collection where id = ?";
    const id = await idOf(key);
    expect([await valueOf(first, version, id), await valueOf(second, version, id)]).toEqual([1, 2]);
    expect((await stale.get(`${path}?limit=5`)).body.items).toHaveLength(2);
  });

  it("goes on reading while the collection is frozen, and returns 503 to writes after two seconds", async () => {
    await setOwner(key, "frozen");
    expect((await stale.get(`/submissions/${item.id}`)).status).toBe(200);
    const startedAt = Date.now();
    const refused = await stale.post(path, { data: { title: "b" } });
    expect([refused.status, refused.body.code, refused.headers.get("Retry-After")]).toEqual([
      503,
      "try_again",
      "1",
    ]);
    expect(Date.now() - startedAt).toBeGreaterThan(1500);
    expect(Date.now() - startedAt).toBeLessThan(4000);
  });

  it("finishes a write that waits while the freeze ends, in the database that then has it", async () => {
    for (const end of [() => setOwner(key, "owned"), () => move(key)]) {
      await setOwner(key, "frozen");
      const write = stale.post(path, { data: { title: "late" } });
      await scheduler.wait(300);
      await end();
      expect((await write).status).toBe(201);
    }
    const count = "select count(*) from item where collection_id = ?";
    expect(await valueOf(second, count, await idOf(key))).toBe(3);
  });

  it("returns 503 where the collection is in a database that it does not have yet", async () => {
    const older = isolate(caller, { ...bothDatabases, DATA_02: undefined });
    expect((await older.get(path)).status).toBe(200);
    await move(key);
    const refused = await older.get(path);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect((await stale.get(path)).status).toBe(200);
  });

  it("reads its cached placement without the home database", async () => {
    const asked: string[] = [];
    const watched = breakable(home, () => false);
    const counting = new Proxy(watched, {
      get(target, name) {
        if (name === "prepare")
          return (sql: string) => {
            if (sql.includes("from placement")) asked.push(sql);
            return target.prepare(sql);
          };
        return Reflect.get(target, name) as unknown;
      },
    });
    const counted = isolate(caller, { ...bothDatabases, DB: counting });
    for (let round = 0; round < 3; round += 1) {
      await counted.get(path);
      await counted.post(path, { data: {} });
      await counted.get(`/submissions/${item.id}`);
    }
    expect(asked).toHaveLength(1);
  });
});

describe("Batches of a collection that moves", () => {
  /** Databases with a clock that sleeps at once, and with lookups that take so long. */
  function withClock({ lookupMs }: { lookupMs: number }) {
    let nowMs = 0;
    const slowHome = new Proxy(home, {
      get: (target, name) => (sql: string) => {
        if (sql.includes("from placement")) nowMs += lookupMs;
        return (Reflect.get(target, name) as (sql: string) => unknown).call(target, sql);
      },
    });
    const clock = {
      now: () => nowMs,
      sleep: async (ms: number) => void (nowMs += ms),
      timer: () => ({ done: new Promise<void>(() => undefined), cancel: () => undefined }),
    };
    const timing = { clock, random: { number: () => 0 }, timeouts: { storageMs: 10_000 } };
    const databases = openDatabases({ home: slowHome, data: { DATA_01: first } }, timing);
    /** How long a batch waits before it gives up. */
    const wait = async (through: Databases): Promise<number> => {
      const startedAt = nowMs;
      const statement = through.of({ id }).prepare<"data">("select 1 as one");
      await expect(statement.first()).rejects.toMatchObject({ code: "try_again" });
      return nowMs - startedAt;
    };
    return { databases, wait };
  }
  let id: number;
  beforeAll(async () => {
    const key = freshKey("frozen");
    await isolate(caller).put(`/forms/${key}/schema`, { fields: [{ key: "title", type: "text" }] });
    id = Number(await idOf(key));
    await setOwner(key, "moved");
  });

  it("wait two seconds in a request, all together", async () => {
    const { databases, wait } = withClock({ lookupMs: 0 });
    const request = databases.forRequest();
    expect(await wait(request)).toBe(2000);
    expect(await wait(request)).toBe(0);
    expect(await wait(request.openSession(primary).databases)).toBe(0);
    expect(await wait(databases.forRequest())).toBe(2000);
  });

  it("wait two seconds each in background work", async () => {
    const { databases, wait } = withClock({ lookupMs: 0 });
    expect([await wait(databases), await wait(databases)]).toEqual([2000, 2000]);
  });

  it("wait no longer where the directory is slow", async () => {
    const { databases, wait } = withClock({ lookupMs: 400 });
    // The two lookups before the wait, and the one that was under way at its end.
    expect(await wait(databases.forRequest())).toBeLessThanOrEqual(2000 + 3 * 400);
  });
});
