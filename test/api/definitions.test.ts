import { beforeAll, describe, expect, it } from "vitest";
import { everyItem, type Answer, type Client, type Json } from "../support/client";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });

describe("Definitions", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const schema = async (form: string) => (await integrator.get(`/forms/${form}/schema`)).body;
  const put = (form: string, document: object, headers?: Record<string, string>) =>
    integrator.put(`/forms/${form}/schema`, document, headers);
  const create = (form: string, data: object) =>
    integrator.post(`/forms/${form}/submissions`, { data });

  it("PUT returns 201 with Location to a creation and 200 to a change, and counts versions", async () => {
    const form = freshKey("form");
    const created = await put(form, { fields: [text("a")] });
    expect([created.status, created.etag]).toEqual([201, '"1-open"']);
    expect(created.headers.get("Location")).toBe(created.body.links.self);
    const change = await put(form, { fields: [text("a"), text("b")] });
    expect([change.status, change.etag, change.body.schema_version]).toEqual([200, '"2-open"', 2]);
    expect(await schema(form)).toEqual(change.body);
  });

  it("PUT reports every error of a field, whatever else is wrong with it or with other fields", async () => {
    const answer = await put(freshKey("form"), {
      fields: [
        { key: "Bad Key", type: "txt", requierd: true, label: 7, formula: "1" },
        { key: "same", type: "number", integer: true, decimals: 2 },
        { key: "same", type: "text", min_length: 5, max_length: 2, options: [] },
        { requierd: 1 },
        { key: "l", type: "line_items", fields: [{ key: "Q", type: "nmber", uniqe: true }] },
        7,
      ],
    });
    expect(answer.status).toBe(422);
    const pointers = answer.body.errors.map((error: Json) => error.pointer);
    expect(pointers.toSorted()).toEqual([
      "/fields/0/key",
      "/fields/0/label",
      "/fields/0/requierd",
      "/fields/0/type",
      "/fields/1/decimals",
      "/fields/2/key",
      "/fields/2/min_length",
      "/fields/2/options",
      "/fields/3/key",
      "/fields/3/requierd",
      "/fields/3/type",
      "/fields/4/fields/0/key",
      "/fields/4/fields/0/type",
      "/fields/4/fields/0/uniqe",
      "/fields/5",
    ]);
    const codes = answer.body.errors.map((error: Json) => error.code);
    expect(new Set(codes)).toEqual(new Set(["invalid_definition"]));
  });

  it("PUT points at the wrong option of a default", async () => {
    const options = [{ value: "a" }, { value: "b" }];
    const tags = { key: "tags", type: "multi_select", options, default: ["a", "x"] };
    const { body } = await put(freshKey("form"), { fields: [tags] });
    expect(body.errors).toMatchObject([
      { pointer: "/fields/0/default/1", code: "invalid_definition" },
    ]);
  });

  it("PUT keeps the version when the current document is sent back", async () => {
    const fields = [
      text("a", { required: true, unique: true, min_length: 2, default: "xx" }),
      { key: "s", type: "select", options: [{ value: "a" }] },
      {
        key: "l",
        type: "line_items",
        min_rows: 1,
        fields: [text("x"), { key: "n", type: "number" }],
      },
    ];
    const form = await makeForm(integrator, fields, {
      description: "d",
      acceptance: { closes_at: "2030-01-01T00:00:00+09:00", max_submissions: 5 },
    });
    const document = await schema(form);
    const repeat = await put(form, document);
    expect([repeat.status, repeat.body.schema_version]).toEqual([200, 1]);
    expect(repeat.body).toEqual(document);
    expect(document.acceptance.closes_at).toBe("2029-12-31T15:00:00.000Z");
  });

  it("PUT keeps omitted settings, and retires omitted fields", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")], {
      name: "Kept",
      acceptance: { state: "closed" },
    });
    const { body } = await put(form, { fields: [text("a")] });
    expect(body).toMatchObject({ name: "Kept", acceptance: { state: "closed" } });
    expect(body.fields.map((field: Json) => field.key)).toEqual(["a"]);
  });

  it("PUT hides the data of a retired field, and restores it with the field", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const { body } = await create(form, { a: "1", b: "2" });
    await put(form, { fields: [text("a")] });
    const path = `/submissions/${body.id}`;
    expect((await integrator.get(path)).body.data).toEqual({ a: "1" });
    expect((await integrator.patch(path, { data: { b: "3" } })).status).toBe(422);
    await integrator.patch(path, { data: { a: "9" } });
    await put(form, { fields: [text("b"), text("a")] });
    const restored = await integrator.get(path);
    expect(restored.text).toContain('"data":{"b":"2","a":"9"}');
  });

  it("PUT restores retired columns of rows, even after a draft is submitted", async () => {
    const lines = (...keys: string[]) => ({
      key: "l",
      type: "line_items",
      fields: keys.map((key) => text(key)),
    });
    const form = await makeForm(integrator, [lines("r", "q")]);
    const data = { l: [{ r: "kept", q: "1" }] };
    const { body } = await integrator.post(`/forms/${form}/submissions`, { status: "draft", data });
    await put(form, { fields: [lines("q")] });
    const path = `/submissions/${body.id}`;
    expect((await integrator.patch(path, { status: "submitted" })).body.data).toEqual({
      l: [{ q: "1" }],
    });
    await put(form, { fields: [lines("r", "q")] });
    expect((await integrator.get(path)).body.data).toEqual(data);
  });

  it("a rename keeps data and unique values, and errors for the old key name the new one", async () => {
    const form = await makeForm(integrator, [text("cust_name", { unique: true })]);
    const { body } = await create(form, { cust_name: "Bo" });
    const fields = [text("customer", { unique: true, renamed_from: "cust_name" })];
    const rename = await put(form, { fields });
    expect(rename.body.fields[0]).toMatchObject({ previous_keys: ["cust_name"] });
    expect((await integrator.get(`/submissions/${body.id}`)).body.data).toEqual({ customer: "Bo" });
    expect((await create(form, { customer: "Bo" })).status).toBe(409);
    const rejection = await create(form, { cust_name: "Al" });
    expect(rejection.body.errors).toMatchObject([
      { code: "unknown_field", renamed_to: "customer" },
    ]);
    const repeat = await put(form, { fields });
    expect(repeat.body.schema_version).toBe(2);
  });

  it("returns 422 for a renamed_from that names a kept field or the field itself", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const renamed = (key: string, from: string) => text(key, { renamed_from: from });
    for (const fields of [
      [text("a"), renamed("b", "a")],
      [renamed("a", "a"), text("b")],
    ]) {
      const { status, body } = await put(form, { fields });
      expect([status, body.errors.length]).toEqual([422, 1]);
      expect(body.errors[0].pointer).toMatch(/^\/fields\/[01]\/renamed_from$/);
    }
    const reused = { fields: [text("a"), text("b"), renamed("c", "a")] };
    expect((await put(form, reused)).status).toBe(200);
    expect((await put(form, reused)).body.schema_version).toBe(2);
  });

  it("a rename invalidates earlier ETags of items", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const { body, etag } = await create(form, { a: "1" });
    const getItem = () => integrator.get(`/submissions/${body.id}`, { "If-None-Match": etag });
    expect((await getItem()).status).toBe(304);
    await put(form, { fields: [text("b", { renamed_from: "a" })] });
    expect((await getItem()).body.data).toEqual({ b: "1" });
  });

  it("two fields can swap their keys, and columns of line items can be renamed", async () => {
    const lines = (key: string, rules: object = {}) => ({
      key: "lines",
      type: "line_items",
      fields: [text(key, rules)],
    });
    const form = await makeForm(integrator, [text("a"), text("b"), lines("sku")]);
    const { body } = await create(form, { a: "1", b: "2", lines: [{ sku: "X" }] });
    await put(form, {
      fields: [
        text("a", { renamed_from: "b" }),
        text("b", { renamed_from: "a" }),
        lines("article", { renamed_from: "sku" }),
      ],
    });
    const { data } = (await integrator.get(`/submissions/${body.id}`)).body;
    expect(data).toEqual({ a: "2", b: "1", lines: [{ article: "X" }] });
    const rejection = await create(form, { lines: [{ sku: "Y" }] });
    expect(rejection.body.errors).toMatchObject([
      { pointer: "/data/lines/0/sku", renamed_to: "article" },
    ]);
  });

  it("PUT returns 409 schema_in_use to a change of type while values exist, even retired or in rows", async () => {
    const line = (type: string) => ({ key: "l", type: "line_items", fields: [{ key: "x", type }] });
    const form = await makeForm(integrator, [text("a"), line("text")]);
    const number = { key: "a", type: "number" };
    expect((await put(form, { fields: [number, line("text")] })).status).toBe(200);
    await put(form, { fields: [text("a"), line("text")] });
    const { body } = await create(form, { a: "1", l: [{ x: "y" }] });
    for (const fields of [
      [number, line("text")],
      [text("a"), line("number")],
    ]) {
      const rejection = await put(form, { fields });
      expect([rejection.status, rejection.body.code]).toEqual([409, "schema_in_use"]);
      expect(["a", "x"]).toContain(rejection.body.field);
    }
    await put(form, { fields: [line("text")] });
    expect((await put(form, { fields: [number, line("text")] })).status).toBe(409);
    await integrator.delete(`/submissions/${body.id}`);
    expect((await put(form, { fields: [number, line("number")] })).status).toBe(200);
  });

  it("PUT returns 409 schema_in_use when a field with duplicates becomes unique", async () => {
    const fields = [text("a"), { key: "day", type: "date" }];
    const form = await makeForm(integrator, fields);
    const first = await create(form, { a: "x", day: "2026-11-21Z" });
    const second = await create(form, { a: "x", day: "2026-11-21+09:00" });
    for (const field of ["a", "day"]) {
      const unique = fields.map((candidate) =>
        candidate.key === field ? { ...candidate, unique: true } : candidate,
      );
      const rejection = await put(form, { fields: unique });
      expect(rejection.body).toMatchObject({ status: 409, code: "schema_in_use", field });
      expect(rejection.body.items.toSorted()).toEqual([first.body.id, second.body.id].toSorted());
      expect(rejection.text).not.toContain("2026-11-21");
    }
    await integrator.patch(`/submissions/${second.body.id}`, { data: { a: "y", day: null } });
    const unique = fields.map((field) => ({ ...field, unique: true }));
    expect((await put(form, { fields: unique })).status).toBe(200);
    expect((await create(form, { a: "y" })).status).toBe(409);
    expect((await create(form, { day: "2026-11-21-03:00" })).status).toBe(409);
    await put(form, { fields });
    expect((await create(form, { a: "y" })).status).toBe(201);
  });

  it("narrower rules leave stored values unchanged and apply from the next write", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const { body } = await create(form, { a: "long enough" });
    await put(form, { fields: [text("a", { max_length: 3 }), text("b", { required: true })] });
    const path = `/submissions/${body.id}`;
    expect((await integrator.get(path)).body.data).toEqual({ a: "long enough", b: null });
    expect((await create(form, { a: "long enough", b: "x" })).status).toBe(422);
    expect((await create(form, { a: "ok" })).status).toBe(422);
    expect((await integrator.patch(path, { data: { a: "still long" } })).status).toBe(422);
  });

  it("PUT returns 422 with a pointer to every unknown or invalid part", async () => {
    const document = {
      colour: "red",
      time_zone: "Mars/Olympus",
      fields: [
        text("ok"),
        text("ok"),
        text("9x", { label: "\ud800" }),
        { key: "a", type: "colour" },
        { key: "b", type: "text", minimum: 3 },
        { key: "c", type: "select", options: [] },
        { key: "d", type: "number", default: "x" },
        { key: "$id", type: "text" },
      ],
    };
    const rejection = await put(freshKey("form"), document);
    expect(rejection.status).toBe(422);
    const errors = rejection.body.errors as Json[];
    expect(new Set(errors.map((error) => error.code))).toEqual(new Set(["invalid_definition"]));
    expect(errors.map((error) => error.pointer)).toEqual(
      expect.arrayContaining([
        "/colour",
        "/time_zone",
        "/fields/2/key",
        "/fields/2/label",
        "/fields/3/type",
        "/fields/4/minimum",
        "/fields/5/options",
        "/fields/7/key",
      ]),
    );
  });

  it.each([
    ["a key twice", { fields: [text("a"), text("a")] }, "/fields/1/key"],
    [
      "bounds that cross",
      { fields: [{ key: "n", type: "number", minimum: 2, maximum: 1 }] },
      "/fields/0/minimum",
    ],
    [
      "an option twice",
      { fields: [{ key: "s", type: "select", options: [{ value: "a" }, { value: "a" }] }] },
      "/fields/0/options/1/value",
    ],
    [
      "a default of the wrong type",
      { fields: [{ key: "n", type: "number", default: "x" }] },
      "/fields/0/default",
    ],
    [
      "a default in a row",
      {
        fields: [
          { key: "l", type: "line_items", fields: [{ key: "n", type: "number", default: "x" }] },
        ],
      },
      "/fields/0/fields/0/default",
    ],
    [
      "nested line items",
      {
        fields: [
          { key: "l", type: "line_items", fields: [{ key: "m", type: "line_items", fields: [] }] },
        ],
      },
      "/fields/0/fields/0/type",
    ],
    [
      "unique in a row",
      { fields: [{ key: "l", type: "line_items", fields: [text("a", { unique: true })] }] },
      "/fields/0/fields/0/unique",
    ],
    [
      "a rename of nothing",
      { fields: [text("a", { renamed_from: "zz" })] },
      "/fields/0/renamed_from",
    ],
    ["another key than the path's", { key: "other", fields: [] }, "/key"],
    ["no fields", {}, "/fields"],
    ["a form with a receipt prefix", { receipt_prefix: "A-", fields: [] }, "/receipt_prefix"],
    [
      "acceptance that ends before it begins",
      {
        acceptance: { opens_at: "2026-02-01T00:00:00Z", closes_at: "2026-01-01T00:00:00Z" },
        fields: [],
      },
      "/acceptance/closes_at",
    ],
    [
      "acceptance without a time zone",
      { acceptance: { opens_at: "2026-02-01T00:00:00" }, fields: [] },
      "/acceptance/opens_at",
    ],
    [
      "more than 500 rows",
      { fields: [{ key: "l", type: "line_items", max_rows: 501, fields: [text("a")] }] },
      "/fields/0/max_rows",
    ],
    [
      "more than 2,000 fields",
      { fields: Array.from({ length: 2001 }, (_, i) => text(`f${i}`)) },
      "/fields",
    ],
  ])("PUT returns 422 to %s", async (_, document, pointer) => {
    const rejection = await put(freshKey("form"), document);
    expect([rejection.status, rejection.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it("a record keeps its receipt number when the prefix of its app changes", async () => {
    const app = await makeApp(integrator, [text("a")], { receipt_prefix: "A2026" });
    const first = await integrator.post(`/apps/${app}/records`, { data: {} });
    expect(first.body.receipt_number).toBe("A2026000001");
    await integrator.put(`/apps/${app}/schema`, { fields: [text("a")], receipt_prefix: "B-" });
    const second = await integrator.post(`/apps/${app}/records`, { data: {} });
    expect(second.body.receipt_number).toBe("B-000002");
    for (const { body } of [first, second]) {
      const record = await integrator.get(`/apps/${app}/records/${body.receipt_number}`);
      expect(record.body.id).toBe(body.id);
    }
    const rejection = await integrator.put(`/apps/${app}/schema`, {
      fields: [],
      receipt_prefix: "rec_",
    });
    expect(rejection.body.errors[0].pointer).toBe("/receipt_prefix");
  });

  it("PUT returns 412 when If-Match or If-None-Match: * fails", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const stalePut = await put(form, { fields: [text("b")] }, { "If-Match": '"7"' });
    expect([stalePut.status, stalePut.body.current_etag]).toEqual([412, '"1-open"']);
    expect((await put(form, { fields: [text("b")] }, { "If-Match": 'W/"1"' })).status).toBe(200);
    expect((await put(form, { fields: [] }, { "If-None-Match": "*" })).status).toBe(412);
    const rejection = await put(freshKey("form"), { fields: [] }, { "If-Match": "*" });
    expect([rejection.status, rejection.body.current_etag]).toEqual([412, null]);
    expect((await put(freshKey("form"), { fields: [] }, { "If-None-Match": "*" })).status).toBe(
      201,
    );
  });

  it("PUT applies one of several concurrent changes with one ETag, and returns 412 to the others", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const responses = await Promise.all(
      ["b", "c", "d"].map((key) =>
        put(form, { fields: [text("a"), text(key)] }, { "If-Match": '"1"' }),
      ),
    );
    expect(responses.map((answer) => answer.status).toSorted()).toEqual([200, 412, 412]);
  });

  it("GET /apps and GET /forms list visible collections in pages", async () => {
    const forms = [
      await makeForm(integrator),
      await makeForm(integrator),
      await makeForm(integrator),
    ];
    const limitedClient = await client({ resources: forms.map((form) => `form:${form}`) });
    const items = await everyItem(limitedClient, "/forms?limit=2");
    expect(items.map((item) => item.key)).toEqual(forms);
    expect(items[0].links.self).toContain(`/forms/${forms[0]}/schema`);
    expect(await everyItem(limitedClient, "/apps")).toEqual([]);
    expect((await limitedClient.get(`/forms/${forms[0]}`)).body).toEqual(items[0]);
  });

  it("a write during a rename is validated again with the new definition", async () => {
    const form = await makeForm(integrator, [text("a")]);
    await create(form, { a: "x" });
    const responses: Answer[] = [];
    const writers = Array.from({ length: 10 }, async () => {
      for (let i = 0; i < 5; i += 1) responses.push(await create(form, { a: "y" }));
    });
    const rename = await put(form, { fields: [text("b", { renamed_from: "a" })] });
    expect(rename.status).toBe(200);
    await Promise.all(writers);
    expect(responses.at(-1)?.body.errors).toMatchObject([
      { code: "unknown_field", renamed_to: "b" },
    ]);
    expect(new Set(responses.map((answer) => answer.status))).toEqual(new Set([201, 422]));
    const items = await everyItem(integrator, `/forms/${form}/submissions`);
    for (const { data } of items) expect(Object.keys(data)).toEqual(["b"]);
    const storedCount = responses.filter((answer) => answer.status === 201).length;
    expect(items).toHaveLength(storedCount + 1);
  });
});
