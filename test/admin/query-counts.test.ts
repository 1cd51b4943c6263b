import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Client, host } from "../support/client";
import { counted } from "../support/counting";
import { ofTheArea, routeOf, rowsOf } from "../permissions/tables";
import { rightRequest } from "../support/right-requests";
import { account, admin, anonymous, issue, ownerCookie } from "../support/service";
import { world } from "../support/world";
import { homeDb, withEveryDb, databases } from "../support/databases";
import { serve } from "../support/serve";

/** Every GET route of the administration. The table of rights names each one. */
const getRoutes = [
  ...new Set(
    rowsOf(ofTheArea)
      .map(({ act = "" }) => routeOf(act))
      .filter((route) => route.startsWith("GET ")),
  ),
];

/** The routes that return files instead of pages. */
const fileRoutes = getRoutes.filter((route) => /\/(export|openapi\.json|content)$/.test(route));

const itemQueries = ["?q=x", "?f.nowhere.eq=1", "?sort=amount&direction=desc", "?cursor=wrong"];

/** More queries for some pages. */
const queries: Record<string, string[]> = {
  "GET /admin/integrations": ["?state=all", "?state=revoked"],
  "GET /admin/integrations/:id": ["?status=refused", "?find=purchase"],
  "GET /admin/audit": ["?actor=owner", "?subject=nothing"],
  "GET /admin/search": ["?q=orders", "?q=ORD-000001"],
  "GET /admin/apps": ["?new"],
  "GET /admin/forms": ["?new"],
  "GET /admin/apps/:key/items": itemQueries,
  "GET /admin/forms/:key/items": itemQueries,
  "GET /admin/apps/:key/items/:id": ["?edit"],
  "GET /admin/forms/:key/items/:id": ["?edit"],
};

/** The session and one read. With a data database, a read of the home database and one of each database. */
const maxD1Calls = databases.singleDatabase ? 2 : 4;
const onePageCalls = databases.singleDatabase ? 2 : 3;

/** The numbers are independent of the number of credentials, members, entries and items. */
describe("Pages that cost at most one object call and two D1 calls", () => {
  const { fetch, counts, reset } = counted();
  let cookie = "";
  let credentialId = "";
  let recordPath = "";
  beforeAll(async () => {
    cookie = await ownerCookie();
    const { app, form } = await world();
    recordPath = `/admin/apps/${app.key}/items/${app.receipt}`;
    // Gives both items a history and the credential a log.
    for (const path of [`/apps/${app.key}/items/${app.id}`, `/forms/${form.key}/items/${form.id}`])
      await admin("POST", path, { version: 1, data: { title: "B" } });
    for (let count = 0; count < 5; count += 1) await issue();
    const { id, token } = await issue();
    await new Client(token).get("/me");
    await homeDb.prepare("update credential set last_used_at = 1 where id = ?").bind(id).run();
    credentialId = id;
    await admin("POST", "/members", { email: "guest@forms.example", role: "viewer" });
  });

  async function measure(path: string) {
    const headers = { Cookie: cookie, Accept: "text/html" };
    reset();
    const response = await fetch(new Request(host + path, { headers }));
    await response.text();
    const type = response.headers.get("Content-Type")?.split(";")[0];
    return { status: response.status, type, d1: counts.d1, object: counts.object };
  }

  it.each(getRoutes.filter((route) => !fileRoutes.includes(route)))("%s", async (route) => {
    const parameters = route.includes("/integrations/:id") ? { id: credentialId } : {};
    const { path } = await rightRequest(route, parameters);
    for (const query of ["", ...(queries[route] ?? [])]) {
      const { status, type, d1, object } = await measure(path + query);
      const expected = route === "GET /admin/setup" ? 404 : /nowhere|wrong/.test(query) ? 422 : 200;
      expect([path + query, status, type]).toEqual([path + query, expected, "text/html"]);
      // These pages also read the changes or items that they have found, or the names of those who made changes.
      const isTwoReads = databases.singleDatabase
        ? /^GET \/admin\/(?:audit|people\/:id)$/.test(route)
        : /^GET \/admin\/(?:audit|people\/:id|\w+\/:key\/changes)$/.test(route);
      const maxCalls = isTwoReads ? maxD1Calls + 1 : maxD1Calls;
      expect([path + query, Math.max(d1, maxCalls), Math.max(object, 1)]).toEqual([
        path + query,
        maxCalls,
        1,
      ]);
    }
  });

  it("include the page of a record by its receipt number", async () => {
    expect((await admin("GET", recordPath.slice("/admin".length))).body.history.items).toHaveLength(
      2,
    );
    expect(await measure(recordPath)).toMatchObject({ status: 200, d1: onePageCalls, object: 0 });
  });

  it("include the page of a credential with the calls from its object", async () => {
    expect(await measure(`/admin/integrations/${credentialId}`)).toMatchObject({
      // With a data database, the credential determines what to read of each app and form.
      d1: maxD1Calls,
      object: 1,
    });
  });

  it.each(["/admin", "/admin/integrations"])(
    "include %s, which also asks the object of each credential that was used lately",
    async (path) => {
      const ids = [];
      for (let count = 0; count < 3; count += 1) {
        const { id, token } = await issue();
        await new Client(token).get("/me");
        ids.push(id);
      }
      await homeDb.prepare("update credential set last_used_at = 1 where last_used_at > 1").run();
      const setLastUse = homeDb.prepare("update credential set last_used_at = ? where id = ?");
      for (const [lastUsedAt, objects] of [
        [Date.now(), 3],
        [Date.now() - 3 * 3_600_000, 0],
      ] as const) {
        await homeDb.batch(ids.map((id) => setLastUse.bind(lastUsedAt, id)));
        expect(await measure(path)).toMatchObject({ status: 200, object: objects });
      }
    },
  );

  it.each(["submissions:create", "submissions:read", "records:read"])(
    "include the page of a new secret, with an example call for %s",
    async (permission) => {
      const values = { kind: "token", name: "New", permissions: permission, resources: "all" };
      const created = await fetch(
        new Request(`${host}/admin/integrations`, {
          method: "POST",
          headers: { Cookie: cookie, Accept: "text/html", Origin: host },
          body: new URLSearchParams({ ...values, expires: "30d" }),
        }),
      );
      const secretCookie = created.headers.get("Set-Cookie")?.split(";")[0] ?? "";
      reset();
      const headers = { Cookie: `${cookie}; ${secretCookie}`, Accept: "text/html" };
      const address = new URL(created.headers.get("Location") ?? "", host);
      const page = await (await fetch(new Request(address, { headers }))).text();
      expect(page).toContain(
        permission.startsWith("records") ? "/records?limit=5" : "/submissions",
      );
      expect(counts).toMatchObject({ d1: maxD1Calls, object: 0 });
    },
  );

  /** Delays the session query until the page sends another query, or for a second. */
  async function measureWithSlowSession(path: string) {
    const database = { queries: 0, isParallel: false };
    const slowStatement = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== "function") return method;
          if (name === "bind")
            return (...values: unknown[]) => slowStatement(target.bind(...values));
          return async (...values: unknown[]) => {
            const deadline = Date.now() + 1000;
            while (database.queries === 0 && Date.now() < deadline) await scheduler.wait(1);
            database.isParallel = database.queries > 0;
            return method.apply(target, values);
          };
        },
      });
    const countQueries = (db: D1Database) =>
      new Proxy(db, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== "function") return method;
          if (name !== "prepare") return method.bind(target);
          return (sql: string) => {
            const statement = target.prepare(sql);
            if (/from "session"/.test(sql)) return slowStatement(statement);
            database.queries += 1;
            return statement;
          };
        },
      });
    const headers = { Cookie: cookie, Accept: "text/html" };
    const ctx = createExecutionContext();
    const request = new Request(host + path, { headers });
    const response = await serve(request, withEveryDb(env, countQueries), ctx);
    const text = await response.text();
    await waitOnExecutionContext(ctx);
    return { status: response.status, text, ...database };
  }

  it("load a list in parallel with the session", async () => {
    const { form } = await world();
    const path = `/admin/forms/${form.key}/items?f.amount.gte=1&f.title.contains=abc`;
    expect(await measure(path)).toMatchObject({ status: 200, d1: 3 });
    expect(await measureWithSlowSession(path)).toMatchObject({ status: 200, isParallel: true });
  });

  it("return 303 without content or further queries after the session has expired", async () => {
    const { form } = await world();
    const path = `/admin/forms/${form.key}/items`;
    const previousCookie = cookie;
    const signInResponse = await anonymous("POST", "/admin/sign-in", account);
    cookie = signInResponse.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(await measure(path)).toMatchObject({ status: 200 });
    await homeDb
      .prepare(
        "update session set expires_at = 0 where created_at = (select max(created_at) from session)",
      )
      .run();
    const [first, second] = [
      await measureWithSlowSession(path),
      await measureWithSlowSession(path),
    ];
    cookie = previousCookie;
    expect([first.status, first.text, second.status, second.queries]).toEqual([303, "", 303, 0]);
  });
});
