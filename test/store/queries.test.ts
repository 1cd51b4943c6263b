import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { catchUp } from "../../src/actions/backfill.ts";
import { counted as countedDatabase } from "../../src/store/db/session.ts";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";

/** D1 takes 1,000 queries of one invocation, and counts each statement of a batch. */
describe("Queries of one invocation", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const fields = (rest: object, type = "text") =>
    Array.from({ length: 500 }, (_, at) => ({
      key: `c${at}`,
      type,
      searchable: false,
      ...rest,
    }));
  const copies = async (id: string, count: number) => {
    await env.DB.batch([
      env.DB.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        insert into item select number + i, id || i, collection_id, receipt_number, status, version,
        definition_version, created_at + i, created_by, updated_at + i, updated_by,
        replace(data, 'x', 'x' || i || '_'), null from item, n where id = ?`).bind(count, id),
      env.DB.prepare(
        `update tally set last_place = ?1 + 1, live = ?1 + 1
          where collection_id = (select collection_id from item where id = ?2)`,
      ).bind(count, id),
    ]);
  };

  it.each([
    ["become unique", {}, { unique: true }, "text", 200],
    ["are unique no more", { unique: true }, {}, "text", 200],
    ["get another type, without values", {}, {}, "number", 200],
  ])(
    "500 fields that %s take a few, however many they are",
    async (_, before, after, type, status) => {
      const form = await makeForm(integrator, fields(before));
      await integrator.post(`/forms/${form}/submissions`, { data: {} });
      const { fetch, statements } = counted();
      const put = { fields: fields(after, type) };
      const answer = await integrator.through(fetch).put(`/forms/${form}/schema`, put);
      expect([answer.status, answer.body.pending]).toEqual([status, undefined]);
      expect(statements.reduce((sum, each) => sum + each)).toBeLessThan(30);
    },
  );

  it("fields of one item become unique at once, the same as one by one", async () => {
    const [day, title, column] = [
      { key: "day", type: "date" },
      { key: "title", type: "text" },
      { key: "lines", type: "line_items", fields: [{ key: "n", type: "text" }] },
    ];
    const form = await makeForm(integrator, [day, title, column]);
    const path = `/forms/${form}/submissions`;
    for (const data of [
      { day: "2026-11-22", title: "a", lines: [{ n: "1" }] },
      { day: "2026-11-23", title: "b" },
    ]) {
      expect((await integrator.post(path, { data })).status).toBe(201);
    }
    const put = (...changed: object[]) =>
      integrator.put(`/forms/${form}/schema`, { fields: changed });
    const unique = [day, title].map((each) => ({ ...each, unique: true }));
    expect((await put(...unique, column)).status).toBe(200);
    for (const [data, field] of [
      [{ day: "2026-11-23", title: "c" }, "day"],
      [{ day: "2026-11-24", title: "b" }, "title"],
    ] as const) {
      expect((await integrator.post(path, { data })).body).toMatchObject({
        code: "duplicate",
        field,
      });
    }
    const retyped = { ...column, fields: [{ key: "n", type: "number" }] };
    expect((await put(...unique, retyped)).body).toMatchObject({ code: "schema_in_use" });
    expect((await put(day, title, column)).status).toBe(200);
    const again = { data: { day: "2026-11-23", title: "b" } };
    expect((await integrator.post(path, again)).status).toBe(201);
    expect((await put(...unique, column)).body).toMatchObject({ code: "schema_in_use" });
  });

  it("a run of work on stored items ends below 1,000, and the next one goes on", async () => {
    const off = [{ key: "a", type: "text", searchable: false }];
    const form = await makeForm(integrator, off);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
    await copies(body.id, 20_000);
    await integrator.put(`/forms/${form}/schema`, { fields: [{ key: "a", type: "text" }] });
    const done = async () =>
      (await env.DB.prepare("select done from indexing").first<{ done: number }>())?.done;
    let runs = 0;
    for (let before = 0; (await done()) !== undefined; runs += 1) {
      const { db, spent } = countedDatabase(env.DB);
      await catchUp(db);
      expect(spent.queries).toBeLessThan(300);
      const now = (await done()) ?? Infinity;
      expect(now).toBeGreaterThan(before);
      before = now;
    }
    expect(runs).toBeGreaterThan(1);
    const found = await integrator.post(`/forms/${form}/submissions/search`, {
      conditions: [{ field: "a", op: "eq", value: "x19999_" }],
    });
    expect(found.body.items).toHaveLength(1);
  });

  it("a change that many values stand behind takes few rows behind its answer", async () => {
    const form = await makeForm(integrator, fields({}));
    const data = Object.fromEntries(fields({}).map(({ key }, at) => [key, `x${at}`]));
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data });
    await copies(body.id, 1000);
    const { fetch, counts } = counted();
    const put = { fields: fields({ unique: true }) };
    const answer = await integrator.through(fetch).put(`/forms/${form}/schema`, put);
    expect(answer.status).toBe(202);
    expect(counts.rowsWritten).toBeLessThan(60_000);
  });
});
