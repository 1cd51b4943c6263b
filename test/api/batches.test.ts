import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";

const fields = [
  { key: "code", type: "text", unique: true },
  { key: "title", type: "text" },
  { key: "amount", type: "number" },
  { key: "double", type: "computed", formula: "amount * 2", result: "number" },
];

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

const create = (data: object) => ({ op: "create", data });
const upsert = (data: object) => ({ op: "upsert", by: "code", data });

async function itemsOf(path: string): Promise<Json[]> {
  const { body } = await integrator.get(`${path}?limit=200`);
  return body.items;
}

/** What a batch does to an app, with records that are there already. */
async function appWith(...records: object[]) {
  const app = await makeApp(integrator, fields, { receipt_prefix: "R-" });
  const path = `/apps/${app}/records`;
  const made: Json[] = [];
  for (const data of records) made.push((await integrator.post(path, { data })).body);
  const batch = (operations: object[], rest = "", headers = {}) =>
    integrator.post(`${path}/batch${rest}`, { operations }, headers);
  return { app, path, made, batch };
}

describe("A batch", () => {
  it("applies its operations in order and tells what became of each", async () => {
    const { path, made, batch } = await appWith({ code: "a", amount: 1 }, { code: "b" });
    const [a, b] = made;
    const { status, body } = await batch([
      create({ code: "c", amount: 3 }),
      { op: "update", id: a.id, data: { amount: 5 }, if_match: '"1"' },
      upsert({ code: "b", title: "B" }),
      upsert({ code: "d", title: "D" }),
      upsert({ code: "d", amount: 7 }),
      { op: "update", id: "R-000002", data: { title: "B" } },
    ]);
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { op: "create", outcome: "created", receipt_number: "R-000003", etag: '"1"' },
      { op: "update", outcome: "updated", id: a.id, receipt_number: "R-000001", etag: '"2"' },
      { op: "upsert", outcome: "updated", id: b.id, etag: '"2"' },
      { op: "upsert", outcome: "created", receipt_number: "R-000004", etag: '"1"' },
      { op: "upsert", outcome: "updated", receipt_number: "R-000004", etag: '"2"' },
      { op: "update", outcome: "unchanged", id: b.id, etag: '"2"' },
    ]);
    expect(body.results[3].id).toBe(body.results[4].id);
    const items = await itemsOf(path);
    expect(
      items.map(({ receipt_number, version, data }) => [receipt_number, version, data]),
    ).toEqual([
      ["R-000001", 2, { code: "a", title: null, amount: 5, double: 10 }],
      ["R-000002", 2, { code: "b", title: "B", amount: null, double: null }],
      ["R-000003", 1, { code: "c", title: null, amount: 3, double: 6 }],
      ["R-000004", 2, { code: "d", title: "D", amount: 7, double: 14 }],
    ]);
    const next = await integrator.post(path, { data: {} });
    expect(next.body.receipt_number).toBe("R-000005");
    expect(next.body.created_at > items[3].created_at).toBe(true);
  });

  it("`return=representation` adds the items as they are, for whoever may read them", async () => {
    const { app, batch } = await appWith({ code: "a" });
    const operations = [create({ code: "b", amount: 1 }), upsert({ code: "a", title: "x" })];
    const { body } = await batch(operations, "?return=representation");
    for (const { id, item } of body.results) {
      expect(item).toEqual((await integrator.get(`/apps/${app}/records/${id}`)).body);
    }
    const writer = await client({ permissions: ["records:write"] });
    const path = `/apps/${app}/records/batch?return=representation`;
    const blind = await writer.post(path, { operations: [create({ code: "z" })] });
    expect([blind.status, blind.body.results[0].item]).toEqual([200, undefined]);
    expect((await batch(operations, "?return=all")).body.errors[0].field).toBe("return");
  });

  it("deletes submissions, and leaves nothing of them; records are not deleted", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    const { body } = await integrator.post(path, { data: { code: "a", amount: 1 } });
    const operations = [
      { op: "delete", id: body.id, if_match: '"1"' },
      create({ code: "a", title: "again" }),
    ];
    const done = await integrator.post(`${path}/batch`, { operations });
    expect(done.body.results).toMatchObject([
      { op: "delete", outcome: "deleted", id: body.id, etag: '"1"' },
      { op: "create", outcome: "created" },
    ]);
    expect((await itemsOf(path)).map(({ data }) => data.title)).toEqual(["again"]);
    const search = { conditions: [{ field: "amount", op: "eq", value: 1 }] };
    expect((await integrator.post(`${path}/search`, search)).body.items).toEqual([]);
    const again = await integrator.post(`${path}/batch`, { operations: [operations[0]] });
    expect([again.status, again.body.errors[0].pointer]).toEqual([404, "/operations/0"]);
    const { batch } = await appWith();
    const refused = await batch([{ op: "delete", id: "R-000001" }]);
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, "not_an_option"]);
  });

  it("tells every error of every operation at once, and stores nothing; the first check that fails gives the status", async () => {
    const { path, made, batch } = await appWith({ code: "a" });
    const [a] = made;
    const wrong = [
      create({ amount: "x", zz: 1 }),
      upsert({ code: null }),
      { op: "upsert", by: "title", data: { title: "x" } },
      { op: "move", id: a.id },
      create({ code: "fine" }),
    ];
    const refused = await batch(wrong);
    expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
    expect(refused.body.errors.map(({ pointer, code }: Json) => [pointer, code])).toEqual([
      ["/operations/0/data/amount", "invalid_type"],
      ["/operations/0/data/zz", "unknown_field"],
      ["/operations/1/data/code", "required"],
      ["/operations/2/by", "not_an_option"],
      ["/operations/3/op", "not_an_option"],
    ]);
    const late = await batch([...wrong, { op: "update", id: a.id, data: {}, if_match: '"9"' }]);
    expect([late.status, late.body.code, late.body.current_etag]).toEqual([
      412,
      "version_mismatch",
      '"1"',
    ]);
    expect(late.body.errors).toHaveLength(6);
    const gone = await batch([...wrong, { op: "update", id: "rec_x", data: {} }]);
    expect([gone.status, gone.body.errors.at(-1).pointer]).toEqual([404, "/operations/5"]);
    expect(await itemsOf(path)).toHaveLength(1);
    for (const body of [
      {},
      { operations: [] },
      { operations: Array(101).fill(create({})) },
      { operations: 1 },
      [],
    ]) {
      const shape = await integrator.post(`${path}/batch`, body);
      expect([shape.status, shape.body.code]).toEqual([422, "invalid_input"]);
    }
  });

  it("refuses a value that another item has, in the batch or outside, and names it", async () => {
    const { path, made, batch } = await appWith({ code: "a" });
    const twice = await batch([
      create({ code: "n" }),
      create({ code: "m" }),
      create({ code: "n" }),
    ]);
    expect([twice.status, twice.body.code, twice.body.errors[0].pointer]).toEqual([
      409,
      "duplicate",
      "/operations/2",
    ]);
    const taken = await batch([create({ code: "n" }), create({ code: "a" })]);
    expect(taken.body).toMatchObject({
      code: "duplicate",
      field: "code",
      id: made[0].id,
      errors: [{ pointer: "/operations/1", code: "duplicate" }],
    });
    expect(await itemsOf(path)).toHaveLength(1);
    const swap = await appWith({ code: "x" }, { code: "y" });
    const [x, y] = swap.made;
    const swapped = await swap.batch([
      { op: "update", id: x.id, data: { code: "y" } },
      { op: "update", id: y.id, data: { code: "x" } },
    ]);
    expect(swapped.status).toBe(200);
    expect((await itemsOf(swap.path)).map(({ data }) => data.code)).toEqual(["y", "x"]);
  });

  it("is done once for each key; a replay tells the same without representations", async () => {
    const { path, batch } = await appWith();
    const operations = [create({ code: "a" }), upsert({ code: "b" })];
    const headers = { "Idempotency-Key": "batch-1" };
    const first = await batch(operations, "?return=representation", headers);
    const again = await batch(operations, "?return=representation", headers);
    expect(again.status).toBe(200);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(again.body.results).toEqual(
      first.body.results.map((result: Json) => ({ ...result, item: undefined })),
    );
    const other = await batch([create({ code: "c" })], "", headers);
    expect(other.headers.get("Idempotency-Key-Mismatch")).toBe("true");
    const many = await Promise.all(
      Array.from({ length: 12 }, () =>
        batch([create({ title: "once" })], "", { "Idempotency-Key": "batch-2" }),
      ),
    );
    expect(new Set(many.map(({ body }) => body.results[0].id)).size).toBe(1);
    expect(await itemsOf(path)).toHaveLength(3);
  });

  it("needs for each operation what its single route needs, before anything is looked up", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions/batch`;
    const creator = await client({ permissions: ["submissions:create"] });
    expect((await creator.post(path, { operations: [create({})] })).status).toBe(200);
    for (const [operation, permission] of [
      [{ op: "update", id: "x" }, "submissions:write"],
      [upsert({ code: "a" }), "submissions:write"],
      [{ op: "delete", id: "x" }, "submissions:delete"],
    ] as const) {
      for (const at of [path, "/forms/nowhere/submissions/batch"]) {
        const { status, body } = await creator.post(at, { operations: [create({}), operation] });
        expect([status, body.required_permission]).toEqual([403, permission]);
      }
    }
    const elsewhere = await client({ resources: ["form:elsewhere"] });
    expect((await elsewhere.post(path, { operations: [create({})] })).status).toBe(404);
  });

  it("two batches with overlapping upserts make one item of each value, whoever is first", async () => {
    const { path, batch } = await appWith();
    const codes = Array.from({ length: 20 }, (_, at) => `k${at}`);
    const runs = await Promise.all(
      Array.from({ length: 6 }, (_, run) => {
        const own = run % 2 === 0 ? codes : codes.toReversed();
        return batch(own.map((code) => upsert({ code, amount: run })));
      }),
    );
    expect(runs.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const items = await itemsOf(path);
    expect(items.map(({ data }) => data.code).toSorted()).toEqual(codes.toSorted());
    expect(items.map(({ version }) => version)).toEqual(Array(20).fill(6));
  });

  it("a form that fills while it comes takes all of it or nothing", async () => {
    const form = await makeForm(integrator, fields, { acceptance: { max_submissions: 10 } });
    const path = `/forms/${form}/submissions`;
    const three = { operations: [create({}), create({}), create({})] };
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => integrator.post(`${path}/batch`, three)),
    );
    expect(runs.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409, 409, 409]);
    expect(runs.find(({ status }) => status === 409)?.body).toMatchObject({
      code: "submissions_closed",
      reason: "full",
    });
    expect(await itemsOf(path)).toHaveLength(9);
  });

  it("each change stands in the feed by itself, and points to the one before", async () => {
    const { app, batch } = await appWith({ code: "a" });
    await batch([
      upsert({ code: "a", amount: 1 }),
      create({ code: "b" }),
      upsert({ code: "a", amount: 2 }),
      upsert({ code: "b", amount: 3 }),
    ]);
    const { body } = await integrator.get(`/apps/${app}/changes?all=true`);
    expect(
      body.items.map(({ type, version, item }: Json) => [type, version, item.data.code]),
    ).toEqual([
      ["created", 1, "a"],
      ["updated", 2, "a"],
      ["created", 1, "b"],
      ["updated", 3, "a"],
      ["updated", 2, "b"],
    ]);
    const { results } = await env.DB.prepare(
      `SELECT c.version, b.version AS before, c.former, i.last_change = c.number AS last FROM change c
        JOIN item i ON i.number = c.item LEFT JOIN change b ON b.number = c.previous
        WHERE i.collection_id = (SELECT id FROM collection WHERE key = ?) ORDER BY c.number`,
    )
      .bind(app)
      .all();
    expect(results).toEqual([
      { version: 1, before: null, former: null, last: 0 },
      { version: 2, before: 1, former: '{"4":null,"5":null}', last: 0 },
      { version: 1, before: null, former: null, last: 0 },
      { version: 3, before: 2, former: '{"4":1,"5":2}', last: 1 },
      { version: 2, before: 1, former: '{"4":null,"5":null}', last: 1 },
    ]);
  });

  it("100 creates cost two round trips and at most 20 statements, and rows as single ones less what they share", async () => {
    const { batch, path } = await appWith();
    const { fetch, counts, statements, reset } = counted();
    const by = integrator.through(fetch);
    await batch([create({ code: "warm" })]);
    reset();
    const operations = Array.from({ length: 100 }, (_, at) =>
      create({ code: `n${at}`, amount: at }),
    );
    expect((await by.post(`${path}/batch`, { operations })).status).toBe(200);
    const { d1, rowsWritten } = counts;
    expect(statements.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(20);
    reset();
    await by.post(path, { data: { code: "single", amount: 1 } });
    expect(d1).toBeLessThanOrEqual(2);
    expect(rowsWritten).toBeLessThan(100 * counts.rowsWritten);
  });

  it("is bounded in what it touches: 8 MB of stored data, or 60,000 searchable values", async () => {
    const large = [{ key: "note", type: "multiline_text", max_length: 100_000, searchable: false }];
    const filled = large.map((field) => ({ ...field, default: "x".repeat(99_000) }));
    const form = await makeForm(integrator, filled);
    const path = `/forms/${form}/submissions/batch`;
    const operations = Array.from({ length: 90 }, () => create({}));
    const { status, body } = await integrator.post(path, { operations });
    expect([status, body.code, body.limit]).toEqual([413, "too_large", 8_000_000]);
    expect((await integrator.post(path, { operations: operations.slice(0, 60) })).status).toBe(200);
  });
});
