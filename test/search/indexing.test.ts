import { env } from "cloudflare:workers";
import { createExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { indexItems } from "../../src/actions/index-items.ts";
import { app } from "../../src/app.ts";
import type { Client, Fetch, Json } from "../support/client";
import { client, makeForm } from "../support/service";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const lines = (rest: object = {}) => ({
  key: "l",
  type: "line_items",
  fields: [text("sku")],
  ...rest,
});

describe("Indexing", () => {
  let integrator: Client;
  /** The same, on a database that shows no work to whoever looks for some. */
  let idle: Client;
  beforeAll(async () => {
    integrator = await client();
    const DB = new Proxy(env.DB, {
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
      app.fetch(request, { ...env, DB }, createExecutionContext());
    idle = integrator.through(fetch);
  });
  const fill = async (form: string, count: number) => {
    for (let n = 0; n < count; n += 1) {
      const data = { a: `v${n % 3}`, l: [{ sku: `s${n % 2}` }] };
      await integrator.post(`/forms/${form}/submissions`, { data });
    }
  };
  const search = (by: Client, form: string, conditions: Json[]) =>
    by.post(`/forms/${form}/submissions/search`, { conditions, limit: 200 });
  const byA = [{ field: "a", op: "eq", value: "v1" }];
  const bySku = [{ field: "l", op: "any", value: [{ field: "sku", op: "eq", value: "s1" }] }];

  it("a search that needs unfinished entries answers 409 with Retry-After; the schema shows how far it is", async () => {
    const off = { searchable: false };
    const form = await makeForm(integrator, [text("a", off), lines(off), text("b")]);
    await fill(form, 12);
    const changed = await idle.put(`/forms/${form}/schema`, {
      fields: [text("a"), lines(), text("b")],
    });
    expect(changed.body.indexing).toEqual({ done: 0, total: 12 });
    for (const conditions of [byA, bySku, [{ not: { any: byA } }]]) {
      const refused = await search(idle, form, conditions);
      expect([refused.status, refused.body.code]).toEqual([409, "indexing"]);
      expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    }
    expect((await search(idle, form, [{ field: "b", op: "is_empty", value: true }])).status).toBe(
      200,
    );
    expect(
      (await idle.post(`/forms/${form}/submissions/search`, { sort: [{ field: "a" }] })).status,
    ).toBe(409);
    await indexItems(env.DB);
    expect((await search(idle, form, byA)).body.items).toHaveLength(4);
    expect((await search(idle, form, bySku)).body.items).toHaveLength(6);
    const { body } = await idle.get(`/forms/${form}/schema`);
    expect(body).not.toHaveProperty("indexing");
  });

  it("goes on by itself behind the answers, while items change, and ends right", async () => {
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
    let found = await search(integrator, form, [{ field: "a", op: "eq", value: "changed" }]);
    for (let tries = 0; found.status === 409 && tries < 100; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      found = await search(integrator, form, [{ field: "a", op: "eq", value: "changed" }]);
    }
    expect(found.body.items).toHaveLength(20);
    const rows = await env.DB.prepare(
      "SELECT count(*) n FROM search_entry WHERE item NOT IN (SELECT number FROM item)",
    ).first<{ n: number }>();
    expect(rows?.n).toBe(0);
    const old = await search(integrator, form, byA);
    expect(old.body.items.every((item: Json) => item.data.a === "v1")).toBe(true);
  });

  it("work that a restart broke off goes on once somebody meets it, and finds it where it was seconds ago", async () => {
    const form = await makeForm(integrator, [text("a"), text("b", { searchable: false })]);
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "x", b: "y" } });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b")] });
    const met = async (later: number): Promise<Json> => {
      vi.setSystemTime(Date.now() + later);
      const { body } = await integrator.get(`/forms/${form}/schema`);
      await new Promise((resolve) => setTimeout(resolve, 100));
      return body.indexing;
    };
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      await met(10_000);
      expect(await met(6000)).toEqual({ done: 0, total: 1 });
      expect(await met(0)).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it("a field that comes back is found by what changed while it was away", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const make = async (a: string) =>
      (await integrator.post(`/forms/${form}/submissions`, { data: { a } })).body.id;
    const [changed, kept] = [await make("x"), await make("x")];
    await integrator.put(`/forms/${form}/schema`, { fields: [text("b")] });
    await integrator.patch(`/submissions/${changed}`, { data: { b: "new" } });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b")] });
    await indexItems(env.DB);
    const { body } = await search(integrator, form, [{ field: "a", op: "eq", value: "x" }]);
    expect(body.items.map((item: Json) => item.id).toSorted()).toEqual([changed, kept].toSorted());
  });

  it("a new field needs no indexing, and a definition that changes again starts anew", async () => {
    const off = { searchable: false };
    const form = await makeForm(integrator, [text("a", off), text("b", off)]);
    await fill2(form);
    const more = await idle.put(`/forms/${form}/schema`, {
      fields: [text("a", off), text("b", off), text("c")],
    });
    expect(more.body).not.toHaveProperty("indexing");
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b", off), text("c")] });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b"), text("c")] });
    for (const field of ["a", "b"]) {
      expect((await search(idle, form, [{ field, op: "eq", value: "1" }])).status).toBe(409);
    }
    await indexItems(env.DB);
    for (const field of ["a", "b"]) {
      expect((await search(idle, form, [{ field, op: "eq", value: "1" }])).body.items).toHaveLength(
        1,
      );
    }
  });

  it("a change during the work makes all of the item's entries, those of what it left alone too", async () => {
    const form = await makeForm(integrator, [text("a", { searchable: false }), text("b")]);
    const { body } = await integrator.post(`/forms/${form}/submissions`, {
      data: { a: "v1", b: "x" },
    });
    await idle.put(`/forms/${form}/schema`, { fields: [text("a"), text("b")] });
    await idle.patch(`/submissions/${body.id}`, { data: { b: "y" } });
    // The step that had read the item before the change leaves it out, and goes on.
    await env.DB.prepare("DELETE FROM indexing").run();
    expect((await search(idle, form, byA)).body.items).toHaveLength(1);
  });

  async function fill2(form: string) {
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "1", b: "1" } });
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "2", b: "2" } });
  }
});
