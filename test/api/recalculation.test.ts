import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { client, makeForm } from "../support/service";
import { dataDb } from "../support/databases";

const number = (key: string) => ({ key, type: "number" });
const computed = (key: string, formula: string, result = "number") => ({
  key,
  type: "computed",
  formula,
  result,
});

describe("Recalculation after a formula change", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const submit = async (form: string, data: object) =>
    (await integrator.post(`/forms/${form}/submissions`, { data })).body;
  const define = (form: string, fields: object[]) =>
    integrator.put(`/forms/${form}/schema`, { fields });
  const search = (form: string, ...conditions: object[]) =>
    integrator.post(`/forms/${form}/submissions/search`, { conditions, limit: 200 });

  async function waitForBackfill(form: string): Promise<void> {
    for (let tries = 0; tries < 200; tries += 1) {
      const { body } = await integrator.get(`/forms/${form}/schema`);
      if (!("indexing" in body)) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error("The backfill does not end.");
  }

  it("recalculates values, rows, dependent formulas and search entries, and changes nothing else", async () => {
    const rows = (formula: string) => ({
      key: "l",
      type: "line_items",
      fields: [number("q"), computed("twice", formula)],
    });
    const form = await makeForm(integrator, [
      number("a"),
      rows("q * 2"),
      computed("x", "a + 1"),
      computed("y", "x * 10"),
    ]);
    const before = [];
    for (let a = 0; a < 60; a += 1) before.push(await submit(form, { a, l: [{ q: a }] }));
    const put = await define(form, [
      number("a"),
      rows("q * 3"),
      computed("x", "a + 2"),
      computed("y", "x * 10"),
      computed("new", "a * 7"),
    ]);
    expect(put.body.indexing).toMatchObject({ total: 60 });
    await waitForBackfill(form);
    for (const item of before.slice(0, 5)) {
      const { body } = await integrator.get(`/submissions/${item.id}`);
      const { a } = item.data;
      expect(body.data).toEqual({
        a,
        l: [{ q: a, twice: a * 3 }],
        x: a + 2,
        y: (a + 2) * 10,
        new: a * 7,
      });
      expect([body.version, body.etag, body.updated_by]).toEqual([2, '"2"', "system"]);
      expect(body.updated_at > item.updated_at).toBe(true);
      expect([body.created_at, body.created_by]).toEqual([item.created_at, item.created_by]);
    }
    const valuesOfMatches = async (field: string, value: number) =>
      (await search(form, { field, op: "eq", value })).body.items.map((item: Json) => item.data.a);
    expect(await valuesOfMatches("x", 10)).toEqual([8]);
    expect(await valuesOfMatches("x", 1)).toEqual([]);
    expect(await valuesOfMatches("y", 100)).toEqual([8]);
    expect(await valuesOfMatches("new", 21)).toEqual([3]);
    const inRow = [{ field: "twice", op: "eq", value: 9 }];
    const { body } = await search(form, { field: "l", op: "any", value: inRow });
    expect(body.items.map((item: Json) => item.data.a)).toEqual([3]);
  });

  it("recalculates days when a patch changes the time zone, and the results that use them", async () => {
    const form = await makeForm(integrator, [
      { key: "at", type: "datetime" },
      computed("days", "days_between(at, '2026-01-10')"),
      computed("double", "days * 2"),
      computed("one", "1"),
    ]);
    const { id } = await submit(form, { at: "2026-01-01T20:00:00Z" });
    const patch = { time_zone: "Asia/Tokyo" };
    const dry = await integrator.patch(`/forms/${form}/schema?dry_run=true`, patch);
    expect(dry.body.consequences.recalculated_items).toBe(1);
    const { status, body: patched } = await integrator.patch(`/forms/${form}/schema`, patch);
    expect([status, patched.indexing.total]).toEqual([200, 1]);
    await waitForBackfill(form);
    const { data, version } = (await integrator.get(`/submissions/${id}`)).body;
    expect([data, version]).toEqual([{ ...data, days: 8, double: 16, one: 1 }, 2]);
    const found = await search(form, { field: "double", op: "eq", value: 16 });
    expect(found.body.items).toHaveLength(1);
    const unrelated = await integrator.patch(`/forms/${form}/schema`, { name: "Other" });
    expect("indexing" in unrelated.body).toBe(false);
  });

  it("keeps the search entries of results that change because a field becomes searchable", async () => {
    const fields = (searchable: boolean) => [
      number("a"),
      { ...computed("x", "a"), searchable },
      computed("age", "days_between('2026-01-01', today())"),
    ];
    const form = await makeForm(integrator, fields(false));
    const { id } = await submit(form, { a: 1 });
    const { age } = (await integrator.get(`/submissions/${id}`)).body.data;
    const wasYesterday = `$."3"', ${age - 1}`;
    await dataDb.batch([
      dataDb
        .prepare(`update item set data = json_set(data, '${wasYesterday}) where id = ?`)
        .bind(id),
      dataDb
        .prepare(
          "update search_entry set value = ?1 where value = ?2 and item = (select number from item where id = ?3)",
        )
        .bind(age - 1, age, id),
    ]);
    await define(form, fields(true));
    await waitForBackfill(form);
    const valuesFound = async (value: number) =>
      (await search(form, { field: "age", op: "eq", value })).body.items.length;
    expect([await valuesFound(age), await valuesFound(age - 1)]).toEqual([1, 0]);
  });

  it("leaves no search entry of the old type when the result type changes", async () => {
    const form = await makeForm(integrator, [number("a"), computed("x", "a", "number")]);
    const item = await submit(form, { a: 5 });
    await define(form, [number("a"), computed("x", "string(a) + 'Z'", "text")]);
    await waitForBackfill(form);
    await define(form, [number("a"), computed("x", "a > 3.0", "boolean")]);
    await waitForBackfill(form);
    expect((await search(form, { field: "x", op: "eq", value: true })).body.items).toHaveLength(1);
    await integrator.delete(`/submissions/${item.id}`);
    const orphans = await dataDb
      .prepare("SELECT count(*) n FROM search_entry WHERE item NOT IN (SELECT number FROM item)")
      .first<{ n: number }>();
    expect(orphans?.n).toBe(0);
  });

  it("removes old computed values and their search entries when the result type changes repeatedly", async () => {
    const longFormula = "a + a + a + a";
    const fields = (n: number) => {
      const cells = { key: "l", type: "line_items" };
      const [formula, result] = n % 2 ? [longFormula, "text"] : ["a == a", "boolean"];
      const c = computed("c", formula, result);
      const inRow = { key: "d", type: "computed", formula: n % 2 ? "'é'" : "1 == 1", result };
      return [{ key: "a", type: "text" }, { ...cells, fields: [number("q"), inRow] }, c];
    };
    const form = await makeForm(integrator, fields(1));
    const { id } = await submit(form, { a: "x".repeat(200), l: [{ q: 1 }, { q: 2 }] });
    const loadRow = async () =>
      dataDb
        .prepare(
          `select data, octet_length(data) bytes, (select count(*) from search_entry where item = number) entries
          from item where id = ?`,
        )
        .bind(id)
        .first<{ data: string; bytes: number; entries: number }>();
    const before = await loadRow();
    for (let n = 0; n < 6; n += 1) {
      await define(form, fields(n));
      await waitForBackfill(form);
    }
    const after = await loadRow();
    expect(after?.bytes).toBeLessThanOrEqual((before?.bytes ?? 0) + 10);
    expect(after?.entries).toBe(before?.entries);
    const { body } = await integrator.get(`/submissions/${id}`);
    expect(body.data.l).toEqual([1, 2].map((q) => ({ q, d: "é" })));
  });

  it("drops values of removed fields with the next change, and ignores an update that changes no value", async () => {
    const form = await makeForm(integrator, [number("a")]);
    const { id } = await submit(form, { a: 1 });
    const data = async () =>
      (await dataDb.prepare("select data from item where id = ?").bind(id).first<Json>()).data;
    const initialData = await data();
    await dataDb
      .prepare(`update item set data = json_set(data, '$."99"', 'lost') where id = ?`)
      .bind(id)
      .run();
    expect((await integrator.patch(`/submissions/${id}`, { data: { a: 1 } })).body.version).toBe(1);
    expect((await integrator.patch(`/submissions/${id}`, { data: { a: 2 } })).body.version).toBe(2);
    expect(await data()).toBe(initialData.replace(":1}", ":2}"));
  });

  it("applies the new formula to items that change during the recalculation", async () => {
    const form = await makeForm(integrator, [number("a"), computed("x", "a + 1")]);
    const items: Json[] = [];
    for (let a = 0; a < 120; a += 1) items.push(await submit(form, { a }));
    const changes = items
      .filter((_, index) => index % 4 === 0)
      .map((item) => integrator.patch(`/submissions/${item.id}`, { data: { a: 1000 } }));
    await Promise.all([define(form, [number("a"), computed("x", "a + 2")]), ...changes]);
    await waitForBackfill(form);
    const { body } = await integrator.get(`/forms/${form}/submissions?limit=200`);
    for (const { data } of body.items) expect(data.x).toBe(data.a + 2);
    expect((await search(form, { field: "x", op: "eq", value: 1002 })).body.items).toHaveLength(30);
    expect((await search(form, { field: "x", op: "eq", value: 1001 })).body.items).toHaveLength(0);
  });
});
