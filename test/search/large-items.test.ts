import { env } from "cloudflare:workers";
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { catchUp } from "../../src/actions/backfill.ts";
import { app } from "../../src/app.ts";
import type { Client, Fetch, Json } from "../support/client";
import { client, freshKey, makeForm } from "../support/service";

const letters = "abcdefghijklmnopqrstuvwxyz";
const keys = Array.from({ length: 195 }, (_, n) => `c${letters[n % 26]}${letters[(n / 26) | 0]}`);
const fields = (searchable: boolean) => [
  { key: "note", type: "text" },
  {
    key: "l",
    type: "line_items",
    fields: keys.map((key) => ({ key, type: "number", searchable })),
  },
];
const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => Object.fromEntries(keys.map((key) => [key, n])));

/** D1 as it is documented: no parameter is longer than this. */
const longest = 2_000_000;
const DB = new Proxy(env.DB, {
  get(target, name) {
    const value: unknown = Reflect.get(target, name);
    if (name !== "prepare") return typeof value === "function" ? value.bind(target) : value;
    return (query: string) => {
      const prepared = target.prepare(query);
      const bind = prepared.bind.bind(prepared);
      prepared.bind = (...values) => {
        const long = values.some(
          (each) => typeof each === "string" && new TextEncoder().encode(each).length > longest,
        );
        if (long) throw new Error("D1_ERROR: string or blob too big: SQLITE_TOOBIG");
        return bind(...values);
      };
      return prepared;
    };
  },
});

describe("An item of 97,500 values that are not searchable", () => {
  let integrator: Client;
  beforeAll(async () => {
    const fetch: Fetch = async (request) => {
      const ctx = createExecutionContext();
      const answer = await app.fetch(request, { ...env, DB }, ctx);
      await waitOnExecutionContext(ctx);
      return answer;
    };
    integrator = (await client()).through(fetch);
  });
  const make = async (form: string) => {
    const made = await integrator.post(`/forms/${form}/submissions`, {
      data: { note: "x", l: rows(500) },
    });
    expect(made.status).toBe(201);
    return made.body.id as string;
  };
  const patch = async (id: string, body: Json) =>
    (await integrator.patch(`/submissions/${id}`, body)).status;
  const remove = async (id: string) => (await integrator.delete(`/submissions/${id}`)).status;
  const entries = async () =>
    (
      await env.DB.prepare(
        "select count(*) n from search_entry where item not in (select number from item)",
      ).first<Json>()
    ).n;

  it("can be changed, closed and deleted as any other", async () => {
    const form = await makeForm(integrator, fields(false));
    const id = await make(form);
    expect(await patch(id, { data: { note: "y" } })).toBe(200);
    expect(await patch(id, { status: "closed" })).toBe(200);
    expect(await remove(await make(form))).toBe(204);
    expect(await entries()).toBe(0);
  });

  it("can be changed and deleted in a batch", async () => {
    const form = await makeForm(integrator, fields(false));
    const id = await make(form);
    const batch = async (operation: Json) =>
      integrator.post(
        `/forms/${form}/submissions/batch`,
        { operations: [operation] },
        { "Idempotency-Key": freshKey("batch") },
      );
    const changed = await batch({ op: "update", id, data: { note: "y" } });
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
    expect((await batch({ op: "delete", id })).status).toBe(200);
    expect(await entries()).toBe(0);
  });

  it("is indexed in parts once they are, stays changeable, and may not grow then", async () => {
    const form = await makeForm(integrator, fields(false));
    const id = await make(form);
    const other = await makeForm(integrator, [{ key: "a", type: "text", searchable: false }]);
    await integrator.post(`/forms/${other}/submissions`, { data: { a: "b" } });
    await integrator.put(`/forms/${form}/schema`, { fields: fields(true) });
    await integrator.put(`/forms/${other}/schema`, { fields: [{ key: "a", type: "text" }] });
    await catchUp(DB);
    for (const [key, condition] of [
      [form, { field: "l", op: "any", value: [{ field: keys[194], op: "eq", value: 499 }] }],
      [other, { field: "a", op: "eq", value: "b" }],
    ] as const) {
      const found = await integrator.post(`/forms/${key}/submissions/search`, {
        conditions: [condition],
      });
      expect(found.body.items).toHaveLength(1);
    }
    expect(await patch(id, { data: { note: "y" } })).toBe(200);
    expect(await patch(id, { data: { l: rows(400) } })).toBe(200);
    expect(await patch(id, { data: { l: rows(450) } })).toBe(413);
    expect(await patch(id, { status: "closed" })).toBe(200);
    expect(await remove(id)).toBe(409);
  }, 60_000);
});
