import { beforeAll, describe, expect, it, vi } from "vitest";
import { bytesOf, Client, host } from "../support/client";
import { announce, pdf, putContent } from "../support/files";
import { accessToken } from "../support/oauth";
import { rightRequest, spendAfter } from "../support/right-requests";
import { routeName, routes } from "../support/routes";
import { admin, anonymous, client, issue, makeForm } from "../support/service";
import { world } from "../support/world";

const item = { data: { title: "x" } };

/** Every mounted route of the API. test/permissions covers the permissions that each one needs. */
const apiRoutes = [...routes.keys()].filter((name) => name.includes(" /api/v1/"));

describe("Security", () => {
  let allowed: Client;
  let form: string;
  const bearers: Record<string, string> = {};
  beforeAll(async () => {
    allowed = await client();
    form = await makeForm(allowed);
    const { token } = await issue();
    const revokedToken = await issue();
    await admin("POST", `/integrations/${revokedToken.id}/revoke`, {});
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
    const expiredToken = await issue({ expires: new Date(Date.now() + 1000).toISOString() });
    vi.useRealTimers();
    const apiClient = await issue({ kind: "client" });
    const revokedClient = await issue({ kind: "client" });
    bearers["an access token of a revoked client"] = await accessToken(revokedClient);
    await admin("POST", `/integrations/${revokedClient.id}/revoke`, {});
    const oauthToken = await accessToken(apiClient);
    Object.assign(bearers, {
      "random text": "letmein",
      "a token with a mistyped character":
        token.slice(0, -8) + (token.at(-8) === "A" ? "B" : "A") + token.slice(-7),
      "a token of another service": token.replace("efp_", "ghp_"),
      "a revoked token": revokedToken.token,
      "an expired token": expiredToken.token,
      "a client secret": apiClient.client_secret,
      "a client id": apiClient.client_id,
      "an access token with a changed scope": oauthToken.replace(/^(efa_.{39})../, "$1ff"),
    });
  });

  // Each route has its own client address, because repeated failures from one address are rate limited.
  const call = async (caller: Client, name: string) => {
    const { method, path, body } = await rightRequest(name);
    const address = { "CF-Connecting-IP": `192.0.2.${1 + apiRoutes.indexOf(name)}` };
    return caller.send(method, host + path, body, address);
  };

  const changesOwnFile = (name: string) =>
    [routeName("deleteFile"), routeName("putFileContent")].includes(name);

  /** Only the credential that announced a file may change it. */
  const changeOwnFile = async (caller: Client, name: string) => {
    const { file } = await world();
    const { id } = await announce(caller, `form:${file.key}`);
    return name === routeName("deleteFile")
      ? caller.delete(`/files/${id}`)
      : putContent(caller, id, pdf());
  };

  it.each(apiRoutes)("%s returns 401 without a credential", async (name) => {
    const { method, path, body } = await rightRequest(name);
    const answer = await anonymous(method, path, body);
    expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
    expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="edge-forms"');
  });

  it.each(apiRoutes)(
    "%s returns the same 401 to every kind of invalid credential",
    async (name) => {
      const bodies = new Set<string>();
      for (const [kind, bearer] of Object.entries(bearers)) {
        const answer = await call(new Client(bearer), name);
        expect([kind, answer.status]).toEqual([kind, 401]);
        bodies.add(bytesOf(answer));
      }
      expect(bodies.size).toBe(1);
    },
  );

  it.each(apiRoutes)(
    "%s returns a request ID, security headers and the caching rule",
    async (name) => {
      const answer = changesOwnFile(name)
        ? await changeOwnFile(allowed, name)
        : await call(allowed, name);
      spendAfter(name);
      expect(answer.status).toBeLessThan(300);
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[\w-]{20,}$/);
      expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      const isContent = name === routeName("getFileContent");
      expect(answer.headers.get("Cache-Control")).toBe(
        isContent ? "private, no-cache, no-transform" : "private, no-cache",
      );
      expect(answer.headers.get("Vary")).toContain("Authorization");
      // POST, PUT, PATCH and DELETE count as writes, except searches, aggregates and dry runs.
      const writes = !/^GET |\/(search|aggregate|validate)$/.test(name);
      expect(answer.headers.get("RateLimit-Policy")).toMatch(
        writes ? /^"default";q=100000;w=60, "write";q=\d+;w=60$/ : /^"default";q=100000;w=60$/,
      );
    },
  );

  it("checks for 401, 429, 403, 404 and 400 in this order", async () => {
    const readToken = await issue({ permissions: ["records:read"], requests: 1 });
    const limitedClient = new Client(readToken.token);
    expect((await limitedClient.post("/forms/nowhere/submissions", "{")).status).toBe(403);
    expect((await limitedClient.post("/forms/nowhere/submissions", "{")).status).toBe(429);
    expect(
      (await new Client(`${readToken.token}x`).post("/forms/nowhere/submissions", "{")).status,
    ).toBe(401);
    expect((await allowed.post("/forms/nowhere/submissions", "{")).status).toBe(404);
    expect((await allowed.post(`/forms/${form}/submissions`, "{")).status).toBe(400);
  });

  it("returns 404 to unknown paths with a credential, and 401 without", async () => {
    for (const path of ["/nothing", "/apps/x/y/z", `/forms/${form}/submissions/`]) {
      const answer = await allowed.get(path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, "not_found"]);
      expect(answer.headers.has("RateLimit")).toBe(true);
      expect((await anonymous("GET", `/api/v1${path}`)).status).toBe(401);
    }
  });

  it("returns the created item to a writer, but 403 when it reads the item", async () => {
    const writer = await client({ permissions: ["submissions:write"] });
    const created = await writer.post(`/forms/${form}/submissions`, item);
    expect([created.status, created.body.data]).toEqual([201, { title: "x" }]);
    expect((await writer.get(`/submissions/${created.body.id}`)).status).toBe(403);
  });

  it("returns 413 to a body over 1 MiB", async () => {
    const large = JSON.stringify({ data: { title: "x".repeat(1024 * 1024) } });
    const answer = await allowed.post(`/forms/${form}/submissions`, large);
    expect([answer.status, answer.body.code]).toEqual([413, "too_large"]);
  });

  it("returns 413 to a body of more than 120,000 values, not counting commas within texts", async () => {
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

  it("returns 422 for JSON nested deeper than 32 levels, and for a definition deeper than 8", async () => {
    const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
    const send = (levels: number) =>
      allowed.post(`/forms/${form}/submissions/validate`, `{"data":{"title":${nested(levels)}}}`);
    const atLimit = await send(30);
    expect(atLimit.body.errors[0]).toMatchObject({ field: "title", code: "invalid_type" });
    const beyond = await send(31);
    expect([beyond.status, beyond.body.errors]).toEqual([
      422,
      [
        {
          field: "",
          pointer: "",
          code: "invalid_type",
          reason: "JSON may be nested at most 32 levels deep.",
        },
      ],
    ]);
    const define = (levels: number) =>
      allowed.put("/forms/nested/schema", `{"name":${nested(levels)},"fields":[]}`);
    expect((await define(7)).body.errors[0]).toMatchObject({ field: "name" });
    expect((await define(8)).body.errors[0]).toMatchObject({
      pointer: "/name/0/0/0/0/0/0/0",
      code: "invalid_definition",
      reason: "A definition may be nested at most 8 levels deep.",
    });
    expect((await define(50_000)).status).toBe(422);
  });

  it("returns 422 to JSON nested 10,000 levels deep", async () => {
    const deepBody = `{"data":{"title":${"[".repeat(10_000)}${"]".repeat(10_000)}}}`;
    const answer = await allowed.post(`/forms/${form}/submissions`, deepBody, {
      "Idempotency-Key": "deep",
    });
    expect([answer.status, answer.body.errors[0].code]).toEqual([422, "invalid_type"]);
    const operations = `{"operations":[{"op":${"[".repeat(10_000)}${"]".repeat(10_000)}}]}`;
    const batch = await allowed.post(`/forms/${form}/submissions/batch`, operations, {
      "Idempotency-Key": "deep batch",
    });
    expect(batch.status).toBe(422);
  });

  it("returns 429 to repeated authentication failures of an address, but not to its valid credentials", async () => {
    const addressHeader = (address: string) => ({ "CF-Connecting-IP": address });
    const attempts = await Promise.all(
      Array.from({ length: 320 }, () =>
        anonymous("GET", "/api/v1/me", undefined, {
          ...addressHeader("203.0.113.9"),
          Authorization: "Bearer x",
        }),
      ),
    );
    const statuses = attempts.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    const limitedResponse = attempts.find((answer) => answer.status === 429);
    expect(Number(limitedResponse?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await allowed.get("/me", addressHeader("203.0.113.9"))).status).toBe(200);
    expect(
      (await anonymous("GET", "/api/v1/me", undefined, addressHeader("203.0.113.10"))).status,
    ).toBe(401);
  });
});
