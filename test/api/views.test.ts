import { beforeAll, describe, expect, it } from "vitest";
import { client, freshKey, issue, makeForm } from "../support/service";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { createExecutionContext } from "cloudflare:test";
import { app as worker } from "../../src/app.ts";
import { dataDb } from "../support/databases";
import { serviceWith } from "../support/serve";

const fields = [
  { key: "title", type: "text", required: true },
  {
    key: "department",
    type: "select",
    options: [{ value: "Design" }, { value: "Sales" }],
  },
  { key: "amount", type: "number" },
  { key: "secret", type: "text", unique: true },
  { key: "double", type: "computed", formula: "amount * 2", result: "number" },
];
const designView = {
  key: "open_design",
  name: "Open, Design",
  conditions: [
    { field: "department", op: "eq", value: "Design" },
    { field: "$status", op: "eq", value: "submitted" },
  ],
  sort: [{ field: "amount", direction: "desc" }],
  fields: ["title", "amount", "department"],
};

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const titles = (page: Json) => page.items.map((item: Json) => item.data.title);

async function formWithView(view: object = designView, more: object[] = []) {
  const form = await makeForm(owner, fields, { views: [view, ...more] });
  const create = async (data: object) => {
    const answer = await owner.post(`/forms/${form}/submissions`, { data });
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const small = await create({ title: "small", department: "Design", amount: 1, secret: "s1" });
  const sales = await create({ title: "sales", department: "Sales", amount: 2, secret: "s2" });
  const large = await create({ title: "large", department: "Design", amount: 3, secret: "s3" });
  return { form, small, sales, large };
}

describe("views of a definition", () => {
  it("are kept by a PUT without them and follow the new key of a field", async () => {
    const { form } = await formWithView();
    const renamed = fields.map((field) =>
      field.key === "department" ? { ...field, key: "team", renamed_from: "department" } : field,
    );
    const put = await owner.put(`/forms/${form}/schema`, { fields: renamed });
    expect(put.status).toBe(200);
    expect(put.body.views).toEqual([
      {
        ...designView,
        conditions: [{ field: "team", op: "eq", value: "Design" }, designView.conditions[1]],
        fields: ["title", "amount", "team"],
      },
    ]);
  });

  it("name themselves when a definition removes a field that they use", async () => {
    const { form } = await formWithView();
    const without = fields.filter(({ key }) => key !== "department");
    const put = await owner.put(`/forms/${form}/schema`, { fields: without });
    expect(put.status).toBe(422);
    expect(put.body.errors).toMatchObject([
      {
        field: "views",
        code: "invalid_definition",
        reason: expect.stringContaining("open_design"),
      },
    ]);
    const both = await owner.put(`/forms/${form}/schema`, { fields: without, views: [] });
    expect(both.status).toBe(200);
  });

  it("are validated like searches, and cannot use matches", async () => {
    const put = await owner.put(`/forms/${freshKey("bad")}/schema`, {
      fields,
      views: [
        { key: "a", name: "A", conditions: [{ field: "nothing", op: "eq", value: 1 }] },
        { key: "a", name: "B", sort: [{ field: "amount", direction: "up" }] },
        { key: "c", name: "C", fields: ["hidden"] },
        { key: "d", name: "D", conditions: [{ field: "title", op: "matches", value: [] }] },
        { key: "e", name: "E", conditions: [{ field: "department", op: "eq", value: "No" }] },
      ],
    });
    expect(put.status).toBe(422);
    expect(put.body.errors.map(({ pointer, code }: Json) => [pointer, code])).toEqual([
      ["/views/0/conditions/0/field", "invalid_definition"],
      ["/views/1/key", "invalid_definition"],
      ["/views/1/sort/0/direction", "invalid_definition"],
      ["/views/2/fields/0", "invalid_definition"],
      ["/views/3/conditions", "invalid_definition"],
      ["/views/4/conditions/0/value", "invalid_definition"],
    ]);
  });

  it("change by PATCH, and null removes them", async () => {
    const { form } = await formWithView();
    const path = `/forms/${form}/schema`;
    const bad = await owner.patch(path, { views: [{ key: "a", name: "A", fields: ["no"] }] });
    expect(bad.status).toBe(422);
    const dry = await owner.patch(`${path}?dry_run=true`, { views: null });
    expect(dry.body.consequences).toMatchObject({ outcome: "changed", views: ["open_design"] });
    expect((await owner.patch(path, { views: null })).body.views).toEqual([]);
  });

  it("may have conditions as deep as a search", async () => {
    const leaf = { field: "title", op: "eq", value: "x" };
    const deep = { all: [{ any: [{ all: [{ not: leaf }] }] }] };
    const form = await makeForm(owner, fields, {
      views: [{ key: "deep", name: "Deep", conditions: [deep] }],
    });
    expect((await owner.get(`/forms/${form}/submissions?view=deep`)).status).toBe(200);
  });
});

describe("All views of a definition together", () => {
  const views = (first: number, counts: number[]) =>
    counts.map((count, index) => ({
      key: `v${first + index}`,
      name: "V",
      conditions: [
        {
          any: Array.from({ length: count - 1 }, (_, value) => ({
            field: "amount",
            op: "eq",
            value,
          })),
        },
        { field: "amount", op: "gt", value: 0 },
      ],
    }));
  const most = Array.from({ length: 10 }, () => 50);

  it("have at most 500 conditions", async () => {
    const form = await makeForm(owner, fields, { views: views(0, most) });
    const path = `/forms/${form}/schema`;
    for (const send of [owner.patch, owner.put] as const) {
      const body = { fields, views: views(0, [...most, 2]) };
      const answer = await send(path, send === owner.put ? body : { views: body.views });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([422, "/views"]);
      expect(answer.text).toContain("at most 500 conditions, not 502");
    }
  });

  it("can be changed without further conditions if an earlier version has more", async () => {
    const form = await makeForm(owner, fields, { views: views(0, most) });
    const path = `/forms/${form}/schema`;
    const stored = (await owner.get(path)).body.views;
    const many = [...stored, ...views(10, [10])];
    await dataDb
      .prepare("update collection set views = ?, revision = revision + 1 where key = ?")
      .bind(JSON.stringify(many), form)
      .run();
    const other = serviceWith();
    const fresh = owner.through(async (request) =>
      worker.fetch(request, other, createExecutionContext()),
    );
    const patch = async (body: object) => (await fresh.patch(path, body)).status;
    expect(await patch({ description: "Other" })).toBe(200);
    expect(await patch({ views: [...stored, ...views(10, [11])] })).toBe(422);
    expect(await patch({ views: [...stored, ...views(10, [9])] })).toBe(200);
    expect(await patch({ views: [...stored, ...views(10, [10])] })).toBe(422);
  });
});

describe("?view=", () => {
  it("adds conditions, and sorts and picks fields where the request does not", async () => {
    const { form } = await formWithView();
    const list = await owner.get(`/forms/${form}/submissions?view=open_design`);
    expect(titles(list.body)).toEqual(["large", "small"]);
    expect(Object.keys(list.body.items[0].data)).toEqual(["title", "amount", "department"]);
    const search = await owner.post(`/forms/${form}/submissions/search?view=open_design`, {
      conditions: [{ field: "amount", op: "lt", value: 3 }],
      sort: [{ field: "title", direction: "asc" }],
      fields: ["title", "secret"],
    });
    expect(search.body.items.map(({ data }: Json) => data)).toEqual([
      { title: "small", secret: "s1" },
    ]);
    const figures = await owner.post(`/forms/${form}/submissions/aggregate?view=open_design`, {
      metrics: { sum: { op: "sum", field: "amount" } },
    });
    expect(figures.body.groups).toEqual([{ key: {}, metrics: { sum: 4 } }]);
    const csv = await owner.get(`/forms/${form}/submissions?view=open_design`, {
      Accept: "text/csv",
    });
    expect(csv.text.split("\r\n")[0]).not.toContain("secret");
    expect(csv.text).not.toContain("sales");
  });

  it("is 422 for an unknown view", async () => {
    const { form } = await formWithView();
    const list = await owner.get(`/forms/${form}/submissions?view=nothing`);
    expect(list.status).toBe(422);
    expect(list.body.errors).toMatchObject([{ field: "view", code: "invalid_condition" }]);
  });

  it("pages, and a cursor from before a change of the view is invalid", async () => {
    const { form } = await formWithView();
    const first = await owner.get(`/forms/${form}/submissions?view=open_design&limit=1`);
    expect(titles(first.body)).toEqual(["large"]);
    const second = await owner.get(first.body.links.next);
    expect(titles(second.body)).toEqual(["small"]);
    expect(
      (
        await owner.patch(`/forms/${form}/schema`, {
          views: [{ ...designView, conditions: [] }],
        })
      ).status,
    ).toBe(200);
    const late = await owner.get(first.body.links.next);
    expect(late.status).toBe(422);
    expect(late.body.errors).toMatchObject([{ field: "cursor", code: "invalid_cursor" }]);
  });

  it("understands $me", async () => {
    const mine = {
      key: "mine",
      name: "Mine",
      conditions: [{ field: "$created_by", op: "eq", value: "$me" }],
    };
    const { form } = await formWithView(mine);
    const other = await client();
    expect(
      (await other.post(`/forms/${form}/submissions`, { data: { title: "other" } })).status,
    ).toBe(201);
    expect(titles((await other.get(`/forms/${form}/submissions?view=mine`)).body)).toEqual([
      "other",
    ]);
    expect(titles((await owner.get(`/forms/${form}/submissions?view=mine`)).body)).toHaveLength(3);
    const search = await owner.post(`/forms/${form}/submissions/search`, {
      conditions: [{ not: { field: "$updated_by", op: "in", value: ["$me"] } }],
    });
    expect(titles(search.body)).toEqual(["other"]);
  });
});

const partnerRights = [
  "submissions:read",
  "submissions:write",
  "submissions:delete",
  "schema:read",
];
const narrow = (form: string, view = "open_design", choice: object = {}) =>
  client({ permissions: partnerRights, resources: [`form:${form}/${view}`], ...choice });

describe("a narrow credential", () => {
  it("gets an item in full after its view shows another field, although the item is the same", async () => {
    const { form, small } = await formWithView();
    const partner = await client({
      permissions: ["submissions:read"],
      resources: [`form:${form}/open_design`],
    });
    const path = `/submissions/${small.id}`;
    const { headers } = await partner.get(path);
    const conditional = { "If-None-Match": headers.get("etag") ?? "" };
    expect((await partner.get(path, conditional)).status).toBe(304);
    const views = [{ ...designView, fields: [...designView.fields, "double"] }];
    expect((await owner.patch(`/forms/${form}/schema`, { views })).status).toBe(200);
    const shown = await partner.get(path, conditional);
    expect([shown.status, shown.body.data?.double]).toEqual([200, 2]);
  });

  it("reads only the items and the fields of its view", async () => {
    const { form, small, sales } = await formWithView();
    const partner = await narrow(form);
    const path = `/forms/${form}/submissions`;
    for (let turn = 0; turn < 2; turn += 1) {
      expect(titles((await partner.get(path)).body)).toEqual(["small", "large"]);
      expect(titles((await partner.post(`${path}/search`, {})).body)).toEqual(["large", "small"]);
      const one = await partner.get(`/submissions/${small.id}`);
      expect(one.body.data).toEqual({ title: "small", department: "Design", amount: 1 });
      const hidden = await partner.get(`/submissions/${sales.id}`);
      const missing = await partner.get("/submissions/sub_01JD0000000000000000000000");
      expect(hidden.status).toBe(404);
      expect({ ...hidden.body, request_id: "" }).toEqual({ ...missing.body, request_id: "" });
    }
    const figures = await partner.post(`${path}/aggregate`, { metrics: { n: { op: "count" } } });
    expect(figures.body.groups[0].metrics.n).toBe(2);
    const csv = await partner.get(path, { Accept: "text/csv" });
    expect(csv.text).not.toMatch(/secret|sales|s1/);
  });

  it("cannot search, sort, group or select hidden fields, and learns no keys", async () => {
    const { form } = await formWithView();
    const partner = await narrow(form);
    const path = `/forms/${form}/submissions`;
    const bodies = [
      { conditions: [{ field: "secret", op: "eq", value: "s1" }] },
      { sort: [{ field: "secret" }] },
      { fields: ["secret"] },
    ];
    for (const body of bodies) {
      const answer = await partner.post(`${path}/search`, body);
      expect(answer.status).toBe(422);
      const unknown = JSON.parse(JSON.stringify(body).replaceAll("secret", "nobody"));
      const other = await partner.post(`${path}/search`, unknown);
      expect(answer.text.replaceAll("secret", "nobody").replace(/"request_id":"[^"]*"/, "")).toBe(
        other.text.replace(/"request_id":"[^"]*"/, ""),
      );
    }
    const grouped = await partner.post(`${path}/aggregate`, {
      group_by: [{ field: "secret" }],
      metrics: { n: { op: "count" } },
    });
    expect(grouped.status).toBe(422);
    expect((await partner.get(`${path}?view=open_design`)).status).toBe(422);
  });

  it("sees a schema without views, formulas and hidden fields, and cannot change it", async () => {
    const view = { ...designView, fields: ["title", "department", "double"] };
    const { form } = await formWithView(view);
    const partner = await narrow(form);
    const schema = await partner.get(`/forms/${form}/schema`);
    expect(schema.body).not.toHaveProperty("views");
    expect(schema.body.fields.map(({ key }: Json) => key)).toEqual([
      "title",
      "department",
      "double",
    ]);
    expect(schema.text).not.toMatch(/formula|secret|amount/);
    const document = await partner.get(`/forms/${form}/openapi.json`);
    expect(document.text).not.toMatch(/"secret"|"amount"|amount \* 2/);
    const path = document.body.paths[`/forms/${form}/schema`];
    expect(path.get.responses["200"].content["application/json"].example).not.toHaveProperty(
      "views",
    );
    const joined = await partner.get(`/openapi.json?forms=${form}`);
    expect(joined.text).not.toMatch(/"secret"|"amount"/);
  });

  it("writes only what is in its view before and after", async () => {
    const { form, small, sales } = await formWithView();
    const partner = await narrow(form);
    const path = `/forms/${form}/submissions`;
    const made = await partner.post(path, { data: { title: "new", department: "Design" } });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({ title: "new", department: "Design", amount: null });
    const outside = await partner.post(path, { data: { title: "new", department: "Sales" } });
    expect(outside.status).toBe(422);
    expect(outside.body.errors).toMatchObject([{ code: "outside_view" }]);
    const validated = await partner.post(`${path}/validate`, {
      data: { title: "new", department: "Sales" },
    });
    expect(validated.body.errors).toMatchObject([{ code: "outside_view" }]);
    const valid = await partner.post(`${path}/validate`, {
      data: { title: "v", department: "Design" },
    });
    expect(valid.status).toBe(200);
    expect(titles((await owner.get(path)).body)).toEqual(["small", "sales", "large", "new"]);
    const hidden = await partner.post(path, {
      data: { title: "x", department: "Design", secret: "y" },
    });
    expect(hidden.body.errors).toMatchObject([{ field: "secret", code: "unknown_field" }]);
    expect(hidden.text).not.toContain("renamed_to");
    expect((await partner.patch(`/submissions/${sales.id}`, { data: { title: "z" } })).status).toBe(
      404,
    );
    expect((await partner.delete(`/submissions/${sales.id}`)).status).toBe(404);
    const leaving = await partner.patch(`/submissions/${small.id}`, {
      data: { department: "Sales" },
    });
    expect(leaving.body.errors).toMatchObject([{ code: "outside_view" }]);
    const closing = await partner.patch(`/submissions/${small.id}`, { status: "closed" });
    expect(closing.body.errors).toMatchObject([{ code: "outside_view" }]);
    const changed = await partner.patch(`/submissions/${small.id}`, { data: { amount: 9 } });
    expect(changed.body.data).toEqual({ title: "small", department: "Design", amount: 9 });
    expect((await owner.get(`/submissions/${small.id}`)).body.data.secret).toBe("s1");
  });

  it("is told outside_view when a required hidden field would stay empty", async () => {
    const { form } = await formWithView({ ...designView, fields: ["department"] });
    const partner = await narrow(form);
    const made = await partner.post(`/forms/${form}/submissions`, {
      data: { department: "Design" },
    });
    expect(made.body.errors.map(({ code, field }: Json) => [code, field])).toEqual([
      ["outside_view", ""],
    ]);
  });

  it("applies batches to what it sees, all or nothing", async () => {
    const { form, small, sales } = await formWithView();
    const partner = await narrow(form);
    const path = `/forms/${form}/submissions/batch?return=representation`;
    const mixed = await partner.post(path, {
      operations: [
        { op: "update", id: small.id, data: { amount: 5 } },
        { op: "update", id: sales.id, data: { amount: 5 } },
      ],
    });
    expect(mixed.status).toBe(404);
    const outside = await partner.post(path, {
      operations: [{ op: "create", data: { title: "n", department: "Sales" } }],
    });
    expect(outside.body.errors).toMatchObject([{ code: "outside_view" }]);
    const done = await partner.post(path, {
      operations: [
        { op: "update", id: small.id, data: { amount: 5 } },
        { op: "create", data: { title: "n", department: "Design" } },
      ],
    });
    expect(done.status).toBe(200);
    expect(Object.keys(done.body.results[0].item.data)).not.toContain("secret");
  });

  it("names the other item of a duplicate only if it sees it", async () => {
    const { form, large } = await formWithView({
      ...designView,
      fields: ["title", "department", "secret"],
    });
    const partner = await narrow(form);
    const path = `/forms/${form}/submissions`;
    const data = { title: "x", department: "Design" };
    const hidden = await partner.post(path, { data: { ...data, secret: "s2" } });
    expect(hidden.status).toBe(409);
    expect(hidden.body).toMatchObject({ code: "duplicate", field: "secret" });
    expect(hidden.body.id).toBeUndefined();
    const seen = await partner.post(path, { data: { ...data, secret: "s3" } });
    expect(seen.body.id).toBe(large.id);
    const upsert = await partner.post(`${path}/batch`, {
      operations: [{ op: "upsert", by: "secret", data: { ...data, secret: "s2" } }],
    });
    expect(upsert.status).toBe(409);
    expect(upsert.text).not.toContain("sub_");
  });

  it("gets a replay as the view is now", async () => {
    const { form } = await formWithView();
    const partner = await narrow(form);
    const path = `/forms/${form}/submissions`;
    const send = () =>
      partner.post(
        path,
        { data: { title: "once", department: "Design", amount: 1 } },
        { "Idempotency-Key": "k" },
      );
    const first = await send();
    expect((await send()).body).toEqual(first.body);
    await owner.patch(`/forms/${form}/schema`, { views: [{ ...designView, fields: ["title"] }] });
    const fewer = await send();
    expect(fewer.headers.get("Idempotent-Replayed")).toBe("true");
    expect(fewer.body.data).toEqual({ title: "once" });
    await owner.patch(`/submissions/${first.body.id}`, { data: { department: "Sales" } });
    expect((await send()).status).toBe(404);
  });

  it("follows changes of what it sees, and is told what left", async () => {
    const { form, small, sales, large } = await formWithView();
    const partner = await narrow(form);
    const path = `/forms/${form}/changes`;
    const start = await partner.get(path);
    expect(start.body.items.map(({ id, type }: Json) => [id, type])).toEqual([
      [small.id, "created"],
      [large.id, "created"],
    ]);
    expect(start.text).not.toMatch(/secret|sales/);
    await owner.patch(`/submissions/${sales.id}`, { data: { amount: 7 } });
    const left = await owner.patch(`/submissions/${large.id}`, { data: { department: "Sales" } });
    await owner.patch(`/submissions/${sales.id}`, { data: { department: "Design" } });
    await owner.patch(`/submissions/${small.id}`, { data: { secret: "other" } });
    const next = await partner.get(start.body.links.next);
    expect(next.body.items.map(({ id, type }: Json) => [id, type])).toEqual([
      [large.id, "left"],
      [sales.id, "updated"],
      [small.id, "updated"],
    ]);
    expect(Object.keys(next.body.items[0])).toEqual(["id", "type", "version", "etag", "at"]);
    expect(next.body.items[0].etag).toBe(left.etag);
    expect(next.body.items[2].fields).toEqual([]);
    await owner.patch(`/forms/${form}/schema`, { views: [{ ...designView, conditions: [] }] });
    expect((await partner.get(next.body.links.next)).status).toBe(410);
  });

  it("obeys a change of its view with its next request", async () => {
    const { form, small } = await formWithView();
    const partner = await narrow(form);
    expect((await partner.get(`/submissions/${small.id}`)).status).toBe(200);
    await owner.patch(`/forms/${form}/schema`, {
      views: [{ ...designView, conditions: [{ field: "department", op: "eq", value: "Sales" }] }],
    });
    expect((await partner.get(`/submissions/${small.id}`)).status).toBe(404);
    expect(titles((await partner.get(`/forms/${form}/submissions`)).body)).toEqual(["sales"]);
    const removed = await owner.patch(`/forms/${form}/schema`, { views: [] });
    expect(removed.status).toBe(409);
    expect(removed.body.code).toBe("schema_in_use");
  });

  it("cannot have rights over whole collections", async () => {
    const { form } = await formWithView();
    const resources = [`form:${form}/open_design`];
    for (const permission of ["schema:write", "webhooks:manage"])
      await expect(issue({ permissions: [permission], resources })).rejects.toThrow(permission);
    await expect(
      issue({ permissions: ["submissions:read"], resources: [...resources, `form:${form}`] }),
    ).rejects.toThrow("not_an_option");
    await expect(
      issue({ permissions: ["submissions:read"], resources: [`form:${form}/no_view`] }),
    ).rejects.toThrow("no_view");
  });

  it("costs at most 2 rows and no round trip more than a whole one for a GET", async () => {
    const { form, small } = await formWithView();
    const { fetch, counts, reset } = counted();
    const partner = await narrow(form);
    const whole = await client({
      permissions: ["submissions:read", "schema:read"],
      resources: [`form:${form}`],
    });
    const costOf = async (caller: Client) => {
      const counting = caller.through(fetch);
      // The object and the isolate learn of the credential.
      for (let turn = 0; turn < 2; turn += 1) await counting.get(`/submissions/${small.id}`);
      reset();
      expect((await counting.get(`/submissions/${small.id}`)).status).toBe(200);
      return { ...counts };
    };
    const [narrowCost, wholeCost] = [await costOf(partner), await costOf(whole)];
    expect(narrowCost.d1).toBeLessThanOrEqual(wholeCost.d1);
    expect(narrowCost.rowsRead).toBeLessThanOrEqual(wholeCost.rowsRead + 2);
  });

  it("never writes an item outside its view, whoever moves it at the same time", async () => {
    const { form, small } = await formWithView();
    const partner = await narrow(form);
    const path = `/submissions/${small.id}`;
    for (let turn = 0; turn < 5; turn += 1) {
      await owner.patch(path, { data: { department: "Design", amount: 0 } });
      const [moved, ...written] = await Promise.all([
        owner.patch(path, { data: { department: "Sales" } }),
        ...[1, 2, 3].map((amount) => partner.patch(path, { data: { amount } })),
      ]);
      expect(moved?.status).toBe(200);
      const versions = written.filter(({ status }) => status === 200);
      for (const { body } of versions) expect(body.version).toBeLessThan(moved?.body.version);
      for (const { status } of written) expect([200, 404]).toContain(status);
    }
  });

  it("never writes under a view that has just changed", async () => {
    const { form, small } = await formWithView();
    const partner = await narrow(form);
    for (let turn = 0; turn < 3; turn += 1) {
      const definition = `/forms/${form}/schema`;
      expect((await owner.patch(definition, { views: [designView] })).status).toBe(200);
      const closed = [{ field: "department", op: "eq", value: "Sales" }];
      const [, made] = await Promise.all([
        owner.patch(definition, { views: [{ ...designView, conditions: closed }] }),
        partner.patch(`/submissions/${small.id}`, { data: { amount: turn } }),
      ]);
      expect([200, 404]).toContain(made.status);
      const late = await partner.patch(`/submissions/${small.id}`, { data: { amount: 99 } });
      expect(late.status).toBe(404);
    }
  });
});
