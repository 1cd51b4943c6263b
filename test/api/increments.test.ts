import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client, type Json } from "../support/client";
import { call as callTool } from "../mcp/mcp-client";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const by = (amount: unknown) => ({ $increment: amount });
const fields = [
  { key: "count", type: "number", minimum: -5, maximum: 100, decimals: 2 },
  { key: "free", type: "number" },
  { key: "slot", type: "number", unique: true },
  { key: "title", type: "text" },
  { key: "double", type: "computed", formula: "count * 2", result: "number" },
  { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
];

let integrator: Client;
let app: string;
beforeAll(async () => {
  integrator = await client();
  app = await makeApp(integrator, fields);
});
const records = () => `/apps/${app}/records`;
const create = async (data: object): Promise<string> => {
  const { body } = await integrator.post(records(), { data });
  return `${records()}/${body.id}`;
};
const idOf = (path: string) => path.split("/").at(-1);

describe("$increment", () => {
  it("adds exact decimals in a PATCH, with formulas, and counts an empty value as 0", async () => {
    const item = await create({ count: 0.1 });
    const sum = await integrator.patch(item, {
      data: { count: by(0.2), free: by(-3), title: "x" },
    });
    expect([sum.status, sum.etag]).toEqual([200, '"2"']);
    expect(sum.body.data).toMatchObject({ count: 0.3, double: 0.6, free: -3, title: "x" });
    const same = await integrator.patch(item, { data: { count: by(0) } });
    expect([same.status, same.etag]).toEqual([200, '"2"']);
  });

  it("makes 40 increments from 8 callers exactly 40, without If-Match", async () => {
    const item = await create({ count: 0 });
    const callers = await Promise.all(Array.from({ length: 8 }, () => client()));
    const statuses = await Promise.all(
      callers.map(async (caller) => {
        const seen: number[] = [];
        for (let turn = 0; turn < 5; turn += 1)
          seen.push((await caller.patch(item, { data: { count: by(1) } })).status);
        return seen;
      }),
    );
    expect(new Set(statuses.flat())).toEqual(new Set([200]));
    const { body, etag } = await integrator.get(item);
    expect([body.data.count, etag]).toEqual([40, '"41"']);
  });

  it("makes simultaneous batches and PATCHes all count", async () => {
    const item = await create({ count: 0 });
    const operations = [1, 2].map(() => ({ op: "update", id: idOf(item), data: { count: by(1) } }));
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => integrator.post(`${records()}/batch`, { operations })),
      ...Array.from({ length: 4 }, () => integrator.patch(item, { data: { count: by(1) } })),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await integrator.get(item)).body.data.count).toBe(12);
  });

  it("happens once for each Idempotency-Key of a batch", async () => {
    const item = await create({ count: 1 });
    const operations = [{ op: "update", id: idOf(item), data: { count: by(2) } }];
    const key = { "Idempotency-Key": freshKey("once") };
    const send = () => integrator.post(`${records()}/batch`, { operations }, key);
    const answers = await Promise.all([send(), send(), send()]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await send()).headers.get("Idempotent-Replayed")).toBe("true");
    expect((await integrator.get(item)).body.data.count).toBe(3);
  });

  it("returns 422 and stores nothing when the sum breaks a rule of the field", async () => {
    const item = await create({ count: 99.5, free: 2 ** 53 - 1 });
    const cases: [data: object, errors: Json][] = [
      [{ count: by(1) }, { count: "too_large" }],
      [{ count: by(-200) }, { count: "too_small" }],
      [{ count: by(0.001) }, { count: "too_many_decimals" }],
      [{ free: by(1) }, { free: "too_large" }],
      [{ free: by(2) }, { free: "not_exact" }],
      [{ free: by(0.1) }, { free: "not_exact" }],
      [
        { count: by(1), free: by(1e300) },
        { count: "too_large", free: "not_exact" },
      ],
    ];
    for (const [data, errors] of cases) {
      const answer = await integrator.patch(item, { data });
      expect([answer.status, codes(answer)]).toEqual([422, errors]);
    }
    expect((await integrator.get(item)).etag).toBe('"1"');
  });

  it("returns 422 with a pointer for an amount that is no exact number", async () => {
    const item = await create({ count: 1 });
    for (const amount of ["1", null, true, [], { $increment: 1 }]) {
      const { status, body } = await integrator.patch(item, { data: { count: by(amount) } });
      expect([status, body.errors]).toMatchObject([
        422,
        [{ code: "invalid_type", pointer: "/data/count/$increment" }],
      ]);
    }
    const inexact = '{"data":{"count":{"$increment":9007199254740993}}}';
    const { body } = await integrator.patch(item, inexact);
    expect(body.errors).toMatchObject([{ code: "not_exact", pointer: "/data/count/$increment" }]);
  });

  it("is invalid_type in other fields, other shapes, rows, creates and upserts", async () => {
    const item = await create({ count: 1, slot: 4711 });
    const cases: [data: object, field: string][] = [
      [{ title: by(1) }, "title"],
      [{ lines: [{ qty: by(1) }] }, "lines[0].qty"],
      [{ lines: by(1) }, "lines"],
      [{ count: { $increment: 1, more: 2 } }, "count"],
      [{ count: { $add: 1 } }, "count"],
      [{ count: {} }, "count"],
    ];
    for (const [data, field] of cases) {
      const answer = await integrator.patch(item, { data });
      expect([answer.status, codes(answer)]).toEqual([422, { [field]: "invalid_type" }]);
    }
    const created = await integrator.post(records(), { data: { count: by(1) } });
    expect([created.status, codes(created)]).toEqual([422, { count: "invalid_type" }]);
    const operations = [
      { op: "create", data: { count: by(1) } },
      { op: "upsert", by: "slot", data: { slot: 4711, count: by(1) } },
      { op: "upsert", by: "slot", data: { slot: 4712, count: by(1) } },
    ];
    const batch = await integrator.post(`${records()}/batch`, { operations });
    expect(batch.body.errors).toMatchObject(
      [0, 1, 2].map((index) => ({
        code: "invalid_type",
        pointer: `/operations/${index}/data/count`,
      })),
    );
  });

  it("returns 409 duplicate when the sum belongs to another item", async () => {
    await create({ slot: 8 });
    const item = await create({ slot: 7 });
    const answer = await integrator.patch(item, { data: { slot: by(1) } });
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([
      409,
      "duplicate",
      "slot",
    ]);
  });

  it("returns 412 when If-Match does not name the stored version", async () => {
    const item = await create({ count: 1 });
    const header = { "If-Match": '"9"' };
    expect((await integrator.patch(item, { data: { count: by(1) } }, header)).status).toBe(412);
  });

  it("is searchable at once, and changes and history have the sum", async () => {
    const item = await create({ free: 1234 });
    await integrator.patch(item, { data: { free: by(0.5) } });
    const conditions = [{ field: "free", op: "eq", value: 1234.5 }];
    const found = await integrator.post(`${records()}/search`, { conditions });
    expect(found.body.items.map(({ id }: Json) => id)).toEqual([idOf(item)]);
    const changes = await integrator.get(`/apps/${app}/changes?all=true&limit=200`);
    const change = changes.body.items.findLast(({ id }: Json) => id === idOf(item));
    expect(change).toMatchObject({ type: "updated", version: 2, fields: ["free"] });
  });

  it("works on submissions, on drafts and together with a status", async () => {
    const form = await makeForm(integrator, [{ key: "n", type: "number", required: true }]);
    const draft = await integrator.post(`/forms/${form}/submissions`, {
      status: "draft",
      data: {},
    });
    const path = `/submissions/${draft.body.id}`;
    expect((await integrator.patch(path, { data: { n: by(2) } })).body.data.n).toBe(2);
    const submitted = await integrator.patch(path, { status: "submitted", data: { n: by(3) } });
    expect(submitted.body).toMatchObject({ status: "submitted", data: { n: 5 } });
  });

  it("returns 403 without read permission in PATCH, batch and MCP, before anything is looked up", async () => {
    const form = await makeForm(integrator, [{ key: "n", type: "number" }]);
    const submission = await integrator.post(`/forms/${form}/submissions`, { data: { n: 1 } });
    const item = await create({ count: 1 });
    const writer = await client({ permissions: ["records:write", "submissions:write"] });
    const data = { count: by(1) };
    const missing = "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV";
    const operations = [
      { op: "create", data: {} },
      { op: "update", id: missing, data },
    ];
    const answers = [
      await writer.patch(item, { data }),
      await writer.patch(`${records()}/${missing}`, { data: { nothing: by("x") } }),
      await writer.post(`${records()}/batch`, { operations }),
    ];
    for (const { status, body } of answers)
      expect([status, body.required_permission]).toEqual([403, "records:read"]);
    const onForm = await writer.patch(`/submissions/${submission.body.id}`, { data: { n: by(1) } });
    expect([onForm.status, onForm.body.required_permission]).toEqual([403, "submissions:read"]);
    const tool = await callTool(writer, "update_record", { app, id: idOf(item), data });
    expect(tool.isError).toBe(true);
    expect(tool.structuredContent).toMatchObject({ required_permission: "records:read" });
    expect((await integrator.get(item)).etag).toBe('"1"');
    expect((await writer.patch(item, "{")).status).toBe(400);
    expect((await writer.patch(item, { data: { count: 2 } })).status).toBe(200);
  });

  it("works in the update tools of MCP", async () => {
    const item = await create({ count: 1 });
    const args = { app, id: idOf(item), data: { count: by(4) } };
    const { structuredContent } = await callTool(integrator, "update_record", args);
    expect(structuredContent).toMatchObject({ data: { count: 5, double: 10 } });
  });
});
