import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { type Client, type Json } from "../support/client";
import { dataDb } from "../support/databases";
import { counted } from "../support/counting";
import { client, makeApp, makeForm, freshKey } from "../support/service";
import { createWebhook, deliverNow, Receiver } from "../webhooks/receiver";

let owner: Client;
let customers: string;
let products: string;
let orders: string;
let yamada: Json;
let sato: Json;
let pen: Json;
let ink: Json;

const nobody = "rec_01KAHV3M4E7XQ2R5T8W9YZB6CD";

const customerFields = [
  { key: "name", type: "text" },
  { key: "email", type: "email", unique: true },
  { key: "since", type: "date", unique: true },
  { key: "code", type: "number", unique: true },
];
const orderFields = (customer = customers, product = products) => [
  { key: "customer", type: "reference", app: customer, required: true },
  { key: "seller", type: "reference", app: customer },
  { key: "note", type: "text", max_length: 5 },
  { key: "label", type: "computed", formula: 'concat("c:", customer)', result: "text" },
  {
    key: "lines",
    type: "line_items",
    fields: [
      { key: "product", type: "reference", app: product },
      { key: "qty", type: "number" },
    ],
  },
];

beforeAll(async () => {
  owner = await client();
  customers = await makeApp(owner, customerFields, { title_field: "name", receipt_prefix: "CUS-" });
  products = await makeApp(owner, [{ key: "name", type: "text" }], { receipt_prefix: "PRO-" });
  orders = await makeApp(owner, orderFields());
  yamada = await create(customers, {
    name: "Yamada",
    email: "yamada@example.com",
    since: "2026-01-02+09:00",
    code: 7,
  });
  sato = await create(customers, { name: "Sato", email: "sato@example.com" });
  pen = await create(products, { name: "Pen" });
  ink = await create(products, { name: "Ink" });
});

async function create(app: string, data: object, caller = owner): Promise<Json> {
  const answer = await caller.post(`/apps/${app}/records`, { data });
  expect([answer.status, answer.text]).toMatchObject([201, expect.any(String)]);
  return answer.body;
}

const post = (data: object, caller = owner) => caller.post(`/apps/${orders}/records`, { data });

describe("A reference", () => {
  it("takes an ID, a receipt number or a unique value, and shows the ID", async () => {
    for (const name of [
      yamada.id,
      yamada.receipt_number,
      { email: "yamada@example.com" },
      { since: "2026-01-02" },
      { code: 7 },
    ]) {
      const { status, body } = await post({ customer: name, lines: [{ product: "PRO-000001" }] });
      expect([name, status, body.data?.customer]).toEqual([name, 201, yamada.id]);
      expect(body.data.lines[0].product).toBe(pen.id);
      expect(body.data.label).toBe(`c:${yamada.id}`);
    }
  });

  it("is unknown_reference for every name that no record has, each with its pointer", async () => {
    const names = [
      nobody,
      "rec_x",
      pen.id,
      "CUS-000099",
      "PRO-000001",
      { email: "no@example.com" },
    ];
    for (const name of [...names, { name: "Yamada" }, { nothing: 1 }, { code: "7" }]) {
      const answer = await post({ customer: name, lines: [{}, { product: name }] });
      expect([name, answer.status]).toEqual([name, 422]);
      expect(answer.body.errors[0]).toMatchObject({
        code: "unknown_reference",
        pointer: "/data/customer",
      });
    }
  });

  it("is invalid_type for other values, and required like any field", async () => {
    for (const name of [1, true, [], {}, { a: 1, b: 2 }, { $increment: 1 }, { email: null }]) {
      const { status, body } = await post({ customer: name });
      expect([name, status, body.errors[0].code]).toEqual([name, 422, "invalid_type"]);
    }
    expect((await post({ customer: "" })).body.errors[0].code).toBe("required");
  });

  it("takes no increment, as the document says", async () => {
    const { components } = (await owner.get(`/apps/${orders}/openapi.json`)).body;
    const accepts = (value: Json) =>
      new Ajv2020({ strict: false }).validate(components.schemas.RecordReference, value);
    expect(["CUS-000001", { email: "a@b.example" }, { $increment: 1 }].map(accepts)).toEqual([
      true,
      true,
      false,
    ]);
    const answer = await owner.post(`/apps/${orders}/records`, {
      data: { customer: { $increment: 1 } },
    });
    expect(answer.status).toBe(422);
  });

  it("is reported together with all other errors", async () => {
    const { body } = await post({
      customer: nobody,
      note: "too long",
      lines: [{ product: nobody }],
    });
    expect(body.errors.map(({ code, pointer }: Json) => [code, pointer])).toEqual([
      ["unknown_reference", "/data/customer"],
      ["too_long", "/data/note"],
      ["unknown_reference", "/data/lines/0/product"],
    ]);
  });
});

describe("The credential of a write", () => {
  const permissions = ["records:create", "records:read"];

  it("needs the app of the reference among its resources, and gets one answer for every cause", async () => {
    const outsider = await client({ permissions, resources: [`app:${orders}`] });
    const bodies = new Set<string>();
    for (const name of [yamada.id, nobody, "CUS-000001", { email: "yamada@example.com" }]) {
      const { status, body } = await post({ customer: name }, outsider);
      expect([name, status]).toEqual([name, 422]);
      bodies.add(JSON.stringify(body.errors));
    }
    const missing = await post({ customer: nobody });
    expect(bodies).toEqual(new Set([JSON.stringify(missing.body.errors)]));
  });

  it("gives the same work for a record that exists and for one that does not", async () => {
    const outsider = await client({ permissions, resources: [`app:${orders}`] });
    const { fetch, counts, statements, reset } = counted();
    const work = async (name: unknown) => {
      await post({ customer: name }, outsider.through(fetch));
      reset();
      const { status } = await post({ customer: name }, outsider.through(fetch));
      return [status, counts.d1, counts.rowsRead, counts.rowsWritten, [...statements]];
    };
    expect(await work(yamada.id)).toEqual(await work(nobody));
    expect(await work("CUS-000001")).toEqual(await work("CUS-000099"));
    const [known, unknown] = [{ email: "yamada@example.com" }, { email: "no@example.com" }];
    expect(await work(known)).toEqual(await work(unknown));
    expect(await work({ nothing: "x" })).toEqual(await work(unknown));
  });

  it("needs records:read for receipt numbers and unique values, but not for IDs", async () => {
    const writer = await client({ permissions: ["records:create"] });
    for (const name of ["CUS-000001", { email: "yamada@example.com" }])
      expect((await post({ customer: name }, writer)).body.errors[0].code).toBe(
        "unknown_reference",
      );
    expect((await post({ customer: yamada.id }, writer)).status).toBe(201);
  });
});

describe("A stored reference", () => {
  it("stays valid when it is sent back, also after its record is erased, and in rows", async () => {
    const gone = await create(customers, { name: "Gone" });
    const goneProduct = await create(products, { name: "Gone" });
    const data = { customer: gone.id, lines: [{ product: goneProduct.id }, { product: pen.id }] };
    const { body: order } = await post(data);
    await erase(gone.id, goneProduct.id);
    const path = `/apps/${orders}/records/${order.id}`;
    const kept = await owner.patch(path, {
      data: {
        customer: gone.id,
        note: "a",
        lines: [{ product: ink.id }, { product: goneProduct.id }],
      },
    });
    expect([kept.status, kept.body.data.customer]).toEqual([200, gone.id]);
    const other = await owner.patch(path, { data: { seller: gone.id } });
    expect(other.body.errors).toMatchObject([
      { code: "unknown_reference", pointer: "/data/seller" },
    ]);
    const expanded = await owner.get(`${path}?expand=customer,lines.product`);
    expect(Object.keys(expanded.body.included)).toEqual([ink.id]);
  });

  it("is changed and cleared by a PATCH, which also takes other names", async () => {
    const { body: order } = await post({ customer: yamada.id, seller: sato.id });
    const path = `/apps/${orders}/records/${order.id}`;
    const { body } = await owner.patch(path, {
      data: { customer: { email: "sato@example.com" }, seller: null },
    });
    expect(body.data).toMatchObject({ customer: sato.id, seller: null });
    const same = await owner.patch(path, { data: { customer: sato.receipt_number } });
    expect(same.etag).toBe(body.etag);
  });

  it("of a draft is checked when it is stored and when it is submitted", async () => {
    const form = await makeForm(owner, [{ key: "customer", type: "reference", app: customers }]);
    const gone = await create(customers, { name: "Gone" });
    const submissions = `/forms/${form}/submissions`;
    const refused = await owner.post(submissions, { status: "draft", data: { customer: nobody } });
    expect(refused.body.errors[0].code).toBe("unknown_reference");
    const draft = await owner.post(submissions, { status: "draft", data: { customer: gone.id } });
    await erase(gone.id);
    const submitted = await owner.patch(`/submissions/${draft.body.id}`, { status: "submitted" });
    expect([submitted.status, submitted.body.errors]).toMatchObject([
      422,
      [{ code: "unknown_reference", pointer: "/data/customer" }],
    ]);
  });
});

describe("Changes and webhooks", () => {
  it("contain the ID of a record, whatever name the write used, and neither its title nor its data", async () => {
    const shop = await makeApp(owner, orderFields());
    const receiver = new Receiver();
    const { id: webhook } = await createWebhook(owner, receiver, { collections: [`app:${shop}`] });
    const data = {
      customer: { email: "yamada@example.com" },
      lines: [{ product: pen.receipt_number }],
    };
    const { status } = await owner.post(`/apps/${shop}/records`, { data });
    expect(status).toBe(201);
    const feed = await owner.get(`/apps/${shop}/changes`);
    await deliverNow(webhook);
    for (const { text, entry } of [
      { text: feed.text, entry: feed.body.items[0] },
      { text: receiver.accepted[0]?.text ?? "", entry: receiver.accepted[0]?.body.data },
    ]) {
      expect(entry.item.data).toMatchObject({
        customer: yamada.id,
        lines: [{ product: pen.id }],
      });
      expect([text.includes("Yamada"), text.includes("included")]).toEqual([false, false]);
    }
    const expanded = await owner.get(`/apps/${shop}/changes?expand=customer`);
    expect([expanded.status, expanded.body.errors[0].code]).toEqual([422, "unknown_parameter"]);
  });
});

/** Removes records as the erasure of an administrator does. */
async function erase(...ids: string[]): Promise<void> {
  for (const id of ids) await dataDb.prepare("delete from item where id = ?").bind(id).run();
}

describe("Batches and validate", () => {
  it("resolve names and report unknown ones with the pointers of their operations", async () => {
    const batch = (operations: object[]) =>
      owner.post(`/apps/${orders}/records/batch?return=representation`, { operations });
    const { body } = await batch([
      { op: "create", data: { customer: "CUS-000001" } },
      { op: "create", data: { customer: { email: "sato@example.com" }, seller: yamada.id } },
    ]);
    expect(body.results.map(({ item }: Json) => item.data.customer)).toEqual([yamada.id, sato.id]);
    for (const note of ["", "too long"]) {
      const refused = await batch([
        { op: "create", data: { customer: yamada.id } },
        { op: "create", data: { customer: nobody, note } },
        { op: "update", id: body.results[0].id, data: { lines: [{ product: nobody }] } },
      ]);
      expect(refused.status).toBe(422);
      const unknown = refused.body.errors.filter(({ code }: Json) => code === "unknown_reference");
      expect(unknown.map(({ pointer }: Json) => pointer)).toEqual([
        "/operations/1/data/customer",
        "/operations/2/data/lines/0/product",
      ]);
    }
  });

  it("find items by a unique reference", async () => {
    const fields = [{ key: "customer", type: "reference", app: customers, unique: true }];
    const accounts = await makeApp(owner, fields);
    const first = await create(accounts, { customer: yamada.id });
    const again = await owner.post(`/apps/${accounts}/records`, { data: { customer: yamada.id } });
    expect([again.status, again.body.code, again.body.id]).toEqual([409, "duplicate", first.id]);
    const operations = [
      { op: "upsert", by: "customer", data: { customer: { email: "yamada@example.com" } } },
    ];
    const { body } = await owner.post(`/apps/${accounts}/records/batch`, { operations });
    expect(body.results[0]).toMatchObject({ outcome: "unchanged", id: first.id });
  });

  it("check references without storing anything", async () => {
    const form = await makeForm(owner, [{ key: "customer", type: "reference", app: customers }]);
    const validate = (customer: unknown) =>
      owner.post(`/forms/${form}/submissions/validate`, { data: { customer } });
    expect((await validate("CUS-000001")).body.data).toEqual({ customer: yamada.id });
    expect((await validate(nobody)).body.errors[0].code).toBe("unknown_reference");
  });
});

describe("The definition of a reference", () => {
  const put = (key: string, fields: object[], caller = owner, more = {}) =>
    caller.put(`/apps/${key}/schema`, { fields, ...more });
  const to = (app: string, more = {}) => ({ key: "other", type: "reference", app, ...more });

  it("names an app that exists; a new app may name itself", async () => {
    const key = freshKey("tree");
    const refused = await put(key, [to("no_such_app")]);
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ code: "invalid_definition", pointer: "/fields/0/app" }],
    ]);
    expect((await put(key, [to(key)])).status).toBe(201);
    const other = await makeApp(owner, [to(key)]);
    expect((await put(key, [to(key), { ...to(other), key: "back" }])).status).toBe(200);
    const dryRun = await owner.put(`/apps/${key}/schema?dry_run=true`, { fields: [to("none")] });
    expect(dryRun.body.errors[0].pointer).toBe("/fields/0/app");
  });

  it("names an app that the credential can see, unless it already does", async () => {
    const key = await makeApp(owner, [to(customers)]);
    const narrow = await client({
      permissions: ["schema:write", "schema:read"],
      resources: [`app:${key}`],
    });
    const kept = await put(key, [to(customers, { label: "Renamed" })], narrow);
    expect(kept.status).toBe(200);
    const reasonFor = async (app: string): Promise<string> => {
      const more = { ...to(app), key: "more" };
      return (await put(key, [to(customers), more], narrow)).body.errors[0].reason;
    };
    const hidden = await reasonFor(products);
    expect(hidden.replace(products, "missing")).toBe(await reasonFor("missing"));
  });

  it("cannot have a default, be unique in a row or change its app while values exist", async () => {
    const refused = await put(freshKey("x"), [to(customers, { default: yamada.id })]);
    expect(refused.status).toBe(422);
    const key = await makeApp(owner, [to(customers)]);
    expect((await put(key, [to(products)])).status).toBe(200);
    await create(key, { other: pen.id });
    const changed = await put(key, [to(customers)]);
    expect([changed.status, changed.body.code]).toEqual([409, "schema_in_use"]);
  });

  it("may have a title_field, which follows a rename and must stay", async () => {
    const name = { key: "name", type: "text" };
    const key = await makeApp(owner, [name], { title_field: "name" });
    const shown = async () => (await owner.get(`/apps/${key}/schema`)).body.title_field;
    expect(await shown()).toBe("name");
    await put(key, [{ key: "full_name", type: "text", renamed_from: "name" }]);
    expect(await shown()).toBe("full_name");
    const dropped = await put(key, [{ key: "n", type: "number" }]);
    expect(dropped.body.errors[0]).toMatchObject({ pointer: "/title_field" });
    await owner.patch(`/apps/${key}/schema`, { title_field: null });
    expect(await shown()).toBeNull();
    await owner.patch(`/apps/${key}/schema`, { title_field: "full_name" });
    expect(await shown()).toBe("full_name");
    for (const title_field of ["nothing", "n"]) {
      const fields = [
        { key: "full_name", type: "text" },
        { key: "n", type: "number" },
      ];
      const wrong = await put(key, fields, owner, { title_field });
      expect(wrong.body.errors[0]).toMatchObject({
        code: "invalid_definition",
        pointer: "/title_field",
      });
    }
  });
});
