import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { backfillIndex } from "../../src/actions/index-items.ts";
import type { Client, Fetch, Json } from "../support/client";
import { createItems } from "../support/batches";
import { client, makeForm } from "../support/service";
import { dataDb, withDataDb } from "../support/databases";
import { backgroundOfData, serve } from "../support/serve";

const text = (key: string, settings: object = {}) => ({ key, type: "text", ...settings });
const lines = (settings: object = {}) => ({
  key: "l",
  type: "line_items",
  fields: [text("sku")],
  ...settings,
});

describe("Indexing", () => {
  let integrator: Client;
  /** The same integrator on a database that hides pending index work, so that requests do none of it. */
  let idle: Client;
  beforeAll(async () => {
    integrator = await client();
    const DB = new Proxy(dataDb, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name === "prepare") {
          return (query: string) =>
            target.prepare(
              query.includes('from "indexing" where') ? "select 1 where ?1 < 0 and ?2 < ?3" : query,
            );
        }
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const fetch: Fetch = async (request) =>
      serve(request, withDataDb({}, DB), createExecutionContext());
    idle = integrator.through(fetch);
  });
  const createMany = (form: string, count: number, dataOf: (n: number) => object) =>
    createItems(
      integrator,
      `/forms/${form}/submissions`,
      Array.from({ length: count }, (_, n) => dataOf(n)),
    );
  const fill = (form: string, count: number) =>
    createMany(form, count, (n) => ({ a: `v${n % 3}`, l: [{ sku: `s${n % 2}` }] }));
  const search = (caller: Client, form: string, conditions: Json[]) =>
    caller.post(`/forms/${form}/submissions/search`, { conditions, limit: 200 });
  const byA = [{ field: "a", op: "eq", value: "v1" }];
  const bySku = [{ field: "l", op: "any", value: [{ field: "sku", op: "eq", value: "s1" }] }];

  it("returns 409 `indexing` with Retry-After to a search that needs unfinished entries, and shows the progress in the schema", async () => {
    const off = { searchable: false };
    const form = await makeForm(integrator, [text("a", off), lines(off), text("b")]);
    await fill(form, 12);
    const changed = await idle.put(`/forms/${form}/schema`, {
      fields: [text("a"), lines(), text("b")],
    });
    expect(changed.body.indexing).toEqual({ done: 0, total: 12 });
    for (const conditions of [byA, bySku, [{ not: { any: byA } }]]) {
      const rejected = await search(idle, form, conditions);
      expect([rejected.status, rejected.body.code]).toEqual([409, "indexing"]);
      expect(Number(rejected.headers.get("Retry-After"))).toBeGreaterThan(0);
      expect(rejected.body).toMatchObject({ done: 0, total: 12 });
    }
    expect((await search(idle, form, [{ field: "b", op: "is_empty", value: true }])).status).toBe(
      200,
    );
    expect(
      (await idle.post(`/forms/${form}/submissions/search`, { sort: [{ field: "a" }] })).status,
    ).toBe(409);
    await backfillIndex(backgroundOfData());
    expect((await search(idle, form, byA)).body.items).toHaveLength(4);
    expect((await search(idle, form, bySku)).body.items).toHaveLength(6);
    const { body } = await idle.get(`/forms/${form}/schema`);
    expect(body).not.toHaveProperty("indexing");
  });

  it("completes in the background while items change, with correct entries", async () => {
    const form = await makeForm(integrator, [text("a", { searchable: false }), lines()]);
    await fill(form, 250);
    const { body } = await integrator.get(`/forms/${form}/submissions?limit=200`);
    const put = integrator.put(`/forms/${form}/schema`, { fields: [text("a"), lines()] });
    const changes = body.items
      .filter((_: Json, index: number) => index % 10 === 0)
      .map((item: Json) => integrator.patch(`/submissions/${item.id}`, { data: { a: "changed" } }));
    const deletes = body.items
      .filter((_: Json, index: number) => index % 10 === 5)
      .map((item: Json) => integrator.delete(`/submissions/${item.id}`));
    await Promise.all([put, ...changes, ...deletes]);
    let result = await search(integrator, form, [{ field: "a", op: "eq", value: "changed" }]);
    for (let tries = 0; result.status === 409 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      result = await search(integrator, form, [{ field: "a", op: "eq", value: "changed" }]);
    }
    expect(result.body.items).toHaveLength(20);
    const rows = await dataDb
      .prepare("SELECT count(*) n FROM search_entry WHERE item NOT IN (SELECT number FROM item)")
      .first<{ n: number }>();
    expect(rows?.n).toBe(0);
    const unchanged = await search(integrator, form, byA);
    expect(unchanged.body.items.every((item: Json) => item.data.a === "v1")).toBe(true);
  });

  it("resumes interrupted work on the first request that finds no progress since an earlier one", async () => {
    const form = await makeForm(integrator, [text("a"), text("b", { searchable: false })]);
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "x", b: "y" } });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b")] });
    const progressAfter = async (milliseconds: number): Promise<Json> => {
      vi.setSystemTime(Date.now() + milliseconds);
      const { body } = await integrator.get(`/forms/${form}/schema`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return body.indexing;
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await progressAfter(10_000);
      expect(await progressAfter(6000)).toEqual({ done: 0, total: 1 });
      expect(await progressAfter(0)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("finds items by a restored field, including items that changed while it was gone", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const make = async (a: string) =>
      (await integrator.post(`/forms/${form}/submissions`, { data: { a } })).body.id;
    const [changed, unchanged] = [await make("x"), await make("x")];
    await integrator.put(`/forms/${form}/schema`, { fields: [text("b")] });
    await integrator.patch(`/submissions/${changed}`, { data: { b: "new" } });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b")] });
    await backfillIndex(backgroundOfData());
    const { body } = await search(integrator, form, [{ field: "a", op: "eq", value: "x" }]);
    expect(body.items.map((item: Json) => item.id).toSorted()).toEqual(
      [changed, unchanged].toSorted(),
    );
  });

  it("skips new fields, and starts over when the definition changes again", async () => {
    const off = { searchable: false };
    const form = await makeForm(integrator, [text("a", off), text("b", off)]);
    await createTwo(form);
    const withNewField = await idle.put(`/forms/${form}/schema`, {
      fields: [text("a", off), text("b", off), text("c")],
    });
    expect(withNewField.body).not.toHaveProperty("indexing");
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b", off), text("c")] });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b"), text("c")] });
    for (const field of ["a", "b"]) {
      expect((await search(idle, form, [{ field, op: "eq", value: "1" }])).status).toBe(409);
    }
    await backfillIndex(backgroundOfData());
    for (const field of ["a", "b"]) {
      expect((await search(idle, form, [{ field, op: "eq", value: "1" }])).body.items).toHaveLength(
        1,
      );
    }
  });

  it("writes all entries of an item that changes meanwhile, also of its unchanged fields", async () => {
    const form = await makeForm(integrator, [text("a", { searchable: false }), text("b")]);
    const { body } = await integrator.post(`/forms/${form}/submissions`, {
      data: { a: "v1", b: "x" },
    });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b")] });
    await idle.patch(`/submissions/${body.id}`, { data: { b: "y" } });
    // As if the step had read the item before the change: the step skips it and goes on.
    await dataDb.prepare("DELETE FROM indexing").run();
    expect((await search(idle, form, byA)).body.items).toHaveLength(1);
  });

  const computed = (formula: string, settings: object = {}) => [
    { key: "n", type: "number" },
    { key: "c", type: "computed", result: "number", formula, ...settings },
  ];
  const byC = (value: number) => [{ field: "c", op: "eq", value }];

  it("answers searches by a formula's values after the formula changed, as each item has them", async () => {
    const form = await makeForm(integrator, computed("n * 2"));
    await createMany(form, 250, (n) => ({ n: n % 5 }));
    const valuesOf = async (value: number) => {
      const { status, body } = await search(idle, form, byC(value));
      return [status, body.items.map((item: Json) => item.data.c), body.items.length];
    };
    const put = await idle.put(`/forms/${form}/schema`, { fields: computed("n * 4") });
    expect(put.body.indexing).toEqual({ done: 0, total: 250 });
    // Items keep their values until they are recalculated, and searches find the values that items have.
    expect(await valuesOf(6)).toEqual([200, Array(50).fill(6), 50]);
    expect(await valuesOf(12)).toEqual([200, [], 0]);
    // An item that is written meanwhile has the new value.
    const [first] = (await search(idle, form, byC(6))).body.items;
    await idle.patch(`/submissions/${first.id}`, { data: { n: 3.5 } });
    expect(await valuesOf(14)).toEqual([200, [14], 1]);
    expect((await valuesOf(6))[2]).toBe(49);
    const sorted = { conditions: [], sort: [{ field: "c", direction: "desc" }], limit: 1 };
    const highest = await idle.post(`/forms/${form}/submissions/search`, sorted);
    expect(highest.body.items[0].data.c).toBe(14);
    await backfillIndex(backgroundOfData());
    expect(await valuesOf(6)).toEqual([200, [], 0]);
    expect((await valuesOf(12))[2]).toBe(49);
  });

  it("finds the items halfway through a recalculation by the values that they return", async () => {
    const form = await makeForm(integrator, computed("n * 2"));
    await createMany(form, 5, (n) => ({ n }));
    await idle.put(`/forms/${form}/schema`, { fields: computed("n + 100") });
    const { body } = await idle.get(`/forms/${form}/submissions`);
    // The step ends after two items, as if the others were too large for it.
    await dataDb.prepare("update indexing set last = next + 1").run();
    await backfillIndex(backgroundOfData());
    for (const { id } of body.items) {
      const item = (await idle.get(`/submissions/${id}`)).body;
      const { status, body: found } = await search(idle, form, byC(item.data.c));
      expect([status, found.items.map((match: Json) => match.id)]).toEqual([200, [id]]);
    }
    const values = (await idle.get(`/forms/${form}/submissions`)).body.items.map(
      (item: Json) => item.data.c,
    );
    expect(values).toEqual([100, 101, 4, 6, 8]);
  });

  it("returns 409 `indexing` for a formula that is new, that has a new type, or that becomes searchable", async () => {
    for (const [before, after] of [
      [[{ key: "n", type: "number" }], computed("n * 2")],
      [computed("n > 2", { result: "boolean" }), computed("n * 2")],
      [computed("n * 2", { searchable: false }), computed("n * 2")],
    ] as const) {
      const form = await makeForm(integrator, [...before]);
      await integrator.post(`/forms/${form}/submissions`, { data: { n: 3 } });
      await idle.put(`/forms/${form}/schema`, { fields: after });
      expect((await search(idle, form, byC(6))).status).toBe(409);
      await backfillIndex(backgroundOfData());
      expect((await search(idle, form, byC(6))).body.items).toHaveLength(1);
    }
  });

  it("keeps a field that became searchable waiting when a formula changes or an index check starts", async () => {
    const fields = (searchable: boolean, formula: string) => [
      text("a", { searchable }),
      ...computed(formula),
    ];
    const form = await makeForm(integrator, fields(false, "n * 2"));
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "v1", n: 3 } });
    await idle.put(`/forms/${form}/schema`, { fields: fields(true, "n * 2") });
    await idle.put(`/forms/${form}/schema`, { fields: fields(true, "n * 3") });
    expect((await search(idle, form, byA)).status).toBe(409);
    expect((await search(idle, form, byC(6))).body.items).toHaveLength(1);
    await backfillIndex(backgroundOfData());
    expect((await search(idle, form, byA)).body.items).toHaveLength(1);
    expect((await search(idle, form, byC(9))).body.items).toHaveLength(1);
  });

  async function createTwo(form: string) {
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "1", b: "1" } });
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "2", b: "2" } });
  }
});
