import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const number = (key: string, rules: object = {}) => ({ key, type: "number", ...rules });
const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
const computed = (key: string, formula: string, result = "number", rules: object = {}) => ({
  key,
  type: "computed",
  formula,
  result,
  ...rules,
});

describe("Computed fields", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const create = async (fields: object[], data: object, settings: object = {}) => {
    const form = await makeForm(integrator, fields, settings);
    const {
      status,
      body,
      text: raw,
    } = await integrator.post(`/forms/${form}/submissions`, { data });
    expect([status, raw]).toEqual([201, raw]);
    return body;
  };
  const result = async (
    formula: string,
    data: object = {},
    kind = "number",
    rules: object = {},
  ) => {
    const fields = [
      number("a"),
      number("b"),
      text("t"),
      { key: "done", type: "boolean" },
      { key: "day", type: "date" },
      { key: "tags", type: "multi_select", options: [{ value: "x" }, { value: "y" }] },
      { key: "lines", type: "line_items", fields: [number("qty"), number("price"), text("sku")] },
      computed("out", formula, kind, rules),
    ];
    const { data: storedData, warnings } = await create(fields, data, { time_zone: "Asia/Tokyo" });
    expect(warnings ?? []).toEqual([]);
    return storedData.out;
  };

  it("2. Computed fields are calculated by the server; a value sent for a computed field is ignored and the server's final value is returned.", async () => {
    const fields = [number("a"), computed("twice", "a * 2")];
    const body = await create(fields, { a: 4, twice: 99 });
    expect(body.data).toEqual({ a: 4, twice: 8 });
    expect(body.warnings).toEqual([{ field: "twice", code: "computed_value_ignored" }]);
    const storedItem = await integrator.get(`/submissions/${body.id}`);
    expect(storedItem.body.data).toEqual({ a: 4, twice: 8 });
    const patched = await integrator.patch(`/submissions/${body.id}`, { data: { a: 5, twice: 1 } });
    expect([patched.body.data.twice, patched.body.warnings]).toEqual([10, body.warnings]);
  });

  it("calculates inside rows and across them, as in the specification's example", async () => {
    const fields = [
      {
        key: "lines",
        type: "line_items",
        fields: [
          number("qty"),
          number("price"),
          computed("amount", "qty * price", "number", { decimals: 2 }),
        ],
      },
      computed("total", "sum(lines.map(l, l.amount))", "number", { decimals: 2 }),
    ];
    const data = {
      lines: [
        { qty: 3, price: 0.1 },
        { qty: 2, price: 30.2, amount: 1 },
      ],
    };
    const body = await create(fields, data);
    expect(body.data.lines.map((line: Json) => line.amount)).toEqual([0.3, 60.4]);
    expect(body.data.total).toBe(60.7);
    expect(body.warnings).toEqual([{ field: "lines[1].amount", code: "computed_value_ignored" }]);
  });

  it.each([
    ["a + 1", { a: 1 }, 2],
    ["1 + a", { a: 1.5 }, 2.5],
    ["a / 2", { a: 5 }, 2.5],
    ["a % 3", { a: 7 }, 1],
    ["0.1 * 3", {}, 0.3],
    ["a == 2 ? 10 : 20", { a: 2 }, 10],
    ["round(a, 2)", { a: 1.005 }, 1.01],
    ["round(a, 0)", { a: -2.5 }, -3],
    ["round(a, -2)", { a: 1250 }, 1300],
    ["abs(a) + floor(b) + ceil(b)", { a: -1, b: 1.5 }, 4],
    ["min(a, b) + max(a, 3)", { a: 1, b: 2 }, 4],
    ["avg(lines.map(l, l.qty))", { lines: [{ qty: 1 }, { qty: 2 }] }, 1.5],
    ["count(lines)", { lines: [{ qty: 1 }, { qty: 2 }] }, 2],
    ["count(lines.filter(l, l.qty > 1))", { lines: [{ qty: 1 }, { qty: 2 }] }, 1],
    ["sum(lines.map(l, l.qty))", {}, 0],
    ["max(lines.map(l, l.qty))", {}, null],
    ["size(tags) + size(t)", { tags: ["x"], t: "abc" }, 4],
    ["lines[0].qty", { lines: [{ qty: 7 }] }, 7],
    ["done ? a : 0", { done: false, a: 5 }, 0],
    ["a > 1 ? 1 : 2.5", { a: 1 }, 2.5],
    ["a in [1, 2, 5] ? sum([a, 1]) : 0", { a: 5 }, 6],
    ["7 / 2", {}, 3.5],
    ["count(lines) / 4", { lines: [{ qty: 1 }] }, 0.25],
    ["coalesce(1, 2) / 2", {}, 0.5],
    ["9007199254740991", {}, 9_007_199_254_740_991],
    ["a * 1", { a: 4_503_599_627_370_497 }, 4_503_599_627_370_497],
    ["round(a, 10)", { a: 1_000_000_000_000_000 }, 1_000_000_000_000_000],
    ["sum(lines.map(a, a.qty)) + a", { a: 1, lines: [{ qty: 2 }] }, 3],
  ])("%s of %j is %j", async (formula, data, expected) => {
    expect(await result(formula, data)).toEqual(expected);
  });

  it("returns texts, booleans, dates and date-times", async () => {
    expect(await result('concat(t, " ", a, "!")', { t: "n", a: 0.3 }, "text")).toBe("n 0.3!");
    expect(await result('a > 1 && "x" in tags', { a: 2, tags: ["x"] }, "boolean")).toBe(true);
    expect(await result("day", { day: "2026-11-21Z" }, "date")).toBe("2026-11-21+09:00");
    expect(await result("day < today()", { day: "2020-01-01" }, "boolean")).toBe(true);
    expect(await result("today()", {}, "date")).toMatch(/^\d{4}-\d\d-\d\d\+09:00$/);
    expect(await result('concat(day, "T00:00:00+09:00")', { day: "2026-11-21" }, "datetime")).toBe(
      "2026-11-20T15:00:00.000Z",
    );
  });

  it("keeps large numbers exact with many decimals", async () => {
    const manyDecimals = { decimals: 15 };
    expect(await result("a", { a: 1_234_567_890 }, "number", manyDecimals)).toBe(1_234_567_890);
    expect(await result("1234567.5", {}, "number", manyDecimals)).toBe(1_234_567.5);
    expect(await result('concat("No ", a)', { a: 1_234_567_890.5 }, "text")).toBe(
      "No 1234567890.5",
    );
  });

  it("returns null for an empty operand unless the formula uses coalesce", async () => {
    expect(await result("a + b", { a: 1 })).toBeNull();
    expect(await result("coalesce(a, 0) + coalesce(b, a, 5)", { a: 1 })).toBe(2);
    expect(await result("coalesce(a, b)", {})).toBeNull();
    expect(await result("sum(lines.map(l, l.qty * l.price))", { lines: [{ qty: 1 }] })).toBeNull();
    expect(
      await result("sum(lines.map(l, coalesce(l.qty * l.price, 0)))", { lines: [{ qty: 1 }] }),
    ).toBe(0);
    expect(await result('done ? "yes" : t', { done: true }, "text")).toBe("yes");
  });

  it("returns null and a warning when a formula fails for an item", async () => {
    const fields = [number("a"), computed("out", "1 / a"), computed("date", '"never"', "date")];
    const body = await create(fields, { a: 0 });
    expect(body.data).toEqual({ a: 0, out: null, date: null });
    expect(body.warnings).toEqual([
      { field: "out", code: "formula_failed" },
      { field: "date", code: "formula_failed" },
    ]);
    const index = await create(
      [{ key: "l", type: "line_items", fields: [number("n")] }, computed("out", "l[3].n")],
      {},
    );
    expect(index.data.out).toBeNull();
  });

  it("resolves formulas that use other formulas in any order", async () => {
    const fields = [computed("c", "b + 1"), computed("b", "a + 1"), number("a")];
    expect((await create(fields, { a: 1 })).data).toEqual({ c: 3, b: 2, a: 1 });
  });

  it.each([
    [
      "a key that is not there",
      computed("out", "zzz + 1"),
      'There is no field "zzz". Fields: "a", "t"',
    ],
    ["a column that is not there", computed("out", "lines.map(l, l.zzz).size()"), "zzz"],
    ["types that do not go together", computed("out", "a + t"), "Cannot add a number and text."],
    ["another result", computed("out", "t"), 'returns text, but "result" is "number".'],
    ["broken syntax", computed("out", "a +"), "the formula ends too early"],
    [
      "a coalesce of two types",
      computed("out", "coalesce(a, t)"),
      "the same type, not a number and text",
    ],
    ["itself", computed("out", "out + 1"), "circle"],
    ["a regular expression", computed("out", 't.matches("^(a+)+$")', "boolean"), "matches"],
    ["a binding", computed("out", "cel.bind(x, a, x + x)"), "bind"],
    [
      "lists within lists",
      computed("out", "lines.exists(a, lines.exists(b, true))", "boolean"),
      "exists() cannot be used inside exists().",
    ],
    ["decimals of a text", computed("out", "t", "text", { decimals: 2 }), "Only allowed if"],
  ])("returns 422 to a definition with %s", async (_, field, reason) => {
    const fields = [
      number("a"),
      text("t"),
      { key: "lines", type: "line_items", fields: [number("qty")] },
      field,
    ];
    const { status, body } = await integrator.put(`/forms/${freshKey("form")}/schema`, { fields });
    expect([status, body.errors?.[0]?.code]).toEqual([422, "invalid_definition"]);
    expect(body.errors[0].pointer).toMatch(/^\/fields\/3\/(formula|decimals)$/);
    expect(body.errors[0].reason).toContain(reason);
  });

  it("returns 422 with a pointer to each formula of a cycle", async () => {
    const fields = [
      computed("a", "b + 1"),
      computed("b", "c + 1"),
      computed("c", "a + 1"),
      computed("d", "1.0"),
    ];
    const { body } = await integrator.put(`/forms/${freshKey("form")}/schema`, { fields });
    expect(body.errors.map((error: Json) => error.pointer)).toEqual([
      "/fields/0/formula",
      "/fields/1/formula",
      "/fields/2/formula",
    ]);
  });

  it("searches and sorts computed values like any other", async () => {
    const app = await makeApp(integrator, [
      number("a"),
      computed("twice", "a * 2"),
      computed("name", 'concat("N", a)', "text"),
    ]);
    for (const a of [3, 1, 2]) await integrator.post(`/apps/${app}/records`, { data: { a } });
    const search = async (body: Json) =>
      (await integrator.post(`/apps/${app}/records/search`, body)).body.items.map(
        (item: Json) => item.data.a,
      );
    expect(
      await search({
        conditions: [{ field: "twice", op: "gte", value: 4 }],
        sort: [{ field: "twice" }],
      }),
    ).toEqual([2, 3]);
    expect(
      await search({ conditions: [{ field: "name", op: "starts_with", value: "n3" }] }),
    ).toEqual([3]);
  });

  it("fails for long computed texts, and returns 422 to long formulas", async () => {
    const doubling = Array.from({ length: 20 }, (_, index) =>
      computed(`t${index + 1}`, `concat(t${index}, t${index})`, "text"),
    );
    const body = await create([text("t0"), ...doubling], { t0: "x".repeat(1000) });
    expect(body.data.t4).toHaveLength(16_000);
    expect(body.data.t5).toBeNull();
    const longField = computed("out", Array.from({ length: 400 }, () => "1").join("+"));
    const rejection = await integrator.put(`/forms/${freshKey("form")}/schema`, {
      fields: [longField],
    });
    expect(rejection.status).toBe(422);
  });

  it("returns 422 to formulas that need too many steps for one item", async () => {
    const lines = { key: "l", type: "line_items", fields: [number("q")] };
    const longFormula = (key: string) =>
      computed(key, `sum(l.map(a, ${Array.from({ length: 20 }, () => "a.q").join(" * ")}))`);
    const put = (fields: object[]) =>
      integrator.put(`/forms/${freshKey("form")}/schema`, { fields });
    const rejection = await put([
      lines,
      ...Array.from({ length: 200 }, (_, i) => longFormula(`o${i}`)),
    ]);
    expect([rejection.status, rejection.body.errors[0].pointer]).toEqual([422, "/fields"]);
    const sums = Array.from({ length: 300 }, (_, i) => computed(`s${i}`, "sum(l.map(a, a.q))"));
    expect((await put([lines, ...sums])).status).toBe(201);
  });

  it("returns formulas with the schema, and accepts them unchanged or changed", async () => {
    const form = await makeForm(integrator, [number("a"), computed("out", "a * 2")]);
    const schema = await integrator.get(`/forms/${form}/schema`);
    expect(schema.body.fields[1]).toEqual({
      key: "out",
      label: "out",
      type: "computed",
      searchable: true,
      formula: "a * 2",
      result: "number",
    });
    expect((await integrator.put(`/forms/${form}/schema`, schema.body)).body.schema_version).toBe(
      1,
    );
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { a: 2 } });
    const fields = [number("a"), computed("out", 'a > 1 ? "much" : "little"', "text")];
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    const patched = await integrator.patch(`/submissions/${body.id}`, { data: { a: 3 } });
    expect(patched.body.data.out).toBe("much");
  });
});
