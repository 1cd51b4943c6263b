import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { client, freshKey, makeApp, makeForm, anonymous } from "../support/service";

describe("Messages", () => {
  let integrator: Client;
  let app: string;
  beforeAll(async () => {
    integrator = await client();
    app = await makeApp(integrator, [
      { key: "name", type: "text" },
      { key: "amount", type: "number" },
      { key: "tags", type: "multi_select", options: [{ value: "a" }] },
      { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
    ]);
  });

  const reasons = (body: Json) => body.errors.map((error: Json) => error.reason);

  it.each([
    [{ name: 1 }, "Must be a string."],
    [{ amount: "1" }, "Must be a number."],
    [{ tags: "a" }, "Must be an array of strings."],
    [{ lines: [1] }, "Must be an object."],
    [{ lines: {} }, "Must be an array of objects."],
  ])("names the type of a value in plain English: %j", async (data, reason) => {
    const { body } = await integrator.post(`/apps/${app}/records`, { data });
    expect(reasons(body)).toEqual([reason]);
  });

  it("lists the allowed properties when a body has an unknown one", async () => {
    const form = await makeForm(integrator);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: {}, extra: 1 });
    expect(reasons(body)).toEqual(['Unknown property. Allowed: "status", "data".']);
    const operations = [{ op: "delete", id: "sub_x", status: "closed" }];
    const batch = await integrator.post(`/forms/${form}/submissions/batch`, { operations });
    expect(batch.body.errors[0].reason).toBe('Unknown property. Allowed: "op", "id", "if_match".');
  });

  it("names the allowed names for webhook collections", async () => {
    const manager = await client({ permissions: ["webhooks:manage"] });
    const hook = { name: "h", url: "https://hooks.example/a", types: ["record.created"] };
    const { body } = await manager.post("/webhooks", { ...hook, collections: ["orders"] });
    expect(body.errors).toMatchObject([
      {
        pointer: "/collections/0",
        reason: 'Must be like "app:orders", "form:purchase" or "form:purchase/open_design".',
      },
    ]);
  });

  it("names both limits when query and body of a search differ", async () => {
    const { body } = await integrator.post(`/apps/${app}/records/search?limit=2`, { limit: 3 });
    expect(reasons(body)).toEqual(["limit is 2 in the query but 3 in the body. Send one."]);
  });

  it("explains damaged cursors and too many operands", async () => {
    const list = await integrator.get(`/apps/${app}/records?cursor=damaged`);
    expect(reasons(list.body)).toEqual([
      "This cursor is damaged or belongs to another request. Use links.next unchanged.",
    ]);
    const value = Array.from({ length: 101 }, (_, index) => index);
    const conditions = [{ field: "amount", op: "in", value }];
    const search = await integrator.post(`/apps/${app}/records/search`, { conditions });
    expect(reasons(search.body)).toEqual(["Must have at most 100 values."]);
  });

  it("names the position of a syntax error, the allowed method and the version in If-Match", async () => {
    const path = `/apps/${app}/records`;
    const broken = await integrator.send("POST", path, "{,}");
    expect(broken.body.detail).toBe("The body is not valid JSON. Syntax error at position 1.");
    const search = await integrator.get(`${path}/search`);
    expect(search.body.detail).toBe("GET is not allowed here. Use POST.");
    const { body: created } = await integrator.post(path, { data: {} });
    const stale = await integrator.patch(
      `${path}/${created.id}`,
      { data: {} },
      { "If-Match": '"9"' },
    );
    expect(stale.body.detail).toBe(
      "The stored version does not match If-Match. Nothing was written.",
    );
  });

  it("says how to reach the fields of a record and the columns of line items", async () => {
    const bills = await makeApp(integrator, [
      { key: "client", type: "reference", app },
      { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
      { key: "total", type: "number" },
      { key: "due", type: "date" },
    ]);
    const count = { n: { op: "count" } };
    const forRecords = 'For fields of the record, search with "matches" on "client".';
    const forColumns = 'For columns, search with "any" or "none" on "lines".';
    const condition = (field: string, value: unknown) => ({ field, op: "eq", value });
    for (const [body, hint, allowed] of [
      [{ conditions: [condition("client.name", "x")], metrics: count }, forRecords],
      [{ conditions: [condition("lines.qty", 1)], metrics: count }, forColumns],
      [
        { group_by: [{ field: "client.name" }], metrics: count },
        forRecords,
        ["$created_at", "$updated_at", "$created_by", "client", "due"],
      ],
      [{ metrics: { n: { op: "sum", field: "lines.qty" } } }, forColumns, ["total"]],
      [
        { metrics: { n: { op: "max", field: "x" } } },
        "",
        ["$created_at", "$updated_at", "total", "due"],
      ],
    ] as const) {
      const answer = await integrator.post(`/apps/${bills}/records/aggregate`, body);
      const [error] = answer.body.errors;
      expect([answer.status, error.reason]).toEqual([422, expect.stringContaining(hint)]);
      if (allowed) expect(error.allowed).toEqual(allowed);
    }
    const byNumber = await integrator.post(`/apps/${bills}/records/search`, {
      conditions: [condition("client", "CUS-000001")],
    });
    expect(byNumber.body.errors[0].reason).toContain('search with "matches" on "client"');
  });

  it("names the reached limit, its size and the wait in a 429", async () => {
    const writer = await client({ requests: 600, writes: 1 });
    await writer.post(`/apps/${app}/records`, { data: {} });
    const write = await writer.post(`/apps/${app}/records`, { data: {} });
    expect(write.body.detail).toMatch(/^Write limit reached: 1 in 60 s\. Retry in (59|60) s\.$/);
    const reader = await client({ requests: 1, writes: 1 });
    await reader.get("/me");
    const read = await reader.get("/me");
    expect(read.body.detail).toMatch(/^Request limit reached: 1 in 60 s\. Retry in (59|60) s\.$/);
  });

  it("says that a client's secret is wrong or expired", async () => {
    const basic = { Authorization: `Basic ${btoa("efc_x:efs_y")}` };
    const headers = { ...basic, "Content-Type": "application/x-www-form-urlencoded" };
    const form = "grant_type=client_credentials";
    const { body } = await anonymous("POST", "/oauth/token", form, headers);
    expect(body.error_description).toBe(
      "The client is unknown, or its secret is wrong or expired.",
    );
  });

  it.each([
    ["name + amount", "Cannot add text and a number."],
    ["name * 2", "Cannot multiply text by a number."],
    ["amount < name", "Cannot compare a number with text."],
    ["-name", "Cannot negate text."],
    ["!amount", '"!" needs true or false, not a number.'],
    ["amount && true", '"&&" and "||" need true or false on both sides, not a number.'],
    ["amount ? 1 : 2", "A condition must be true or false, not a number."],
    [
      "amount > 1 ? 1 : name",
      'Both results of "? :" must have the same type, not a number and text.',
    ],
    ["sum(name)", "sum() does not accept text."],
    ["name.size(1)", "size() on text does not accept a number."],
    ["name", 'The formula returns text, but "result" is "number".'],
    ["lines", 'The formula returns a list, but "result" is "number".'],
    ["price", 'There is no field "price". Fields: "name", "amount", "lines", "out".'],
    ["sum(lines.map(l, l.price))", 'There is no column "price".'],
    ["sum(lines.filter(l, true).map(l, l.qty))", "map() cannot follow filter()."],
    ["lines.all(l, lines.all(m, true))", "all() cannot be used inside all()."],
    [
      "amount.map(l, l)",
      "map(), filter(), all(), exists() and exists_one() need a list, not a number.",
    ],
    [
      "lines.map(1, 2)",
      "The first argument must be a name for the row, as in map(row, row.amount).",
    ],
    ["lines[name]", "A position in a list must be a number, not text."],
    ["name.qty", "There are no columns or positions in text."],
    ["[1, name]", "All entries of a list must have the same type, not a number and text."],
    ["amount +", "Syntax error at position 8: the formula ends too early."],
    ["amount # 2", 'Syntax error at position 7: unexpected "#".'],
    ["(amount", "Syntax error at position 7: the formula ends too early."],
    ["'open", "Syntax error at position 0: the text has no closing quote."],
    ["for", '"for" is a reserved word. Formulas cannot use it as a name.'],
    ["{'a': 1}", "Formulas cannot contain maps."],
    [Array.from({ length: 200 }, () => "1").join("+"), "A formula may have at most 300 parts."],
  ])("explains the formula %j", async (formula, reason) => {
    const fields = [
      { key: "name", type: "text" },
      { key: "amount", type: "number" },
      { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
      { key: "out", type: "computed", formula, result: "number" },
    ];
    const { body } = await integrator.put(`/apps/${freshKey("app")}/schema`, { fields });
    expect(reasons(body)).toEqual([reason]);
  });

  it("says that keys and options are used twice", async () => {
    const option = { value: "a" };
    const fields = [
      { key: "a", type: "text" },
      { key: "a", type: "select", options: [option, option] },
    ];
    const { body } = await integrator.put(`/apps/${freshKey("app")}/schema`, { fields });
    expect(reasons(body)).toEqual(['The key "a" is used twice.', 'The option "a" is used twice.']);
  });
});
