import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm, freshKey } from "../support/service";

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
  expect(answer.status, answer.text).toBe(201);
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
    const names = [nobody, "rec_x", pen.id, "CUS-000099", "PRO-000001", { email: "no@example.com" }];
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

  it("is reported together with all other errors", async () => {
    const { body } = await post({ customer: nobody, note: "too long", lines: [{ product: nobody }] });
    expect(body.errors.map(({ code, pointer }: Json) => [code, pointer])).toEqual([
      ["unknown_reference", "/data/customer"],
      ["too_long", "/data/note"],
      ["unknown_reference", "/data/lines/0/product"],
    ]);
  });
});
