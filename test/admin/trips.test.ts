import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Client, host } from "../support/client";
import { counted } from "../support/counting";
import { ofTheArea, routeOf, rowsOf } from "../rights/tables";
import { rightRequest } from "../support/right-requests";
import { admin, issue, ownerCookie } from "../support/service";
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

  it("but for a search with conditions to choose between, which are weighed first", async () => {
    const { form } = await world();
    const weighed = "?f.amount.gte=1&f.title.contains=abc";
    const { status, d1 } = await ask(`/admin/forms/${form.key}/items${weighed}`);
    expect([status, d1]).toEqual([200, 3]);
  });
});
