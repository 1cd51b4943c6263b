import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { freshKey } from "../support/service";
import {
  bothDatabases,
  breakable,
  databasesOf,
  first,
  home,
  homeAlone,
  isolate,
  migrate,
  newCaller,
  second,
  useOnly,
  valueOf,
} from "./installation";

const fields = [{ key: "title", type: "text", unique: true }];
const aReference = (app: string, key = "customer") => ({ key, type: "reference", app });

let caller: Client;
let several: Client;
beforeAll(async () => {
  await migrate();
  caller = await newCaller();
});
beforeEach(async () => {
  several = isolate(caller);
  await home.prepare("delete from data_database").run();
});

const define = (by: Client, path: string, document: object = { fields }) =>
  by.put(`/${path}/schema`, document);

const setLocations = (...locations: [string, string | null][]) =>
  home.batch(
    locations.map(([name, location]) =>
      home.prepare("insert or replace into data_database values (?, ?, 0)").bind(name, location),
    ),
  );

describe("A new collection", () => {
  it("is stored in one data database alone, and works there like in the home database", async () => {
    const key = freshKey("placed");
    expect((await define(several, `forms/${key}`)).status).toBe(201);
    expect(await databasesOf(key)).toHaveLength(1);
    expect(await databasesOf(key)).not.toContain("DB");
    const path = `/forms/${key}/submissions`;
    const created = await several.post(path, { data: { title: "a" } }, { "Idempotency-Key": "k" });
    expect(created.status).toBe(201);
    const repeated = await several.post(path, { data: { title: "a" } }, { "Idempotency-Key": "k" });
    expect([repeated.status, repeated.body.id]).toEqual([201, created.body.id]);
    const taken = await several.post(path, { data: { title: "a" } });
    expect([taken.status, taken.body.code]).toEqual([409, "duplicate"]);
    const cold = isolate(caller);
    for (const read of [`/submissions/${created.body.id}`, path, `/forms/${key}/changes?limit=5`])
      expect([read, (await cold.get(read)).status]).toEqual([read, 200]);
    const changed = await cold.patch(`/submissions/${created.body.id}`, { data: { title: "b" } });
    expect(changed.status).toBe(200);
    expect(await valueOf(home, "select count(*) from item where id = ?", created.body.id)).toBe(0);
  });

  it("goes to the database with the fewest bytes, and is listed with those of other databases", async () => {
    await first.prepare("create table if not exists filler (text)").run();
    await first.prepare("insert into filler select hex(zeroblob(500000))").run();
    const legacy = freshKey("legacy");
    expect((await define(isolate(caller, homeAlone), `apps/${legacy}`)).status).toBe(201);
    const key = freshKey("roomy");
    await define(several, `apps/${key}`);
    expect(await databasesOf(key)).toEqual(["DATA_02"]);
    const { body } = await several.get("/apps?limit=200");
    const keys = body.items.map((item: { key: string }) => item.key);
    expect(keys).toContain(key);
    if (await valueOf(home, "select count(*) from collection where key = ?", legacy))
      expect(keys).toContain(legacy);
  });

  it("stays in the home database while the first data database is being added", async () => {
    await useOnly();
    const key = freshKey("early");
    expect((await define(several, `forms/${key}`)).status).toBe(201);
    expect(await databasesOf(key)).toEqual(["DB"]);
    expect((await several.post(`/forms/${key}/submissions`, { data: {} })).status).toBe(201);
  });

  it("has an id that no other database gives", async () => {
    const ids = new Set<unknown>();
    for (let round = 0; round < 3; round += 1)
      for (const name of ["DATA_01", "DATA_02", ""]) {
        await useOnly(name);
        const key = freshKey("numbered");
        await define(several, `forms/${key}`);
        const id = await valueOf(home, "select collection_id from placement where key = ?", key);
        ids.add(id);
      }
    expect(ids.size).toBe(9);
  });

  it("is created once when several requests race for its key", async () => {
    const key = freshKey("raced");
    const isolates = Array.from({ length: 6 }, () => isolate(caller));
    const answers = await Promise.all(isolates.map((by) => define(by, `forms/${key}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(await databasesOf(key)).toHaveLength(1);
  });

  it("is continued by the next PUT after a creation that stopped before or after it was stored", async () => {
    for (const stop of ['insert into "collection"', 'update "placement"']) {
      const key = freshKey("stopped");
      let isBroken = true;
      const breaks = (sql: string) => isBroken && sql.includes(stop);
      const broken = {
        DB: breakable(home, breaks),
        DATA_01: breakable(first, breaks),
        DATA_02: breakable(second, breaks),
      };
      expect((await define(isolate(caller, broken), `forms/${key}`)).status).toBe(503);
      isBroken = false;
      const id = await valueOf(home, "select collection_id from placement where key = ?", key);
      expect(id).toBeGreaterThan(0);
      expect([stop, [200, 201].includes((await define(several, `forms/${key}`)).status)]).toEqual([
        stop,
        true,
      ]);
      expect(await databasesOf(key)).toHaveLength(1);
      expect(await valueOf(home, "select collection_id from placement where key = ?", key)).toBe(
        id,
      );
      expect((await several.post(`/forms/${key}/submissions`, { data: {} })).status).toBe(201);
    }
  });

  it("is created elsewhere when an unfinished creation chose a database that is not allowed anymore", async () => {
    const key = freshKey("replaced");
    await useOnly("DATA_01");
    const breaks = (sql: string) => sql.includes('insert into "collection"');
    const broken = isolate(caller, { ...bothDatabases, DATA_01: breakable(first, breaks) });
    expect((await define(broken, `forms/${key}`)).status).toBe(503);
    await setLocations(["DATA_02", "eu"], ["DATA_01", null]);
    const answer = await define(several, `forms/${key}`, { fields, location: "eu" });
    expect(answer.status).toBe(201);
    expect(await databasesOf(key)).toEqual(["DATA_02"]);
  });
});

describe("The location of a collection", () => {
  it("keeps responses for an Idempotency-Key out of KV if it is a jurisdiction", async () => {
    await setLocations(["DATA_01", "weur"], ["DATA_02", "eu"]);
    const stored = async () => (await env.REPLAYS.list()).keys.length;
    for (const [location, copies] of [
      ["eu", 0],
      ["weur", 1],
    ] as const) {
      const key = freshKey("kept");
      await define(several, `forms/${key}`, { fields, location });
      const before = await stored();
      const create = () =>
        several.post(
          `/forms/${key}/submissions`,
          { data: { title: "a" } },
          { "Idempotency-Key": key },
        );
      const [created, again] = [await create(), await create()];
      expect([created.status, again.status, again.body.id]).toEqual([201, 201, created.body.id]);
      await scheduler.wait(50);
      expect([location, (await stored()) - before]).toEqual([location, copies]);
    }
  });

  it("is chosen when it is created, shown, and never changed", async () => {
    await setLocations(["DATA_01", "apac"], ["DATA_02", "eu"]);
    for (const [location, database] of [
      ["apac", "DATA_01"],
      ["eu", "DATA_02"],
    ] as const) {
      const key = freshKey("located");
      const path = `apps/${key}`;
      const created = await define(several, path, { fields, location });
      expect([created.status, created.body.location]).toEqual([201, location]);
      expect(await databasesOf(key)).toEqual([database]);
      const { body } = await several.get(`/${path}/schema`);
      expect(body.location).toBe(location);
      expect((await define(several, path, body)).status).toBe(200);
      expect((await define(several, path)).body.location).toBe(location);
      const moved = await define(several, path, { fields, location: "us" });
      expect([moved.status, moved.body.errors[0].pointer]).toEqual([422, "/location"]);
      const patched = await several.patch(`/${path}/schema`, { name: "New" });
      expect([patched.status, patched.body.location]).toEqual([200, location]);
    }
  });

  it("is 422 where no database is, also in a dry run, and in an installation with one database", async () => {
    await setLocations(["DATA_01", "apac"]);
    const path = `/forms/${freshKey("nowhere")}/schema`;
    for (const query of ["", "?dry_run=true"]) {
      const refused = await several.put(path + query, { fields, location: "eu" });
      expect([refused.status, refused.body.errors]).toMatchObject([
        422,
        [{ pointer: "/location", code: "invalid_definition" }],
      ]);
      expect(refused.body.errors[0].reason ?? refused.text).toContain("apac");
    }
    const single = await isolate(caller, homeAlone).put(path, { fields, location: "eu" });
    expect(single.status).toBe(422);
    expect((await several.put(path, { fields, location: "mars" })).status).toBe(422);
  });
});

describe("Linked collections", () => {
  it("share the database of the app to which they refer", async () => {
    for (const [name, other] of [
      ["DATA_01", "DATA_02"],
      ["DATA_02", "DATA_01"],
    ] as const) {
      const [app, form] = [freshKey("customers"), freshKey("orders")];
      await useOnly(name);
      await define(several, `apps/${app}`);
      await useOnly(other);
      const document = { fields: [...fields, aReference(app)] };
      expect((await define(several, `forms/${form}`, document)).status).toBe(201);
      expect(await databasesOf(form)).toEqual([name]);
      const record = await several.post(`/apps/${app}/records`, { data: { title: "Yamada" } });
      const order = await several.post(`/forms/${form}/submissions`, {
        data: { customer: { title: "Yamada" } },
      });
      expect([order.status, order.body.data.customer]).toEqual([201, record.body.id]);
      const expanded = await several.get(`/submissions/${order.body.id}?expand=customer`);
      expect(expanded.body.included[record.body.id].data.title).toBe("Yamada");
    }
  });

  it("are refused with 409 schema_in_use when their databases differ", async () => {
    const [one, other] = [freshKey("one"), freshKey("other")];
    await useOnly("DATA_01");
    await define(several, `apps/${one}`);
    await useOnly("DATA_02");
    await define(several, `apps/${other}`);
    const both = { fields: [aReference(one, "a"), aReference(other, "b")] };
    const created = await define(several, `forms/${freshKey("linked")}`, both);
    expect([created.status, created.body.code]).toEqual([409, "schema_in_use"]);
    const changed = await define(several, `apps/${one}`, {
      fields: [...fields, aReference(other)],
    });
    expect([changed.status, changed.body.code]).toEqual([409, "schema_in_use"]);
    await setLocations(["DATA_01", "eu"], ["DATA_02", "us"]);
    const elsewhere = { fields: [aReference(one)], location: "us" };
    const placed = await define(several, `forms/${freshKey("linked")}`, elsewhere);
    expect([placed.status, placed.body.field]).toEqual([409, "location"]);
    const unknown = { fields: [aReference(freshKey("nothing"))] };
    expect((await define(several, `forms/${freshKey("linked")}`, unknown)).status).toBe(422);
  });
});
