import { beforeAll, describe, expect, it } from "vitest";
import { everyItem, type Answer, type Client, type Json } from "../support/client";
import { client, freshKey, makeApp, makeForm } from "../support/service";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });

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

  it("PUT creates with 201 and Location, changes with 200, and counts the versions", async () => {
    const form = freshKey("form");
    const created = await put(form, { fields: [text("a")] });
    expect([created.status, created.etag]).toEqual([201, '"1-open"']);
    expect(created.headers.get("Location")).toBe(created.body.links.self);
    const changed = await put(form, { fields: [text("a"), text("b")] });
    expect([changed.status, changed.etag, changed.body.schema_version]).toEqual([
      200,
      '"2-open"',
      2,
    ]);
    expect(await schema(form)).toEqual(changed.body);
  });

  it("a document that is read and sent back changes nothing and keeps the version", async () => {
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
    const again = await put(form, document);
    expect([again.status, again.body.schema_version]).toEqual([200, 1]);
    expect(again.body).toEqual(document);
    expect(document.acceptance.closes_at).toBe("2029-12-31T15:00:00.000Z");
  });

  it("what a document leaves out at the top stays; a field that it leaves out is retired", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")], {
      name: "Kept",
      acceptance: { state: "closed" },
    });
    const { body } = await put(form, { fields: [text("a")] });
    expect(body).toMatchObject({ name: "Kept", acceptance: { state: "closed" } });
    expect(body.fields.map((field: Json) => field.key)).toEqual(["a"]);
  });

  it("a retired field's data is hidden, kept, and comes back with the field", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const { body } = await create(form, { a: "1", b: "2" });
    await put(form, { fields: [text("a")] });
    const path = `/submissions/${body.id}`;
    expect((await integrator.get(path)).body.data).toEqual({ a: "1" });
    expect((await integrator.patch(path, { data: { b: "3" } })).status).toBe(422);
    await integrator.patch(path, { data: { a: "9" } });
    await put(form, { fields: [text("b"), text("a")] });
    const back = await integrator.get(path);
    expect(back.text).toContain('"data":{"b":"2","a":"9"}');
  });

  it("what retired columns of rows hold comes back too, also after a draft was submitted", async () => {
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

  it("a rename keeps data and unique values, and tells the old key where it went", async () => {
    const form = await makeForm(integrator, [text("cust_name", { unique: true })]);
    const { body } = await create(form, { cust_name: "Bo" });
    const fields = [text("customer", { unique: true, renamed_from: "cust_name" })];
    const renamed = await put(form, { fields });
    expect(renamed.body.fields[0]).toMatchObject({ previous_keys: ["cust_name"] });
    expect((await integrator.get(`/submissions/${body.id}`)).body.data).toEqual({ customer: "Bo" });
    expect((await create(form, { customer: "Bo" })).status).toBe(409);
    const refused = await create(form, { cust_name: "Al" });
    expect(refused.body.errors).toMatchObject([{ code: "unknown_field", renamed_to: "customer" }]);
    const again = await put(form, { fields });
    expect(again.body.schema_version).toBe(2);
  });

  it("a tag that was given before a rename does not answer 304 after it", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const { body, etag } = await create(form, { a: "1" });
    const read = () => integrator.get(`/submissions/${body.id}`, { "If-None-Match": etag });
    expect((await read()).status).toBe(304);
    await put(form, { fields: [text("b", { renamed_from: "a" })] });
    expect((await read()).body.data).toEqual({ b: "1" });
  });

  it("two fields can swap their keys, and rows of line items are renamed too", async () => {
    const lines = (key: string, rest: object = {}) => ({
      key: "lines",
      type: "line_items",
      fields: [text(key, rest)],
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
    const refused = await create(form, { lines: [{ sku: "Y" }] });
    expect(refused.body.errors).toMatchObject([
      { pointer: "/data/lines/0/sku", renamed_to: "article" },
    ]);
  });

  it("a change of type is refused while values exist, retired ones and those in rows included", async () => {
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
      const refused = await put(form, { fields });
      expect([refused.status, refused.body.code]).toEqual([409, "schema_in_use"]);
      expect(["a", "x"]).toContain(refused.body.field);
    }
    await put(form, { fields: [line("text")] });
    expect((await put(form, { fields: [number, line("text")] })).status).toBe(409);
    await integrator.delete(`/submissions/${body.id}`);
    expect((await put(form, { fields: [number, line("number")] })).status).toBe(200);
  });

  it("a field with duplicates cannot become unique; one without can, and then is", async () => {
    const fields = [text("a"), { key: "day", type: "date" }];
    const form = await makeForm(integrator, fields);
    const first = await create(form, { a: "x", day: "2026-11-21Z" });
    const second = await create(form, { a: "x", day: "2026-11-21+09:00" });
    for (const field of ["a", "day"]) {
      const unique = fields.map((each) => (each.key === field ? { ...each, unique: true } : each));
      const refused = await put(form, { fields: unique });
      expect(refused.body).toMatchObject({ status: 409, code: "schema_in_use", field });
      expect(refused.body.items.toSorted()).toEqual([first.body.id, second.body.id].toSorted());
      expect(refused.text).not.toContain("2026-11-21");
    }
    await integrator.patch(`/submissions/${second.body.id}`, { data: { a: "y", day: null } });
    const unique = fields.map((each) => ({ ...each, unique: true }));
    expect((await put(form, { fields: unique })).status).toBe(200);
    expect((await create(form, { a: "y" })).status).toBe(409);
    expect((await create(form, { day: "2026-11-21-03:00" })).status).toBe(409);
    await put(form, { fields });
    expect((await create(form, { a: "y" })).status).toBe(201);
  });

  it("narrower rules touch nothing stored and apply from the next write", async () => {
    const form = await makeForm(integrator, [text("a"), text("b")]);
    const { body } = await create(form, { a: "long enough" });
    await put(form, { fields: [text("a", { max_length: 3 }), text("b", { required: true })] });
    const path = `/submissions/${body.id}`;
    expect((await integrator.get(path)).body.data).toEqual({ a: "long enough", b: null });
    expect((await create(form, { a: "long enough", b: "x" })).status).toBe(422);
    expect((await create(form, { a: "ok" })).status).toBe(422);
    expect((await integrator.patch(path, { data: { a: "still long" } })).status).toBe(422);
  });

  it("every unknown or invalid part is refused at once, with its pointer", async () => {
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
    const refused = await put(freshKey("form"), document);
    expect(refused.status).toBe(422);
    const errors = refused.body.errors as Json[];
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
  ])("%s is refused", async (_, document, pointer) => {
    const refused = await put(freshKey("form"), document);
    expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([422, pointer]);
  });

  it("an app's receipt prefix is kept by the records that were given it", async () => {
    const app = await makeApp(integrator, [text("a")], { receipt_prefix: "A2026" });
    const first = await integrator.post(`/apps/${app}/records`, { data: {} });
    expect(first.body.receipt_number).toBe("A2026000001");
    await integrator.put(`/apps/${app}/schema`, { fields: [text("a")], receipt_prefix: "B-" });
    const second = await integrator.post(`/apps/${app}/records`, { data: {} });
    expect(second.body.receipt_number).toBe("B-000002");
    for (const { body } of [first, second]) {
      const read = await integrator.get(`/apps/${app}/records/${body.receipt_number}`);
      expect(read.body.id).toBe(body.id);
    }
    const refused = await integrator.put(`/apps/${app}/schema`, {
      fields: [],
      receipt_prefix: "rec_",
    });
    expect(refused.body.errors[0].pointer).toBe("/receipt_prefix");
  });

  it("If-Match guards a change, and If-None-Match: * a creation", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const stale = await put(form, { fields: [text("b")] }, { "If-Match": '"7"' });
    expect([stale.status, stale.body.current_etag]).toEqual([412, '"1-open"']);
    expect((await put(form, { fields: [text("b")] }, { "If-Match": 'W/"1"' })).status).toBe(200);
    expect((await put(form, { fields: [] }, { "If-None-Match": "*" })).status).toBe(412);
    const missing = await put(freshKey("form"), { fields: [] }, { "If-Match": "*" });
    expect([missing.status, missing.body.current_etag]).toEqual([412, null]);
    expect((await put(freshKey("form"), { fields: [] }, { "If-None-Match": "*" })).status).toBe(
      201,
    );
  });

  it("two changes with one tag: one is made, the other is told", async () => {
    const form = await makeForm(integrator, [text("a")]);
    const answers = await Promise.all(
      ["b", "c", "d"].map((key) =>
        put(form, { fields: [text("a"), text(key)] }, { "If-Match": '"1"' }),
      ),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 412, 412]);
  });

  it("GET /apps and /forms list the visible ones, paged", async () => {
    const forms = [
      await makeForm(integrator),
      await makeForm(integrator),
      await makeForm(integrator),
    ];
    const narrow = await client({ resources: forms.map((form) => `form:${form}`) });
    const listed = await everyItem(narrow, "/forms?limit=2");
    expect(listed.map((form) => form.key)).toEqual(forms);
    expect(listed[0].links.self).toContain(`/forms/${forms[0]}/schema`);
    expect(await everyItem(narrow, "/apps")).toEqual([]);
    expect((await narrow.get(`/forms/${forms[0]}`)).body).toEqual(listed[0]);
  });

  it("a write validated with an older definition is validated again, not stored under the wrong one", async () => {
    const form = await makeForm(integrator, [text("a")]);
    await create(form, { a: "x" });
    const answers: Answer[] = [];
    const writers = Array.from({ length: 10 }, async () => {
      for (let i = 0; i < 5; i += 1) answers.push(await create(form, { a: "y" }));
    });
    const renamed = await put(form, { fields: [text("b", { renamed_from: "a" })] });
    expect(renamed.status).toBe(200);
    await Promise.all(writers);
    expect(answers.at(-1)?.body.errors).toMatchObject([{ code: "unknown_field", renamed_to: "b" }]);
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201, 422]));
    const items = await everyItem(integrator, `/forms/${form}/submissions`);
    for (const { data } of items) expect(Object.keys(data)).toEqual(["b"]);
    const stored = answers.filter((answer) => answer.status === 201).length;
    expect(items).toHaveLength(stored + 1);
  });
});
