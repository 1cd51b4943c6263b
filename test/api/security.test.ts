import { beforeAll, describe, expect, it } from "vitest";
import { bytesOf, Client, host } from "../support/client";
import { accessToken } from "../support/oauth";
import { rightRequest, spendAfter } from "../support/right-requests";
import { routes } from "../support/routes";
import { admin, anonymous, client, issue, makeForm } from "../support/service";

const item = { data: { title: "x" } };

/** Every route of the API, as it is mounted; what each one asks of a credential stands in test/rights. */
const ofTheApi = [...routes.keys()].filter((name) => name.includes(" /api/v1/"));

describe("Security", () => {
  let form: string;
  const bearers: Record<string, string> = {};
  beforeAll(async () => {
    form = await makeForm(await client());
    const { token } = await issue();
    const revoked = await issue();
    await admin("POST", `/integrations/${revoked.id}/revoke`, {});
    const end = Date.now() + 1000;
    const expired = await issue({ expires: new Date(end).toISOString() });
    await new Promise((resolve) => setTimeout(resolve, end + 20 - Date.now()));
    const secret = await issue({ kind: "client" });
    const ended = await issue({ kind: "client" });
    bearers["an access token of a revoked client"] = await accessToken(ended);
    await admin("POST", `/integrations/${ended.id}/revoke`, {});
    const access = await accessToken(secret);
    Object.assign(bearers, {
      "random text": "letmein",
      "a token with a mistyped character":
        token.slice(0, -8) + (token.at(-8) === "A" ? "B" : "A") + token.slice(-7),
      "a token of another service": token.replace("efp_", "ghp_"),
      "a revoked token": revoked.token,
      "an expired token": expired.token,
      "a client secret": secret.client_secret,
      "a client id": secret.client_id,
      "an access token with a changed scope": access.replace(/^(efa_.{39})../, "$1ff"),
    });
  });

  // Each route is asked from an address of its own: whoever fails too often from one is braked.
  const call = async (by: Client, name: string) => {
    const { method, path, body } = await rightRequest(name);
    const address = { "CF-Connecting-IP": `192.0.2.${1 + ofTheApi.indexOf(name)}` };
    return by.send(method, host + path, body, address);
  };

  it.each(ofTheApi)("%s: no credential is 401", async (name) => {
    const { method, path, body } = await rightRequest(name);
    const answer = await anonymous(method, path, body);
    expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
    expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="edge-forms"');
  });

  it.each(ofTheApi)("%s: a bad credential is 401, the same for each kind of bad", async (name) => {
    const told = new Set<string>();
    for (const [kind, bearer] of Object.entries(bearers)) {
      const answer = await call(new Client(bearer), name);
      expect([kind, answer.status]).toEqual([kind, 401]);
      told.add(bytesOf(answer));
    }
    expect(told.size).toBe(1);
  });

  it.each(ofTheApi)(
    "%s: answers carry a request id, security headers and the caching rule",
    async (name) => {
      const answer = await call(await client(), name);
      spendAfter(name);
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[\w-]{20,}$/);
      expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(answer.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(answer.headers.get("Vary")).toContain("Authorization");
      // POST, PUT, PATCH and DELETE count as writes, except searches and dry runs.
      const writes = !/^GET |\/(search|validate)$/.test(name);
      expect(answer.headers.get("RateLimit-Policy")).toMatch(
        writes ? /^"default";q=100000;w=60, "write";q=\d+;w=60$/ : /^"default";q=100000;w=60$/,
      );
    },
  );

  it("the order is 401, 429, 403, 404, 400", async () => {
    const lacking = await issue({ permissions: ["records:read"], requests: 1 });
    const hurried = new Client(lacking.token);
    expect((await hurried.post("/forms/nowhere/submissions", "{")).status).toBe(403);
    expect((await hurried.post("/forms/nowhere/submissions", "{")).status).toBe(429);
    expect(
      (await new Client(`${lacking.token}x`).post("/forms/nowhere/submissions", "{")).status,
    ).toBe(401);
    const allowed = await client();
    expect((await allowed.post("/forms/nowhere/submissions", "{")).status).toBe(404);
    expect((await allowed.post(`/forms/${form}/submissions`, "{")).status).toBe(400);
  });

  it("unknown paths are 404 with a credential and 401 without", async () => {
    const allowed = await client();
    for (const path of ["/nothing", "/apps/x/y/z", `/forms/${form}/submissions/`]) {
      const answer = await allowed.get(path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, "not_found"]);
      expect(answer.headers.has("RateLimit")).toBe(true);
      expect((await anonymous("GET", `/api/v1${path}`)).status).toBe(401);
    }
  });

  it("writing never implies reading, and a create still answers with what it created", async () => {
    const writer = await client({ permissions: ["submissions:write"] });
    const created = await writer.post(`/forms/${form}/submissions`, item);
    expect([created.status, created.body.data]).toEqual([201, { title: "x" }]);
    expect((await writer.get(`/submissions/${created.body.id}`)).status).toBe(403);
  });

  it("a body over 1 MiB is 413, told by its length or found while it is read", async () => {
    const allowed = await client();
    const large = JSON.stringify({ data: { title: "x".repeat(1024 * 1024) } });
    const answer = await allowed.post(`/forms/${form}/submissions`, large);
    expect([answer.status, answer.body.code]).toEqual([413, "too_large"]);
  });

  it("a body of more than 120,000 values is 413, whatever they are; commas within texts are none", async () => {
    const allowed = await client();
    const path = `/forms/${form}/submissions/validate`;
    for (const value of ["0", "{}", "[]", '""', "null"]) {
      const answer = await allowed.post(
        path,
        `{"data":{"title":[${`${value},`.repeat(120_000)}0]}}`,
      );
      expect([answer.status, answer.body.code, answer.body.limit]).toEqual([
        413,
        "too_large",
        120_000,
      ]);
    }
    for (const text of ['\\",[{'.repeat(100_000), ",".repeat(500_000)]) {
      const answer = await allowed.post(path, `{"data":{"title":"${text}"}}`);
      expect([answer.status, answer.body.errors[0].code]).toEqual([422, "too_long"]);
    }
  });

  it("JSON nested ten thousand deep is refused and not a fault", async () => {
    const allowed = await client();
    const deep = `{"data":{"title":${"[".repeat(10_000)}${"]".repeat(10_000)}}}`;
    const answer = await allowed.post(`/forms/${form}/submissions`, deep, {
      "Idempotency-Key": "deep",
    });
    expect([answer.status, answer.body.errors[0].code]).toEqual([422, "invalid_type"]);
    const operations = `{"operations":[{"op":${"[".repeat(10_000)}${"]".repeat(10_000)}}]}`;
    const batch = await allowed.post(`/forms/${form}/submissions/batch`, operations, {
      "Idempotency-Key": "deep batch",
    });
    expect(batch.status).toBe(422);
  });

  it("failures to authenticate are limited per address; valid credentials of that address are not", async () => {
    const from = (address: string) => ({ "CF-Connecting-IP": address });
    const allowed = await client();
    const attempts = await Promise.all(
      Array.from({ length: 320 }, () =>
        anonymous("GET", "/api/v1/me", undefined, {
          ...from("203.0.113.9"),
          Authorization: "Bearer x",
        }),
      ),
    );
    const statuses = attempts.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    const limited = attempts.find((answer) => answer.status === 429);
    expect(Number(limited?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await allowed.get("/me", from("203.0.113.9"))).status).toBe(200);
    expect((await anonymous("GET", "/api/v1/me", undefined, from("203.0.113.10"))).status).toBe(
      401,
    );
  });
});
