import { beforeAll, describe, expect, it } from "vitest";
import { codes, everyItem, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";

/** Titles are the sentences of the specification, section "Endpoints". */
describe("Endpoints", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("GET /apps/{app_key}/records: list records of an app; query limit, cursor; list of records plus links.next for continuation.", async () => {
    const app = await makeApp(integrator);
    const titles = ["a", "b", "c", "d", "e"];
    for (const title of titles) await integrator.post(`/apps/${app}/records`, { data: { title } });
    const items = await everyItem(integrator, `/apps/${app}/records?limit=2`);
    expect(items.map((item) => item.data.title)).toEqual(titles);
    expect(items.map((item) => item.receipt_number)).toEqual([
      "000001",
      "000002",
      "000003",
      "000004",
      "000005",
    ]);
  });

  it("GET /apps/{app_key}/records/{id}: get one record; {id} is the record ID or receipt number.", async () => {
    const app = await makeApp(integrator);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: {} });
    const byId = await integrator.get(`/apps/${app}/records/${body.id}`);
    const byReceipt = await integrator.get(`/apps/${app}/records/${body.receipt_number}`);
    expect(byId.text).toBe(byReceipt.text);
  });

  it("POST /apps/{app_key}/records: create a record; JSON body; created record.", async () => {
    const app = await makeApp(integrator);
    const created = await integrator.post(`/apps/${app}/records`, { data: { title: "x" } });
    expect(created.status).toBe(201);
    expect(created.headers.get("Location")).toMatch(new RegExp(`/api/v1/apps/${app}/records/rec_`));
    const record = await integrator.get(created.headers.get("Location") ?? "");
    expect(record.body).toEqual(created.body);
  });

  it("PATCH /apps/{app_key}/records/{id}: partial update; JSON body with only the fields to change; header If-Match: <etag> (recommended); updated record.", async () => {
    const fields = [
      { key: "a", type: "text" },
      { key: "b", type: "text" },
    ];
    const app = await makeApp(integrator, fields);
    const created = await integrator.post(`/apps/${app}/records`, { data: { a: "1", b: "2" } });
    const path = `/apps/${app}/records/${created.body.id}`;
    const headers = { "If-Match": created.etag };
    const updated = await integrator.patch(path, { data: { b: "3" } }, headers);
    expect(updated.status).toBe(200);
    expect(updated.body.data).toEqual({ a: "1", b: "3" });
    expect((await integrator.patch(path, { data: { b: "4" } })).status).toBe(200);
  });

  it("GET /forms/{form_key}/schema: read the form definition; schema of the form.", async () => {
    const fields = [{ key: "customer", label: "Customer", type: "text", required: true }];
    const form = await makeForm(integrator, fields, { name: "Purchase", time_zone: "Asia/Tokyo" });
    const { status, body, etag } = await integrator.get(`/forms/${form}/schema`);
    expect([status, etag]).toEqual([200, '"1-open"']);
    expect(body).toMatchObject({
      key: form,
      name: "Purchase",
      description: "",
      time_zone: "Asia/Tokyo",
      schema_version: 1,
      acceptance: { state: "open", accepting: true, opens_at: null, closes_at: null },
      fields: [{ key: "customer", label: "Customer", type: "text", required: true, unique: false }],
    });
    expect(body.links.submissions).toMatch(new RegExp(`/api/v1/forms/${form}/submissions$`));
  });

  it("POST /forms/{form_key}/submissions/search: search submissions by conditions; JSON body with conditions; matching submissions.", async () => {
    const form = await makeForm(integrator);
    for (const title of ["one", "two"]) {
      await integrator.post(`/forms/${form}/submissions`, { data: { title } });
    }
    const conditions = [{ field: "title", op: "eq", value: "two" }];
    const matches = await integrator.post(`/forms/${form}/submissions/search`, { conditions });
    expect(matches.body.items).toMatchObject([{ form, data: { title: "two" } }]);
  });

  it("POST /forms/{form_key}/submissions: create a submission; headers Idempotency-Key: <unique string>, Content-Type: application/json; body {status: string, data: object}; created submission.", async () => {
    const form = await makeForm(integrator);
    const created = await integrator.post(
      `/forms/${form}/submissions`,
      { status: "submitted", data: { title: "x" } },
      { "Idempotency-Key": "order-1", "Content-Type": "application/json" },
    );
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ form, status: "submitted", data: { title: "x" } });
    expect(created.headers.get("Location")).toContain(`/api/v1/submissions/${created.body.id}`);
    const rejection = await integrator.post(
      `/forms/${form}/submissions`,
      { data: {} },
      { "Content-Type": "text/plain" },
    );
    expect([rejection.status, rejection.body.code]).toEqual([415, "unsupported_media_type"]);
  });

  it("DELETE /submissions/{id}: delete a submission (the only deletion route).", async () => {
    const form = await makeForm(integrator);
    const app = await makeApp(integrator);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const record = await integrator.post(`/apps/${app}/records`, { data: {} });
    const deleted = await integrator.delete(`/submissions/${body.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, ""]);
    expect((await integrator.delete(`/submissions/${body.id}`)).status).toBe(404);
    expect((await integrator.get(`/submissions/${body.id}`)).status).toBe(404);
    for (const path of [
      `/apps/${app}`,
      `/forms/${form}`,
      `/apps/${app}/records/${record.body.id}`,
      `/apps/${app}/records`,
      `/apps/${app}/schema`,
      `/forms/${form}/schema`,
      `/forms/${form}/submissions`,
      "/apps",
      "/forms",
      "/me",
    ]) {
      const rejection = await integrator.delete(path);
      expect([path, rejection.status, rejection.body.code]).toEqual([
        path,
        405,
        "method_not_allowed",
      ]);
      expect(rejection.headers.get("Allow")).toContain("GET");
    }
  });

  it("GET /forms/{form_key}/openapi.json: per-form OpenAPI definition; field keys and types become the schema.", async () => {
    const form = await makeForm(integrator, [{ key: "colour", type: "text" }]);
    const { status, body, etag } = await integrator.get(`/forms/${form}/openapi.json`);
    expect([status, etag]).toEqual([200, expect.stringMatching(/^".+"$/)]);
    const { schemas } = body.components;
    const data = Object.keys(schemas).find((name) => name.endsWith("SubmissionData")) ?? "";
    expect(Object.keys(schemas[data].properties)).toEqual(["colour"]);
    expect(Object.keys(body.paths)).toContain(`/forms/${form}/submissions`);
  });

  it("1. PATCH updates only the fields sent. A repeating-detail field sent in PATCH replaces the whole array.", async () => {
    const fields = [
      { key: "name", type: "text" },
      { key: "note", type: "text" },
      {
        key: "lines",
        type: "line_items",
        fields: [
          { key: "sku", type: "text" },
          { key: "qty", type: "number" },
        ],
      },
    ];
    const app = await makeApp(integrator, fields);
    const lines = [
      { sku: "A", qty: 1 },
      { sku: "B", qty: 2 },
    ];
    const { body } = await integrator.post(`/apps/${app}/records`, {
      data: { name: "Bo", note: "n", lines },
    });
    const path = `/apps/${app}/records/${body.id}`;
    const patched = await integrator.patch(path, { data: { name: "Al" } });
    expect(patched.body.data).toEqual({ name: "Al", note: "n", lines });
    const replacement = await integrator.patch(path, {
      data: { lines: [{ sku: "C" }], note: null },
    });
    expect(replacement.body.data).toEqual({
      name: "Al",
      note: null,
      lines: [{ sku: "C", qty: null }],
    });
  });

  it("2. When PATCH carries If-Match and the stored version differs, the service answers 412 and does not overwrite.", async () => {
    const app = await makeApp(integrator);
    const created = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    const path = `/apps/${app}/records/${created.body.id}`;
    await integrator.patch(path, { data: { title: "Bo" } });
    const staleUpdate = await integrator.patch(
      path,
      { data: { title: "Al" } },
      { "If-Match": created.etag },
    );
    expect([staleUpdate.status, staleUpdate.body.code, staleUpdate.body.current_etag]).toEqual([
      412,
      "version_mismatch",
      '"2"',
    ]);
    expect((await integrator.get(path)).body.data).toEqual({ title: "Bo" });
  });

  it("3. POST of a submission with an Idempotency-Key that was already used within 24 hours returns the same result as the first call and creates no second submission.", async () => {
    const form = await makeForm(integrator);
    const path = `/forms/${form}/submissions`;
    const headers = { "Idempotency-Key": "the-same" };
    const first = await integrator.post(path, { data: { title: "x" } }, headers);
    const replay = await integrator.post(path, { data: { title: "x" } }, headers);
    expect([replay.status, replay.text, replay.etag]).toEqual([201, first.text, first.etag]);
    expect(replay.headers.get("Location")).toBe(first.headers.get("Location"));
    expect(replay.headers.get("Idempotent-Replayed")).toBe("true");
    expect(first.headers.has("Idempotent-Replayed")).toBe(false);
    expect(await everyItem(integrator, path)).toHaveLength(1);
  });

  it("4. List endpoints page with limit and cursor only; there is no offset. The next page is followed through links.next.", async () => {
    const form = await makeForm(integrator);
    for (let i = 0; i < 3; i += 1)
      await integrator.post(`/forms/${form}/submissions`, { data: {} });
    for (const path of [`/forms/${form}/submissions`, "/forms", "/apps"]) {
      for (const name of ["offset", "page", "skip"]) {
        const rejection = await integrator.get(`${path}?${name}=1`);
        expect([rejection.status, codes(rejection)]).toEqual([
          422,
          { [name]: "unknown_parameter" },
        ]);
      }
    }
    const page = await integrator.get(`/forms/${form}/submissions?limit=2`);
    const next = new URL(page.body.links.next);
    expect([...next.searchParams.keys()].toSorted()).toEqual(["cursor", "limit"]);
    const nextPage = await integrator.get(page.body.links.next);
    const ids = [...page.body.items, ...nextPage.body.items].map((item: Json) => item.id);
    expect(new Set(ids).size).toBe(3);
  });
});
