import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { catchUp } from "../../src/actions/backfill.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Client } from "../support/client";
import { admin, client, makeForm } from "../support/service";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const run = (sql: string) => env.DB.prepare(sql).run();

describe("Work that stands in a table", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  /** As if every isolate ended right behind its answer: what is asked for stands, and nobody does it. */
  const stopped = async (act: () => Promise<unknown>) => {
    for (const [name, when] of Object.entries({ t1: "update on indexing", t2: "update on item" })) {
      await run(`create trigger ${name} before ${when} begin select raise(abort, 'gone'); end`);
    }
    await run("create trigger t3 before delete on indexing begin select raise(abort, 'gone'); end");
    await act();
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const name of ["t1", "t2", "t3"]) await run(`drop trigger ${name}`);
  };
  const idOf = async (form: string) =>
    (await findCollection(env.DB, "form", form))?.collection.id ?? 0;
  const make = async (form: string, data: object) =>
    (await integrator.post(`/forms/${form}/submissions`, { data })).body;
  const define = (form: string, fields: object[]) =>
    integrator.put(`/forms/${form}/schema`, { fields });
  const waiting = async () =>
    (await env.DB.prepare("select collection_id id, done from indexing").all()).results;
  afterEach(async () => {
    await catchUp(env.DB).catch(() => undefined);
  });

  it("a check of the index drops no recalculation that waits", async () => {
    const fields = (formula: string) => [
      { key: "a", type: "number" },
      { key: "c", type: "computed", result: "number", searchable: false, formula },
    ];
    const form = await makeForm(integrator, fields("a * 2"));
    const { id } = await make(form, { a: 1 });
    await stopped(() => define(form, fields("a * 3")));
    expect(await waiting()).toHaveLength(1);
    expect((await admin("POST", `/forms/${form}/check-index`, {})).status).toBe(204);
    await catchUp(env.DB);
    expect((await integrator.get(`/submissions/${id}`)).body.data).toEqual({ a: 1, c: 3 });
  });

  it("collections take turns: a small one is done while a large one is under way", async () => {
    const off = [text("a", { searchable: false })];
    const [large, small] = [await makeForm(integrator, off), await makeForm(integrator, off)];
    const { id } = await make(large, { a: "x" });
    await env.DB.batch([
      env.DB.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 900)
        insert into item select number + i, id || i, collection_id, receipt_number, status, version,
        definition_version, created_at + i, created_by, updated_at + i, updated_by, data, null
        from item, n where id = '${id}'`),
      env.DB.prepare("update tally set last_place = 901, live = 901 where collection_id = ?").bind(
        await idOf(large),
      ),
    ]);
    await make(small, { a: "y" });
    await stopped(async () => {
      await define(large, [text("a")]);
      await define(small, [text("a")]);
    });
    expect(await waiting()).toHaveLength(2);
    const order: number[] = [];
    const DB = new Proxy(env.DB, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          const result = await target.batch(statements);
          order.push((await waiting()).length);
          return result;
        };
      },
    });
    await catchUp(DB);
    expect(order).toEqual([2, 1, 1, 1, 1, 0].slice(0, order.length));
    expect(order.length).toBeGreaterThan(3);
  });

  it("a collection whose step fails holds up no other, and the failure is told", async () => {
    const off = [text("a", { searchable: false })];
    const [broken, sound] = [await makeForm(integrator, off), await makeForm(integrator, off)];
    const number = await idOf(broken);
    for (const form of [broken, sound]) await make(form, { a: "x" });
    await stopped(async () => {
      await define(broken, [text("a")]);
      await define(sound, [text("a")]);
    });
    await run(`create trigger no_entry before insert on search_entry
      when new.field between ${number * 2 ** 32} and ${(number + 1) * 2 ** 32}
      begin select raise(abort, 'this collection fails'); end`);
    await expect(catchUp(env.DB)).rejects.toThrow("this collection fails");
    expect(await waiting()).toEqual([{ id: number, done: 0 }]);
    await run("drop trigger no_entry");
    await catchUp(env.DB);
    expect(await waiting()).toEqual([]);
  });
});
