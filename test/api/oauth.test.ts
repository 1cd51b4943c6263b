import { beforeAll, describe, expect, it } from "vitest";
import { Client, host, type Json } from "../support/client";
import { accessToken, token } from "../support/oauth";
import { admin, anonymous, everything, issue } from "../support/service";

const grant_type = "client_credentials";

describe("OAuth 2.0 client credentials (RFC 6749, section 4.4)", () => {
  let issued: Json;
  beforeAll(async () => {
    issued = await issue({ kind: "client", permissions: ["records:read", "records:write"] });
  });
  const basic = (id: string, secret: string) => ({
    Authorization: `Basic ${btoa(`${id}:${secret}`)}`,
  });

  it("answers an access token to the secret in the body or in HTTP Basic", async () => {
    const { client_id, client_secret } = issued;
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

  it("parameters without a value are as if they were left out", async () => {
    const headers = basic(issued.client_id, issued.client_secret);
    const form = { grant_type, client_id: "", client_secret: "", scope: "" };
    expect((await token(form, headers)).status).toBe(200);
  });

  it("scope narrows, and what the client lacks is invalid_scope", async () => {
    const narrow = new Client(await accessToken(issued, "records:read"));
    expect((await narrow.get("/me")).body.permissions).toEqual(["records:read"]);
    const { client_id, client_secret } = issued;
    for (const scope of ["schema:write", "records:read schema:write", "nonsense"]) {
      const refused = await token({ grant_type, client_id, client_secret, scope });
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_scope"]);
    }
  });

  it("a permission that the client loses is lost by its tokens too", async () => {
    const other = await issue({ kind: "client", permissions: everything });
    const by = new Client(await accessToken(other));
    await admin("POST", `/integrations/${other.id}`, { permissions: ["schema:read"] });
    expect((await by.get("/me")).body.permissions).toEqual(["schema:read"]);
  });

  it("errors are those of RFC 6749, section 5.2", async () => {
    const { client_id, client_secret } = issued;
    const good = { client_id, client_secret };
    const cases: [Json, Record<string, string>, number, string][] = [
      [{ ...good }, {}, 400, "invalid_request"],
      [{ ...good, grant_type: "password" }, {}, 400, "unsupported_grant_type"],
      [{ grant_type }, {}, 401, "invalid_client"],
      [{ ...good, grant_type, client_secret: "efs_x" }, {}, 401, "invalid_client"],
      [{ ...good, grant_type, client_id: "efc_x" }, {}, 401, "invalid_client"],
      [{ grant_type }, basic(client_id, "wrong"), 401, "invalid_client"],
      [{ grant_type }, { Authorization: "Basic !!!" }, 401, "invalid_client"],
      [{ grant_type }, basic(client_id, `${client_secret}:x`), 401, "invalid_client"],
      [{ ...good, grant_type }, basic(client_id, client_secret), 400, "invalid_request"],
      [`grant_type=${grant_type}&grant_type=${grant_type}`, {}, 400, "invalid_request"],
      [{ ...good, grant_type }, { "Content-Type": "application/json" }, 400, "invalid_request"],
    ];
    for (const [form, headers, status, error] of cases) {
      const answer = await token(form, headers);
      expect([form, answer.status, answer.body.error]).toEqual([form, status, error]);
      expect(answer.headers.get("Content-Type")).toBe("application/json");
      // A challenge would hide the answer from clients that did not come by that scheme.
      const challenge = status === 401 && "Authorization" in headers ? /^Basic / : /^$/;
      expect(answer.headers.get("WWW-Authenticate") ?? "").toMatch(challenge);
    }
  });

  it("a personal token is no client secret, and a revoked client gets nothing", async () => {
    const personal = await issue();
    const as = { client_id: `efc_${personal.id}`, client_secret: personal.token };
    expect((await token({ grant_type, ...as })).status).toBe(401);
    const other = await issue({ kind: "client" });
    await admin("POST", `/integrations/${other.id}/revoke`, {});
    const { client_id, client_secret } = other;
    expect((await token({ grant_type, client_id, client_secret })).body.error).toBe(
      "invalid_client",
    );
  });

  it("counts a client's exchanges apart from its requests, and within the same limit", async () => {
    const { client_id, client_secret } = await issue({ kind: "client", requests: 3, writes: 1 });
    const ask = (secret = client_secret) => token({ grant_type, client_id, client_secret: secret });
    const answers = [await ask(), await ask(), await ask(), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const [first, last] = [answers[0], answers[3]];
    expect(Number(last?.headers.get("Retry-After"))).toBeGreaterThan(50);
    expect(last?.headers.get("Cache-Control")).toBe("no-store");
    // Requests have a window of their own.
    const me = await new Client(first?.body.access_token).get("/me");
    expect(me.headers.get("RateLimit")).toContain('"default";r=2;');
    // Whoever does not have the secret learns nothing of the window, and takes nothing from it.
    expect((await ask(`${client_secret.slice(0, -1)}x`)).status).toBe(401);
  });

  it("describes itself as RFC 8414 says", async () => {
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
