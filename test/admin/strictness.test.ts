import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { host } from "../support/client";
import { admin, client, makeForm, ownerCookie } from "../support/service";

/** The administration rejects the same input as the API and ignores no part of it. */
describe("Input validation in the administration", () => {
  let form: string;
  beforeAll(async () => {
    await ownerCookie();
    form = await makeForm(await client(), [
      { key: "a", type: "number" },
      { key: "b", type: "text" },
    ]);
  });

  const invalidAddresses: [path: string, field: string, code: string][] = [
    ["items?cursor=garbage", "cursor", "invalid_cursor"],
    ["items?limit=3", "limit", "unknown_parameter"],
    ["items?bogus=1&field=b&value=x", "bogus", "unknown_parameter"],
    ["items?sort=a&sort=b", "sort", "invalid_type"],
    ["items/export?format=xlsx", "format", "not_an_option"],
    ["items/export?cursor=x", "cursor", "unknown_parameter"],
    ["/audit?bogus=1", "bogus", "unknown_parameter"],
    ["/audit?from=2026-01-01&from=2026-02-01", "from", "invalid_type"],
  ];

  it.each(invalidAddresses)("returns 422 to %s", async (path, field, code) => {
    const { status, body } = await admin(
      "GET",
      path.startsWith("/") ? path : `/forms/${form}/${path}`,
    );
    expect([status, body.errors]).toEqual([422, [expect.objectContaining({ field, code })]]);
  });

  it("saves the definition that it returned, at its schema_version or at a version beside it", async () => {
    const place = `/forms/${await makeForm(await client())}/json`;
    const { body: first } = await admin("GET", place);
    const second = await admin("POST", place, { ...first, name: "Second" });
    expect([second.status, second.body.schema_version]).toEqual([200, first.schema_version + 1]);
    const version = second.body.schema_version;
    const third = await admin("POST", place, { ...first, name: "Third", version });
    expect([third.status, third.body.name]).toEqual([200, "Third"]);
    expect((await admin("POST", place, { ...first, name: "Late" })).body.code).toBe("conflict");
  });

  it("returns 413 to a form of more than 60,000 values, and 422 to fewer that are invalid", async () => {
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const send = (count: number) =>
      admin("POST", `/forms/${form}/items`, undefined, headers, "a=x&".repeat(count));
    const { status, body } = await send(60_001);
    expect([status, body.detail]).toEqual([413, "The body may have at most 60000 values."]);
    expect((await send(1)).status).toBe(422);
  });

  it.each(["toString", "__proto__", { toString: null }, ["read"], null])(
    "returns 422 to %j as the purpose of a credential",
    async (purpose) => {
      const values = {
        page: "1",
        kind: "token",
        name: "x",
        scope: "all",
        expires: "never",
        purpose,
      };
      for (const input of [values, { ...values, page: undefined }]) {
        const { status, body } = await admin("POST", "/integrations", input);
        expect([status, body.errors]).toEqual([
          422,
          expect.arrayContaining([expect.objectContaining({ field: "purpose" })]),
        ]);
      }
    },
  );

  it.each([
    "items?field=b&op=contains&value=x&sort=a&direction=desc&conditions=",
    "items/export?format=csv&field=&op=eq&value=",
    "items/export?format=ndjson",
  ])("returns 200 to %s", async (path) => {
    expect((await admin("GET", `/forms/${form}/${path}`)).status).toBe(200);
  });

  it("accepts the link to the next page of a search", async () => {
    const key = await makeForm(await client(), [{ key: "b", type: "text" }]);
    const integrator = await client();
    const creations = Array.from({ length: 51 }, () =>
      integrator.post(`/forms/${key}/submissions`, { data: { b: "x" } }),
    );
    await Promise.all(creations);
    const { body } = await admin("GET", `/forms/${key}/items?field=b&op=eq&value=x`);
    const { pathname, search } = new URL(body.links.next);
    const next = await admin("GET", pathname.replace("/admin", "") + search);
    expect([next.status, next.body.items.length]).toEqual([200, 1]);
  });

  it("renders a rejected form in time proportional to the chosen options", async () => {
    const options = [{ value: "x" }];
    const key = await makeForm(await client(), [
      { key: "tags", type: "multi_select", options },
      {
        key: "rows",
        type: "line_items",
        fields: [{ key: "tags", type: "multi_select", options }],
      },
    ]);
    const choices = Array.from({ length: 40_000 }, (_, i) => `no option ${i}`);
    for (const name of ["tags", "rows[0].tags"]) {
      const started = Date.now();
      const { status } = await exports.default.fetch(
        new Request(`${host}/admin/forms/${key}/items`, {
          method: "POST",
          headers: { Cookie: await ownerCookie(), "Content-Type": "application/json" },
          body: JSON.stringify({ [name]: choices, $more: "rows" }),
        }),
      );
      expect([name, status]).toEqual([name, 200]);
      expect(Date.now() - started).toBeLessThan(6000);
    }
  });

  it("renders many options once for all rows, and accepts the values of a row", async () => {
    const options = Array.from({ length: 1000 }, (_, i) => ({ value: `v${i}` }));
    const column = { searchable: false, options };
    const integrator = await client();
    const key = await makeForm(integrator, [
      {
        key: "rows",
        type: "line_items",
        fields: [
          { key: "one", type: "select", ...column },
          { key: "some", type: "multi_select", ...column },
        ],
      },
    ]);
    const rows = Array.from({ length: 300 }, () => ({ one: "v1", some: ["v2", "v3"] }));
    const { body } = await integrator.post(`/forms/${key}/submissions`, { data: { rows } });
    const page = await exports.default.fetch(
      new Request(`${host}/admin/forms/${key}/items/${body.id}?edit`, {
        headers: { Cookie: await ownerCookie() },
      }),
    );
    const text = await page.text();
    expect([page.status, text.split('value="v999"').length - 1]).toEqual([200, 2]);
    expect(text.split('value="v3" checked').length - 1).toBe(300);
    const values = { "rows[0].one": "v7", "rows[0].some": ["v2", "v9", ""] };
    const { body: created } = await admin("POST", `/forms/${key}/items`, values);
    expect(created.data.rows).toEqual([{ one: "v7", some: ["v2", "v9"] }]);
  });

  it("returns 404 without a cookie to a key with cookie attributes", async () => {
    const { status, headers } = await admin("GET", "/forms/a;Domain=b.example/items?columns=a");
    expect([status, headers.getSetCookie()]).toEqual([404, []]);
  });

  it("returns 422 to inexact numbers and 400 to malformed JSON, as the API does", async () => {
    const post = (raw: string) => admin("POST", `/forms/${form}/items`, undefined, {}, raw);
    const inexact = await post('{"data":{"a":0.12345678901234567891}}');
    expect([inexact.status, inexact.body.errors?.[0].code]).toEqual([422, "not_exact"]);
    const malformed = await post('{"data":');
    expect([malformed.status, malformed.body.code]).toEqual([400, "malformed_json"]);
    expect((await post('{"data":{"a":0.125}}')).status).toBe(201);
  });

  it.each(["a\u0000b", "a\ud800b"])(
    "returns 422 to a name that cannot be stored unchanged: %j",
    async (name) => {
      const choice = {
        kind: "token",
        permissions: ["records:read"],
        resources: "all",
        expires: "30d",
      };
      const { status, body } = await admin("POST", "/integrations", { ...choice, name });
      expect([status, body.errors?.[0].field]).toEqual([422, "name"]);
      const { body: credential } = await admin("POST", "/integrations", {
        ...choice,
        name: "fine",
      });
      expect((await admin("POST", `/integrations/${credential.id}`, { name })).status).toBe(422);
    },
  );
});
