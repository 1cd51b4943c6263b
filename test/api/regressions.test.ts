import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client, type Json } from "../support/client";
import { admin, anonymous, client, freshKey, issue, makeApp, makeForm } from "../support/service";

const text = (key: string, rules: object = {}) => ({ key, type: "text", ...rules });
const number = (key: string, rules: object = {}) => ({ key, type: "number", ...rules });
const select = (...values: string[]) => ({
  key: "kind",
  type: "select",
  options: values.map((value) => ({ value })),
});

describe("Stored values that are sent back unchanged", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const submit = (form: string, data: object) =>
    integrator.post(`/forms/${form}/submissions`, { data });

  it("keeps removed options in the item, in lists and in rows, and validates only new values", async () => {
    const tags = (...values: string[]) => ({
      key: "tags",
      type: "multi_select",
      options: values.map((value) => ({ value })),
    });
    const rows = (...values: string[]) => ({
      key: "l",
      type: "line_items",
      fields: [select(...values), number("n")],
    });
    const form = await makeForm(integrator, [
      select("a", "b"),
      tags("x", "y"),
      rows("a", "b"),
      text("note"),
    ]);
    const data = { kind: "b", tags: ["x", "y"], l: [{ kind: "b", n: 1 }, { kind: "a" }] };
    const { body } = await submit(form, data);
    await integrator.put(`/forms/${form}/schema`, {
      fields: [select("a"), tags("x", "z"), rows("a"), text("note", { required: true })],
    });
    const path = `/submissions/${body.id}`;
    const storedData = (await integrator.get(path)).body.data;
    const unchanged = await integrator.patch(path, { data: storedData });
    expect([unchanged.status, unchanged.body.version]).toEqual([200, 1]);
    const changes = { tags: ["z", "y"], l: [...storedData.l, { kind: "b", n: 7 }], note: "new" };
    expect((await integrator.patch(path, { data: changes })).body.data).toMatchObject({
      tags: ["z", "y"],
      l: [
        { kind: "b", n: 1 },
        { kind: "a", n: null },
        { kind: "b", n: 7 },
      ],
    });
    const otherItem = await submit(form, { kind: "a", note: "n" });
    const rejection = await integrator.patch(`/submissions/${otherItem.body.id}`, {
      data: { kind: "b", tags: ["y"], l: [{ kind: "b" }] },
    });
    expect(codes(rejection)).toEqual({
      kind: "not_an_option",
      "tags[0]": "not_an_option",
      "l[0].kind": "not_an_option",
    });
  });

  it("keeps values that break narrower rules, and validates all of them when a draft is submitted", async () => {
    const wideFields = [
      text("t"),
      number("n"),
      { key: "l", type: "line_items", fields: [text("s")] },
    ];
    const form = await makeForm(integrator, wideFields);
    const data = { t: "long text", n: 1.25, l: [{ s: "abc" }, { s: null }, { s: "abc" }] };
    const { body } = await submit(form, data);
    const draft = await integrator.post(`/forms/${form}/submissions`, { status: "draft", data });
    const narrowFields = [
      text("t", { max_length: 3, pattern: "^x" }),
      number("n", { integer: true }),
      { key: "l", type: "line_items", max_rows: 1, fields: [text("s", { required: true })] },
      text("r", { required: true }),
    ];
    await integrator.put(`/forms/${form}/schema`, { fields: narrowFields });
    const path = `/submissions/${body.id}`;
    const storedData = (await integrator.get(path)).body.data;
    expect((await integrator.patch(path, { data: storedData })).status).toBe(200);
    const rejection = await integrator.patch(path, {
      data: { t: "long texts", n: 1.5, l: [{ s: "abc" }, { s: "abc" }] },
    });
    expect(codes(rejection)).toEqual({ t: "too_long", n: "invalid_type", l: "too_many_rows" });
    const submitted = await integrator.patch(`/submissions/${draft.body.id}`, {
      status: "submitted",
    });
    expect(codes(submitted)).toEqual({
      t: "too_long",
      n: "invalid_type",
      l: "too_many_rows",
      r: "required",
    });
  });

  it("returns 422 to option values with control characters", async () => {
    const rejection = await integrator.put(`/forms/${freshKey("form")}/schema`, {
      fields: [select("a\u0007b")],
    });
    expect([rejection.status, rejection.body.errors[0].pointer]).toEqual([
      422,
      "/fields/0/options/0/value",
    ]);
  });
});

describe("Patterns in definitions", () => {
  const patterns = ["(", "(?=a)", "\\1", "[b-a]", "*", "\\p{Foo}", "x{0,5000}"];
  it.each(patterns)(
    "returns 422 with a pointer to the pattern %s in fields and columns",
    async (pattern) => {
      const integrator = await client();
      const rows = { key: "l", type: "line_items", fields: [text("s", { pattern })] };
      const form = await makeForm(integrator, [text("t")]);
      for (const key of [form, freshKey("form")]) {
        const answer = await integrator.put(`/forms/${key}/schema`, {
          fields: [text("t", { pattern, default: "x" }), rows],
        });
        expect([answer.status, answer.body.errors.map((error: Json) => error.pointer)]).toEqual([
          422,
          ["/fields/0/pattern", "/fields/1/fields/0/pattern"],
        ]);
      }
      const edit = await admin("POST", `/forms/${form}/schema`, {
        document: JSON.stringify({ fields: [text("t", { pattern })] }),
        version: 1,
      });
      expect([edit.status, edit.status < 500]).toEqual([edit.status, true]);
    },
  );
});

describe("Inexact numbers in JSON", () => {
  it.each([
    ["9007199254740990.7", { integer: true }, "not_exact"],
    ["9007199254740990.7", {}, "not_exact"],
    ["123456789012345.678", { decimals: 2 }, "not_exact"],
    ["1e400", {}, "not_exact"],
    ["-1e400", {}, "not_exact"],
    ["0.1000000000000000055", {}, "not_exact"],
    ["9007199254740993", {}, "not_exact"],
    ["9007199254740992", {}, "too_large"],
    ["12345678901234567890", {}, "not_exact"],
    ["1.50e1", { integer: true }, 15],
    ["1500000000000000000e-17", { integer: true }, 15],
    ["0.10000000000000000", {}, 0.1],
    ["0e5", {}, 0],
    ["0.30000000000000004", {}, 0.300_000_000_000_000_04],
    ["9007199254740991.0", { integer: true }, 9_007_199_254_740_991],
  ] as const)("%s with %j: %s", async (literal, rules, expected) => {
    const integrator = await client();
    const form = await makeForm(integrator, [number("n", rules), text("t")]);
    const body = `{"data": {"t": "0123456789.0123456789e5", "n": ${literal}}}`;
    const answer = await integrator.post(`/forms/${form}/submissions`, body);
    expect(answer.status === 201 ? answer.body.data.n : answer.body.errors[0].code).toBe(expected);
  });

  it("return 422 in rows, searches and the defaults of definitions", async () => {
    const integrator = await client();
    const rows = { key: "l", type: "line_items", fields: [number("n")] };
    const form = await makeForm(integrator, [number("n"), rows]);
    const post = async (path: string, body: string) =>
      (await integrator.post(`/forms/${form}/submissions${path}`, body)).body.errors[0];
    expect(await post("", '{"data":{"l":[{"n":1e400}]}}')).toMatchObject({
      code: "not_exact",
      pointer: "/data/l/0/n",
    });
    const condition = '{"field":"n","op":"eq","value":9007199254740990.7}';
    expect((await post("/search", `{"conditions":[${condition}]}`)).code).toBe("not_exact");
    const definition = '{"fields":[{"key":"a","type":"number","default":9007199254740990.7}]}';
    const put = await integrator.put(`/forms/${freshKey("form")}/schema`, definition);
    expect(put.body.errors[0].pointer).toBe("/fields/0/default");
  });
});

describe("Callers and their permissions", () => {
  it("names the actors of GET /me in created_by and updated_by", async () => {
    const firstClient = await client();
    const secondClient = await client();
    const app = await makeApp(firstClient, [text("t")]);
    const actors = await Promise.all(
      [firstClient, secondClient].map(
        async (caller) => (await caller.get("/me")).body.actor as string,
      ),
    );
    expect(actors[0]).toMatch(/^credential:[0-9A-Z]{26}$/);
    const idempotent = { "Idempotency-Key": "who" };
    const created = await firstClient.post(
      `/apps/${app}/records`,
      { data: { t: "a" } },
      idempotent,
    );
    expect([created.body.created_by, created.body.updated_by]).toEqual([actors[0], actors[0]]);
    const replay = await firstClient.post(`/apps/${app}/records`, { data: { t: "a" } }, idempotent);
    expect(replay.body).toEqual(created.body);
    const path = `/apps/${app}/records/${created.body.id}`;
    const patched = await secondClient.patch(path, { data: { t: "b" } });
    expect([patched.body.created_by, patched.body.updated_by]).toEqual(actors);
    const [listedRecord] = (await firstClient.get(`/apps/${app}/records`)).body.items;
    expect(listedRecord).toEqual(patched.body);
    await admin("POST", `/apps/${app}/items/${created.body.id}`, { data: { t: "c" }, version: 2 });
    expect((await firstClient.get(path)).body.updated_by).toMatch(/^member:[0-9A-Z]{26}$/);
  });

  it("returns 403 to reads, updates and deletes by a credential that may only create", async () => {
    const owner = await client();
    const [form, app] = [await makeForm(owner, [text("t")]), await makeApp(owner, [text("t")])];
    const creator = await client({ permissions: ["records:create", "submissions:create"] });
    const created = await creator.post(`/forms/${form}/submissions`, { data: { t: "a" } });
    expect([created.status, created.body.data]).toEqual([201, { t: "a" }]);
    const record = await creator.post(`/apps/${app}/records`, { data: { t: "a" } });
    expect(record.status).toBe(201);
    const validation = await creator.post(`/forms/${form}/submissions/validate`, { data: {} });
    expect(validation.status).toBe(200);
    const rejections = [
      await creator.get(`/submissions/${created.body.id}`),
      await creator.patch(`/submissions/${created.body.id}`, { data: {} }),
      await creator.patch(`/apps/${app}/records/${record.body.id}`, { data: {} }),
      await creator.delete(`/submissions/${created.body.id}`),
    ];
    expect(
      rejections.map((response) => [response.status, response.body.required_permission]),
    ).toEqual([
      [403, "submissions:read"],
      [403, "submissions:write"],
      [403, "records:write"],
      [403, "submissions:delete"],
    ]);
    const schemaReader = await client({ permissions: ["schema:read"] });
    const rejection = await schemaReader.post(`/forms/${form}/submissions`, { data: {} });
    expect(rejection.body.required_permission).toBe("submissions:create");
  });

  it("returns only the sent values to an update by a credential without read permission", async () => {
    const owner = await client();
    const writer = await client({ permissions: ["submissions:write"] });
    const form = await makeForm(owner, [
      text("mine"),
      text("salary"),
      { key: "both", type: "computed", formula: "concat(mine, salary)", result: "text" },
    ]);
    const { body } = await owner.post(`/forms/${form}/submissions`, {
      data: { mine: "a", salary: "hush-money" },
    });
    for (const [data, expected] of [
      [{ mine: "b", both: "?" }, { mine: "b" }],
      [{}, {}],
      [{ mine: "b" }, { mine: "b" }],
    ]) {
      const answer = await writer.patch(`/submissions/${body.id}`, { data });
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.body).filter((key) => key !== "warnings")).toEqual([
        "id",
        "version",
        "etag",
        "updated_at",
        "data",
      ]);
      expect([answer.body.data, answer.etag]).toEqual([expected, answer.body.etag]);
      expect(answer.text).not.toContain("hush");
    }
  });

  it("names the item with the duplicate value only to callers with read permission", async () => {
    const owner = await client();
    const creator = await client({ permissions: ["submissions:create"] });
    const form = await makeForm(owner, [text("code", { unique: true })]);
    const data = { code: "A" };
    const { body } = await owner.post(`/forms/${form}/submissions`, { data });
    const otherItem = await owner.post(`/forms/${form}/submissions`, { data: { code: "B" } });
    const rejection = await owner.post(`/forms/${form}/submissions`, { data });
    expect(rejection.body).toMatchObject({ code: "duplicate", field: "code", id: body.id });
    const patched = await owner.patch(`/submissions/${otherItem.body.id}`, { data });
    expect(patched.body).toMatchObject({ code: "duplicate", field: "code", id: body.id });
    const validation = await owner.post(`/forms/${form}/submissions/validate`, { data });
    expect(validation.body.id).toBe(body.id);
    const blindRejection = await creator.post(`/forms/${form}/submissions`, { data });
    expect([blindRejection.status, blindRejection.body.field, "id" in blindRejection.body]).toEqual(
      [409, "code", false],
    );
  });

  it("expires a credential at the end of the chosen day in the chosen time zone", async () => {
    const credential = await issue({ expires: "2027-03-01" });
    expect([credential.expires_at, credential.expires]).toEqual([
      "2027-03-02T00:00:00.000Z",
      "at the end of 2027-03-01 (UTC)",
    ]);
    const edit = await admin("POST", `/integrations/${credential.id}`, {
      expires: "2027-03-01",
      time_zone: "Asia/Tokyo",
    });
    expect([edit.body.expires_at, edit.body.expires]).toEqual([
      "2027-03-01T15:00:00.000Z",
      "at the end of 2027-03-01 (Asia/Tokyo)",
    ]);
  });
});

describe("ETags", () => {
  it("changes the schema's ETag with the acceptance state, and compares only its version in If-Match", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")], { acceptance: { max_submissions: 1 } });
    const path = `/forms/${form}/schema`;
    const openSchema = await integrator.get(path);
    expect(openSchema.etag).toMatch(/^"1-.+"$/);
    const unchanged = await integrator.get(path, { "If-None-Match": openSchema.etag });
    expect(unchanged.status).toBe(304);
    await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const fullSchema = await integrator.get(path, { "If-None-Match": openSchema.etag });
    expect([fullSchema.status, fullSchema.body.acceptance.accepting]).toEqual([200, false]);
    expect(fullSchema.etag).not.toBe(openSchema.etag);
    for (const tag of [openSchema.etag, fullSchema.etag, '"1"', 'W/"1-whatever"', "*"]) {
      const put = await integrator.put(path, openSchema.body, { "If-Match": tag });
      expect([tag, put.status]).toEqual([tag, 200]);
    }
    const stalePut = await integrator.put(path, openSchema.body, { "If-Match": '"2-open"' });
    expect([stalePut.status, stalePut.body.current_etag]).toEqual([412, fullSchema.etag]);
  });

  it("returns 304 to a matching If-None-Match on /me, forms and their OpenAPI documents", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")]);
    for (const path of ["/me", `/forms/${form}`, `/forms/${form}/openapi.json`]) {
      const { etag } = await integrator.get(path);
      expect([path, etag]).toEqual([path, expect.stringMatching(/^".+"$/)]);
      const notModified = await integrator.get(path, { "If-None-Match": etag });
      expect([path, notModified.status, notModified.text]).toEqual([path, 304, ""]);
    }
  });
});

describe("Routes", () => {
  it("returns 405 with Allow to every other method of a path", async () => {
    const integrator = await client();
    const [form, app] = [await makeForm(integrator), await makeApp(integrator)];
    for (const path of [
      `/apps/${app}/records/search`,
      `/forms/${form}/submissions/search`,
      `/forms/${form}/submissions/validate`,
    ]) {
      for (const method of ["GET", "HEAD", "PUT", "PATCH", "DELETE"]) {
        const answer = await integrator.send(method, path);
        expect([path, method, answer.status, answer.headers.get("Allow")]).toEqual([
          path,
          method,
          405,
          "POST",
        ]);
      }
    }
    const deleted = await integrator.delete(`/apps/${app}/records/rec_x`);
    expect([deleted.status, deleted.headers.get("Allow")]).toEqual([405, "GET, HEAD, PATCH"]);
    const token = await anonymous("GET", "/oauth/token");
    expect([token.status, token.headers.get("Allow")]).toEqual([405, "POST"]);
    const metadata = await anonymous("POST", "/.well-known/oauth-authorization-server", {});
    expect([metadata.status, metadata.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("returns 422 unknown_parameter on every route to unknown query parameters, and changes nothing", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")]);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { t: "a" } });
    const requests: [string, string, Json?][] = [
      ["POST", `/forms/${form}/submissions`, { data: {} }],
      ["POST", `/forms/${form}/submissions/validate`, { data: {} }],
      ["POST", `/forms/${form}/submissions/search`, {}],
      ["GET", `/forms/${form}/submissions`],
      ["GET", `/submissions/${body.id}`],
      ["PATCH", `/submissions/${body.id}`, { data: { t: "b" } }],
      ["DELETE", `/submissions/${body.id}`],
      ["GET", `/forms/${form}`],
      ["GET", `/forms/${form}/schema`],
      ["PUT", `/forms/${form}/schema`, { fields: [] }],
      ["GET", `/forms/${form}/openapi.json`],
      ["GET", "/forms"],
      ["GET", "/me"],
    ];
    for (const [method, path, payload] of requests) {
      const answer = await integrator.send(method, `${path}?preview=true`, payload);
      expect([method, path, answer.status, codes(answer)]).toEqual([
        method,
        path,
        422,
        { preview: "unknown_parameter" },
      ]);
    }
    const { items } = (await integrator.get(`/forms/${form}/submissions`)).body;
    expect(items).toHaveLength(1);
    expect(items[0].version).toBe(1);
  });

  it("returns 422 when limit or cursor differ between query and body, even if one of them is valid", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")]);
    for (const t of ["a", "b", "c"]) {
      await integrator.post(`/forms/${form}/submissions`, { data: { t } });
    }
    const path = `/forms/${form}/submissions/search`;
    const conflict = await integrator.post(`${path}?limit=1`, { limit: 2 });
    expect([conflict.status, codes(conflict)]).toEqual([422, { limit: "out_of_range" }]);
    expect(codes(await integrator.post(`${path}?limit=1`, { limit: "x" }))).toHaveProperty("limit");
    const first = await integrator.post(`${path}?limit=1`, { limit: 1 });
    expect(first.body.items).toHaveLength(1);
    const { next } = first.body.links;
    expect((await integrator.post(next, { limit: 1 })).body.items).toHaveLength(1);
    const badCursor = await integrator.post(next, { cursor: "nonsense" });
    expect([badCursor.status, codes(badCursor)]).toEqual([422, { cursor: "invalid_cursor" }]);
    const cursor = new URL(next).searchParams.get("cursor");
    expect((await integrator.post(next, { cursor })).status).toBe(200);
    expect((await integrator.post(path, { cursor, limit: 1 })).body.items).toHaveLength(1);
  });

  it("returns 415 with Accept-Encoding to a body with a Content-Encoding other than gzip", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const encoded = new Uint8Array([31, 139, 8, 0, 0, 0]);
    const answer = await integrator.send("POST", `/forms/${form}/submissions`, encoded, {
      "Content-Encoding": "deflate",
    });
    expect([answer.status, answer.headers.get("Accept-Encoding")]).toEqual([415, "gzip, identity"]);
  });
});

describe("An unknown query parameter of a write", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const makeCode = () => makeForm(integrator, [text("code")]);

  it("is reported together with the errors of the body", async () => {
    const form = await makeCode();
    const answer = await integrator.post(`/forms/${form}/submissions?zz=1`, { data: { no: 1 } });
    expect(codes(answer)).toEqual({ zz: "unknown_parameter", no: "unknown_field" });
  });

  it("comes after a replay, a stale If-Match, a closed submission and a closed form", async () => {
    const form = await makeCode();
    const path = `/forms/${form}/submissions`;
    const key = { "Idempotency-Key": freshKey("order") };
    const { body } = await integrator.post(path, { data: {} }, key);
    const item = `/submissions/${body.id}`;
    const replay = await integrator.post(`${path}?zz=1`, { data: {} }, key);
    const stale = await integrator.patch(`${item}?zz=1`, { data: {} }, { "If-Match": '"9"' });
    const batch = { operations: [{ op: "create", data: {} }] };
    const invalidBatch = await integrator.post(`${path}/batch?zz=1`, batch);
    await integrator.patch(item, { status: "closed" });
    const closedChange = await integrator.patch(`${item}?zz=1`, { data: {} });
    const closedDelete = await integrator.delete(`${item}?zz=1`);
    await integrator.patch(`/forms/${form}/schema`, { acceptance: { state: "closed" } });
    const closedCreate = await integrator.post(`${path}?zz=1`, { data: {} });
    const answers = [replay, stale, invalidBatch, closedChange, closedDelete, closedCreate];
    expect(answers.map(({ status }) => status)).toEqual([201, 412, 422, 409, 409, 409]);
  });
});
