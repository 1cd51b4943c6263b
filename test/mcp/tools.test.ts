import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { Client, type Json } from "../support/client";
import { counted } from "../support/counting";
import { admin, client, everything, issue, makeApp, makeForm } from "../support/service";
import { call, speak, toolsOf } from "./mcp-client";

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

let integrator: Client;
let form: string;
let app: string;
beforeAll(async () => {
  integrator = await client();
  form = await makeForm(integrator, fields, { name: "Purchase request" });
  app = await makeApp(integrator, fields);
});

const names = (tools: Json[]) => tools.map(({ name }) => name as string);
const codes = ({ structuredContent: { errors } }: Json) =>
  Object.fromEntries(errors.map(({ pointer, code }: Json) => [pointer, code]));

const genericTools = [
  "list_apps",
  "list_forms",
  "read_definition",
  "search_records",
  "aggregate_records",
  "get_record",
  "create_record",
  "update_record",
  "search_submissions",
  "aggregate_submissions",
  "get_submission",
  "create_submission",
  "update_submission",
  "validate_submission",
  "get_file_link",
];

describe("The list of tools", () => {
  it("contains the generic tools first, then the tools of each app and form", async () => {
    const limitedClient = await client({ resources: [`form:${form}`, `app:${app}`] });
    const ownTools = [
      ...["search_records", "aggregate_records", "create_record", "update_record"].map(
        (name) => `${name}_${app}`,
      ),
      ...["search_submissions", "aggregate_submissions"].map((name) => `${name}_${form}`),
      ...["create", "update", "validate"].map((action) => `${action}_submission_${form}`),
    ];
    expect(names(await toolsOf(limitedClient))).toEqual([...genericTools, ...ownTools]);
  });

  it("contains only tools that the credential may call", async () => {
    const toolsWith = async (...permissions: string[]) =>
      names(await toolsOf(await client({ permissions })));
    expect(await toolsWith("submissions:create")).toEqual([
      "list_apps",
      "list_forms",
      "create_submission",
      "validate_submission",
    ]);
    expect(await toolsWith("records:read")).toEqual([
      "list_apps",
      "list_forms",
      "search_records",
      "aggregate_records",
      "get_record",
      "get_file_link",
    ]);
    expect(await toolsWith("webhooks:manage")).toEqual(["list_apps", "list_forms"]);
  });

  it("shows nothing of a definition to a credential that cannot read it", async () => {
    const writer = await client({
      permissions: ["submissions:write"],
      resources: [`form:${form}`],
    });
    expect(JSON.stringify(await toolsOf(writer))).not.toContain("amount");
    expect(names(await toolsOf(writer, `?forms=${form}`)).join()).not.toContain(form);
  });

  it("marks tools that read, overwrite and can be repeated", async () => {
    const tools = new Map((await toolsOf(integrator)).map((tool) => [tool.name, tool.annotations]));
    expect(tools.get("search_records")).toMatchObject({ readOnlyHint: true });
    expect(tools.get("validate_submission")).toMatchObject({ readOnlyHint: true });
    const create = { readOnlyHint: false, destructiveHint: false, idempotentHint: false };
    expect(tools.get("create_submission")).toMatchObject(create);
    // An update with $increment does more when it is repeated.
    const update = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
    expect(tools.get("update_record")).toMatchObject(update);
  });

  it("has names that models accept, and inputs that are JSON Schema 2020-12 objects", async () => {
    const tools = await toolsOf(integrator, `?forms=${form}&apps=${app}`);
    for (const { name, inputSchema, description } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description.length).toBeGreaterThan(10);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      // Some models reject unions at the top level.
      expect(inputSchema).not.toHaveProperty("anyOf");
      expect(JSON.stringify(inputSchema)).not.toContain("#/components");
      ajv.compile(inputSchema);
    }
  });

  it("omits the tools of a form whose key is too long, and its generic tools still work", async () => {
    const key = `long${"x".repeat(50)}`;
    await integrator.put(`/forms/${key}/schema`, { fields });
    expect(names(await toolsOf(integrator, `?forms=${key}`))).toEqual(genericTools);
    const created = await call(integrator, "create_submission", {
      form: key,
      data: { title: "a" },
    });
    expect(created.structuredContent.form).toBe(key);
  });

  it("contains only the selected collections' tools when there are more than twenty", async () => {
    const reader = await client();
    const keys = [];
    for (let count = 0; count < 20; count += 1) keys.push(await makeForm(integrator));
    expect(names(await toolsOf(reader))).toEqual(genericTools);
    const toolNames = names(await toolsOf(reader, `?forms=${keys[3]},nowhere&apps=${app}`));
    expect(
      toolNames.slice(genericTools.length).map((name) => name.split("_").slice(2).join("_")),
    ).toEqual([...Array<string>(4).fill(app), ...Array<string>(5).fill(keys[3] as string)]);
    const rejection = await speak(reader, "tools/list", {}, {}, "https://forms.example/mcp?form=x");
    expect([rejection.status, rejection.body.code]).toEqual([422, "invalid_input"]);
  });

  it("comes in pages of limited size, and omits collections larger than a page", async () => {
    const wideFields = Array.from({ length: 150 }, (_, i) => ({
      key: `f${i}`,
      label: "x".repeat(100),
      type: "text",
    }));
    const [firstForm, secondForm] = [
      await makeForm(integrator, wideFields),
      await makeForm(integrator, wideFields),
    ];
    const largeForm = await makeForm(
      integrator,
      [...wideFields, ...wideFields, ...wideFields].map((f, i) => ({ ...f, key: `g${i}` })),
    );
    const address = `https://forms.example/mcp?forms=${firstForm},${largeForm},${secondForm}`;
    const first = (await speak(integrator, "tools/list", {}, {}, address)).body.result;
    expect(
      names(first.tools)
        .slice(genericTools.length)
        .every((name) => name.endsWith(firstForm)),
    ).toBe(true);
    const { nextCursor: cursor } = first;
    const second = (await speak(integrator, "tools/list", { cursor }, {}, address)).body.result;
    expect(names(second.tools).every((name) => name.endsWith(secondForm))).toBe(true);
    expect(second.nextCursor).toBeUndefined();
    for (const invalidCursor of ["nonsense", 5]) {
      const rejection = await speak(integrator, "tools/list", { cursor: invalidCursor });
      expect([rejection.status, rejection.body.error.code]).toEqual([200, -32602]);
    }
  });

  it("loads only the definitions of one page", async () => {
    const wideFields = Array.from({ length: 150 }, (_, i) => ({
      key: `f${i}`,
      label: "x".repeat(100),
      type: "text",
    }));
    const keys: string[] = [];
    for (let i = 0; i < 10; i += 1) keys.push(await makeForm(integrator, wideFields));
    const { fetch, counts, reset } = counted();
    const address = `https://forms.example/mcp?forms=${keys.join(",")}`;
    reset();
    const { body } = await speak(integrator.through(fetch), "tools/list", {}, {}, address);
    expect(typeof body.result.nextCursor).toBe("string");
    expect(counts.d1).toBeLessThanOrEqual(5);
  });
});

describe("A selection of apps and forms", () => {
  it("returns 422 to more than 20", async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`).join(",");
    const list = (search: string) =>
      speak(integrator, "tools/list", {}, {}, `https://forms.example/mcp?${search}`);
    expect((await list(`apps=${keys}`)).status).toBe(200);
    const { status, body } = await list(`apps=${keys}&forms=one`);
    expect([status, body.errors]).toMatchObject([422, [{ field: "forms", code: "too_complex" }]]);
  });
});

describe("Tool calls", () => {
  it("take null for members of searches and aggregates, as their schemas say", async () => {
    const tools = await toolsOf(integrator);
    const accepts = (name: string, sent: object) => {
      const tool = tools.find((each) => each.name === name);
      return ajv.validate(tool.inputSchema, sent);
    };
    const search = { conditions: null, sort: null, fields: null, expand: null };
    const paging = { limit: null, cursor: null };
    const sorted = { form, sort: [{ field: "$id", direction: null }], ...paging };
    const metrics = { n: { op: "count" } };
    const calls: [string, object][] = [
      ["search_submissions", { form, ...search, ...paging }],
      ["search_submissions", sorted],
      [
        "aggregate_submissions",
        { form, metrics, conditions: null, group_by: null, order_by: null, limit: null },
      ],
    ];
    for (const [name, sent] of calls) {
      expect([name, accepts(name, sent)]).toEqual([name, true]);
      expect([name, (await call(integrator, name, sent)).isError]).toEqual([name, undefined]);
    }
    expect(accepts("search_submissions", { form, cursor: "" })).toBe(false);
  });

  it("list apps and forms in pages, and read a definition", async () => {
    const limitedClient = await client({
      resources: [`form:${form}`, `form:${await makeForm(integrator)}`],
    });
    const first = (await call(limitedClient, "list_forms", { limit: 1 })).structuredContent;
    expect(first.items).toMatchObject([{ key: form, name: "Purchase request" }]);
    const secondPage = await call(limitedClient, "list_forms", { cursor: first.next_cursor });
    expect([
      secondPage.structuredContent.items.length,
      secondPage.structuredContent.next_cursor,
    ]).toEqual([1, null]);
    expect((await call(limitedClient, "list_apps")).structuredContent.items).toEqual([]);
    const definition = await call(integrator, "read_definition", { form });
    const { fields: definedFields } = (await integrator.get(`/forms/${form}/schema`)).body;
    expect(definition.structuredContent.fields).toEqual(definedFields);
    const former = await call(integrator, "read_definition", { kind: "form", key: form });
    expect(former.structuredContent).toEqual(definition.structuredContent);
  });

  it("create, get, search and update items like the API, with generic and named tools", async () => {
    for (const isNamed of [true, false]) {
      const suffix = isNamed ? `_${form}` : "";
      const target = isNamed ? {} : { form };
      const data = { title: isNamed ? "one" : "two", amount: 5, day: "2026-11-21" };
      const created = await call(integrator, `create_submission${suffix}`, { ...target, data });
      expect(created.isError).toBeUndefined();
      const item = created.structuredContent;
      expect(JSON.parse(created.content[0].text)).toEqual(item);
      expect((await integrator.get(`/submissions/${item.id}`)).body).toEqual(item);
      expect((await call(integrator, "get_submission", { id: item.id })).structuredContent).toEqual(
        item,
      );
      const conditions = [{ field: "title", op: "eq", value: data.title }];
      const matches = await call(integrator, `search_submissions${suffix}`, {
        ...target,
        conditions,
      });
      expect(matches.structuredContent).toEqual({ items: [item], next_cursor: null });
      const change = { id: item.id, if_match: item.etag, data: { amount: 7 } };
      const updated = await call(integrator, `update_submission${suffix}`, change);
      expect(updated.structuredContent).toMatchObject({ version: 2, data: { double: 14 } });
      const staleUpdate = await call(integrator, `update_submission${suffix}`, change);
      expect([staleUpdate.isError, staleUpdate.structuredContent.code]).toEqual([
        true,
        "version_mismatch",
      ]);
    }
  });

  it("aggregate items like the API, and return its field errors", async () => {
    const metrics = { items: { op: "count" } };
    const figures = await call(integrator, `aggregate_records_${app}`, { metrics });
    const { body } = await integrator.post(`/apps/${app}/records/aggregate`, { metrics });
    expect(figures.structuredContent).toEqual(body);
    const rejected = await call(integrator, "aggregate_submissions", { form, metrics: {} });
    expect(codes(rejected)).toEqual({ "/metrics": "invalid_condition" });
  });

  it("create, get, search and update records, also by receipt number", async () => {
    for (const variant of [{ suffix: `_${app}` }, { app }]) {
      const { suffix = "", ...target } = variant as { suffix?: string; app?: string };
      const created = await call(integrator, `create_record${suffix}`, {
        ...target,
        data: { title: "a" },
      });
      const { receipt_number: id } = created.structuredContent;
      const loaded = await call(integrator, "get_record", { app, id });
      expect(loaded.structuredContent).toEqual(created.structuredContent);
      const updated = await call(integrator, `update_record${suffix}`, {
        ...target,
        id,
        data: { amount: 2 },
      });
      expect(updated.structuredContent.data.amount).toBe(2);
    }
    const matches = await call(integrator, `search_records_${app}`, { limit: 1 });
    const { next_cursor: cursor } = matches.structuredContent;
    const secondPage = await call(integrator, "search_records", { app, limit: 1, cursor });
    expect(secondPage.structuredContent.items[0].id).not.toBe(
      matches.structuredContent.items[0].id,
    );
  });

  it("validate and store nothing", async () => {
    const before = (await call(integrator, `search_submissions_${form}`)).structuredContent.items
      .length;
    const valid = await call(integrator, `validate_submission_${form}`, { data: { title: "a" } });
    expect(valid.structuredContent).toMatchObject({ valid: true, form, data: { title: "a" } });
    const invalid = await call(integrator, "validate_submission", { form, data: { title: null } });
    expect([invalid.isError, codes(invalid)]).toEqual([true, { "/data/title": "required" }]);
    const after = (await call(integrator, `search_submissions_${form}`)).structuredContent.items
      .length;
    expect(after).toBe(before);
  });

  it("return the API's problem with all field errors as an error result", async () => {
    const data = { title: "x".repeat(30), amount: "five", nonsense: 1 };
    const rejection = await call(integrator, `create_submission_${form}`, { data, wrong: 1 });
    expect(rejection.isError).toBe(true);
    expect(rejection.structuredContent).toMatchObject({ status: 422, code: "invalid_input" });
    expect(codes(rejection)).toEqual({
      "/wrong": "unknown_field",
      "/data/title": "too_long",
      "/data/amount": "invalid_type",
      "/data/nonsense": "unknown_field",
    });
    const { status, body } = await integrator.post(`/forms/${form}/submissions`, {
      data,
      wrong: 1,
    });
    expect([status, body.errors]).toEqual([422, rejection.structuredContent.errors]);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: { title: "x" } });
    const { id } = created.body;
    const metrics = { n: { op: "count" } };
    const cases: [name: string, toolArguments: Json, expectedCodes: Json][] = [
      ["create_submission", { data: {} }, { "/form": "required" }],
      ["get_submission", { id: 5 }, { "/id": "invalid_type" }],
      ["get_submission", { id: "sub_x", more: 1 }, { "/more": "unknown_field" }],
      ["list_apps", { limit: 0 }, { "/limit": "out_of_range" }],
      ["list_apps", { limit: 201 }, { "/limit": "out_of_range" }],
      ["list_apps", { limit: "5" }, { "/limit": "out_of_range" }],
      ["list_apps", { cursor: "x" }, { "/cursor": "invalid_cursor" }],
      ["update_submission", { id: "sub_x", if_match: "3" }, { "/if_match": "invalid_format" }],
      ["read_definition", { kind: "x", key: form }, { "/kind": "not_an_option" }],
      ["read_definition", {}, { "": "required" }],
      ["read_definition", { app: form, form }, { "/app": "unknown_field" }],
      ["read_definition", { form: 5 }, { "/form": "invalid_type" }],
      ["read_definition", { form, key: form }, { "/kind": "not_an_option" }],
      ["read_definition", { form, limit: 1 }, { "/limit": "unknown_field" }],
      ["search_submissions", { form, cursor: "x" }, { "/cursor": "invalid_cursor" }],
      ["search_submissions", { form, limit: 0 }, { "/limit": "out_of_range" }],
      ["search_submissions", { form, view: "x" }, { "/view": "invalid_condition" }],
      ["aggregate_submissions", { form, view: "x", metrics }, { "/view": "invalid_condition" }],
      ["get_submission", { id, expand: ["x"] }, { "/expand": "invalid_condition" }],
      [
        "create_submission",
        { form, data: { title: "x" }, idempotency_key: "" },
        { "/idempotency_key": "too_short" },
      ],
      ["update_submission", { id: "sub_x", idempotency_key: "x" }, {}],
    ];
    for (const [name, toolArguments, expectedCodes] of cases) {
      const answer = await call(integrator, name, toolArguments);
      expect(answer.isError).toBe(true);
      if (Object.keys(expectedCodes).length > 0)
        expect([name, codes(answer)]).toEqual([name, expectedCodes]);
    }
  });

  it("create once per idempotency_key, which is shared with the API's Idempotency-Key", async () => {
    const toolArguments = { form, data: { title: "once" }, idempotency_key: "k-1" };
    const [first, second] = [
      await call(integrator, "create_submission", toolArguments),
      await call(integrator, "create_submission", toolArguments),
    ];
    expect(second.structuredContent).toEqual({
      ...first.structuredContent,
      idempotent_replayed: true,
    });
    const mismatch = await call(integrator, `create_submission_${form}`, {
      data: { title: "b" },
      idempotency_key: "k-1",
    });
    expect(mismatch.structuredContent).toMatchObject({
      id: first.structuredContent.id,
      idempotency_key_mismatch: true,
    });
    const key = { "Idempotency-Key": "k-1" };
    const apiReplay = await integrator.post(
      `/forms/${form}/submissions`,
      { data: { title: "once" } },
      key,
    );
    expect([apiReplay.body.id, apiReplay.headers.get("Idempotent-Replayed")]).toEqual([
      first.structuredContent.id,
      "true",
    ]);
    const invalidKey = await call(integrator, "create_submission", {
      ...toolArguments,
      idempotency_key: "a b",
    });
    expect(invalidKey.structuredContent.errors[0].field).toBe("idempotency_key");
  });

  it("return permission_required without permission, and not_found for invisible collections", async () => {
    const reader = await client({ permissions: ["submissions:read"] });
    const rejection = await call(reader, "create_submission", { form, data: { title: "a" } });
    expect(rejection.structuredContent).toMatchObject({
      code: "permission_required",
      required_permission: "submissions:create",
    });
    const outsider = await client({ resources: [`app:${app}`] });
    const item = (await call(integrator, "create_submission", { form, data: { title: "a" } }))
      .structuredContent;
    const otherForm = await makeForm(integrator);
    for (const [caller, name, toolArguments] of [
      [outsider, "create_submission", { form, data: {} }],
      [outsider, `create_submission_${form}`, { data: {} }],
      [outsider, "get_submission", { id: item.id }],
      [outsider, "read_definition", { form }],
      [integrator, "create_submission_nowhere", { data: {} }],
      [integrator, `update_submission_${otherForm}`, { id: item.id, data: {} }],
    ] as const) {
      expect((await call(caller, name, toolArguments)).structuredContent.code).toBe("not_found");
    }
  });

  it("return permission_required for exactly those tools that are not listed", async () => {
    for (const permission of everything) {
      const caller = await client({ permissions: [permission] });
      const listedTools = names(await toolsOf(caller));
      const calls = genericTools.map(async (name) => {
        const { structuredContent } = await call(caller, name, { form, app, id: "x", data: {} });
        return structuredContent.code === "permission_required" ? [] : [name];
      });
      const allowedTools = (await Promise.all(calls)).flat();
      expect([permission, listedTools.filter((name) => genericTools.includes(name))]).toEqual([
        permission,
        allowedTools,
      ]);
    }
  });

  it("are logged under the tool's name with their status", async () => {
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

  it("accept exactly the bodies that match the input schema", async () => {
    const tools = new Map(
      (await toolsOf(integrator, `?forms=${form}`)).map((tool) => [tool.name, tool]),
    );
    const compileInput = (name: string) => ajv.compile(tools.get(`${name}_${form}`).inputSchema);
    const [create, search] = [
      compileInput("create_submission"),
      compileInput("search_submissions"),
    ];
    const bodies: [ReturnType<typeof compileInput>, string, Json][] = [
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
    for (const [validate, name, toolArguments] of bodies) {
      const answer = await call(integrator, `${name}_${form}`, toolArguments);
      expect([toolArguments, answer.isError === true]).toEqual([
        toolArguments,
        !validate(toolArguments),
      ]);
    }
  });

  it("return only the sent values to a credential without read permission", async () => {
    const writer = await client({ permissions: ["submissions:write"] });
    const data = { title: "secret", amount: 5 };
    const created = (await call(integrator, "create_submission", { form, data })).structuredContent;
    const updated = await call(writer, "update_submission", {
      id: created.id,
      data: { amount: 6 },
    });
    expect(updated.structuredContent.data).toEqual({ amount: 6 });
  });

  it("count as writes only when they write, and return HTTP 429 at the limit", async () => {
    const limitedClient = await client({ requests: 6, writes: 1 });
    const create = { name: "create_submission", arguments: { form, data: { title: "a" } } };
    const readResponse = await speak(limitedClient, "tools/call", { name: "list_apps" });
    expect(readResponse.headers.get("RateLimit-Policy")).toBe('"default";q=6;w=60');
    const created = await speak(limitedClient, "tools/call", create);
    expect(created.headers.get("RateLimit-Policy")).toContain('"write";q=1;w=60');
    const limitedResponse = await speak(limitedClient, "tools/call", create);
    expect([limitedResponse.status, limitedResponse.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(limitedResponse.headers.get("Retry-After"))).toBeGreaterThan(0);
    const validate = { name: "validate_submission", arguments: create.arguments };
    expect((await speak(limitedClient, "tools/call", validate)).status).toBe(200);
  });

  it("return not_exact for inexact numbers, as the API does", async () => {
    const { token } = await issue();
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_submission","arguments":{"form":"${form}","data":{"title":"a","amount":0.12345678901234567891}}}}`;
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await integrator.send("POST", "https://forms.example/mcp", message, headers);
    expect(codes(answer.body.result)).toEqual({ "/data/amount": "not_exact" });
  });
});
