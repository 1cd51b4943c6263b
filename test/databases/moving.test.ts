import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runMoves } from "../../src/actions/run-moves.ts";
import type { Client, Json } from "../support/client";
import { freshKey } from "../support/service";
import { sized } from "../support/size";
import {
  databasesOf,
  first,
  home,
  isolate,
  migrate,
  newCaller,
  second,
  useOnly,
  valueOf,
} from "./installation";
import {
  databaseOf,
  finish,
  finishAfter,
  idOf,
  letTimePass,
  phaseOf,
  request,
  rowsOf,
  scheduleContext,
  type Names,
} from "./moves";

let caller: Client;
let several: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
});
beforeEach(async () => {
  several = isolate(caller);
  await home.prepare("delete from collection_move").run();
  await home.prepare("delete from data_database").run();
});

const openAll = () => home.prepare("update data_database set used_from = 0").run();

const fields = [
  { key: "title", type: "text", unique: true },
  { key: "amount", type: "number", searchable: true },
  { key: "note", type: "text", searchable: true },
];

/** A form with items in this database. */
async function makeForm(
  database: Names,
  count = 5,
): Promise<{ key: string; path: string; items: Json[] }> {
  const key = freshKey("moved");
  await useOnly(database);
  expect((await several.put(`/forms/${key}/schema`, { fields })).status).toBe(201);
  await openAll();
  const path = `/forms/${key}/submissions`;
  const items: Json[] = [];
  for (let index = 0; index < count; index += 1) {
    const data = { title: `t${index}`, amount: index + 0.1, note: `note "${index}" é` };
    items.push((await several.post(path, { data }, { "Idempotency-Key": `${key}-${index}` })).body);
  }
  await several.patch(`/submissions/${items[0].id}`, { data: { note: "changed" } });
  await several.delete(`/submissions/${items[1].id}`);
  // What a member deleted moves along.
  await databaseOf[database]
    .prepare(
      `insert into deleted_item select number + 1000, id || 'X', collection_id, receipt_number, status, version,
        definition_version, created_at, created_by, updated_at, updated_by, last_change, 1, created_by, ?, 'Old', data
        from item where id = ?`,
    )
    .bind(Date.now() + 7 * 24 * 60 * 60 * 1000, items[0].id)
    .run();
  expect(await databasesOf(key)).toEqual([database]);
  return { key, path, items };
}

describe("A move", () => {
  it.each([
    ["DATA_01", "DATA_02"],
    ["DATA_02", "DATA_01"],
    ["DB", "DATA_01"],
    ["DATA_02", "DB"],
  ] as [Names, Names][])(
    "from %s to %s keeps all rows, the feed, cursors and unique values",
    async (source, target) => {
      const { key, path, items } = await makeForm(source);
      const id = await idOf(key);
      const before = await rowsOf(databaseOf[source], id);
      const feed = (await several.get(`/forms/${key}/changes?limit=50`)).body;
      const page = (await several.get(`${path}?limit=2`)).body;
      await request(`form:${key}`, target);
      await finish(`form:${key}`);
      expect(await phaseOf(`form:${key}`)).toBe("kept");
      expect(await databasesOf(key)).toEqual([target]);
      expect(await rowsOf(databaseOf[target], id)).toEqual(before);
      const stale = several;
      expect((await stale.get(`/forms/${key}/changes?limit=50`)).body.items).toEqual(feed.items);
      const rest = await stale.get(page.links.next.replace(/^.*\/api\/v1/, ""));
      expect(rest.status).toBe(200);
      const again = await stale.post(
        path,
        { data: { title: "t0", amount: 0.1, note: 'note "0" é' } },
        { "Idempotency-Key": `${key}-0` },
      );
      expect([again.status, again.body.id]).toEqual([201, items[0].id]);
      const duplicate = await stale.post(path, { data: { title: "t2" } });
      expect([duplicate.status, duplicate.body.code]).toEqual([409, "duplicate"]);
      expect((await stale.post(path, { data: { title: "new" } })).status).toBe(201);
      const triggers = "select count(*) from sqlite_schema where type = 'trigger'";
      for (const db of [home, first, second]) expect(await valueOf(db, triggers)).toBe(0);
    },
  );
});

/** What clients do while a form moves, and what they know of its items. */
class Traffic {
  readonly #client: Client;
  readonly #key: string;
  /** The titles of the items that exist, by ID. */
  readonly titles = new Map<string, string>();
  readonly refused: string[] = [];
  slowestMs = 0;
  isOver = false;

  constructor(client: Client, key: string) {
    this.#client = client;
    this.#key = key;
  }

  async #send(work: () => Promise<{ status: number; body: Json }>): Promise<Json> {
    const startedAt = Date.now();
    const { status, body } = await work();
    this.slowestMs = Math.max(this.slowestMs, Date.now() - startedAt);
    if (status < 300) return body ?? {};
    this.refused.push(`${status} ${body?.code}`);
    this.isOver = true;
    return undefined;
  }

  async write(worker: number): Promise<void> {
    const client = this.#client;
    const path = `/forms/${this.#key}/submissions`;
    const own: string[] = [];
    for (let round = 0; !this.isOver; round += 1) {
      // On a busy machine, requests without a pause keep all timers from running, also those of waiting writes.
      await scheduler.wait(1);
      const title = `w${worker}-${round}`;
      const headers = { "Idempotency-Key": `${this.#key}-${title}` };
      const create = () => client.post(path, { data: { title, amount: round } }, headers);
      const created = await this.#send(create);
      if (created) {
        this.titles.set(created.id, title);
        own.push(created.id);
        const again = await this.#send(create);
        if (again && again.id !== created.id) this.refused.push(`${again.id} is another item`);
      }
      const [older] = own;
      if (older && round % 3 === 1) {
        const patch = { data: { title: `${title}-patched` } };
        if (await this.#send(() => client.patch(`/submissions/${older}`, patch)))
          this.titles.set(older, `${title}-patched`);
      }
      if (older && round % 5 === 2) {
        own.shift();
        if (await this.#send(() => client.delete(`/submissions/${older}`)))
          this.titles.delete(older);
      }
      if (round % 4 === 3) {
        const operations = ["x", "y"].map((part) => ({
          op: "create",
          data: { title: `${title}${part}` },
        }));
        const batch = await this.#send(() =>
          client.post(`${path}/batch?return=representation`, { operations }),
        );
        for (const result of batch?.results ?? [])
          this.titles.set(result.item.id, result.item.data.title);
      }
    }
  }
}

/** All items of a form, by ID. */
async function titlesOf(client: Client, path: string): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  let next: string | undefined = `${path}?limit=100`;
  while (next) {
    const { body } = (await client.get(next)) as { body: Json };
    for (const item of body.items) titles.set(item.id, item.data.title);
    next = body.links.next?.replace(/^.*\/api\/v1/, "");
  }
  return titles;
}

describe("While a form moves", () => {
  it("requests succeed, and no item is lost, doubled or reordered", async () => {
    const { key, path } = await makeForm("DATA_01", 3);
    const traffic = new Traffic(several, key);
    for (const [id, title] of await titlesOf(several, path)) traffic.titles.set(id, title);
    const other = new Traffic(isolate(caller), key);
    const writers = [traffic.write(1), traffic.write(2), other.write(3)];
    try {
      await request(`form:${key}`, "DATA_02");
      await finish(`form:${key}`);
      await scheduler.wait(100);
    } finally {
      traffic.isOver = other.isOver = true;
      await Promise.all(writers);
    }
    expect([...traffic.refused, ...other.refused]).toEqual([]);
    expect(Math.max(traffic.slowestMs, other.slowestMs)).toBeLessThan(2500);
    const expected = new Map([...traffic.titles, ...other.titles]);
    expect(await titlesOf(isolate(caller), path)).toEqual(expected);
    expect(await databasesOf(key)).toEqual(["DATA_02"]);
    const id = await idOf(key);
    const changes = `select count(*) as n, max(number) - min(number) + 1 as span from change where number / 4294967296 = ?`;
    const row = await second.prepare(changes).bind(id).first<Json>();
    expect(row.n).toBe(row.span);
    const live = "select live from tally where collection_id = ?";
    expect(await valueOf(second, live, id)).toBe(expected.size);
  });
});

describe("A run of the schedule that is killed at any of its calls", () => {
  it("is continued by the next run", async () => {
    let calls = 1;
    for (let step = 0; calls > step; step += sized(9, 1)) {
      const { key, path, items } = await makeForm("DATA_01", 2);
      const id = await idOf(key);
      const before = await rowsOf(first, id);
      await request(`form:${key}`, "DATA_02");
      await runMoves(scheduleContext());
      await letTimePass();
      const dies = step % 2 === 0 ? "before" : "after";
      calls = await finishAfter(`form:${key}`, { calls: step, dies });
      expect([step, await rowsOf(second, id)]).toEqual([step, before]);
      expect(await databasesOf(key)).toEqual(["DATA_02"]);
      expect((await several.get(`/submissions/${items[0].id}`)).status).toBe(200);
      expect((await several.post(path, { data: { title: `after ${step}` } })).status).toBe(201);
    }
  });
});

describe("A move that a restore of the home database undoes", () => {
  /** What runs of the schedule are after the restore. */
  const restored = () => scheduleContext({ RESTORES: "1", RESTORE_EPOCH: "later" });

  it.each(["copying", "flipping"])("stops in the phase %s and leaves no copy", async (phase) => {
    const { key, path } = await makeForm("DATA_01");
    const id = await idOf(key);
    await request(`form:${key}`, "DATA_02");
    for (let runs = 0; runs < 3; runs += 1) await runMoves(scheduleContext());
    await letTimePass();
    expect(await valueOf(second, "select count(*) from item where collection_id = ?", id)).toBe(4);
    // The home database forgets the runs that the other ones remember.
    await home.prepare("update collection_move set run = 0, phase = ?").bind(phase).run();
    await finish(`form:${key}`, restored());
    expect(await phaseOf(`form:${key}`)).toBe("stopped");
    expect(await databasesOf(key)).toEqual(["DATA_01"]);
    for (const table of ["item", "change", "tally"])
      expect([table, (await rowsOf(second, id))[table] ?? []]).toEqual([table, []]);
    expect((await several.post(path, { data: { title: "after" } })).status).toBe(201);
    await request(`form:${key}`, "DATA_02");
    await finish(`form:${key}`, restored());
    expect(await databasesOf(key)).toEqual(["DATA_02"]);
  });
});

describe("A move whose runs the home database has forgotten", () => {
  it("goes on with a higher number than that of any run that the other databases know", async () => {
    const { key } = await makeForm("DATA_01", 2);
    await request(`form:${key}`, "DATA_02");
    await home.prepare("update collection_move set run = 5000").run();
    await runMoves(scheduleContext());
    await home.prepare("update collection_move set run = 0").run();
    await letTimePass();
    await finish(`form:${key}`);
    expect(await databasesOf(key)).toEqual(["DATA_02"]);
    expect(await valueOf(home, "select run from collection_move")).toBeGreaterThan(5001);
  });
});

describe("A move whose triggers are gone before its end", () => {
  it("stops, because changes may have been missed, and the form stays", async () => {
    const { key, path, items } = await makeForm("DATA_01");
    await request(`form:${key}`, "DATA_02");
    for (let runs = 0; runs < 3; runs += 1) await runMoves(scheduleContext());
    expect(await phaseOf(`form:${key}`)).toBe("following");
    await first.prepare("drop trigger move_item_update").run();
    const changed = { data: { title: "missed" } };
    expect((await several.patch(`/submissions/${items[0].id}`, changed)).status).toBe(200);
    await letTimePass();
    await finish(`form:${key}`);
    expect(await phaseOf(`form:${key}`)).toBe("stopped");
    expect(await valueOf(home, "select problem from collection_move")).toBe(
      "unequal_copy move_log",
    );
    expect(await databasesOf(key)).toEqual(["DATA_01"]);
    expect((await several.get(`/submissions/${items[0].id}`)).body.data.title).toBe("missed");
    expect((await several.post(path, { data: { title: "after" } })).status).toBe(201);
  });
});
