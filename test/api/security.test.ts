import { beforeAll, describe, expect, it } from "vitest";
import { api } from "../../src/api";
import { Client } from "../support/client";
import { accessToken } from "../support/oauth";
import { admin, anonymous, client, everything, issue, makeApp, makeForm } from "../support/service";

interface Route {
  method: string;
  /** As the code names it. */
  path: string;
  permission: string | null;
  body?: object;
  /** Whether the path names an app, form or item that a credential may not see. */
  hides: boolean;
}

const fields = [{ key: "title", type: "text" }];
const item = { data: { title: "x" } };

/** Every route of the API; a route that is not here fails the first test. */
const routes: Route[] = [
  { method: "GET", path: "/me", permission: null, hides: false },
  { method: "GET", path: "/apps", permission: null, hides: false },
  { method: "GET", path: "/forms", permission: null, hides: false },
  { method: "GET", path: "/apps/:key", permission: null, hides: true },
  { method: "GET", path: "/forms/:key", permission: null, hides: true },
  { method: "GET", path: "/apps/:key/records", permission: "records:read", hides: true },
  { method: "GET", path: "/apps/:key/records/:id", permission: "records:read", hides: true },
  { method: "GET", path: "/apps/:key/changes", permission: "records:read", hides: true },
  { method: "GET", path: "/forms/:key/changes", permission: "submissions:read", hides: true },
  {
    method: "POST",
    path: "/apps/:key/records",
    permission: "records:create",
    body: item,
    hides: true,
  },
  {
    method: "PATCH",
    path: "/apps/:key/records/:id",
    permission: "records:write",
    body: item,
    hides: true,
  },
  { method: "GET", path: "/apps/:key/schema", permission: "schema:read", hides: true },
  { method: "GET", path: "/apps/:key/openapi.json", permission: "schema:read", hides: true },
  { method: "GET", path: "/forms/:key/openapi.json", permission: "schema:read", hides: true },
  {
    method: "PUT",
    path: "/apps/:key/schema",
    permission: "schema:write",
    body: { fields },
    hides: true,
  },
  { method: "GET", path: "/forms/:key/schema", permission: "schema:read", hides: true },
  {
    method: "PUT",
    path: "/forms/:key/schema",
    permission: "schema:write",
    body: { fields },
    hides: true,
  },
  { method: "GET", path: "/forms/:key/submissions", permission: "submissions:read", hides: true },
  {
    method: "POST",
    path: "/forms/:key/submissions",
    permission: "submissions:create",
    body: item,
    hides: true,
  },
  {
    method: "POST",
    path: "/forms/:key/submissions/validate",
    permission: "submissions:create",
    body: item,
    hides: true,
  },
  {
    method: "POST",
    path: "/forms/:key/submissions/search",
    permission: "submissions:read",
    body: {},
    hides: true,
  },
  {
    method: "POST",
    path: "/apps/:key/records/search",
    permission: "records:read",
    body: {},
    hides: true,
  },
  { method: "GET", path: "/submissions/:id", permission: "submissions:read", hides: true },
  {
    method: "PATCH",
    path: "/submissions/:id",
    permission: "submissions:write",
    body: item,
    hides: true,
  },
  { method: "DELETE", path: "/submissions/:id", permission: "submissions:delete", hides: true },
];

const nameOf = ({ method, path }: Pick<Route, "method" | "path">) => `${method} ${path}`;

describe("Security", () => {
  let keys: { app: string; form: string; record: string; submission: string };
  const bearers: Record<string, string> = {};
  beforeAll(async () => {
    const maker = await client();
    const app = await makeApp(maker, fields);
    const form = await makeForm(maker, fields);
    const record = (await maker.post(`/apps/${app}/records`, item)).body.id;
    const submission = (await maker.post(`/forms/${form}/submissions`, item)).body.id;
    keys = { app, form, record, submission };
    const { token } = await issue();
    const revoked = await issue();
    await admin("POST", `/integrations/${revoked.id}/revoke`, {});
    const expired = await issue({ expires: new Date(Date.now() + 40).toISOString() });
    await new Promise((resolve) => setTimeout(resolve, 60));
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

  const pathOf = ({ path }: Route, at = keys) => {
    const isApp = path.startsWith("/apps");
    return path
      .replace(":key", isApp ? at.app : at.form)
      .replace(":id", isApp ? at.record : at.submission);
  };
  const call = (by: Client, route: Route, at = keys) =>
    by.send(route.method, pathOf(route, at), route.body);

  it("every route of the API stands in this table", () => {
    const mounted = api.routes
      .filter(({ method }) => method !== "ALL")
      .map(nameOf)
      .toSorted();
    expect([...new Set(mounted)]).toEqual(routes.map(nameOf).toSorted());
  });

  it.each(routes.map((route) => [nameOf(route), route] as const))(
    "%s: no credential is 401",
    async (_, route) => {
      const answer = await anonymous(route.method, `/api/v1${pathOf(route)}`, route.body);
      expect([answer.status, answer.body.code]).toEqual([401, "unauthenticated"]);
      expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="edge-forms"');
    },
  );

  it.each(routes.map((route) => [nameOf(route), route] as const))(
    "%s: a bad credential is 401, the same for each kind of bad",
    async (_, route) => {
      const bodies = new Set<string>();
      for (const [kind, bearer] of Object.entries(bearers)) {
        const answer = await call(new Client(bearer), route);
        expect([kind, answer.status]).toEqual([kind, 401]);
        bodies.add(answer.text.replace(/"request_id":"[^"]+"/, ""));
      }
      expect(bodies.size).toBe(1);
    },
  );

  it.each(
    routes.filter((route) => route.permission).map((route) => [nameOf(route), route] as const),
  )("%s: a missing permission is 403 and named, before anything is looked up", async (_, route) => {
    // The permission to write includes that to create.
    const wider = route.permission?.replace(":create", ":write");
    const others = everything.filter((each) => each !== route.permission && each !== wider);
    const lacking = await client({ permissions: others });
    const nowhere = { app: "nowhere", form: "nowhere", record: "rec_x", submission: "sub_x" };
    for (const at of [keys, nowhere]) {
      const answer = await call(lacking, route, at);
      expect([answer.status, answer.body.required_permission]).toEqual([403, route.permission]);
      expect(answer.headers.get("WWW-Authenticate")).toContain(`scope="${route.permission}"`);
    }
  });

  it.each(routes.filter((route) => route.hides).map((route) => [nameOf(route), route] as const))(
    "%s: an invisible resource answers the same 404 as a missing one, byte for byte",
    async (_, route) => {
      const stranger = await client({ resources: ["app:another", "form:another"] });
      const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
      const nowhere = {
        app: "nowhere",
        form: "nowhere",
        record: `rec_${ulid}`,
        submission: `sub_${ulid}`,
      };
      const [hidden, missing] = [await call(stranger, route), await call(stranger, route, nowhere)];
      const bytes = (text: string) => text.replace(/"request_id":"[^"]+"/, "");
      expect([hidden.status, bytes(hidden.text)]).toEqual([404, bytes(missing.text)]);
      const broken = await stranger.send(route.method, pathOf(route), route.body && "{");
      expect(broken.status).toBe(404);
    },
  );

  it.each(routes.map((route) => [nameOf(route), route] as const))(
    "%s: answers carry a request id, security headers and the caching rule",
    async (_, route) => {
      const answer = await call(await client(), route);
      expect([200, 201, 204]).toContain(answer.status);
      expect(answer.headers.get("X-Request-Id")).toMatch(/^[\w-]{20,}$/);
      expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
      expect(answer.headers.get("Cache-Control")).toBe("private, no-cache");
      expect(answer.headers.get("Vary")).toContain("Authorization");
      // POST, PUT, PATCH and DELETE count as writes, except searches and dry runs.
      const writes = route.method !== "GET" && !/\/(search|validate)$/.test(route.path);
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
    expect((await allowed.post(`/forms/${keys.form}/submissions`, "{")).status).toBe(400);
  });

  it("unknown paths are 404 with a credential and 401 without", async () => {
    const allowed = await client();
    for (const path of ["/nothing", "/apps/x/y/z", `/forms/${keys.form}/submissions/`]) {
      const answer = await allowed.get(path);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, "not_found"]);
      expect(answer.headers.has("RateLimit")).toBe(true);
      expect((await anonymous("GET", `/api/v1${path}`)).status).toBe(401);
    }
  });

  it("writing never implies reading, and a create still answers with what it created", async () => {
    const writer = await client({ permissions: ["submissions:write"] });
    const created = await writer.post(`/forms/${keys.form}/submissions`, item);
    expect([created.status, created.body.data]).toEqual([201, { title: "x" }]);
    expect((await writer.get(`/submissions/${created.body.id}`)).status).toBe(403);
  });

  it("a body over 1 MiB is 413, told by its length or found while it is read", async () => {
    const allowed = await client();
    const large = JSON.stringify({ data: { title: "x".repeat(1024 * 1024) } });
    const answer = await allowed.post(`/forms/${keys.form}/submissions`, large);
    expect([answer.status, answer.body.code]).toEqual([413, "too_large"]);
  });

  it("a body of more than 120,000 values is 413, whatever they are; commas within texts are none", async () => {
    const allowed = await client();
    const path = `/forms/${keys.form}/submissions/validate`;
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
    const answer = await allowed.post(`/forms/${keys.form}/submissions`, deep, {
      "Idempotency-Key": "deep",
    });
    expect([answer.status, answer.body.errors[0].code]).toEqual([422, "invalid_type"]);
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
