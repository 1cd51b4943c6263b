import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { admin, client, makeApp, makeForm } from "../support/service";

let owner: Client;
let customers: string;
let orders: string;
let visits: string;
let yamada: Json;
let order: Json;

const html = { Accept: "text/html", "Content-Type": "application/x-www-form-urlencoded" };
const show = async (path: string) => (await admin("GET", path, undefined, html)).text;
const submit = (path: string, fields: Record<string, string>) =>
  admin("POST", path, undefined, html, new URLSearchParams(fields).toString());

beforeAll(async () => {
  owner = await client();
  const fields = [
    { key: "name", type: "text" },
    { key: "city", type: "text" },
  ];
  customers = await makeApp(owner, fields, { title_field: "name", receipt_prefix: "CUS-" });
  const customer = { key: "customer", label: "Customer", type: "reference", app: customers };
  const lines = {
    key: "lines",
    type: "line_items",
    fields: [{ key: "payer", label: "Payer", type: "reference", app: customers }],
  };
  orders = await makeApp(owner, [customer, lines], { name: "Orders" });
  visits = await makeForm(owner, [{ ...customer, searchable: false }], { name: "Visits" });
  for (const [name, city] of [
    ["Yamada", "Kyoto"],
    ["Sato", "Osaka"],
    ["Satō & Sons", "Osaka"],
  ])
    await owner.post(`/apps/${customers}/records`, { data: { name, city } });
  yamada = (await owner.get(`/apps/${customers}/records/CUS-000001`)).body;
  const data = { customer: yamada.id, lines: [{ payer: yamada.id }] };
  order = (await owner.post(`/apps/${orders}/records`, { data })).body;
  await owner.post(`/forms/${visits}/submissions`, { data: { customer: yamada.id } });
});

const items = () => `/apps/${orders}/items`;
const stored = async (id: string) => (await owner.get(`/apps/${orders}/records/${id}`)).body.data;

describe("Pages", () => {
  it("show the title of a record, in lists, on items and in histories", async () => {
    const link = `/admin/apps/${customers}/items/${yamada.id}`;
    expect(await show(items())).toContain(`<a href="${link}"><bdi>Yamada</bdi></a>`);
    await owner.patch(`/apps/${orders}/records/${order.id}`, { data: { customer: "CUS-000002" } });
    await owner.patch(`/apps/${orders}/records/${order.id}`, { data: { customer: yamada.id } });
    const page = await show(`${items()}/${order.id}`);
    expect(page).toContain(`<a href="${link}"><bdi>Yamada (CUS-000001)</bdi></a>`);
    expect(page.split("<bdi>Sato</bdi>").length).toBe(3);
  });

  it("of the audit show the titles of former and new records, and no IDs", async () => {
    const data = { customer: yamada.id };
    const { id } = (await owner.post(`/apps/${orders}/records`, { data })).body;
    await owner.patch(`/apps/${orders}/records/${id}`, { data: { customer: "CUS-000002" } });
    const page = await show(`/audit?subject=${id}`);
    expect(page).toContain("<bdi>Yamada</bdi></a>");
    expect(page).toContain("<bdi>Sato</bdi></a>");
    expect(page).not.toContain(`>${yamada.id}<`);
  });

  it("of a record list what refers to it, with links to those items", async () => {
    const page = await show(`/apps/${customers}/items/${yamada.id}`);
    const [, list = ""] = page.split('id="referrers"');
    expect(list).toContain(`/admin/apps/${orders}/items?f.customer.eq=${yamada.id}`);
    expect(list).toContain("Orders: Customer");
    expect(list).toContain("lines › Payer");
    expect(list).toContain("Visits: Customer");
    const found = await admin("GET", `${items()}?f.customer.eq=${yamada.id}`);
    expect(found.body.items.map(({ id }: Json) => id)).toEqual([order.id]);
    expect(await show(`${items()}/${order.id}`)).not.toContain('id="referrers"');
  });

  it("of a form show the label of the stored record, and keep it when it is sent back", async () => {
    const page = await show(`${items()}/${order.id}?edit`);
    expect(page).toContain('value="Yamada (CUS-000001)"');
    const seen = /name="\$seen" value="([^"]+)"/.exec(page)?.[1]?.replaceAll("&quot;", '"') ?? "";
    const fields = {
      $seen: seen,
      customer: "Yamada (CUS-000001)",
      "lines[0].#": "0",
      "lines[0].payer": "osaka",
    };
    const answer = await submit(`${items()}/${order.id}`, fields);
    expect(answer.status).toBe(422);
    const kept = await submit(`${items()}/${order.id}`, {
      ...fields,
      "lines[0].payer": "Yamada (CUS-000001)",
    });
    expect(kept.status).toBe(303);
    expect((await owner.get(`/apps/${orders}/records/${order.id}`)).etag).toBe('"3"');
  });
});

describe("A reference in a form", () => {
  it("is a receipt number, a label or a text that finds one record", async () => {
    for (const customer of ["CUS-000001", "Yamada (CUS-000001)", "kyoto", yamada.id]) {
      const { status, headers } = await submit(items(), { customer });
      expect([customer, status]).toEqual([customer, 303]);
      const id = headers.get("Location")?.split("/").at(-1) ?? "";
      expect((await stored(id)).customer).toBe(yamada.id);
    }
  });

  it("is named after saving if only a part of the record was typed", async () => {
    const notice = async (customer: string) => {
      const { headers } = await submit(items(), { customer });
      return decodeURIComponent(headers.get("Set-Cookie") ?? "");
    };
    expect(await notice("kyoto")).toContain("created. “kyoto” was saved as Yamada (CUS-000001)");
    expect(await notice("yamada")).not.toContain("was saved as");
  });

  it("is asked for again if the text finds several records or none", async () => {
    const several = await submit(items(), { customer: "osaka" });
    expect(several.status).toBe(422);
    expect(several.text).toMatch(/Did you mean: .*Sato \(CUS-000002\)/);
    expect(several.text).toContain('<option value="Sato (CUS-000002)">');
    expect(several.text).toContain("Satō &amp; Sons (CUS-000003)");
    expect(several.text).toContain('value="osaka"');
    expect((await submit(items(), { customer: "nobody" })).status).toBe(422);
  });

  it("has suggestions for scripts", async () => {
    const { body } = await admin("GET", `/apps/${customers}/items/choices?q=sat`);
    expect(body.items.map(({ label }: Json) => label).toSorted()).toEqual([
      "Sato (CUS-000002)",
      "Satō & Sons (CUS-000003)",
    ]);
    expect((await admin("GET", `/apps/${customers}/items/choices?x=1`)).status).toBe(422);
  });
});

describe("The settings of an app", () => {
  it("set the title field", async () => {
    const page = await show(`/apps/${customers}/settings`);
    expect(page).toContain('<option value="name" selected="">');
  });
});

describe("An import", () => {
  it("takes IDs, receipt numbers and unique fields of the records", async () => {
    const people = await makeApp(owner, [{ key: "email", type: "email", unique: true }], {
      receipt_prefix: "P-",
    });
    const { body: person } = await owner.post(`/apps/${people}/records`, {
      data: { email: "a@example.com" },
    });
    const tickets = await makeApp(owner, [{ key: "person", type: "reference", app: people }]);
    const path = `/apps/${tickets}/items/import`;
    const importCsv = async (header: string, cell: string) => {
      const csv = `${header}\n${cell}\n`;
      return (await admin("POST", path, { csv, act: "write" })).body.written;
    };
    for (const [header, cell] of [
      ["person", person.id],
      ["person", "P-000001"],
      ["person.email", "a@example.com"],
    ] as const) {
      const { created, refused } = await importCsv(header, cell);
      expect([header, created, refused]).toEqual([header, 1, 0]);
    }
    const { body } = await owner.get(`/apps/${tickets}/records`);
    expect(body.items.map(({ data }: Json) => data.person)).toEqual(Array(3).fill(person.id));
    const unknown = await importCsv("person.email", "nobody@example.com");
    expect([unknown.created, unknown.refused]).toEqual([0, 1]);
  });

  it("takes all of them in line items, which are JSON in one cell, and names the row and column of unknown ones", async () => {
    const people = await makeApp(owner, [{ key: "email", type: "email", unique: true }], {
      receipt_prefix: "L-",
    });
    const { body: person } = await owner.post(`/apps/${people}/records`, {
      data: { email: "a@example.com" },
    });
    const lines = {
      key: "lines",
      type: "line_items",
      fields: [
        { key: "payer", type: "reference", app: people },
        { key: "qty", type: "number" },
      ],
    };
    const bills = await makeApp(owner, [{ key: "note", type: "text" }, lines]);
    const cell = (rows: object[]) => `"${JSON.stringify(rows).replaceAll('"', '""')}"`;
    const names = [person.id, "L-000001", { email: "a@example.com" }];
    const rows = names.map((payer, index) => ({ payer, qty: index }));
    const csv = `note,lines\nA,${cell(rows)}\nB,${cell([...rows, { payer: "L-000002" }])}\n`;
    const path = `/apps/${bills}/items/import`;
    const { body: answer } = await admin("POST", path, { csv, act: "write" });
    expect(answer.written).toMatchObject({ created: 1, refused: 1 });
    expect(answer.refused).toMatchObject([
      { line: 3, errors: [{ reason: expect.stringMatching(/that you can see\.$/) }] },
    ]);
    expect(JSON.stringify(answer.refused)).toContain("lines, row 4, payer");
    const { body } = await owner.get(`/apps/${bills}/records`);
    expect(body.items.map(({ data }: Json) => data)).toEqual([
      { note: "A", lines: names.map((_, qty) => ({ payer: person.id, qty })) },
    ]);
  });

  it("brings back the line items of a download unchanged", async () => {
    const csv = (await owner.get(`/apps/${orders}/records`, { Accept: "text/csv" })).text;
    const preview = (await admin("POST", `${items()}/import`, { csv, by: "$id" })).body;
    expect([preview.would, preview.refused, preview.changes]).toMatchObject([
      { created: 0 },
      [],
      [],
    ]);
  });
});
