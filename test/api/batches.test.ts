import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeApp, makeForm } from "../support/service";
import { dataDb } from "../support/databases";

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

/** An app with these records, and a function that sends batches to it. */
async function appWith(...initial: object[]) {
  const app = await makeApp(integrator, fields, { receipt_prefix: "R-" });
  const path = `/apps/${app}/records`;
  const created: Json[] = [];
  for (const data of initial) created.push((await integrator.post(path, { data })).body);
  const batch = (operations: object[], query = "", headers = {}) =>
    integrator.post(`${path}/batch${query}`, { operations }, headers);
  return { app, path, records: created, batch };
}

describe("A batch", () => {
  it("names the other operation when two items of one batch want the same value", async () => {
    const { batch } = await appWith();
    const answer = await batch([
      create({ code: "u" }),
      create({ title: "x" }),
      create({ code: "u" }),
    ]);
    expect(answer.status).toBe(409);
    const [error] = answer.body.errors;
    expect(error).toEqual({
      field: "code",
      pointer: "/operations/2/data/code",
      code: "duplicate",
      reason: 'Operation 0 of this batch has the same value of "code", which must be unique.',
    });
    expect(answer.body).not.toHaveProperty("id");
  });

  it("blames the later of two updates that want the same value, and names no item", async () => {
    const { records, batch } = await appWith({ code: "a" }, { code: "b" });
    const update = (item: Json, data: object) => ({
      op: "update",
      id: item.id,
      data,
    });
    const [a, b] = records;
    for (const [first, second] of [
      [a, b],
      [b, a],
    ]) {
      const answer = await batch([
        update(first, { code: "x" }),
        update(second, { code: "x" }),
        update(second, { title: "later" }),
      ]);
      expect([answer.status, answer.body.errors]).toEqual([
        409,
        [
          {
            field: "code",
            pointer: "/operations/1/data/code",
            code: "duplicate",
            reason: 'Operation 0 of this batch has the same value of "code", which must be unique.',
          },
        ],
      ]);
      expect(answer.body).not.toHaveProperty("id");
    }
  });

  it("blames only the operation that sends a value of another item, beside a swap of values", async () => {
    const { records, batch } = await appWith({ code: "a" }, { code: "b" }, { code: "c" }, {});
    const update = (item: Json, data: object) => ({
      op: "update",
      id: item.id,
      data,
    });
    const [a, b, c, d] = records;
    const answer = await batch([
      update(d, { title: "before" }),
      update(a, { code: "b" }),
      update(b, { code: "a" }),
      update(d, { code: "c" }),
      update(d, { title: "after" }),
    ]);
    expect(answer.body).toMatchObject({ status: 409, field: "code", id: c.id });
    expect(answer.body.errors.map(({ pointer }: Json) => pointer)).toEqual([
      "/operations/3/data/code",
    ]);
  });

  it("has no field for errors of a whole operation, which the pointer names", async () => {
    const { batch } = await appWith({ code: "a" });
    const id = "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const answer = await batch([
      { op: "update", id, data: {} },
      { op: "update", id: "R-000001", data: {}, if_match: '"9"' },
      7 as never,
    ]);
    const errors = answer.body.errors.map(({ field, pointer, code }: Json) => [
      field,
      pointer,
      code,
    ]);
    expect(errors).toEqual([
      ["", "/operations/0", "not_found"],
      ["", "/operations/1", "version_mismatch"],
      ["", "/operations/2", "invalid_type"],
    ]);
  });

  it("reports fields relative to their operation, which the pointer names", async () => {
    const { batch } = await appWith();
    const answer = await batch([create({}), { op: "bogus" }, { ...create({}), extra: 1 }]);
    const errors = answer.body.errors.map(({ field, pointer }: Json) => [field, pointer]);
    expect(errors).toEqual([
      ["op", "/operations/1/op"],
      ["extra", "/operations/2/extra"],
    ]);
  });

  it("applies its operations in order and returns the outcome of each", async () => {
    const { path, records, batch } = await appWith({ code: "a", amount: 1 }, { code: "b" });
    const [a, b] = records;
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

  it("adds the current items with `return=representation`, if the caller has read permission", async () => {
    const { app, batch } = await appWith({ code: "a" });
    const operations = [create({ code: "b", amount: 1 }), upsert({ code: "a", title: "x" })];
    const { body } = await batch(operations, "?return=representation");
    for (const { id, item } of body.results) {
      expect(item).toEqual((await integrator.get(`/apps/${app}/records/${id}`)).body);
    }
    const writer = await client({ permissions: ["records:write"] });
    const path = `/apps/${app}/records/batch?return=representation`;
    const writerResponse = await writer.post(path, { operations: [create({ code: "z" })] });
    expect([writerResponse.status, writerResponse.body.results[0].item]).toEqual([200, undefined]);
    expect((await batch(operations, "?return=all")).body.errors[0].field).toBe("return");
  });

  it("deletes submissions with their search entries, and returns 422 to a delete of records", async () => {
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
    const secondDelete = await integrator.post(`${path}/batch`, { operations: [operations[0]] });
    expect([secondDelete.status, secondDelete.body.errors[0].pointer]).toEqual([
      404,
      "/operations/0",
    ]);
    const { batch } = await appWith();
    const rejection = await batch([{ op: "delete", id: "R-000001" }]);
    expect([rejection.status, rejection.body.errors[0].code]).toEqual([422, "not_an_option"]);
  });

  it("reports every error of every operation, stores nothing, and takes its status from the first failing check", async () => {
    const { path, records, batch } = await appWith({ code: "a" });
    const [a] = records;
    const invalidOperations = [
      create({ amount: "x", zz: 1 }),
      upsert({ code: null }),
      { op: "upsert", by: "title", data: { title: "x" } },
      { op: "move", id: a.id },
      create({ code: "fine" }),
    ];
    const rejection = await batch(invalidOperations);
    expect([rejection.status, rejection.body.code]).toEqual([422, "invalid_input"]);
    expect(rejection.body.errors.map(({ pointer, code }: Json) => [pointer, code])).toEqual([
      ["/operations/0/data/amount", "invalid_type"],
      ["/operations/0/data/zz", "unknown_field"],
      ["/operations/1/data/code", "required"],
      ["/operations/2/by", "not_an_option"],
      ["/operations/3/op", "not_an_option"],
    ]);
    const staleBatch = await batch([
      ...invalidOperations,
      { op: "update", id: a.id, data: {}, if_match: '"9"' },
    ]);
    expect([staleBatch.status, staleBatch.body.code, staleBatch.body.current_etag]).toEqual([
      412,
      "version_mismatch",
      '"1"',
    ]);
    expect(staleBatch.body.errors).toHaveLength(6);
    const missingItem = await batch([
      ...invalidOperations,
      { op: "update", id: "rec_x", data: {} },
    ]);
    expect([missingItem.status, missingItem.body.errors.at(-1).pointer]).toEqual([
      404,
      "/operations/5",
    ]);
    expect(await itemsOf(path)).toHaveLength(1);
    for (const body of [
      {},
      { operations: [] },
      { operations: Array(101).fill(create({})) },
      { operations: 1 },
      [],
    ]) {
      const response = await integrator.post(`${path}/batch`, body);
      expect([response.status, response.body.code]).toEqual([422, "invalid_input"]);
    }
  });

  it("returns 409 duplicate to a value of another item, inside or outside the batch, and names the item", async () => {
    const { path, records, batch } = await appWith({ code: "a" });
    const duplicateInside = await batch([
      create({ code: "n" }),
      create({ code: "m" }),
      create({ code: "n" }),
    ]);
    expect([
      duplicateInside.status,
      duplicateInside.body.code,
      duplicateInside.body.errors[0].pointer,
    ]).toEqual([409, "duplicate", "/operations/2/data/code"]);
    const duplicateOutside = await batch([create({ code: "n" }), create({ code: "a" })]);
    expect(duplicateOutside.body).toMatchObject({
      code: "duplicate",
      field: "code",
      id: records[0].id,
      errors: [{ field: "code", pointer: "/operations/1/data/code", code: "duplicate" }],
    });
    expect(await itemsOf(path)).toHaveLength(1);
    const pair = await appWith({ code: "x" }, { code: "y" });
    const [x, y] = pair.records;
    const swap = await pair.batch([
      { op: "update", id: x.id, data: { code: "y" } },
      { op: "update", id: y.id, data: { code: "x" } },
    ]);
    expect(swap.status).toBe(200);
    expect((await itemsOf(pair.path)).map(({ data }) => data.code)).toEqual(["y", "x"]);
  });

  it("runs once per idempotency key, and replays its results without representations", async () => {
    const { path, batch } = await appWith();
    const operations = [create({ code: "a" }), upsert({ code: "b" })];
    const headers = { "Idempotency-Key": "batch-1" };
    const first = await batch(operations, "?return=representation", headers);
    const replay = await batch(operations, "?return=representation", headers);
    expect(replay.status).toBe(200);
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    expect(replay.body.results).toEqual(
      first.body.results.map((result: Json) => ({ ...result, item: undefined })),
    );
    const mismatch = await batch([create({ code: "c" })], "", headers);
    expect(mismatch.headers.get("Idempotency-Key-Mismatch")).toBe("true");
    const replays = await Promise.all(
      Array.from({ length: 12 }, () =>
        batch([create({ title: "once" })], "", { "Idempotency-Key": "batch-2" }),
      ),
    );
    expect(new Set(replays.map(({ body }) => body.results[0].id)).size).toBe(1);
    expect(await itemsOf(path)).toHaveLength(3);
  });

  it("returns 403 unless each operation has its permission, before looking up the collection", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions/batch`;
    const creator = await client({ permissions: ["submissions:create"] });
    expect((await creator.post(path, { operations: [create({})] })).status).toBe(200);
    for (const [operation, permission] of [
      [{ op: "update", id: "x" }, "submissions:write"],
      [upsert({ code: "a" }), "submissions:write"],
      [{ op: "delete", id: "x" }, "submissions:delete"],
    ] as const) {
      for (const url of [path, "/forms/nowhere/submissions/batch"]) {
        const { status, body } = await creator.post(url, { operations: [create({}), operation] });
        expect([status, body.required_permission]).toEqual([403, permission]);
      }
    }
    const outsider = await client({ resources: ["form:elsewhere"] });
    expect((await outsider.post(path, { operations: [create({})] })).status).toBe(404);
  });

  it("creates one item per value when batches with overlapping upserts run concurrently", async () => {
    const { path, batch } = await appWith();
    const codes = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const responses = await Promise.all(
      Array.from({ length: 6 }, (_, run) => {
        const order = run % 2 === 0 ? codes : codes.toReversed();
        return batch(order.map((code) => upsert({ code, amount: run })));
      }),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const items = await itemsOf(path);
    expect(items.map(({ data }) => data.code).toSorted()).toEqual(codes.toSorted());
    expect(items.map(({ version }) => version)).toEqual(Array(20).fill(6));
  });

  it("is stored completely or returns 409 full when concurrent batches fill a form", async () => {
    const form = await makeForm(integrator, fields, { acceptance: { max_submissions: 10 } });
    const path = `/forms/${form}/submissions`;
    const threeCreates = { operations: [create({}), create({}), create({})] };
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => integrator.post(`${path}/batch`, threeCreates)),
    );
    expect(responses.map(({ status }) => status).toSorted()).toEqual([
      200, 200, 200, 409, 409, 409,
    ]);
    expect(responses.find(({ status }) => status === 409)?.body).toMatchObject({
      code: "submissions_closed",
      reason: "full",
    });
    expect(await itemsOf(path)).toHaveLength(9);
  });

  it("lists the closed form beside every other error", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    const { body } = await integrator.post(path, { data: {} });
    await integrator.patch(`/forms/${form}/schema`, { acceptance: { state: "closed" } });
    const { status, body: refusal } = await integrator.post(`${path}/batch`, {
      operations: [create({}), { op: "update", id: body.id, data: { zz: 1 } }],
    });
    expect({ status, code: refusal.code }).toEqual({ status: 409, code: "submissions_closed" });
    expect(refusal.errors.map(({ pointer, code }: Json) => [pointer, code])).toEqual([
      ["/operations/0", "submissions_closed"],
      ["/operations/1/data/zz", "unknown_field"],
    ]);
  });

  it("adds each change to the feed, with a reference to the previous change of its item", async () => {
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
    const { results } = await dataDb
      .prepare(
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

  it("creates 100 items in two round trips and 20 statements, with fewer rows written than singly", async () => {
    const { batch, path } = await appWith();
    const { fetch, counts, statements, reset } = counted();
    const caller = integrator.through(fetch);
    await batch([create({ code: "warm" })]);
    reset();
    const operations = Array.from({ length: 100 }, (_, index) =>
      create({ code: `n${index}`, amount: index }),
    );
    expect((await caller.post(`${path}/batch`, { operations })).status).toBe(200);
    const { d1, rowsWritten } = counts;
    expect(statements.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(20);
    reset();
    await caller.post(path, { data: { code: "single", amount: 1 } });
    expect(d1).toBeLessThanOrEqual(2);
    expect(rowsWritten).toBeLessThan(100 * counts.rowsWritten);
  });

  it("returns 413 when it would store more than 8 MB", async () => {
    const large = [{ key: "note", type: "multiline_text", max_length: 100_000, searchable: false }];
    const fieldsWithDefault = large.map((field) => ({ ...field, default: "x".repeat(99_000) }));
    const form = await makeForm(integrator, fieldsWithDefault);
    const path = `/forms/${form}/submissions/batch`;
    const operations = Array.from({ length: 90 }, () => create({}));
    const { status, body } = await integrator.post(path, { operations });
    expect([status, body.code, body.limit]).toEqual([413, "too_large", 8_000_000]);
    expect((await integrator.post(path, { operations: operations.slice(0, 60) })).status).toBe(200);
  });

  it("returns 422 and stops checking when its operations have 1,000 errors", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions/batch`;
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`x${i}`, 0]));
    for (const operation of [create(unknown), { ...create({}), ...unknown }]) {
      const operations = Array.from({ length: 100 }, () => operation);
      const { status, body } = await integrator.post(path, { operations });
      expect([status, body.errors.length]).toEqual([422, 100]);
      // Operations after the limit are not checked, so the detail counts fewer than all of them.
      expect(Number.parseInt(body.detail, 10)).toBeLessThanOrEqual(10);
    }
  });

  it("returns 413 and stores nothing when its response would hold more than 2 MB of items", async () => {
    const note = { key: "note", type: "multiline_text", max_length: 100_000, searchable: false };
    const form = await makeForm(integrator, [{ ...note, default: "x".repeat(99_000) }]);
    const path = `/forms/${form}/submissions/batch`;
    const operations = Array.from({ length: 21 }, () => create({}));
    const query = "?return=representation";
    const { status, body } = await integrator.post(path + query, { operations });
    expect([status, body.code, body.limit]).toEqual([413, "too_large", 2_000_000]);
    expect(body.detail).toContain("leave out return=representation");
    expect(await itemsOf(`/forms/${form}/submissions`)).toEqual([]);
    expect((await integrator.post(path, { operations })).status).toBe(200);
  });

  it("returns 413 when it writes more than 10,000 unique values", async () => {
    const keys = Array.from({ length: 400 }, (_, i) => `u${i}`);
    const form = await makeForm(
      integrator,
      keys.map((key) => ({ key, type: "number", unique: true, searchable: false })),
    );
    const operations = Array.from({ length: 30 }, (_, item) => ({
      op: "upsert",
      by: "u0",
      data: Object.fromEntries(keys.map((key) => [key, item])),
    }));
    const path = `/forms/${form}/submissions/batch`;
    const { status, body } = await integrator.post(path, { operations });
    expect([status, body.code, body.limit]).toEqual([413, "too_large", 10_000]);
    // The operations after the limit are not checked.
    expect(body.errors.map(({ pointer }: Json) => pointer)).toEqual(["/operations/25"]);
    const fewer = await integrator.post(path, { operations: operations.slice(0, 25) });
    expect(fewer.status).toBe(200);
  });
});
