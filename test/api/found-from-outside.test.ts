import { beforeAll, describe, expect, it } from "vitest";
import { codes, type Client, type Json } from "../support/client";
import { admin, anonymous, client, freshKey, issue, makeApp, makeForm } from "../support/service";

const text = (key: string, rest: object = {}) => ({ key, type: "text", ...rest });
const number = (key: string, rest: object = {}) => ({ key, type: "number", ...rest });
const select = (...values: string[]) => ({
  key: "kind",
  type: "select",
  options: values.map((value) => ({ value })),
});

describe("What is stored and sent back unchanged stays valid", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });
  const submit = (form: string, data: object) =>
    integrator.post(`/forms/${form}/submissions`, { data });

  it("an option that was removed, in the item, in lists and in rows; what is new is judged", async () => {
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
    const read = (await integrator.get(path)).body.data;
    const same = await integrator.patch(path, { data: read });
    expect([same.status, same.body.version]).toEqual([200, 1]);
    const more = { tags: ["z", "y"], l: [...read.l, { kind: "b", n: 7 }], note: "new" };
    expect((await integrator.patch(path, { data: more })).body.data).toMatchObject({
      tags: ["z", "y"],
      l: [
        { kind: "b", n: 1 },
        { kind: "a", n: null },
        { kind: "b", n: 7 },
      ],
    });
    const other = await submit(form, { kind: "a", note: "n" });
    const refused = await integrator.patch(`/submissions/${other.body.id}`, {
      data: { kind: "b", tags: ["y"], l: [{ kind: "b" }] },
    });
    expect(codes(refused)).toEqual({
      kind: "not_an_option",
      tags: "not_an_option",
      "l[0].kind": "not_an_option",
    });
  });

  it("narrower texts, numbers, rows and requirements; a draft that is submitted answers for all", async () => {
    const wide = [text("t"), number("n"), { key: "l", type: "line_items", fields: [text("s")] }];
    const form = await makeForm(integrator, wide);
    const data = { t: "long text", n: 1.25, l: [{ s: "abc" }, { s: null }, { s: "abc" }] };
    const { body } = await submit(form, data);
    const draft = await integrator.post(`/forms/${form}/submissions`, { status: "draft", data });
    const narrow = [
      text("t", { max_length: 3, pattern: "^x" }),
      number("n", { integer: true }),
      { key: "l", type: "line_items", max_rows: 1, fields: [text("s", { required: true })] },
      text("r", { required: true }),
    ];
    await integrator.put(`/forms/${form}/schema`, { fields: narrow });
    const path = `/submissions/${body.id}`;
    const read = (await integrator.get(path)).body.data;
    expect((await integrator.patch(path, { data: read })).status).toBe(200);
    const refused = await integrator.patch(path, {
      data: { t: "long texts", n: 1.5, l: [{ s: "abc" }, { s: "abc" }] },
    });
    expect(codes(refused)).toEqual({ t: "too_long", n: "invalid_type", l: "too_many_rows" });
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

  it("option values hold no control characters", async () => {
    const refused = await integrator.put(`/forms/${freshKey("form")}/schema`, {
      fields: [select("a\u0007b")],
    });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([
      422,
      "/fields/0/options/0/value",
    ]);
  });
});

describe("Definitions", () => {
  const patterns = ["(", "(?=a)", "\\1", "[b-a]", "*", "\\p{Foo}", "x{0,5000}"];
  it.each(patterns)("the pattern %s is 422 with a pointer, wherever it stands", async (pattern) => {
    const integrator = await client();
    const rows = { key: "l", type: "line_items", fields: [text("s", { pattern })] };
    const form = await makeForm(integrator, [text("t")]);
    for (const key of [form, freshKey("form")]) {
      const answer = await integrator.put(`/forms/${key}/schema`, {
        fields: [text("t", { pattern, default: "x" }), rows],
      });
      expect([answer.status, answer.body.errors.map((each: Json) => each.pointer)]).toEqual([
        422,
        ["/fields/0/pattern", "/fields/1/fields/0/pattern"],
      ]);
    }
    const edited = await admin("POST", `/forms/${form}/schema`, {
      document: JSON.stringify({ fields: [text("t", { pattern })] }),
      version: 1,
    });
    expect([edited.status, edited.status < 500]).toEqual([edited.status, true]);
  });
});

describe("Numbers that JSON does not hold", () => {
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
  ] as const)("%s with %j: %s", async (sent, rules, expected) => {
    const integrator = await client();
    const form = await makeForm(integrator, [number("n", rules), text("t")]);
    const body = `{"data": {"t": "0123456789.0123456789e5", "n": ${sent}}}`;
    const answer = await integrator.post(`/forms/${form}/submissions`, body);
    expect(answer.status === 201 ? answer.body.data.n : answer.body.errors[0].code).toBe(expected);
  });

  it("are refused wherever a number belongs: rows, searches, definitions, defaults", async () => {
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
    expect((await post("/search", `{"conditions":[${condition}]}`)).code).toBe("invalid_condition");
    const definition = '{"fields":[{"key":"a","type":"number","default":9007199254740990.7}]}';
    const put = await integrator.put(`/forms/${freshKey("form")}/schema`, definition);
    expect(put.body.errors[0].pointer).toBe("/fields/0/default");
  });
});

describe("Who, and what they may", () => {
  it("items say who made and changed them; GET /me says the same of the caller", async () => {
    const one = await client();
    const other = await client();
    const app = await makeApp(one, [text("t")]);
    const actors = await Promise.all(
      [one, other].map(async (by) => (await by.get("/me")).body.actor as string),
    );
    expect(actors[0]).toMatch(/^credential:[0-9A-Z]{26}$/);
    const keyed = { "Idempotency-Key": "who" };
    const made = await one.post(`/apps/${app}/records`, { data: { t: "a" } }, keyed);
    expect([made.body.created_by, made.body.updated_by]).toEqual([actors[0], actors[0]]);
    const again = await one.post(`/apps/${app}/records`, { data: { t: "a" } }, keyed);
    expect(again.body).toEqual(made.body);
    const path = `/apps/${app}/records/${made.body.id}`;
    const patched = await other.patch(path, { data: { t: "b" } });
    expect([patched.body.created_by, patched.body.updated_by]).toEqual(actors);
    const [listed] = (await one.get(`/apps/${app}/records`)).body.items;
    expect(listed).toEqual(patched.body);
    await admin("POST", `/apps/${app}/items/${made.body.id}`, { data: { t: "c" }, version: 2 });
    expect((await one.get(path)).body.updated_by).toMatch(/^member:[0-9A-Z]{26}$/);
  });

  it("…:create creates and validates and does nothing else; :write includes it", async () => {
    const owner = await client();
    const [form, app] = [await makeForm(owner, [text("t")]), await makeApp(owner, [text("t")])];
    const creator = await client({ permissions: ["records:create", "submissions:create"] });
    const made = await creator.post(`/forms/${form}/submissions`, { data: { t: "a" } });
    expect([made.status, made.body.data]).toEqual([201, { t: "a" }]);
    const record = await creator.post(`/apps/${app}/records`, { data: { t: "a" } });
    expect(record.status).toBe(201);
    const validated = await creator.post(`/forms/${form}/submissions/validate`, { data: {} });
    expect(validated.status).toBe(200);
    const refused = [
      await creator.get(`/submissions/${made.body.id}`),
      await creator.patch(`/submissions/${made.body.id}`, { data: {} }),
      await creator.patch(`/apps/${app}/records/${record.body.id}`, { data: {} }),
      await creator.delete(`/submissions/${made.body.id}`),
    ];
    expect(refused.map((each) => [each.status, each.body.required_permission])).toEqual([
      [403, "submissions:read"],
      [403, "submissions:write"],
      [403, "records:write"],
      [403, "submissions:delete"],
    ]);
    const none = await client({ permissions: ["schema:read"] });
    const lacking = await none.post(`/forms/${form}/submissions`, { data: {} });
    expect(lacking.body.required_permission).toBe("submissions:create");
  });

  it("an update by a credential that may not read answers with nothing of what others stored", async () => {
    const owner = await client();
    const writer = await client({ permissions: ["submissions:write"] });
    const form = await makeForm(owner, [
      text("mine"),
      text("salary"),
      { key: "both", type: "computed", formula: "concat(mine, salary)", result: "text" },
    ]);
    const { body } = await owner.post(`/forms/${form}/submissions`, {
      data: { mine: "a", salary: "100" },
    });
    for (const [data, shown] of [
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
      expect([answer.body.data, answer.etag]).toEqual([shown, answer.body.etag]);
      expect(answer.text).not.toContain("100");
    }
  });

  it("a duplicate names the item that has the value, to those who may read it", async () => {
    const owner = await client();
    const creator = await client({ permissions: ["submissions:create"] });
    const form = await makeForm(owner, [text("code", { unique: true })]);
    const data = { code: "A" };
    const { body } = await owner.post(`/forms/${form}/submissions`, { data });
    const other = await owner.post(`/forms/${form}/submissions`, { data: { code: "B" } });
    const refused = await owner.post(`/forms/${form}/submissions`, { data });
    expect(refused.body).toMatchObject({ code: "duplicate", field: "code", id: body.id });
    const patched = await owner.patch(`/submissions/${other.body.id}`, { data });
    expect(patched.body).toMatchObject({ code: "duplicate", field: "code", id: body.id });
    const validated = await owner.post(`/forms/${form}/submissions/validate`, { data });
    expect(validated.body.id).toBe(body.id);
    const blind = await creator.post(`/forms/${form}/submissions`, { data });
    expect([blind.status, blind.body.field, "id" in blind.body]).toEqual([409, "code", false]);
  });

  it("a credential that expires on a day ends at its end, in the zone that was chosen, and says so", async () => {
    const issued = await issue({ expires: "2027-03-01" });
    expect([issued.expires_at, issued.expires]).toEqual([
      "2027-03-02T00:00:00.000Z",
      "at the end of 2027-03-01 (UTC)",
    ]);
    const edited = await admin("POST", `/integrations/${issued.id}`, {
      expires: "2027-03-01",
      time_zone: "Asia/Tokyo",
    });
    expect([edited.body.expires_at, edited.body.expires]).toEqual([
      "2027-03-01T15:00:00.000Z",
      "at the end of 2027-03-01 (Asia/Tokyo)",
    ]);
  });
});

describe("Tags", () => {
  it("the schema's tag tells the state of acceptance; its version alone guards a change", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")], { acceptance: { max_submissions: 1 } });
    const path = `/forms/${form}/schema`;
    const open = await integrator.get(path);
    expect(open.etag).toMatch(/^"1-.+"$/);
    const unchanged = await integrator.get(path, { "If-None-Match": open.etag });
    expect(unchanged.status).toBe(304);
    await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const full = await integrator.get(path, { "If-None-Match": open.etag });
    expect([full.status, full.body.acceptance.accepting]).toEqual([200, false]);
    expect(full.etag).not.toBe(open.etag);
    for (const tag of [open.etag, full.etag, '"1"', 'W/"1-whatever"', "*"]) {
      const put = await integrator.put(path, open.body, { "If-Match": tag });
      expect([tag, put.status]).toEqual([tag, 200]);
    }
    const stale = await integrator.put(path, open.body, { "If-Match": '"2-open"' });
    expect([stale.status, stale.body.current_etag]).toEqual([412, full.etag]);
  });

  it("/me, /apps/{app} and /forms/{form} have tags that answer 304", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")]);
    for (const path of ["/me", `/forms/${form}`, `/forms/${form}/openapi.json`]) {
      const { etag } = await integrator.get(path);
      expect([path, etag]).toEqual([path, expect.stringMatching(/^".+"$/)]);
      const again = await integrator.get(path, { "If-None-Match": etag });
      expect([path, again.status, again.text]).toEqual([path, 304, ""]);
    }
  });
});

describe("Routes", () => {
  it("paths with a name of their own answer 405 with their own Allow, to every other method", async () => {
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

  it("a query parameter that a route does not know is 422 on every route, and nothing is done", async () => {
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
    for (const [method, path, sent] of requests) {
      const answer = await integrator.send(method, `${path}?dry_run=true`, sent);
      expect([method, path, answer.status, codes(answer)]).toEqual([
        method,
        path,
        422,
        { dry_run: "unknown_parameter" },
      ]);
    }
    const { items } = (await integrator.get(`/forms/${form}/submissions`)).body;
    expect(items).toHaveLength(1);
    expect(items[0].version).toBe(1);
  });

  it("limit and cursor in query and body that differ are 422; so is a bad cursor beside a good one", async () => {
    const integrator = await client();
    const form = await makeForm(integrator, [text("t")]);
    for (const t of ["a", "b", "c"]) {
      await integrator.post(`/forms/${form}/submissions`, { data: { t } });
    }
    const path = `/forms/${form}/submissions/search`;
    const both = await integrator.post(`${path}?limit=1`, { limit: 2 });
    expect([both.status, codes(both)]).toEqual([422, { limit: "out_of_range" }]);
    expect(codes(await integrator.post(`${path}?limit=1`, { limit: "x" }))).toHaveProperty("limit");
    const first = await integrator.post(`${path}?limit=1`, { limit: 1 });
    expect(first.body.items).toHaveLength(1);
    const { next } = first.body.links;
    expect((await integrator.post(next, { limit: 1 })).body.items).toHaveLength(1);
    const bad = await integrator.post(next, { cursor: "nonsense" });
    expect([bad.status, codes(bad)]).toEqual([422, { cursor: "invalid_cursor" }]);
    const cursor = new URL(next).searchParams.get("cursor");
    expect((await integrator.post(next, { cursor })).status).toBe(200);
    expect((await integrator.post(path, { cursor, limit: 1 })).body.items).toHaveLength(1);
  });

  it("a body with a Content-Encoding is 415, and told what could have been sent", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const sent = new Uint8Array([31, 139, 8, 0, 0, 0]);
    const answer = await integrator.send("POST", `/forms/${form}/submissions`, sent, {
      "Content-Encoding": "gzip",
    });
    expect([answer.status, answer.headers.get("Accept-Encoding")]).toEqual([415, "identity"]);
  });
});
