import { beforeAll, describe, expect, it } from "vitest";
import { bytesOf, Client } from "../support/client";
import { admin, anonymous, client, issue, makeForm } from "../support/service";
import { accessToken } from "../support/oauth";

/** Titles are the sentences of the specification, section "Authentication". */
describe("Authentication", () => {
  let integrator: Client;
  beforeAll(async () => {
    integrator = await client();
  });

  it("1. Scheme: HTTP header Authorization: Bearer <ACCESS_TOKEN> on every request.", async () => {
    const { token } = await issue();
    for (const [header, status] of [
      [`Bearer ${token}`, 200],
      [`bearer ${token}`, 200],
      [`Token ${token}`, 401],
      [token, 401],
    ] as const) {
      const answer = await anonymous("GET", "/api/v1/me", undefined, { Authorization: header });
      expect([header.slice(0, 6), answer.status]).toEqual([header.slice(0, 6), status]);
    }
    expect((await anonymous("GET", `/api/v1/me?access_token=${token}`)).status).toBe(401);
  });

  it('2. Credentials are personal tokens or API clients, both created in the administration area "Integrations and external data".', async () => {
    const token = await issue({ kind: "token" });
    const apiClient = await issue({ kind: "client" });
    expect((await new Client(token.token).get("/me")).body.kind).toBe("token");
    const bearer = await accessToken(apiClient);
    expect((await new Client(bearer).get("/me")).body.kind).toBe("client");
    const { body } = await admin("GET", "/integrations");
    const ids = body.items.map((item: { id: string }) => item.id);
    expect(ids).toEqual(expect.arrayContaining([token.id, apiClient.id]));
  });

  it("3. Missing or invalid credential: 401.", async () => {
    const missingCredential = await anonymous("GET", "/api/v1/me");
    expect([missingCredential.status, missingCredential.body.code]).toEqual([
      401,
      "unauthenticated",
    ]);
    expect(missingCredential.headers.get("WWW-Authenticate")).toBe('Bearer realm="edge-forms"');
    const invalidCredential = await new Client("efp_nonsense").get("/me");
    expect(invalidCredential.status).toBe(401);
    expect(invalidCredential.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
  });

  it("4. Credential lacking permission: 403; the response indicates which permission is required.", async () => {
    const form = await makeForm(integrator);
    const reader = await client({ permissions: ["submissions:read"] });
    const rejection = await reader.post(`/forms/${form}/submissions`, { data: {} });
    expect([rejection.status, rejection.body.code, rejection.body.required_permission]).toEqual([
      403,
      "permission_required",
      "submissions:create",
    ]);
    expect(rejection.headers.get("WWW-Authenticate")).toBe(
      'Bearer realm="edge-forms", error="insufficient_scope", scope="submissions:create"',
    );
  });

  it("5. A resource that does not exist or is not visible to the caller: 404 (existence is not revealed).", async () => {
    const form = await makeForm(integrator);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const outsider = await client({ resources: ["form:another"] });
    const pairs = [
      [`/forms/${form}/submissions`, "/forms/nowhere/submissions"],
      [`/forms/${form}/schema`, "/forms/nowhere/schema"],
      [`/submissions/${body.id}`, `/submissions/${body.id.slice(0, -1)}Z`],
    ];
    for (const [hiddenPath = "", missingPath = ""] of pairs) {
      const [hiddenResponse, missingResponse] = [
        await outsider.get(hiddenPath),
        await outsider.get(missingPath),
      ];
      expect([hiddenResponse.status, bytesOf(hiddenResponse)]).toEqual([
        404,
        bytesOf(missingResponse),
      ]);
      const names = (headers: Headers) => [...headers.keys()].toSorted();
      expect(names(hiddenResponse.headers)).toEqual(names(missingResponse.headers));
    }
  });
});
