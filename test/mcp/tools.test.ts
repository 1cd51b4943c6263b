import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { Client, type Json } from "../support/client";
import { counted } from "../support/counting";
import { admin, client, everything, issue, makeApp, makeForm } from "../support/service";
import { call, speak, toolsOf } from "./speaking";

const fields = [
  { key: "title", label: "Title", type: "text", required: true, max_length: 20 },
  { key: "code", type: "text", unique: true },
  { key: "amount", type: "number" },
  { key: "day", type: "date" },
  { key: "kind", type: "select", options: [{ value: "a", label: "A" }] },
  { key: "lines", type: "line_items", fields: [{ key: "qty", type: "number" }] },
  { key: "double", type: "computed", formula: "amount * 2", result: "number" },
];

const ajv = addFormats["default"](new Ajv2020({ strict: false }));
ajv.addFormat("int64", true);

let by: Client;
let form: string;
let app: string;
beforeAll(async () => {
  by = await client();
  form = await makeForm(by, fields, { name: "Purchase request" });
  app = await makeApp(by, fields);
});

const names = (tools: Json[]) => tools.map(({ name }) => name as string);
const codes = ({ structuredContent: { errors } }: Json) =>
  Object.fromEntries(errors.map(({ pointer, code }: Json) => [pointer, code]));

const generic = [
  "list_apps",
  "list_forms",
  "read_definition",
  "search_records",
  "get_record",
  "create_record",
  "update_record",
  "search_submissions",
  "get_submission",
  "create_submission",
  "update_submission",
  "validate_submission",
];

describe("The tools that are listed", () => {
  it("are those of any app or form first, then those of each one, from its definition", async () => {
    const only = await client({ resources: [`form:${form}`, `app:${app}`] });
    const own = [
      ...["search_records", "create_record", "update_record"].map((name) => `${name}_${app}`),
      ...["search", "create", "update", "validate"].map(
        (act) => `${act}_submission${act === "search" ? "s" : ""}_${form}`,
      ),
    ];
    expect(names(await toolsOf(only))).toEqual([...generic, ...own]);
  });

  it("are those alone that the credential is not refused", async () => {
    const of = async (...permissions: string[]) =>
      names(await toolsOf(await client({ permissions })));
    expect(await of("submissions:create")).toEqual([
      "list_apps",
      "list_forms",
      "create_submission",
      "validate_submission",
    ]);
    expect(await of("records:read")).toEqual([
      "list_apps",
      "list_forms",
      "search_records",
      "get_record",
    ]);
    expect(await of("webhooks:manage")).toEqual(["list_apps", "list_forms"]);
  });

  it("tell nothing of a definition to whoever may not read it", async () => {
    const blind = await client({ permissions: ["submissions:write"], resources: [`form:${form}`] });
    expect(JSON.stringify(await toolsOf(blind))).not.toContain("amount");
    expect(names(await toolsOf(blind, `?forms=${form}`)).join()).not.toContain(form);
  });

  it("say which read, which overwrite, and which can be done twice", async () => {
    const tools = new Map((await toolsOf(by)).map((tool) => [tool.name, tool.annotations]));
    expect(tools.get("search_records")).toMatchObject({ readOnlyHint: true });
    expect(tools.get("validate_submission")).toMatchObject({ readOnlyHint: true });
    const create = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
    expect(tools.get("create_submission")).toMatchObject(create);
    const update = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
    expect(tools.get("update_record")).toMatchObject(update);
  });

  it("have names that models take, and inputs that are objects of JSON Schema 2020-12", async () => {
    const tools = await toolsOf(by, `?forms=${form}&apps=${app}`);
    for (const { name, inputSchema, description } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description.length).toBeGreaterThan(10);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      // Some models take no unions at the top.
      expect(inputSchema).not.toHaveProperty("anyOf");
      expect(JSON.stringify(inputSchema)).not.toContain("#/components");
      ajv.compile(inputSchema);
    }
  });

  it("of a form whose key is too long for a name there are fewer, and its other tools take it", async () => {
    const key = `long${"x".repeat(50)}`;
    await by.put(`/forms/${key}/schema`, { fields });
    expect(names(await toolsOf(by, `?forms=${key}`))).toEqual(generic);
    const made = await call(by, "create_submission", { form: key, data: { title: "a" } });
    expect(made.structuredContent.form).toBe(key);
  });

  it("of more than twenty apps and forms are those that the address chooses", async () => {
    const many = await client();
    const keys = [];
    for (let made = 0; made < 20; made += 1) keys.push(await makeForm(by));
    expect(names(await toolsOf(many))).toEqual(generic);
    const chosen = names(await toolsOf(many, `?forms=${keys[3]},nowhere&apps=${app}`));
    expect(chosen.slice(generic.length).map((name) => name.split("_").slice(2).join("_"))).toEqual([
      ...Array<string>(3).fill(app),
      ...Array<string>(4).fill(keys[3] as string),
    ]);
    const wrong = await speak(many, "tools/list", {}, {}, "https://forms.example/mcp?form=x");
    expect([wrong.status, wrong.body.code]).toEqual([422, "invalid_input"]);
  });

  it("come in pages of bounded size; what is larger alone has none of its own", async () => {
    const wide = Array.from({ length: 150 }, (_, i) => ({
      key: `f${i}`,
      label: "x".repeat(100),
      type: "text",
    }));
    const [one, two] = [await makeForm(by, wide), await makeForm(by, wide)];
    const larger = await makeForm(
      by,
      [...wide, ...wide, ...wide].map((f, i) => ({ ...f, key: `g${i}` })),
    );
    const address = `https://forms.example/mcp?forms=${one},${larger},${two}`;
    const first = (await speak(by, "tools/list", {}, {}, address)).body.result;
    expect(
      names(first.tools)
        .slice(generic.length)
        .every((name) => name.endsWith(one)),
    ).toBe(true);
    const { nextCursor: cursor } = first;
    const second = (await speak(by, "tools/list", { cursor }, {}, address)).body.result;
    expect(names(second.tools).every((name) => name.endsWith(two))).toBe(true);
    expect(second.nextCursor).toBeUndefined();
    for (const wrong of ["nonsense", 5]) {
      const refused = await speak(by, "tools/list", { cursor: wrong });
      expect([refused.status, refused.body.error.code]).toEqual([200, -32602]);
    }
  });

  it("are read no further than a page goes, however many and large the definitions are", async () => {
    const wide = Array.from({ length: 150 }, (_, i) => ({
      key: `f${i}`,
      label: "x".repeat(100),
      type: "text",
    }));
    const keys: string[] = [];
    for (let i = 0; i < 10; i += 1) keys.push(await makeForm(by, wide));
    const { fetch, counts, reset } = counted();
    const address = `https://forms.example/mcp?forms=${keys.join(",")}`;
    reset();
    const { body } = await speak(by.through(fetch), "tools/list", {}, {}, address);
    expect(typeof body.result.nextCursor).toBe("string");
    expect(counts.d1).toBeLessThanOrEqual(5);
  });
});

describe("A tool", () => {
  it("lists apps and forms page by page, and reads a definition", async () => {
    const only = await client({ resources: [`form:${form}`, `form:${await makeForm(by)}`] });
    const first = (await call(only, "list_forms", { limit: 1 })).structuredContent;
    expect(first.items).toMatchObject([{ key: form, name: "Purchase request" }]);
    const rest = await call(only, "list_forms", { cursor: first.next_cursor });
    expect([rest.structuredContent.items.length, rest.structuredContent.next_cursor]).toEqual([
      1,
      null,
    ]);
    expect((await call(only, "list_apps")).structuredContent.items).toEqual([]);
    const definition = await call(by, "read_definition", { kind: "form", key: form });
    const { fields: told } = (await by.get(`/forms/${form}/schema`)).body;
    expect(definition.structuredContent.fields).toEqual(told);
  });

  it("creates, gets, finds and changes an item as the API does, with the form named or in its name", async () => {
    for (const named of [true, false]) {
      const own = named ? `_${form}` : "";
      const which = named ? {} : { form };
      const data = { title: named ? "one" : "two", amount: 5, day: "2026-11-21" };
      const made = await call(by, `create_submission${own}`, { ...which, data });
      expect(made.isError).toBeUndefined();
      const item = made.structuredContent;
      expect(JSON.parse(made.content[0].text)).toEqual(item);
      expect((await by.get(`/submissions/${item.id}`)).body).toEqual(item);
      expect((await call(by, "get_submission", { id: item.id })).structuredContent).toEqual(item);
      const conditions = [{ field: "title", op: "eq", value: data.title }];
      const found = await call(by, `search_submissions${own}`, { ...which, conditions });
      expect(found.structuredContent).toEqual({ items: [item], next_cursor: null });
      const change = { id: item.id, if_match: item.etag, data: { amount: 7 } };
      const changed = await call(by, `update_submission${own}`, change);
      expect(changed.structuredContent).toMatchObject({ version: 2, data: { double: 14 } });
      const late = await call(by, `update_submission${own}`, change);
      expect([late.isError, late.structuredContent.code]).toEqual([true, "version_mismatch"]);
    }
  });

  it("does so with records, which their receipt number names too", async () => {
    for (const which of [{ own: `_${app}` }, { app }]) {
      const { own = "", ...sent } = which as { own?: string; app?: string };
      const made = await call(by, `create_record${own}`, { ...sent, data: { title: "a" } });
      const { receipt_number: id } = made.structuredContent;
      const got = await call(by, "get_record", { app, id });
      expect(got.structuredContent).toEqual(made.structuredContent);
      const changed = await call(by, `update_record${own}`, { ...sent, id, data: { amount: 2 } });
      expect(changed.structuredContent.data.amount).toBe(2);
    }
    const found = await call(by, `search_records_${app}`, { limit: 1 });
    const { next_cursor: cursor } = found.structuredContent;
    const rest = await call(by, "search_records", { app, limit: 1, cursor });
    expect(rest.structuredContent.items[0].id).not.toBe(found.structuredContent.items[0].id);
  });

  it("validates, and stores nothing", async () => {
    const before = (await call(by, `search_submissions_${form}`)).structuredContent.items.length;
    const good = await call(by, `validate_submission_${form}`, { data: { title: "a" } });
    expect(good.structuredContent).toMatchObject({ valid: true, form, data: { title: "a" } });
    const bad = await call(by, "validate_submission", { form, data: { title: null } });
    expect([bad.isError, codes(bad)]).toEqual([true, { "/data/title": "required" }]);
    const after = (await call(by, `search_submissions_${form}`)).structuredContent.items.length;
    expect(after).toBe(before);
  });

  it("refuses with the problem of the API, all that is wrong at once, as a result", async () => {
    const data = { title: "x".repeat(30), amount: "five", nonsense: 1 };
    const refused = await call(by, `create_submission_${form}`, { data, wrong: 1 });
    expect(refused.isError).toBe(true);
    expect(refused.structuredContent).toMatchObject({ status: 422, code: "invalid_input" });
    expect(codes(refused)).toEqual({
      "/wrong": "unknown_field",
      "/data/title": "too_long",
      "/data/amount": "invalid_type",
      "/data/nonsense": "unknown_field",
    });
    const { status, body } = await by.post(`/forms/${form}/submissions`, { data, wrong: 1 });
    expect([status, body.errors]).toEqual([422, refused.structuredContent.errors]);
    const cases: [name: string, sent: Json, told: Json][] = [
      ["create_submission", { data: {} }, { "/form": "required" }],
      ["get_submission", { id: 5 }, { "/id": "invalid_type" }],
      ["get_submission", { id: "sub_x", more: 1 }, { "/more": "unknown_field" }],
      ["list_apps", { limit: 0 }, { "/limit": "too_small" }],
      ["update_submission", { id: "sub_x", if_match: "3" }, { "/if_match": "invalid_format" }],
      ["read_definition", { kind: "x", key: form }, { "/kind": "not_an_option" }],
      ["search_submissions", { form, cursor: "x" }, { undefined: "invalid_cursor" }],
      ["update_submission", { id: "sub_x", idempotency_key: "x" }, {}],
    ];
    for (const [name, sent, told] of cases) {
      const answer = await call(by, name, sent);
      expect(answer.isError).toBe(true);
      if (Object.keys(told).length > 0) expect([name, codes(answer)]).toEqual([name, told]);
    }
  });

  it("creates once for each idempotency_key, which is the API's Idempotency-Key", async () => {
    const sent = { form, data: { title: "once" }, idempotency_key: "k-1" };
    const [one, two] = [
      await call(by, "create_submission", sent),
      await call(by, "create_submission", sent),
    ];
    expect(two.structuredContent).toEqual({ ...one.structuredContent, idempotent_replayed: true });
    const own = await call(by, `create_submission_${form}`, {
      data: { title: "b" },
      idempotency_key: "k-1",
    });
    expect(own.structuredContent).toMatchObject({
      id: one.structuredContent.id,
      idempotency_key_mismatch: true,
    });
    const key = { "Idempotency-Key": "k-1" };
    const rest = await by.post(`/forms/${form}/submissions`, { data: { title: "once" } }, key);
    expect([rest.body.id, rest.headers.get("Idempotent-Replayed")]).toEqual([
      one.structuredContent.id,
      "true",
    ]);
    const wrong = await call(by, "create_submission", { ...sent, idempotency_key: "a b" });
    expect(wrong.structuredContent.errors[0].field).toBe("idempotency_key");
  });

  it("refuses what the credential may not do, and does not tell what it may not see", async () => {
    const reader = await client({ permissions: ["submissions:read"] });
    const refused = await call(reader, "create_submission", { form, data: { title: "a" } });
    expect(refused.structuredContent).toMatchObject({
      code: "permission_required",
      required_permission: "submissions:create",
    });
    const elsewhere = await client({ resources: [`app:${app}`] });
    const made = (await call(by, "create_submission", { form, data: { title: "a" } }))
      .structuredContent;
    const other = await makeForm(by);
    for (const [caller, name, sent] of [
      [elsewhere, "create_submission", { form, data: {} }],
      [elsewhere, `create_submission_${form}`, { data: {} }],
      [elsewhere, "get_submission", { id: made.id }],
      [elsewhere, "read_definition", { kind: "form", key: form }],
      [by, "create_submission_nowhere", { data: {} }],
      [by, `update_submission_${other}`, { id: made.id, data: {} }],
    ] as const) {
      expect((await call(caller, name, sent)).structuredContent.code).toBe("not_found");
    }
  });

  it("is refused to exactly those credentials that it is not listed for", async () => {
    for (const permission of everything) {
      const one = await client({ permissions: [permission] });
      const listed = names(await toolsOf(one));
      const asked = generic.map(async (name) => {
        const { structuredContent } = await call(one, name, { form, app, id: "x", data: {} });
        return structuredContent.code === "permission_required" ? [] : [name];
      });
      const possible = (await Promise.all(asked)).flat();
      expect([permission, listed.filter((name) => generic.includes(name))]).toEqual([
        permission,
        possible,
      ]);
    }
  });

  it("stands in the log of calls under its name, with why it was refused", async () => {
    const { id, token } = await issue();
    const caller = new Client(token);
    await call(caller, "list_forms");
    await call(caller, `create_submission_${form}`, { data: { amount: "x" } });
    await vi.waitFor(
      async () => {
        const { body } = await admin("GET", `/integrations/${id}`);
        expect(JSON.stringify(body)).toContain("/mcp list_forms");
        expect(JSON.stringify(body)).toContain(`/mcp create_submission_${form}`);
        expect(JSON.stringify(body)).toContain('"status":422');
      },
      { timeout: 10_000, interval: 200 },
    );
  });

  it("takes the bodies that its input describes, and refuses those that it does not", async () => {
    const tools = new Map((await toolsOf(by, `?forms=${form}`)).map((tool) => [tool.name, tool]));
    const takes = (name: string) => ajv.compile(tools.get(`${name}_${form}`).inputSchema);
    const [create, search] = [takes("create_submission"), takes("search_submissions")];
    const bodies: [ReturnType<typeof takes>, string, Json][] = [
      [
        create,
        "create_submission",
        { data: { title: "a", day: "2026-11-21", kind: "a", lines: [{ qty: 1 }] } },
      ],
      [create, "create_submission", { data: { title: null } }],
      [create, "create_submission", { data: { title: "a", kind: "b" } }],
      [create, "create_submission", { data: { title: "a", nonsense: 1 } }],
      [create, "create_submission", { status: "closed", data: { title: "a" } }],
      [
        search,
        "search_submissions",
        { conditions: [{ field: "amount", op: "gt", value: 1 }], limit: 5 },
      ],
      [
        search,
        "search_submissions",
        { conditions: [{ field: "amount", op: "contains", value: "1" }] },
      ],
      [
        search,
        "search_submissions",
        { conditions: [{ any: [{ field: "kind", op: "eq", value: "a" }] }] },
      ],
      [search, "search_submissions", { sort: [{ field: "nonsense" }] }],
      [search, "search_submissions", { limit: 500 }],
    ];
    for (const [judge, name, sent] of bodies) {
      const answer = await call(by, `${name}_${form}`, sent);
      expect([sent, answer.isError === true]).toEqual([sent, !judge(sent)]);
    }
  });

  it("tells a credential that may not read what it sent alone", async () => {
    const writer = await client({ permissions: ["submissions:write"] });
    const data = { title: "secret", amount: 5 };
    const made = (await call(by, "create_submission", { form, data })).structuredContent;
    const changed = await call(writer, "update_submission", { id: made.id, data: { amount: 6 } });
    expect(changed.structuredContent.data).toEqual({ amount: 6 });
  });

  it("counts as a write where it writes, and the limit is told by HTTP", async () => {
    const few = await client({ requests: 6, writes: 1 });
    const create = { name: "create_submission", arguments: { form, data: { title: "a" } } };
    const read = await speak(few, "tools/call", { name: "list_apps" });
    expect(read.headers.get("RateLimit-Policy")).toBe('"default";q=6;w=60');
    const made = await speak(few, "tools/call", create);
    expect(made.headers.get("RateLimit-Policy")).toContain('"write";q=1;w=60');
    const limited = await speak(few, "tools/call", create);
    expect([limited.status, limited.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(limited.headers.get("Retry-After"))).toBeGreaterThan(0);
    const validate = { name: "validate_submission", arguments: create.arguments };
    expect((await speak(few, "tools/call", validate)).status).toBe(200);
  });

  it("refuses numbers that JSON does not hold, as the API does", async () => {
    const { token } = await issue();
    const sent = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_submission","arguments":{"form":"${form}","data":{"title":"a","amount":0.12345678901234567891}}}}`;
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await by.send("POST", "https://forms.example/mcp", sent, headers);
    expect(codes(answer.body.result)).toEqual({ "/data/amount": "not_exact" });
  });
});
