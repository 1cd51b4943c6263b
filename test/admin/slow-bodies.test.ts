import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Client, answerOf, host, type Answer, type Fetch } from "../support/client";
import { admin, client, freshKey, issue, makeForm, ownerCookie } from "../support/service";
import { counted } from "../support/counting";
import { createMember } from "./people";
import { homeDb } from "../support/databases";
import { serve } from "../support/serve";

const throughWorker: Fetch = (request) => exports.default.fetch(request);

/** Sends a request whose body stops after its first bytes, until `finish` sends the remaining ones. */
function sendSlowly(
  method: string,
  path: string,
  body: object | string,
  headers: Record<string, string>,
  fetch = throughWorker,
): { answer: Promise<Answer>; finish: () => Promise<void> } {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  const allHeaders = { "Content-Type": "application/json", Accept: "application/json", ...headers };
  const request = new Request(host + path, { method, headers: allHeaders, body: readable });
  const answer = fetch(request).then(answerOf);
  const firstWrite = writer.write(bytes.slice(0, 10));
  const finish = async () => {
    await firstWrite;
    await writer.write(bytes.slice(10));
    await writer.close();
  };
  // A request that was already rejected reads no more of its body.
  return { answer, finish: () => finish().catch(() => undefined) };
}

const waitForRequest = () => scheduler.wait(100);
const newCredential = {
  kind: "client",
  name: "Back door",
  permissions: ["records:read"],
  resources: "all",
  expires: "never",
};

beforeAll(async () => {
  await ownerCookie();
});

describe("Permission checks after the body has arrived", () => {
  it("return 401 and change nothing when the member is removed during the request", async () => {
    const email = `${freshKey("guest")}@forms.example`;
    const requests = [
      ["/admin/integrations", newCredential],
      ["/admin/members", { email, role: "editor" }],
    ] as const;
    for (const [path, body] of requests) {
      const person = await createMember("admin");
      const { answer, finish } = sendSlowly("POST", path, body, { Cookie: person.cookie });
      await waitForRequest();
      expect((await admin("POST", `/members/${person.id}`, { disabled: "true" })).status).toBe(204);
      await finish();
      expect([path, (await answer).status]).toEqual([path, 401]);
    }
    const { items, invitations } = (await admin("GET", "/members")).body;
    expect(JSON.stringify([items, invitations])).not.toContain(email);
    expect((await admin("GET", "/integrations")).text).not.toContain("Back door");
  });

  it("return 401 and store nothing when the credential is revoked during the request", async () => {
    const form = await makeForm(await client());
    const credential = await issue();
    const path = `/api/v1/forms/${form}/submissions`;
    const headers = { Authorization: `Bearer ${credential.token}` };
    const { answer, finish } = sendSlowly("POST", path, { data: { title: "late" } }, headers);
    await waitForRequest();
    expect((await admin("POST", `/integrations/${credential.id}/revoke`, {})).status).toBe(204);
    await finish();
    expect((await answer).status).toBe(401);
    const { body } = await (await client()).get(`/forms/${form}/submissions`);
    expect(body.items).toEqual([]);
  });

  it("return 401, 403, 404 and 429 before the 413 of the body", async () => {
    const form = await makeForm(await client());
    const path = `/forms/${form}/submissions`;
    const large = JSON.stringify({ data: { title: "x".repeat(1024 * 1024) } });
    const status = async (caller: Client, url: string, headers = {}) =>
      (await caller.send("POST", url, large, headers)).status;
    expect(await status(new Client("efp_unknown"), path)).toBe(401);
    expect(await status(await client({ permissions: ["records:read"] }), path)).toBe(403);
    expect(await status(await client(), "/forms/not_there/submissions")).toBe(404);
    const limitedClient = await client({ requests: 1 });
    expect(await status(limitedClient, path)).toBe(413);
    expect(await status(limitedClient, path)).toBe(429);
    const chunked = sendSlowly("POST", `/api/v1${path}`, large, {
      Authorization: `Bearer ${(await client()).bearer}`,
    });
    await chunked.finish();
    expect((await chunked.answer).status).toBe(413);
  });

  it("return 401 to an invalid bearer without waiting for the body", async () => {
    const form = await makeForm(await client());
    const headers = { Authorization: "Bearer efp_unknown" };
    const { answer, finish } = sendSlowly("POST", `/api/v1/forms/${form}/submissions`, {}, headers);
    expect((await answer).status).toBe(401);
    await finish();
  });
});

describe("A revoked or limited credential", () => {
  const impatient: Fetch = (request) => serve(request, { TIMEOUTS: { slowBodyMs: 20 } });
  const send = (token: string, path = "/api/v1/forms/any/submissions") => {
    const headers = { Authorization: `Bearer ${token}` };
    return sendSlowly("POST", path, `{"data":{}}${" ".repeat(20_000)}`, headers, impatient);
  };

  it.each(["/api/v1/forms/any/submissions", "/mcp"])(
    "gets 401 or 429 at %s without sending its whole body",
    async (path) => {
      const [revoked, limited] = [await issue(), await issue({ requests: 1 })];
      await admin("POST", `/integrations/${revoked.id}/revoke`, {});
      expect((await new Client(limited.token).get("/me")).status).toBe(200);
      // The second request of each is refused by an isolate that knows about the first one.
      for (const status of [401, 401])
        expect((await send(revoked.token, path).answer).status).toBe(status);
      for (const status of [429, 429]) {
        const { headers, ...answer } = await send(limited.token, path).answer;
        expect([answer.status, headers.has("Retry-After")]).toEqual([status, true]);
      }
    },
  );

  it("gets 401 without a query to D1 while it is blocked", async () => {
    const revoked = await issue();
    await admin("POST", `/integrations/${revoked.id}/revoke`, {});
    expect((await send(revoked.token).answer).status).toBe(401);
    const { fetch, counts, reset } = counted();
    reset();
    const caller = new Client(revoked.token).through(fetch);
    expect((await caller.post("/forms/any/submissions", { data: {} })).status).toBe(401);
    expect(counts.d1).toBe(0);
  });
});

describe("A long or slow body of a valid credential", () => {
  it("counts once, and is checked in parallel where the credential is known", async () => {
    const credential = await issue({ requests: 3 });
    const caller = new Client(credential.token);
    const form = await makeForm(await client());
    const body = JSON.stringify({ data: { title: "x" } }) + " ".repeat(100_000);
    for (const remaining of [2, 1, 0]) {
      const created = await caller.send("POST", `/forms/${form}/submissions`, body);
      const quota = created.headers.get("RateLimit");
      expect([created.status, quota]).toEqual([
        201,
        expect.stringContaining(`"default";r=${remaining};`),
      ]);
    }
  });
});

describe("Bodies of callers without a valid session or secret", () => {
  const large = `{"name":"${"x".repeat(17 * 1024)}"}`;
  const random = "A".repeat(65);
  const send = (path: string, body: string, headers: object, bindings: object = {}) =>
    serve(
      new Request(host + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json", ...headers },
        body,
      }),
      bindings,
    );
  const paths = ["/admin/forms", "/admin/sign-in", "/admin/setup", `/admin/join/${random}`];

  it.each(paths)("return 413 at %s when they exceed 16 KB", async (path) => {
    for (const Cookie of ["", `__Host-session=${random}`]) {
      const response = await send(path, large, { Cookie });
      const { detail } = await response.json<{ detail: string }>();
      expect([response.status, detail]).toEqual([413, expect.stringContaining("16384 bytes")]);
    }
    const member = await createMember("editor");
    expect((await send(path, large, { Cookie: member.cookie })).status).not.toBe(413);
  });

  it("return 429 without being read when the network sent too many", async () => {
    const FAILURES = { limit: async () => ({ success: false }) };
    const limited: Fetch = (request) => serve(request, { FAILURES });
    for (const path of [...paths, "/oauth/token"]) {
      const { answer } = sendSlowly("POST", path, large, {}, limited);
      expect([path, (await answer).status]).toEqual([path, 429]);
    }
    const member = await createMember("editor");
    const headers = { Cookie: member.cookie };
    expect((await send("/admin/preferences", "{}", headers, { FAILURES })).status).toBe(200);
  });

  it("make a sign-in page of at most 512 KB, whatever they contain", async () => {
    const headers = {
      Accept: "text/html",
      "Content-Type": "application/x-www-form-urlencoded",
    };
    const response = await send("/admin/forms", "a&".repeat(8 * 1024), headers);
    expect(response.status).toBe(401);
    const page = await response.text();
    expect(page.length).toBeLessThan(512 * 1024);
    expect(page).toContain("Open another tab to sign in");
    const short = await send("/admin/forms", "name=Kept", headers);
    expect(await short.text()).toContain("Sign in to save your changes");
  });
});

describe("A body that does not arrive", () => {
  it("returns 400 after a timeout in the API, the administration and the token endpoint", async () => {
    const shortTimeout: Fetch = (request) => serve(request, { TIMEOUTS: { bodyMs: 100 } });
    const integrator = await client();
    const form = await makeForm(integrator);
    const slowRequests = [
      sendSlowly(
        "POST",
        `/api/v1/forms/${form}/submissions`,
        "{}",
        {
          Authorization: `Bearer ${integrator.bearer}`,
        },
        shortTimeout,
      ),
      sendSlowly(
        "POST",
        "/admin/integrations",
        "{}",
        { Cookie: await ownerCookie() },
        shortTimeout,
      ),
      sendSlowly("POST", "/admin/sign-in", "{}", {}, shortTimeout),
      sendSlowly(
        "POST",
        "/oauth/token",
        "grant_type=x",
        {
          "Content-Type": "application/x-www-form-urlencoded",
        },
        shortTimeout,
      ),
    ];
    for (const { answer } of slowRequests) expect((await answer).status).toBe(400);
  });
});

describe("A member who is removed during a request", () => {
  const requests: [method: string, path: (id: string) => string, body: object][] = [
    ["POST", () => "/integrations", newCredential],
    ["POST", (id) => `/integrations/${id}`, { name: "Renamed" }],
    ["POST", (id) => `/integrations/${id}/rotate`, {}],
    ["POST", (id) => `/integrations/${id}/revoke`, {}],
    ["POST", () => "/members", { email: "late@forms.example", role: "editor" }],
  ];

  it.each(requests)("gets 401 from the batch of %s %s, which stores nothing", async (...row) => {
    const [method, path, body] = row;
    const person = await createMember("admin");
    const { id } = await issue({ name: "Before" });
    const before = await counts();
    const request = new Request(`${host}/admin${path(id)}`, {
      method,
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        Cookie: person.cookie,
      },
      body: JSON.stringify(body),
    });
    const ctx = createExecutionContext();
    const response = await serve(request, { ...env, DB: removingDatabase(person.id) }, ctx);
    await waitOnExecutionContext(ctx);
    expect(response.status).toBe(401);
    expect(await counts()).toEqual(before);
    expect((await admin("GET", `/integrations/${id}`)).body).toMatchObject({
      version: 1,
      name: "Before",
    });
  });

  it("gets 401 when changing another member", async () => {
    const [person, otherMember] = [await createMember("admin"), await createMember("viewer")];
    const request = new Request(`${host}/admin/members/${otherMember.id}`, {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        Cookie: person.cookie,
      },
      body: JSON.stringify({ role: "editor" }),
    });
    const ctx = createExecutionContext();
    const response = await serve(request, { ...env, DB: removingDatabase(person.id) }, ctx);
    await waitOnExecutionContext(ctx);
    expect(response.status).toBe(401);
    expect((await otherMember.send("GET", "/account")).body.role).toBe("viewer");
  });
});

/** A database that removes this member before each batch. */
function removingDatabase(memberId: string): D1Database {
  const remove = "UPDATE member SET disabled_at = 1, version = version + 1 WHERE id = ?";
  return new Proxy(homeDb, {
    get(db, name) {
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          await db.prepare(remove).bind(memberId).run();
          return db.batch(statements);
        };
      }
      const value: unknown = Reflect.get(db, name);
      return typeof value === "function" ? value.bind(db) : value;
    },
  });
}

const counts = () =>
  homeDb
    .prepare(
      `SELECT (SELECT count(*) FROM credential) credentials, (SELECT count(*) FROM invitation) invitations,
      (SELECT count(*) FROM audit_entry) acts`,
    )
    .first();
