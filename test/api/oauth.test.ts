import { beforeAll, describe, expect, it } from "vitest";
import { Client, host, type Json } from "../support/client";
import { accessToken, token } from "../support/oauth";
import { admin, anonymous, everything, issue } from "../support/service";

const grant_type = "client_credentials";

describe("OAuth 2.0 client credentials (RFC 6749, section 4.4)", () => {
  let apiClient: Json;
  beforeAll(async () => {
    apiClient = await issue({ kind: "client", permissions: ["records:read", "records:write"] });
  });
  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${btoa(`${id}:${secret}`)}`,
  });

  it("issues an access token for a secret in the body or in HTTP Basic", async () => {
    const { client_id, client_secret } = apiClient;
    const inBody = await token({ grant_type, client_id, client_secret });
    const inHeader = await token({ grant_type }, basic(client_id, client_secret));
    for (const answer of [inBody, inHeader]) {
      expect([answer.status, answer.body]).toMatchObject([
        200,
        {
          access_token: expect.stringMatching(/^efa_/),
          token_type: "Bearer",
          expires_in: 3600,
          scope: "records:read records:write",
        },
      ]);
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("Pragma")).toBe("no-cache");
      expect((await new Client(answer.body.access_token).get("/me")).body).toMatchObject({
        kind: "client",
        permissions: ["records:read", "records:write"],
      });
    }
  });

  it("treats parameters without a value as omitted", async () => {
    const headers = basic(apiClient.client_id, apiClient.client_secret);
    const form = { grant_type, client_id: "", client_secret: "", scope: "" };
    expect((await token(form, headers)).status).toBe(200);
  });

  it("narrows the token to its scope, and returns 400 invalid_scope for permissions the client lacks", async () => {
    const narrowClient = new Client(await accessToken(apiClient, "records:read"));
    expect((await narrowClient.get("/me")).body.permissions).toEqual(["records:read"]);
    const { client_id, client_secret } = apiClient;
    for (const scope of ["schema:write", "records:read schema:write", "nonsense"]) {
      const rejection = await token({ grant_type, client_id, client_secret, scope });
      expect([rejection.status, rejection.body.error]).toEqual([400, "invalid_scope"]);
    }
  });

  it("grants a scope that the client's permissions include: records:create to records:write", async () => {
    const writer = await issue({ kind: "client", permissions: ["records:write"] });
    const creator = new Client(await accessToken(writer, "records:create"));
    expect((await creator.get("/me")).body.permissions).toEqual(["records:create"]);
    const whole = new Client(await accessToken(writer));
    expect((await whole.get("/me")).body.permissions).toEqual(["records:write"]);
    await admin("POST", `/integrations/${writer.id}`, { permissions: ["records:create"] });
    expect((await whole.get("/me")).body.permissions).toEqual(["records:create"]);
  });

  it("removes a permission from existing tokens when the client loses it", async () => {
    const otherClient = await issue({ kind: "client", permissions: everything });
    const caller = new Client(await accessToken(otherClient));
    await admin("POST", `/integrations/${otherClient.id}`, { permissions: ["schema:read"] });
    expect((await caller.get("/me")).body.permissions).toEqual(["schema:read"]);
  });

  it("returns the errors of RFC 6749, section 5.2", async () => {
    const { client_id, client_secret } = apiClient;
    const credentials = { client_id, client_secret };
    const cases: [Json, Record<string, string>, number, string][] = [
      [{ ...credentials }, {}, 400, "invalid_request"],
      [{ ...credentials, grant_type: "password" }, {}, 400, "unsupported_grant_type"],
      [{ grant_type }, {}, 401, "invalid_client"],
      [{ ...credentials, grant_type, client_secret: "efs_x" }, {}, 401, "invalid_client"],
      [{ ...credentials, grant_type, client_id: "efc_x" }, {}, 401, "invalid_client"],
      [{ grant_type }, basic(client_id, "wrong"), 401, "invalid_client"],
      [{ grant_type }, { Authorization: "Basic !!!" }, 401, "invalid_client"],
      [{ grant_type }, basic(client_id, `${client_secret}:x`), 401, "invalid_client"],
      [{ ...credentials, grant_type }, basic(client_id, client_secret), 400, "invalid_request"],
      [`grant_type=${grant_type}&grant_type=${grant_type}`, {}, 400, "invalid_request"],
      [
        { ...credentials, grant_type },
        { "Content-Type": "application/json" },
        400,
        "invalid_request",
      ],
    ];
    for (const [form, headers, status, error] of cases) {
      const answer = await token(form, headers);
      expect([form, answer.status, answer.body.error]).toEqual([form, status, error]);
      expect(answer.headers.get("Content-Type")).toBe("application/json");
      // Only clients that used HTTP Basic get a challenge. It would hide the body from the others.
      const challenge = status === 401 && "Authorization" in headers ? /^Basic / : /^$/;
      expect(answer.headers.get("WWW-Authenticate") ?? "").toMatch(challenge);
    }
  });

  it("returns 401 to a personal token as the secret, and to a revoked client", async () => {
    const personal = await issue();
    const credentials = { client_id: `efc_${personal.id}`, client_secret: personal.token };
    expect((await token({ grant_type, ...credentials })).status).toBe(401);
    const otherClient = await issue({ kind: "client" });
    await admin("POST", `/integrations/${otherClient.id}/revoke`, {});
    const { client_id, client_secret } = otherClient;
    expect((await token({ grant_type, client_id, client_secret })).body.error).toBe(
      "invalid_client",
    );
  });

  it("counts token exchanges apart from requests, against an equal limit", async () => {
    const { client_id, client_secret } = await issue({ kind: "client", requests: 3, writes: 1 });
    const exchange = (secret = client_secret) =>
      token({ grant_type, client_id, client_secret: secret });
    const exchanges = [await exchange(), await exchange(), await exchange(), await exchange()];
    expect(exchanges.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const [first, last] = [exchanges[0], exchanges[3]];
    expect(Number(last?.headers.get("Retry-After"))).toBeGreaterThan(50);
    expect(last?.headers.get("Cache-Control")).toBe("no-store");
    // Requests count in a separate window.
    const me = await new Client(first?.body.access_token).get("/me");
    expect(me.headers.get("RateLimit")).toContain('"default";r=2;');
    // A wrong secret neither uses nor reveals the client's window.
    const wrongSecret = client_secret.slice(0, -1) + (client_secret.endsWith("x") ? "y" : "x");
    expect((await exchange(wrongSecret)).status).toBe(401);
  });

  it("publishes its metadata under the path of RFC 8414", async () => {
    const { status, body } = await anonymous("GET", "/.well-known/oauth-authorization-server");
    expect([status, body]).toMatchObject([
      200,
      {
        issuer: host,
        token_endpoint: `${host}/oauth/token`,
        grant_types_supported: [grant_type],
        response_types_supported: [],
        token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
        scopes_supported: everything,
      },
    ]);
  });
});
