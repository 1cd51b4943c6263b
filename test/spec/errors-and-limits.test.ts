import { beforeAll, describe, expect, it } from "vitest";
import { Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import { dataDb } from "../support/databases";

/** Titles are the sentences of the specification, sections "Errors", "Limits" and "Versioning". */
describe("Errors", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("401: credential missing or invalid.", async () => {
    const answer = await new Client("efp_unknown").get("/me");
    expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
  });

  it("403: permission insufficient; the needed permission is indicated.", async () => {
    const reader = await client({ permissions: ["records:read"] });
    const { status, body } = await reader.get("/forms/any/submissions");
    expect([status, body.required_permission]).toEqual([403, "submissions:read"]);
  });

  it("404: not found or not visible.", async () => {
    const form = await makeForm(integrator);
    const outsider = await client({ resources: ["form:another"] });
    expect((await outsider.get(`/forms/${form}/submissions`)).status).toBe(404);
    expect((await integrator.get("/forms/nowhere/submissions")).status).toBe(404);
  });

  it("409: conflict, such as submissions closed for acceptance or a duplicate.", async () => {
    const fields = [{ key: "code", type: "text", unique: true }];
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/submissions`;
    await integrator.post(path, { data: { code: "A-1" } });
    const duplicate = await integrator.post(path, { data: { code: "A-1" } });
    expect([duplicate.status, duplicate.body.code, duplicate.body.field]).toEqual([
      409,
      "duplicate",
      "code",
    ]);
    await integrator.put(`/forms/${form}/schema`, { fields, acceptance: { state: "closed" } });
    const closedResponse = await integrator.post(path, { data: { code: "A-2" } });
    expect([closedResponse.status, closedResponse.body.code]).toEqual([409, "submissions_closed"]);
  });

  it("412: the version in If-Match does not match the current version.", async () => {
    const app = await makeApp(integrator);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: {} });
    const path = `/apps/${app}/records/${body.id}`;
    const answer = await integrator.patch(path, { data: {} }, { "If-Match": '"9"' });
    expect([answer.status, answer.body.code]).toEqual([412, "version_mismatch"]);
  });

  it("422: input invalid; a reason is returned per field. Also returned for a data key that the form does not define.", async () => {
    const fields = [
      { key: "name", type: "text", required: true },
      { key: "amount", type: "number", minimum: 1 },
    ];
    const form = await makeForm(integrator, fields);
    const data = { amount: 0, colour: "red" };
    const { status, body } = await integrator.post(`/forms/${form}/submissions`, { data });
    expect([status, body.code]).toEqual([422, "invalid_input"]);
    const errors = body.errors as Json[];
    expect(errors.map((error) => [error.field, error.pointer, error.code]).toSorted()).toEqual([
      ["amount", "/data/amount", "too_small"],
      ["colour", "/data/colour", "unknown_field"],
      ["name", "/data/name", "required"],
    ]);
    for (const { reason } of errors) expect(reason).toMatch(/^[A-Z].*\.$/);
  });

  it("Errors are problem documents (RFC 9457) whose type leads to a page that explains them.", async () => {
    const rejection = await integrator.get("/forms/nowhere/schema");
    expect(rejection.headers.get("Content-Type")).toBe("application/problem+json");
    expect(rejection.body).toMatchObject({
      title: "Not found",
      status: 404,
      code: "not_found",
      request_id: rejection.headers.get("X-Request-Id"),
    });
    const page = await integrator.get(rejection.body.type);
    expect(page.status).toBe(200);
    expect(page.text).toContain("<h1>Not found</h1>");
  });

  it("429: rate limit reached; retry after the delay given in the Retry-After header.", async () => {
    const limitedClient = await client({ requests: 1, writes: 1 });
    expect((await limitedClient.get("/me")).status).toBe(200);
    const rejection = await limitedClient.get("/me");
    expect([rejection.status, rejection.body.code]).toEqual([429, "rate_limited"]);
    expect(Number(rejection.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(Number(rejection.headers.get("Retry-After"))).toBeLessThanOrEqual(60);
  });
});

describe("Limits", () => {
  it("Default request rate: 600 per minute.", async () => {
    const integrator = await client({ requests: 600, writes: 120 });
    const calls = Array.from({ length: 620 }, () => integrator.get("/me"));
    const statuses = (await Promise.all(calls)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(600);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it("Default write request rate: 120 per minute.", async () => {
    const creator = await client();
    const form = await makeForm(creator);
    const integrator = await client({ requests: 600, writes: 120 });
    const calls = Array.from({ length: 130 }, () =>
      integrator.post(`/forms/${form}/submissions`, { data: {} }),
    );
    const statuses = (await Promise.all(calls)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(120);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect((await integrator.get("/me")).status).toBe(200);
  });

  it("Idempotency-Key memory: 24 hours.", async () => {
    const integrator = await client();
    const form = await makeForm(integrator);
    const path = `/forms/${form}/submissions`;
    const headers = { "Idempotency-Key": "daily" };
    const first = await integrator.post(path, { data: {} }, headers);
    const row = await dataDb
      .prepare("SELECT expires_at FROM replay WHERE item_id = ?")
      .bind(first.body.id)
      .first<{ expires_at: number }>();
    const day = 24 * 60 * 60 * 1000;
    expect(Math.abs((row?.expires_at ?? 0) - Date.parse(first.body.created_at) - day)).toBeLessThan(
      1000,
    );
  });

  it("Paging: limit and cursor only; no offset.", async () => {
    const integrator = await client();
    const app = await makeApp(integrator);
    expect((await integrator.get(`/apps/${app}/records?limit=1&offset=1`)).status).toBe(422);
  });

  it("When a rate limit is exceeded the service answers 429 with Retry-After.", async () => {
    const limitedClient = await client({ requests: 10, writes: 1 });
    const form = await makeForm(await client());
    await limitedClient.post(`/forms/${form}/submissions`, { data: {} });
    const rejection = await limitedClient.post(`/forms/${form}/submissions`, { data: {} });
    expect(rejection.status).toBe(429);
    expect(rejection.headers.get("Retry-After")).toMatch(/^[1-9]\d?$/);
  });
});

describe("Versioning", () => {
  it("1. The version is part of the path: /api/v1/.", async () => {
    const integrator = await client();
    expect((await integrator.get("/me")).status).toBe(200);
    expect((await integrator.get("https://forms.example/api/v2/me")).status).toBe(404);
    expect((await integrator.get("https://forms.example/api/me")).status).toBe(404);
  });
});
