import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import { beginIndexCheck } from "../../src/store/data/index-check.ts";
import type { Client } from "../support/client";
import { admin, client, makeForm } from "../support/service";
import { dataHandle, dataDb, withDataDb } from "../support/databases";
import { background, serviceWith } from "../support/serve";

const text = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });
const run = (sql: string) => dataDb.prepare(sql).run();

describe("Backfill", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  /** Runs the requests while triggers abort all background work, as if every isolate ended after its response. */
  const withoutBackgroundWork = async (requests: () => Promise<unknown>) => {
    for (const [name, when] of Object.entries({ t1: "update on indexing", t2: "update on item" })) {
      await run(`create trigger ${name} before ${when} begin select raise(abort, 'gone'); end`);
    }
    await run("create trigger t3 before delete on indexing begin select raise(abort, 'gone'); end");
    await requests();
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const name of ["t1", "t2", "t3"]) await run(`drop trigger ${name}`);
  };
  const idOf = async (form: string) =>
    (await findCollection(dataHandle, "form", form))?.collection.id ?? 0;
  const make = async (form: string, data: object) =>
    (await integrator.post(`/forms/${form}/submissions`, { data })).body;
  const define = (form: string, fields: object[]) =>
    integrator.put(`/forms/${form}/schema`, { fields });
  const pendingWork = async () =>
    (
      await dataDb
        .prepare("select collection_id id, done from indexing")
        .all<{ id: number; done: number }>()
    ).results;
  afterEach(async () => {
    await runBackfill(background()).catch(() => undefined);
  });

  it("keeps a pending recalculation when an index check starts", async () => {
    const fields = (formula: string) => [
      { key: "a", type: "number" },
      { key: "c", type: "computed", result: "number", searchable: false, formula },
    ];
    const form = await makeForm(integrator, fields("a * 2"));
    const { id } = await make(form, { a: 1 });
    await withoutBackgroundWork(() => define(form, fields("a * 3")));
    expect(await pendingWork()).toHaveLength(1);
    expect((await admin("POST", `/forms/${form}/check-index`, {})).status).toBe(204);
    await runBackfill(background());
    expect((await integrator.get(`/submissions/${id}`)).body.data).toEqual({ a: 1, c: 3 });
  });

  it("indexes the fields that an index check adds while a step runs", async () => {
    const form = await makeForm(integrator, [text("a", { searchable: false }), text("b")]);
    await make(form, { a: "x", b: "y" });
    await withoutBackgroundWork(() => define(form, [text("a"), text("b")]));
    await run("delete from search_entry where value = 'y'");
    const id = await idOf(form);
    let isAdded = false;
    const DB = new Proxy(dataDb, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          if (!isAdded) {
            isAdded = true;
            await beginIndexCheck(dataHandle.of({ id }), [1, 2], {
              at: Date.now(),
              actor: "system",
              action: "index.check",
              collectionId: id,
              subject: `form:${form}`,
              version: null,
              session: null,
              requestId: "r",
              sentRequestId: null,
              detail: null,
            });
          }
          return target.batch(statements);
        };
      },
    });
    await runBackfill(background(serviceWith(withDataDb({}, DB)).databases));
    expect([isAdded, await pendingWork()]).toEqual([true, []]);
    const conditions = [{ field: "b", op: "eq", value: "y" }];
    const { body } = await integrator.post(`/forms/${form}/submissions/search`, { conditions });
    expect(body.items).toHaveLength(1);
  });

  it("alternates between collections, so that a small one completes before a large one", async () => {
    const notSearchable = [text("a", { searchable: false })];
    const [large, small] = [
      await makeForm(integrator, notSearchable),
      await makeForm(integrator, notSearchable),
    ];
    const { id } = await make(large, { a: "x" });
    await dataDb.batch([
      dataDb.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 900)
        insert into item select number + i, id || i, collection_id, receipt_number, status, version,
        definition_version, created_at + i, created_by, updated_at + i, updated_by, data, null
        from item, n where id = '${id}'`),
      dataDb
        .prepare("update tally set last_place = 901, live = 901 where collection_id = ?")
        .bind(await idOf(large)),
    ]);
    await make(small, { a: "y" });
    await withoutBackgroundWork(async () => {
      await define(large, [text("a")]);
      await define(small, [text("a")]);
    });
    expect(await pendingWork()).toHaveLength(2);
    const states: { id: number; done: number }[][] = [];
    const DB = new Proxy(dataDb, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          const result = await target.batch(statements);
          states.push(await pendingWork());
          return result;
        };
      },
    });
    await runBackfill(background(serviceWith(withDataDb({}, DB)).databases));
    const [work, ...others] = states.find((state) => state.length < 2) ?? [];
    expect(others).toEqual([]);
    expect(work?.id).toBe(await idOf(large));
    expect(work?.done).toBeLessThan(901 / 2);
    expect(states.at(-1)).toEqual([]);
  });

  it("throws when one collection fails, and completes the others", async () => {
    const notSearchable = [text("a", { searchable: false })];
    const [failing, working] = [
      await makeForm(integrator, notSearchable),
      await makeForm(integrator, notSearchable),
    ];
    const id = await idOf(failing);
    for (const form of [failing, working]) await make(form, { a: "x" });
    await withoutBackgroundWork(async () => {
      await define(failing, [text("a")]);
      await define(working, [text("a")]);
    });
    await run(`create trigger no_entry before insert on search_entry
      when new.field between ${id * 2 ** 32} and ${(id + 1) * 2 ** 32}
      begin select raise(abort, 'this collection fails'); end`);
    await expect(runBackfill(background())).rejects.toThrow("this collection fails");
    expect(await pendingWork()).toEqual([{ id, done: 0 }]);
    await run("drop trigger no_entry");
    await runBackfill(background());
    expect(await pendingWork()).toEqual([]);
  });
});
