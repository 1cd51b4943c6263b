import { beforeAll, describe, expect, it } from "vitest";
import { Client, root } from "../support/client";
import { admin, anonymous, client, issue, makeApp, makeForm } from "../support/service";

/** Titles are the sentences of the specification, section "What the service does". */
describe("What the service does", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("1. The service exposes a REST API through which other systems read, create and update the data of apps (records) and of forms (submissions).", async () => {
    const app = await makeApp(integrator);
    const form = await makeForm(integrator);
    for (const [collection, item] of [
      [`/apps/${app}/records`, (id: string) => `/apps/${app}/records/${id}`],
      [`/forms/${form}/submissions`, (id: string) => `/submissions/${id}`],
    ] as const) {
      const created = await integrator.post(collection, { data: { title: "First" } });
      expect(created.status).toBe(201);
      const path = item(created.body.id);
      expect((await integrator.get(path)).body.data).toEqual({ title: "First" });
      await integrator.patch(path, { data: { title: "Second" } });
      expect((await integrator.get(path)).body.data).toEqual({ title: "Second" });
    }
  });

  it("2. The API root is {base_url}/api/v1/. Every path below is relative to this root.", async () => {
    expect((await integrator.get(`${root}/me`)).status).toBe(200);
    expect((await integrator.get(root.replace("/api/v1", "/me"))).status).toBe(404);
    expect((await integrator.get(root.replace("/api/v1", "/v1/me"))).status).toBe(404);
  });

  it("3. Request and response bodies are JSON encoded as UTF-8.", async () => {
    const form = await makeForm(integrator);
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "日本語 – naïve 🎉" },
    });
    expect(created.headers.get("Content-Type")).toBe("application/json");
    expect(created.body.data.title).toBe("日本語 – naïve 🎉");
    const [head, tail] = ['{"data":{"title":"', '"}}'].map((part) =>
      new TextEncoder().encode(part),
    );
    const latin1 = Uint8Array.from([...(head ?? []), 0xe9, ...(tail ?? [])]);
    const rejection = await integrator.post(`/forms/${form}/submissions`, latin1);
    expect([rejection.status, rejection.body.code]).toEqual([400, "malformed_json"]);
  });

  it("4. Dates and date-times are ISO 8601 strings with a time zone.", async () => {
    const fields = [
      { key: "day", type: "date" },
      { key: "at", type: "datetime" },
    ];
    const form = await makeForm(integrator, fields, { time_zone: "Asia/Tokyo" });
    const { body } = await integrator.post(`/forms/${form}/submissions`, {
      data: { day: "2026-11-21", at: "2026-11-21T09:30:00+09:00" },
    });
    expect(body.data).toEqual({ day: "2026-11-21+09:00", at: "2026-11-21T00:30:00.000Z" });
    expect(body.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.updated_at).toBe(body.created_at);
  });

  it("5. Fields are addressed by their identifier (key), never by an internal ID.", async () => {
    const form = await makeForm(integrator, [{ key: "colour", type: "text" }]);
    const { text } = await integrator.get(`/forms/${form}/schema`);
    expect(JSON.parse(text).fields[0]).not.toHaveProperty("id");
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { colour: "red" },
    });
    expect(Object.keys(created.body.data)).toEqual(["colour"]);
    const byNumber = await integrator.post(`/forms/${form}/submissions`, { data: { "1": "red" } });
    expect(byNumber.status).toBe(422);
  });

  it('6. Credentials are issued in the administration area "Integrations and external data".', async () => {
    const { token } = await issue({ name: "Shop" });
    expect((await new Client(token).get("/me")).body.name).toBe("Shop");
    const page = await admin("GET", "/integrations", undefined, { Accept: "text/html" });
    expect(page.text).toContain("Integrations and external data");
  });

  it("6. Two kinds exist: personal tokens and API clients.", async () => {
    expect(await issue({ kind: "token" })).toMatchObject({
      kind: "token",
      token: expect.stringMatching(/^efp_/),
    });
    const { client_id, client_secret } = await issue({ kind: "client" });
    expect([client_id, client_secret]).toEqual([
      expect.stringMatching(/^efc_/),
      expect.stringMatching(/^efs_/),
    ]);
    const unknownKind = await admin("POST", "/integrations", { kind: "password" });
    expect(unknownKind.status).toBe(422);
  });

  it("6. The API cannot be used until a credential has been issued there.", async () => {
    const answer = await anonymous("GET", "/api/v1/apps");
    expect(answer.status).toBe(401);
  });

  it("7. The service can deliver a per-form OpenAPI definition that describes that form's field keys and types.", async () => {
    const form = await makeForm(integrator, [
      { key: "customer", type: "text", required: true, max_length: 100 },
      { key: "total", type: "number" },
    ]);
    const { status, body } = await integrator.get(`/forms/${form}/openapi.json`);
    expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    const { schemas } = body.components;
    const input = Object.keys(schemas).find((name) => name.endsWith("SubmissionInput")) ?? "";
    expect(schemas[input]).toMatchObject({
      additionalProperties: false,
      required: ["customer"],
      properties: {
        customer: { type: "string", maxLength: 100 },
        total: { type: ["number", "null"] },
      },
    });
  });
});
