import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import { type Client, type Json } from "../support/client";
import { counted } from "../support/counting";
import { dataDb, dataHandle } from "../support/databases";
import { client, makeApp, makeForm } from "../support/service";

const options = (...values: string[]) => values.map((value) => ({ value }));
const fields = [
  { key: "team", type: "select", options: options("a", "b") },
  { key: "tags", type: "multi_select", options: options("x", "y") },
  { key: "name", type: "text", max_length: 100_000 },
  { key: "note", type: "multiline_text" },
  { key: "secret", type: "text", searchable: false },
  { key: "amount", type: "number" },
  { key: "done", type: "boolean" },
  { key: "day", type: "date" },
  { key: "at", type: "datetime" },
  { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
  { key: "total", type: "computed", formula: "sum(lines.map(l, l.qty))", result: "number" },
];
const count = { items: { op: "count" } };

describe("Aggregates", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  let path: string;
  let form: string;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
    form = await makeForm(integrator, fields, { time_zone: "Asia/Tokyo" });
    path = `/forms/${form}/submissions`;
    const create = (data: object, status = "submitted") => ({ op: "create", data, status });
    const written = await integrator.post(`${path}/batch`, {
      operations: [
        create({ team: "a", tags: ["x", "y"], amount: 0.1, done: true, day: "2026-01-01" }),
        create({ team: "a", tags: ["x"], amount: 0.2, done: false, at: "2026-06-30T20:00:00Z" }),
        create({ team: "b", amount: -1, day: "2026-12-31", lines: [{ qty: 2 }] }),
        create({ name: "Z" }, "draft"),
      ],
    });
    if (written.status !== 200) throw new Error(written.text);
  });

  const figures = async (body: Json, sentTo = path) => {
    const answer = await integrator.post(`${sentTo}/aggregate`, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body;
  };
  const groups = async (body: Json): Promise<Json[]> => (await figures(body)).groups;
  const errors = async (body: Json, sentTo = path): Promise<Json[]> => {
    const answer = await integrator.post(`${sentTo}/aggregate`, body);
    expect([answer.status, answer.text]).toEqual([422, answer.text]);
    return answer.body.errors;
  };

  it("returns one group with an empty key without group_by, also without items", async () => {
    const metrics = {
      items: { op: "count" },
      values: { op: "count", field: "amount" },
      sum: { op: "sum", field: "amount" },
      mean: { op: "avg", field: "amount" },
      least: { op: "min", field: "day" },
    };
    expect(await figures({ metrics })).toEqual({
      groups: [
        {
          key: {},
          metrics: {
            items: 4,
            values: 3,
            sum: -0.7,
            mean: -0.23333333333333334,
            least: "2026-01-01",
          },
        },
      ],
      truncated: false,
    });
    const conditions = [{ field: "amount", op: "gt", value: 1000 }];
    const empty = { items: 0, values: 0, sum: null, mean: null, least: null };
    expect(await groups({ metrics, conditions })).toEqual([{ key: {}, metrics: empty }]);
    const amounts = { sum: { op: "sum", field: "amount" } };
    expect(await groups({ metrics: amounts, conditions })).toEqual([
      { key: {}, metrics: { sum: null } },
    ]);
    const grouped = { group_by: [{ field: "team" }], metrics, conditions };
    expect(await figures(grouped)).toEqual({ groups: [], truncated: false });
  });

  it("orders groups by key, false before true and null last, and counts items in each group of a list", async () => {
    const keysOf = async (field: string) =>
      (await groups({ group_by: [{ field }], metrics: count })).map(({ key, metrics }) => [
        key[field],
        metrics.items,
      ]);
    expect(await keysOf("done")).toEqual([
      [false, 1],
      [true, 1],
      [null, 2],
    ]);
    expect(await keysOf("tags")).toEqual([
      ["x", 2],
      ["y", 1],
      [null, 2],
    ]);
    expect(await keysOf("$status")).toEqual([
      ["draft", 1],
      ["submitted", 3],
    ]);
  });

  it("counts all distinct values of the items in the group of one of them", async () => {
    const kinds = { kinds: { op: "count_distinct", field: "tags" } };
    const found = await groups({ group_by: [{ field: "tags" }], metrics: kinds });
    expect(found.map(({ key, metrics }) => [key.tags, metrics.kinds])).toEqual([
      ["x", 2],
      ["y", 2],
      [null, 0],
    ]);
  });

  it("orders by metrics, empty ones last and ties by key, and says whether more groups exist", async () => {
    const body = {
      group_by: [{ field: "team" }],
      metrics: { sum: { op: "sum", field: "amount" } },
    };
    const order_by = [{ metric: "sum", direction: "desc" }];
    const teams = (found: Json[]) => found.map(({ key }) => key.team);
    expect(teams(await groups({ ...body, order_by }))).toEqual(["a", "b", null]);
    expect(teams(await groups({ ...body, order_by: [{ metric: "sum" }] }))).toEqual([
      "b",
      "a",
      null,
    ]);
    const first = await figures({ ...body, order_by, limit: 1 });
    expect([teams(first.groups), first.truncated]).toEqual([["a"], true]);
  });

  it("forms periods in the time zone of the collection or of the request, and ISO weeks of days", async () => {
    const keysOf = async (group: Json) =>
      (await groups({ group_by: [group], metrics: count })).map(({ key }) => key[group.field]);
    expect(await keysOf({ field: "at", unit: "month" })).toEqual(["2026-07", null]);
    expect(await keysOf({ field: "at", unit: "quarter", time_zone: "UTC" })).toEqual([
      "2026-Q2",
      null,
    ]);
    expect(await keysOf({ field: "day", unit: "week" })).toEqual(["2026-W01", "2026-W53", null]);
    expect(await keysOf({ field: "day", unit: "year" })).toEqual(["2026", null]);
  });

  it("shows all digits of a sum that no double has", async () => {
    const other = await makeForm(integrator, [{ key: "amount", type: "number" }]);
    const otherPath = `/forms/${other}/submissions`;
    for (const amount of [2 ** 53 - 1, 0.25])
      await integrator.post(otherPath, { data: { amount } });
    const body = { metrics: { sum: { op: "sum", field: "amount" } } };
    const { text } = await integrator.post(`${otherPath}/aggregate`, body);
    expect(text).toContain('"sum":9007199254740991.25');
  });

  it.each<[string, Json, string, string]>([
    ["no metrics", {}, "/metrics", "required"],
    ["an empty object of metrics", { metrics: {} }, "/metrics", "invalid_condition"],
    [
      "more than five metrics",
      {
        metrics: Object.fromEntries(
          Array.from("abcdef", (name) => name).map((name) => [name, { op: "count" }]),
        ),
      },
      "/metrics",
      "too_complex",
    ],
    [
      "a name with capitals",
      { metrics: { A: { op: "count" } } },
      "/metrics/A",
      "invalid_condition",
    ],
    [
      "an unknown operation",
      { metrics: { a: { op: "median" } } },
      "/metrics/a/op",
      "invalid_condition",
    ],
    [
      "a sum without a field",
      { metrics: { a: { op: "sum" } } },
      "/metrics/a/field",
      "invalid_condition",
    ],
    [
      "the sum of a text",
      { metrics: { a: { op: "sum", field: "name" } } },
      "/metrics/a/op",
      "invalid_condition",
    ],
    [
      "a field that is not searchable",
      { metrics: { a: { op: "count", field: "secret" } } },
      "/metrics/a/field",
      "invalid_condition",
    ],
    [
      "a column of line items",
      { metrics: { a: { op: "sum", field: "lines.qty" } } },
      "/metrics/a/field",
      "invalid_condition",
    ],
    ["an unknown member", { metrics: count, having: [] }, "/having", "invalid_condition"],
    ["a limit of zero", { metrics: count, limit: 0 }, "/limit", "out_of_range"],
    ["a limit above 1,000", { metrics: count, limit: 1001 }, "/limit", "out_of_range"],
    [
      "an order by no metric",
      { metrics: count, order_by: [{ metric: "sum" }] },
      "/order_by/0/metric",
      "invalid_condition",
    ],
    [
      "an unknown condition",
      { metrics: count, conditions: [{ field: "zz", op: "eq", value: 1 }] },
      "/conditions/0/field",
      "invalid_condition",
    ],
  ])("rejects %s", async (_, body, pointer, code) => {
    expect((await errors(body)).map((error) => [error.pointer, error.code])).toEqual([
      [pointer, code],
    ]);
  });

  it.each<[string, Json[], string]>([
    ["a number", [{ field: "amount" }], "/group_by/0/field"],
    ["a multiline text", [{ field: "note" }], "/group_by/0/field"],
    ["line items", [{ field: "lines" }], "/group_by/0/field"],
    ["the id", [{ field: "$id" }], "/group_by/0/field"],
    ["a field that is not searchable", [{ field: "secret" }], "/group_by/0/field"],
    ["a date without a unit", [{ field: "day" }], "/group_by/0/unit"],
    ["a select with a unit", [{ field: "team", unit: "day" }], "/group_by/0/unit"],
    [
      "a date with a time zone",
      [{ field: "day", unit: "day", time_zone: "UTC" }],
      "/group_by/0/time_zone",
    ],
    [
      "an unknown time zone",
      [{ field: "at", unit: "day", time_zone: "Mars" }],
      "/group_by/0/time_zone",
    ],
    ["one field twice", [{ field: "team" }, { field: "team" }], "/group_by/1/field"],
  ])("rejects groups by %s", async (_, group_by, pointer) => {
    expect((await errors({ group_by, metrics: count })).map((error) => error.pointer)).toEqual([
      pointer,
    ]);
  });

  it("takes one call of the object and one round trip, and reads index entries for one field", async () => {
    const single = { group_by: [{ field: "team" }], metrics: count };
    const several = { group_by: [{ field: "team" }, { field: "done" }], metrics: count };
    for (const body of [single, several]) {
      await figures(body);
      reset();
      await figures(body);
      expect([counts.object, counts.d1]).toEqual([1, 1]);
    }
  });

  it("takes one more round trip if a number does not fit the scale of the others", async () => {
    const other = await makeForm(integrator, fields);
    const otherPath = `/forms/${other}/submissions`;
    const create = async (...amounts: number[]) => {
      const operations = amounts.map((amount) => ({ op: "create", data: { amount } }));
      expect((await integrator.post(`${otherPath}/batch`, { operations })).status).toBe(200);
    };
    const sumFrom = async (value: number) => {
      const conditions = [{ field: "amount", op: "gte", value }];
      const body = { conditions, metrics: { sum: { op: "sum", field: "amount" } } };
      reset();
      const { text } = await integrator.post(`${otherPath}/aggregate`, body);
      return [/"sum":([\d.]+)/.exec(text)?.[1], counts.d1];
    };
    await create(0.30000000000000004, 0.5, 1.000001, 2);
    await sumFrom(0.5);
    expect(await sumFrom(0.5)).toEqual(["3.500001", 1]);
    expect(await sumFrom(0)).toEqual(["3.80000100000000004", 2]);
    await create(3_000_000_000_000);
    // A whole number this large does not fit the scale of the decimals beside it.
    expect(await sumFrom(0.5)).toEqual(["3000000000003.500001", 2]);
  });

  it("ends a response at 1 MB and says that more groups exist", async () => {
    const other = await makeForm(integrator, fields);
    const otherPath = `/forms/${other}/submissions`;
    for (let index = 0; index < 6; index += 1) {
      const { status } = await integrator.post(otherPath, {
        data: { name: `${index}${"é".repeat(99_000)}` },
      });
      expect(status).toBe(201);
    }
    const body = { group_by: [{ field: "name" }], metrics: count };
    const { groups: found, truncated } = await figures(body, otherPath);
    expect([found.length, truncated]).toEqual([5, true]);
  });

  it("rejects more than 200,000 items and names a narrower condition", async () => {
    const app = await makeApp(integrator, fields);
    const appPath = `/apps/${app}/records`;
    await integrator.post(appPath, { data: { team: "a", amount: 1 } });
    const current = await findCollection(dataHandle, "app", app);
    const tally = dataDb
      .prepare("update tally set live = 200001 where collection_id = ?1")
      .bind(current?.collection.id ?? 0);
    await tally.run();
    for (const body of [
      { metrics: count },
      { group_by: [{ field: "team" }], metrics: count },
      { group_by: [{ field: "team" }], metrics: { sum: { op: "sum", field: "amount" } } },
    ]) {
      const { status, body: problem } = await integrator.post(`${appPath}/aggregate`, body);
      expect([status, problem.errors[0].code]).toEqual([422, "too_complex"]);
      expect(problem.errors[0].reason).toContain("$created_at");
    }
    const conditions = [{ field: "$created_at", op: "gte", value: "2026-01-01T00:00:00Z" }];
    expect((await figures({ metrics: count, conditions }, appPath)).groups[0].metrics.items).toBe(
      1,
    );
  });
});
