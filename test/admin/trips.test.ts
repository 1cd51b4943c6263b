import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { app as service } from "../../src/app.ts";
import { Client, host } from "../support/client";
import { counted } from "../support/counting";
import { ofTheArea, routeOf, rowsOf } from "../rights/tables";
import { rightRequest } from "../support/right-requests";
import { account, admin, anonymous, issue, ownerCookie } from "../support/service";
import { world } from "../support/world";

/** Every GET of the area: the table of rights names each route. */
const gets = [
  ...new Set(
    rowsOf(ofTheArea)
      .map(({ act = "" }) => routeOf(act))
      .filter((route) => route.startsWith("GET ")),
  ),
];

/** What is no page, but a file. */
const files = gets.filter((route) => /\/(export|openapi\.json)$/.test(route));

const ofItems = ["?q=x", "?f.nowhere.eq=1", "?sort=amount&direction=desc", "?cursor=wrong"];

/** What else pages are asked for. */
const queries: Record<string, string[]> = {
  "GET /admin/integrations": ["?state=all", "?state=revoked"],
  "GET /admin/integrations/:id": ["?status=refused", "?find=purchase"],
  "GET /admin/audit": ["?actor=owner", "?subject=nothing"],
  "GET /admin/apps": ["?new"],
  "GET /admin/forms": ["?new"],
  "GET /admin/apps/:key/items": ofItems,
  "GET /admin/forms/:key/items": ofItems,
  "GET /admin/apps/:key/items/:id": ["?edit"],
  "GET /admin/forms/:key/items/:id": ["?edit"],
};

/** However many credentials, members, entries and items there are. */
describe("A page asks one object at most, and the database twice", () => {
  const { fetch, counts, reset } = counted();
  let cookie = "";
  let called = "";
  let record = "";
  beforeAll(async () => {
    cookie = await ownerCookie();
    const { app, form } = await world();
    record = `/admin/apps/${app.key}/items/${app.receipt}`;
    // They have a history, and a log to show.
    for (const path of [`/apps/${app.key}/items/${app.id}`, `/forms/${form.key}/items/${form.id}`])
      await admin("POST", path, { version: 1, data: { title: "B" } });
    for (let each = 0; each < 5; each += 1) await issue();
    const { id, token } = await issue();
    await new Client(token).get("/me");
    await env.DB.prepare("update credential set last_used_at = 1 where id = ?").bind(id).run();
    called = id;
    await admin("POST", "/members", { email: "guest@forms.example", role: "viewer" });
  });

  async function ask(path: string) {
    const headers = { Cookie: cookie, Accept: "text/html" };
    reset();
    const response = await fetch(new Request(host + path, { headers }));
    await response.text();
    const type = response.headers.get("Content-Type")?.split(";")[0];
    return { status: response.status, type, d1: counts.d1, object: counts.object };
  }

  it.each(gets.filter((route) => !files.includes(route)))("%s", async (route) => {
    const place = route.includes("/integrations/:id") ? { id: called } : {};
    const { path } = await rightRequest(route, place);
    for (const query of ["", ...(queries[route] ?? [])]) {
      const { status, type, d1, object } = await ask(path + query);
      const wrong = /nowhere|wrong/.test(query) ? 422 : 200;
      expect([path + query, status, type]).toEqual([path + query, wrong, "text/html"]);
      expect([path + query, Math.max(d1, 2), Math.max(object, 1)]).toEqual([path + query, 2, 1]);
    }
  });

  it("the page of a record by its receipt number", async () => {
    expect((await admin("GET", record.slice("/admin".length))).body.history.items).toHaveLength(2);
    expect(await ask(record)).toMatchObject({ status: 200, d1: 2, object: 0 });
  });

  it("what a credential's object has to tell is among it", async () => {
    expect(await ask(`/admin/integrations/${called}`)).toMatchObject({ d1: 2, object: 1 });
  });

  it.each(["submissions:create", "submissions:read", "records:read"])(
    "the page of a new secret, whose first call is an example of %s",
    async (permission) => {
      const sent = { kind: "token", name: "New", permissions: permission, resources: "all" };
      const made = await fetch(
        new Request(`${host}/admin/integrations`, {
          method: "POST",
          headers: { Cookie: cookie, Accept: "text/html", Origin: host },
          body: new URLSearchParams({ ...sent, expires: "30d" }),
        }),
      );
      const handed = made.headers.get("Set-Cookie")?.split(";")[0] ?? "";
      reset();
      const headers = { Cookie: `${cookie}; ${handed}`, Accept: "text/html" };
      const address = new URL(made.headers.get("Location") ?? "", host);
      const page = await (await fetch(new Request(address, { headers }))).text();
      expect(page).toContain(
        permission.startsWith("records") ? "/records?limit=5" : "/submissions",
      );
      expect(counts).toMatchObject({ d1: 2, object: 0 });
    },
  );

  /** The session is told only once something else was asked for, or where nothing is, after a while. */
  async function withSlowSession(path: string) {
    const way = { asked: 0 };
    const slow = (statement: D1PreparedStatement): D1PreparedStatement =>
      new Proxy(statement, {
        get: (target, name) => {
          const method: unknown = Reflect.get(target, name);
          if (typeof method !== "function") return method;
          if (name === "bind") return (...values: unknown[]) => slow(target.bind(...values));
          return async (...values: unknown[]) => {
            const until = Date.now() + 400;
            while (way.asked === 0 && Date.now() < until) await scheduler.wait(1);
            return method.apply(target, values);
          };
        },
      });
    const DB = new Proxy(env.DB, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        if (name !== "prepare") return method.bind(target);
        return (sql: string) => {
          const statement = target.prepare(sql);
          if (/from "session"/.test(sql)) return slow(statement);
          way.asked += 1;
          return statement;
        };
      },
    });
    const headers = { Cookie: cookie, Accept: "text/html" };
    const ctx = createExecutionContext();
    const request = new Request(host + path, { headers });
    const response = await service.fetch(request, { ...env, DB }, ctx);
    const text = await response.text();
    await waitOnExecutionContext(ctx);
    return { status: response.status, text, asked: way.asked };
  }

  it("a list is asked for beside the session, so that one whose conditions are weighed first waits twice", async () => {
    const { form } = await world();
    const path = `/admin/forms/${form.key}/items?f.amount.gte=1&f.title.contains=abc`;
    expect(await ask(path)).toMatchObject({ status: 200, d1: 3 });
    const started = Date.now();
    expect(await withSlowSession(path)).toMatchObject({ status: 200 });
    expect(Date.now() - started).toBeLessThan(400);
  });

  it("nothing of it is shown, or asked for again, once the session holds no more", async () => {
    const { form } = await world();
    const path = `/admin/forms/${form.key}/items`;
    const before = cookie;
    const signedIn = await anonymous("POST", "/admin/sign-in", account);
    cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    expect(await ask(path)).toMatchObject({ status: 200 });
    await env.DB.prepare(
      "update session set expires_at = 0 where created_at = (select max(created_at) from session)",
    ).run();
    const [first, second] = [await withSlowSession(path), await withSlowSession(path)];
    cookie = before;
    expect([first.status, first.text, second.status, second.asked]).toEqual([303, "", 303, 0]);
  });
});
