import { beforeAll, describe, expect, it } from "vitest";
import { createExecutionContext } from "cloudflare:test";
import { app as worker } from "../../src/app.ts";
import type { Client, Fetch, Json } from "../support/client";
import { serviceWith } from "../support/serve";
import { admin, client, makeApp, makeForm } from "../support/service";

const rights = ["records:read", "records:write", "submissions:read", "submissions:write"];
const nobody = "rec_01KAHV3M4E7XQ2R5T8W9YZB6CD";
/** Fields of customers that the view hides. */
const moreSecrets = Array.from({ length: 8 }, (_, index) => `secret${index}`);

let owner: Client;
let customers: string;
let products: string;
let orders: string;
let yamada: Json;
let sato: Json;
let pen: Json;

const create = async (app: string, data: object): Promise<Json> => {
  const answer = await owner.post(`/apps/${app}/records`, { data });
  expect([answer.status, answer.text]).toMatchObject([201, expect.any(String)]);
  return answer.body;
};

/** The credential's own answer, apart from what differs between any two requests. */
const comparable = ({ status, text }: { status: number; text: string }) => [
  status,
  text.replace(/"request_id":"[^"]*"/, ""),
];

beforeAll(async () => {
  owner = await client();
  customers = await makeApp(
    owner,
    [
      { key: "name", type: "text" },
      { key: "email", type: "email", unique: true },
      ...[...moreSecrets, "secret"].map((key) => ({
        key,
        type: "text",
        max_length: 100_000,
        searchable: false,
      })),
    ],
    {
      title_field: "name",
      receipt_prefix: "CUS-",
      views: [
        {
          key: "ya",
          name: "Ya",
          conditions: [{ field: "name", op: "starts_with", value: "Ya" }],
          fields: ["name"],
        },
      ],
    },
  );
  products = await makeApp(owner, [{ key: "name", type: "text" }], { receipt_prefix: "PRO-" });
  orders = await makeApp(
    owner,
    [
      { key: "customer", type: "reference", app: customers },
      { key: "note", type: "text" },
      { key: "product", type: "reference", app: products },
    ],
    {
      views: [
        {
          key: "mine",
          name: "Mine",
          conditions: [{ field: "note", op: "eq", value: "mine" }],
          fields: ["customer", "note"],
        },
      ],
    },
  );
  yamada = await create(customers, { name: "Yamada", email: "yamada@example.com" });
  sato = await create(customers, { name: "Sato", email: "sato@example.com" });
  pen = await create(products, { name: "Pen" });
});

describe("A credential that sees a view of the app of a reference", () => {
  const partner = () =>
    client({
      permissions: rights,
      resources: [`app:${orders}`, `app:${customers}/ya`, `app:${products}`],
    });

  it("refers to the records of the view by the names that it sees, and cannot tell which others exist", async () => {
    const caller = await partner();
    const post = (customer: unknown) =>
      caller.post(`/apps/${orders}/records`, { data: { customer } });
    const missing = await post(nobody);
    expect([missing.status, missing.body.errors[0].code]).toEqual([422, "unknown_reference"]);
    const hiddenNames = [
      sato.id,
      sato.receipt_number,
      { email: "yamada@example.com" },
      { email: "sato@example.com" },
      { email: "nobody@example.com" },
    ];
    for (const name of hiddenNames)
      expect(comparable(await post(name))).toEqual(comparable(missing));
    for (const name of [yamada.id, yamada.receipt_number]) {
      const made = await post(name);
      expect([made.status, made.body.data?.customer]).toEqual([201, yamada.id]);
    }
    const batch = (customer: unknown) =>
      caller.post(`/apps/${orders}/records/batch`, {
        operations: [{ op: "create", data: { customer } }],
      });
    const refused = await batch(sato.id);
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      422,
      expect.stringContaining("unknown_reference"),
    ]);
    expect((await batch(yamada.id)).status).toBe(200);
    const whole = await caller.post(`/apps/${orders}/records`, { data: { product: "PRO-000001" } });
    expect([whole.status, whole.body.data?.product]).toEqual([201, pen.id]);
  });

  it("refers to a record by a unique value that the view shows", async () => {
    const app = await makeApp(
      owner,
      [
        { key: "code", type: "text", unique: true },
        { key: "team", type: "text" },
      ],
      {
        views: [
          {
            key: "design",
            name: "Design",
            conditions: [{ field: "team", op: "eq", value: "Design" }],
            fields: ["code"],
          },
        ],
      },
    );
    const seen = await create(app, { code: "A", team: "Design" });
    await create(app, { code: "B", team: "Sales" });
    const notes = await makeApp(owner, [{ key: "about", type: "reference", app }]);
    const caller = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${app}/design`],
    });
    const post = (about: unknown) => caller.post(`/apps/${notes}/records`, { data: { about } });
    expect((await post({ code: "A" })).body.data).toEqual({ about: seen.id });
    const missing = await post({ code: "C" });
    expect(comparable(await post({ code: "B" }))).toEqual(comparable(missing));
    expect(missing.body.errors[0].code).toBe("unknown_reference");
  });

  it("sends a stored reference back unchanged", async () => {
    const caller = await partner();
    const order = await create(orders, { customer: sato.id, note: "a" });
    const path = `/apps/${orders}/records/${order.id}`;
    const same = await caller.patch(path, { data: { customer: sato.id, note: "b" } });
    expect([same.status, same.body.data?.note]).toEqual([200, "b"]);
    const second = await create(customers, { name: "Suzuki", email: "suzuki@example.com" });
    const other = await caller.patch(path, { data: { customer: second.id } });
    expect([other.status, other.body.errors[0].code]).toEqual([422, "unknown_reference"]);
    const seen = await caller.patch(path, { data: { customer: yamada.id } });
    expect([seen.status, seen.body.data?.customer]).toEqual([200, yamada.id]);
  });

  it("gets from expand only the records and fields of the view", async () => {
    const caller = await partner();
    const order = await create(orders, { customer: yamada.id, product: pen.id });
    const hidden = await create(orders, { customer: sato.id, product: pen.id });
    const path = `/apps/${orders}/records`;
    const search = { conditions: [{ field: "$id", op: "in", value: [order.id, hidden.id] }] };
    const expand = "expand=customer,product";
    for (const answer of [
      await caller.get(`${path}/${order.id}?${expand}`),
      await caller.post(`${path}/search?${expand}`, search),
      await caller.get(`${path}?limit=200&${expand}`),
    ]) {
      const { included } = answer.body;
      const ids = [pen.id, yamada.id].toSorted();
      expect([answer.status, Object.keys(included).toSorted()]).toEqual([200, ids]);
      expect(included[yamada.id].data).toEqual({ name: "Yamada" });
    }
    const one = await caller.get(`${path}/${hidden.id}?${expand}`);
    expect([one.status, Object.keys(one.body.included)]).toEqual([200, [pen.id]]);
    expect(one.body.data.customer).toBe(sato.id);
  });

  it("gets a record from expand as soon as it enters the view, and no longer once it leaves", async () => {
    const caller = await partner();
    const customer = await create(customers, { name: "Ito", email: "ito@example.com" });
    const order = await create(orders, { customer: customer.id });
    const path = `/apps/${orders}/records/${order.id}?expand=customer`;
    const included = async () => Object.keys((await caller.get(path)).body.included);
    const rename = (name: string) =>
      owner.patch(`/apps/${customers}/records/${customer.id}`, { data: { name } });
    expect(await included()).toEqual([]);
    await rename("Yasuda");
    expect(await included()).toEqual([customer.id]);
    await rename("Ito");
    expect(await included()).toEqual([]);
  });

  it("gets from expand what a view shows that is newer than the definition in an isolate's memory", async () => {
    const app = await makeApp(owner, [{ key: "name", type: "text" }]);
    const notes = await makeApp(owner, [{ key: "about", type: "reference", app }]);
    const record = await create(app, { name: "Ya" });
    const note = await create(notes, { about: record.id });
    const service = serviceWith();
    const elsewhere: Fetch = async (request) =>
      worker.fetch(request, service, createExecutionContext());
    const path = `/apps/${notes}/records/${note.id}?expand=about`;
    const whole = await owner.through(elsewhere).get(path);
    expect(Object.keys(whole.body.included)).toEqual([record.id]);
    const views = [{ key: "all", name: "All" }];
    expect((await owner.patch(`/apps/${app}/schema`, { views })).status).toBe(200);
    const caller = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${app}/all`],
    });
    const seen = await caller.through(elsewhere).get(path);
    expect([seen.status, Object.keys(seen.body.included)]).toEqual([200, [record.id]]);
  });

  it("gets every value of a shown field from expand as it is stored", async () => {
    const data = {
      text: 'a "quoted" \\ 語',
      amount: 12345678901234.5,
      small: 0.1,
      yes: true,
      tags: ["a", "b"],
      lines: [{ qty: 1, secret: "x" }, {}, { qty: 2.25 }],
      day: "2026-11-26",
      hidden: "no",
    };
    const tags = ["a", "b"].map((value) => ({ value }));
    const app = await makeApp(
      owner,
      [
        { key: "text", type: "text" },
        { key: "amount", type: "number" },
        { key: "small", type: "number" },
        { key: "yes", type: "boolean" },
        { key: "tags", type: "multi_select", options: tags },
        {
          key: "lines",
          type: "line_items",
          fields: [
            { key: "qty", type: "number" },
            { key: "secret", type: "text" },
          ],
        },
        { key: "day", type: "date" },
        { key: "hidden", type: "text" },
        { key: "none", type: "text" },
      ],
      {
        views: [{ key: "most", name: "Most", fields: [...Object.keys(data).slice(0, 7), "none"] }],
      },
    );
    const record = await create(app, data);
    const notes = await makeApp(owner, [{ key: "about", type: "reference", app }]);
    await create(notes, { about: record.id });
    const caller = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${app}/most`],
    });
    const page = await caller.get(`/apps/${notes}/records?expand=about`);
    const { hidden: _, ...expected } = record.data;
    expect(page.body.included[record.id].data).toEqual(expected);
    expect(page.body.included[record.id]).toEqual(
      (await caller.get(`/apps/${app}/records/${record.id}`)).body,
    );
  });

  it("gets pages from expand that do not depend on the records and fields that the view hides", async () => {
    const caller = await partner();
    const notes = await makeApp(owner, [
      { key: "about", type: "reference", app: customers },
      { key: "n", type: "number" },
    ]);
    const reader = await client({
      permissions: rights,
      resources: [`app:${notes}`, `app:${customers}/ya`],
    });
    const secret = "x".repeat(99_000);
    const large = { secret, ...Object.fromEntries(moreSecrets.map((key) => [key, secret])) };
    for (let n = 0; n < 8; n += 1) {
      const shown = await create(customers, { name: `Ya${n}`, ...large });
      const hidden = await create(customers, { name: `No${n}`, ...large });
      await create(notes, { about: shown.id, n });
      await create(notes, { about: hidden.id, n });
    }
    const page = await reader.get(`/apps/${notes}/records?expand=about`);
    expect([page.body.items.length, page.body.links.next]).toEqual([16, null]);
    expect(Object.keys(page.body.included)).toHaveLength(8);
    expect(page.text).not.toContain("xxx");
    const whole = await owner.get(`/apps/${notes}/records?expand=about`);
    expect(whole.body.items.length).toBeLessThan(16);
    expect((await caller.get(`/apps/${notes}/records`)).status).toBe(404);
  });

  it("cannot use matches", async () => {
    const caller = await partner();
    const path = `/apps/${orders}/records`;
    const conditions = (field: string) => ({
      conditions: [{ field, op: "matches", value: [{ field: "name", op: "ne", value: "x" }] }],
    });
    const refused = await caller.post(`${path}/search`, conditions("customer"));
    expect([refused.status, refused.body.errors[0].code]).toEqual([422, "invalid_condition"]);
    expect((await caller.post(`${path}/search`, conditions("product"))).status).toBe(200);
  });
});

describe("A narrow credential with references in its view", () => {
  const partner = () =>
    client({ permissions: rights, resources: [`app:${orders}/mine`, `app:${customers}`] });

  it("expands those that the view shows, of the items that it shows", async () => {
    const caller = await partner();
    const mine = await create(orders, { customer: yamada.id, note: "mine", product: pen.id });
    const other = await create(orders, { customer: sato.id, note: "other" });
    const path = `/apps/${orders}/records`;
    for (let turn = 0; turn < 2; turn += 1) {
      const one = await caller.get(`${path}/${mine.id}?expand=customer`);
      expect([one.status, Object.keys(one.body.included)]).toEqual([200, [yamada.id]]);
      expect(one.body.data).toEqual({ customer: yamada.id, note: "mine" });
      const list = await caller.get(`${path}?expand=customer`);
      expect(list.text).not.toMatch(new RegExp(`${sato.id}|${pen.id}|${other.id}`));
      expect(Object.keys(list.body.included)).toEqual([yamada.id]);
      const found = await caller.post(`${path}/search`, { expand: ["customer"] });
      expect(Object.keys(found.body.included)).toEqual([yamada.id]);
      const hidden = await caller.get(`${path}/${other.id}?expand=customer`);
      const missing = await caller.get(`${path}/${nobody}?expand=customer`);
      expect(comparable(hidden)).toEqual(comparable(missing));
      expect(hidden.status).toBe(404);
    }
  });

  it("pages with expand, and downloads without", async () => {
    const caller = await partner();
    const path = `/apps/${orders}/records`;
    await create(orders, { customer: yamada.id, note: "mine" });
    await create(orders, { customer: sato.id, note: "mine" });
    const first = await caller.get(`${path}?expand=customer&limit=1`);
    expect(first.body.items).toHaveLength(1);
    const { pathname, search } = new URL(first.body.links.next);
    const second = await caller.get(`${pathname.replace("/api/v1", "")}${search}`);
    expect([second.status, second.body.items.length]).toEqual([200, 1]);
    expect(second.body.items[0].id).not.toBe(first.body.items[0].id);
    const csv = await caller.get(path, { Accept: "text/csv" });
    expect([csv.status, csv.text.includes("mine"), csv.text.includes("other")]).toEqual([
      200,
      true,
      false,
    ]);
    const refused = await caller.get(`${path}?expand=customer`, { Accept: "text/csv" });
    expect(refused.status).toBe(422);
  });

  it("does not know the references that the view hides", async () => {
    const caller = await partner();
    const path = `/apps/${orders}/records`;
    for (const key of ["product", "nothing"]) {
      const expanded = await caller.get(`${path}?expand=${key}`);
      expect([expanded.status, expanded.body.errors[0].code]).toEqual([422, "invalid_condition"]);
      expect(expanded.text.replaceAll(key, "")).not.toContain("product");
      const condition = {
        field: key,
        op: "matches",
        value: [{ field: "name", op: "eq", value: "Pen" }],
      };
      const searched = await caller.post(`${path}/search`, { conditions: [condition] });
      expect([searched.status, searched.text.replaceAll(key, "").includes("product")]).toEqual([
        422,
        false,
      ]);
      const written = await caller.post(path, { data: { note: "mine", [key]: { name: "Pen" } } });
      expect(written.body.errors).toMatchObject([{ field: key, code: "unknown_field" }]);
    }
  });

  it("refers to records by every name, if the item is in its view", async () => {
    const caller = await partner();
    const path = `/apps/${orders}/records`;
    const made = await caller.post(path, {
      data: { note: "mine", customer: { email: "sato@example.com" } },
    });
    expect([made.status, made.body.data]).toEqual([201, { note: "mine", customer: sato.id }]);
    const outside = await caller.post(path, { data: { note: "no", customer: "CUS-000001" } });
    expect(outside.body.errors).toMatchObject([{ code: "outside_view" }]);
    const unknown = await caller.post(path, { data: { note: "mine", customer: "CUS-000099" } });
    expect(unknown.body.errors).toMatchObject([{ field: "customer", code: "unknown_reference" }]);
    const moved = await caller.patch(`${path}/${made.body.id}`, { data: { customer: yamada.id } });
    expect([moved.status, moved.body.data?.customer]).toEqual([200, yamada.id]);
  });

  it("searches by the fields of a record that it may read", async () => {
    const caller = await partner();
    const order = await create(orders, { customer: sato.id, note: "mine" });
    const by = (field: string, value: string) => ({
      field: "customer",
      op: "matches",
      value: [{ field, op: "eq", value }],
    });
    const found = await caller.post(`/apps/${orders}/records/search`, {
      conditions: [by("name", "Sato"), { field: "$id", op: "eq", value: order.id }],
    });
    expect(found.body.items.map(({ id }: Json) => id)).toEqual([order.id]);
    const own = await caller.post(`/apps/${orders}/records/search`, {
      conditions: [by("$created_by", "$me")],
    });
    expect([own.status, own.body.items]).toEqual([200, []]);
    const makers = await owner.post(`/apps/${orders}/records/search`, {
      conditions: [by("$created_by", "$me"), { field: "$id", op: "eq", value: order.id }],
    });
    expect(makers.body.items).toHaveLength(1);
  });

  it("sees and writes by conditions on references, in lines too", async () => {
    const is = (field: string, { id }: Json) => ({ field, op: "eq", value: id });
    const app = await makeApp(
      owner,
      [
        { key: "customer", type: "reference", app: customers },
        {
          key: "lines",
          type: "line_items",
          fields: [{ key: "product", type: "reference", app: products }],
        },
      ],
      {
        views: [
          {
            key: "pens",
            name: "Pens",
            conditions: [
              is("customer", yamada),
              { field: "lines", op: "any", value: [is("product", pen)] },
            ],
          },
        ],
      },
    );
    const seen = await create(app, { customer: yamada.id, lines: [{}, { product: pen.id }] });
    await create(app, { customer: sato.id, lines: [{ product: pen.id }] });
    await create(app, { customer: yamada.id, lines: [{}] });
    const caller = await client({
      permissions: rights,
      resources: [`app:${app}/pens`, `app:${customers}`, `app:${products}`],
    });
    const list = await caller.get(`/apps/${app}/records?expand=lines.product`);
    expect(list.body.items.map(({ id }: Json) => id)).toEqual([seen.id]);
    expect(Object.keys(list.body.included)).toEqual([pen.id]);
    const path = `/apps/${app}/records/${seen.id}`;
    const moved = await caller.patch(path, { data: { customer: "CUS-000002" } });
    expect(moved.body.errors).toMatchObject([{ code: "outside_view" }]);
    const kept = await caller.patch(path, { data: { lines: [{ product: "PRO-000001" }] } });
    expect([kept.status, kept.body.data?.lines]).toEqual([200, [{ product: pen.id }]]);
  });

  it("learns from a refused submission nothing about references that the view hides", async () => {
    const form = await makeForm(
      owner,
      [
        { key: "title", type: "text" },
        { key: "about", type: "reference", app: products },
      ],
      { views: [{ key: "titles", name: "Titles", fields: ["title"] }] },
    );
    const draftOf = async (about: string): Promise<string> => {
      const data = { title: "a", about };
      const draft = await owner.post(`/forms/${form}/submissions`, { status: "draft", data });
      return draft.body.id;
    };
    const caller = await client({ permissions: rights, resources: [`form:${form}/titles`] });
    const submit = (id: string) => caller.patch(`/submissions/${id}`, { status: "submitted" });
    expect((await submit(await draftOf(pen.id))).status).toBe(200);
    const erased = await create(products, { name: "Erased" });
    const [id, batched] = [await draftOf(erased.id), await draftOf(erased.id)];
    await admin("POST", `/apps/${products}/items/${erased.id}/erase`, { version: 1 });
    const answer = await submit(id);
    expect(answer.status).toBe(422);
    expect(answer.text).not.toMatch(/about|unknown_reference|rec_/);
    const batch = await caller.post(`/forms/${form}/submissions/batch`, {
      operations: [{ op: "update", id: batched, status: "submitted" }],
    });
    expect([batch.status, /about|unknown_reference|rec_/.test(batch.text)]).toEqual([422, false]);
  });
});

describe("An erasure or a deletion, for a narrow credential", () => {
  const fields = [
    { key: "title", type: "text" },
    { key: "team", type: "text" },
  ];
  const view = {
    key: "design",
    name: "Design",
    conditions: [{ field: "team", op: "eq", value: "Design" }],
    fields: ["title"],
  };

  it("shows in the feed only what it saw, and its replay is 404", async () => {
    const form = await makeForm(owner, fields, { views: [view, { key: "all", name: "All" }] });
    const path = `/forms/${form}/submissions`;
    const seen = await owner.post(path, { data: { title: "a", team: "Design" } });
    const hidden = await owner.post(path, { data: { title: "b", team: "Sales" } });
    const caller = await client({ permissions: rights, resources: [`form:${form}/design`] });
    const maker = await client({ permissions: rights, resources: [`form:${form}/all`] });
    const send = () => maker.post(path, { data: { title: "c" } }, { "Idempotency-Key": "k" });
    const made = await send();
    expect(made.status).toBe(201);
    for (const { id } of [seen.body, hidden.body, made.body])
      expect((await admin("POST", `/forms/${form}/items/${id}/erase`, {})).status).toBe(204);
    const feed = await caller.get(`/forms/${form}/changes?all=true`);
    expect(feed.body.items.map(({ id, type }: Json) => [id, type])).toEqual([
      [seen.body.id, "created"],
      [seen.body.id, "deleted"],
    ]);
    expect((await send()).status).toBe(404);
  });

  it("takes its view away, and a restore gives it back", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const path = `/forms/${form}/submissions`;
    await owner.post(path, { data: { title: "a", team: "Design" } });
    await owner.post(path, { data: { title: "b", team: "Sales" } });
    const caller = await client({ permissions: rights, resources: [`form:${form}/design`] });
    const titles = async () =>
      (await caller.get(path)).body.items?.map(({ data }: Json) => data.title);
    expect(await titles()).toEqual(["a"]);
    await admin("POST", `/forms/${form}/delete`, { confirm: form });
    expect((await caller.get(path)).status).toBe(404);
    const { body } = await admin("GET", "/deleted");
    const { id } = body.items.find((item: Json) => item.key === form);
    expect((await admin("POST", `/deleted/${id}/restore`, {})).status).toBe(204);
    await expect.poll(titles).toEqual(["a"]);
  });
});
