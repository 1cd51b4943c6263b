import { beforeAll, describe, expect, it } from "vitest";
import { runBackfill } from "../../src/actions/backfill.ts";
import { countingDatabase } from "../../src/store/db/database.ts";
import type { Client } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";
import { dataHandle, dataDb, databases } from "../support/databases";
import { background } from "../support/serve";

/** D1 allows 1,000 queries per invocation, and counts each statement of a batch. */
describe("Queries per invocation", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const fields = (settings: object, type = "text") =>
    Array.from({ length: 500 }, (_, index) => ({
      key: `c${index}`,
      type,
      searchable: false,
      ...settings,
    }));
  const copyItem = async (id: string, count: number) => {
    await dataDb.batch([
      dataDb
        .prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
        insert into item select number + i, id || i, collection_id, receipt_number, status, version,
        definition_version, created_at + i, created_by, updated_at + i, updated_by,
        replace(data, 'x', 'x' || i || '_'), null from item, n where id = ?`)
        .bind(count, id),
      dataDb
        .prepare(
          `update tally set last_place = ?1 + 1, live = ?1 + 1
          where collection_id = (select collection_id from item where id = ?2)`,
        )
        .bind(count, id),
    ]);
  };

  it.each([
    ["become unique", {}, { unique: true }, "text", 200],
    ["stop being unique", { unique: true }, {}, "text", 200],
    ["change their type without values", {}, {}, "number", 200],
  ])("are fewer than 30 when 500 fields %s", async (_, before, after, type, status) => {
    const form = await makeForm(integrator, fields(before));
    await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const { fetch, statements } = counted();
    const put = { fields: fields(after, type) };
    const answer = await integrator.through(fetch).put(`/forms/${form}/schema`, put);
    expect([answer.status, answer.body.pending]).toEqual([status, undefined]);
    expect(statements.reduce((sum, count) => sum + count)).toBeLessThan(30);
  });

  it("give the same result when several fields become unique at once", async () => {
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
    const put = (...changedFields: object[]) =>
      integrator.put(`/forms/${form}/schema`, { fields: changedFields });
    const unique = [day, title].map((field) => ({ ...field, unique: true }));
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
    const duplicate = { data: { day: "2026-11-23", title: "b" } };
    expect((await integrator.post(path, duplicate)).status).toBe(201);
    expect((await put(...unique, column)).body).toMatchObject({ code: "schema_in_use" });
  });

  it("stay below 300 in a backfill run, which the next run continues", async () => {
    const notSearchable = [{ key: "a", type: "text", searchable: false }];
    const form = await makeForm(integrator, notSearchable);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
    await copyItem(body.id, 12_000);
    await integrator.put(`/forms/${form}/schema`, { fields: [{ key: "a", type: "text" }] });
    const done = async () =>
      (await dataDb.prepare("select done from indexing").first<{ done: number }>())?.done;
    let runs = 0;
    for (let previous = 0; (await done()) !== undefined; runs += 1) {
      const { db, counts } = countingDatabase(dataHandle);
      await runBackfill(background({ ...databases, dataDatabases: () => [db] }));
      expect(counts.queries).toBeLessThan(300);
      const now = (await done()) ?? Infinity;
      expect(now).toBeGreaterThan(previous);
      previous = now;
    }
    expect(runs).toBeGreaterThan(1);
    const result = await integrator.post(`/forms/${form}/submissions/search`, {
      conditions: [{ field: "a", op: "eq", value: "x11999_" }],
    });
    expect(result.body.items).toHaveLength(1);
  });

  it("write fewer than 60,000 rows in the background of a definition change with 500,000 values", async () => {
    const form = await makeForm(integrator, fields({}));
    const data = Object.fromEntries(fields({}).map(({ key }, index) => [key, `x${index}`]));
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data });
    await copyItem(body.id, 1000);
    const { fetch, counts } = counted();
    const put = { fields: fields({ unique: true }) };
    const answer = await integrator.through(fetch).put(`/forms/${form}/schema`, put);
    expect(answer.status).toBe(202);
    expect(counts.rowsWritten).toBeLessThan(60_000);
  });
});
