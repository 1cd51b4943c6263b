import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../support/client";
import { dataDb, homeDb, placeCollections, withEveryDb } from "../support/databases";
import { issueEditorToken } from "../support/members";
import { reportsAtOnce, serve } from "../support/serve";
import { adminRequest, client, issue, makeForm } from "../support/service";
import { createWebhook, Receiver } from "../webhooks/receiver";

const html = { Accept: "text/html" };

/** Opens a page. Measures its size, and the results of its queries. */
async function open(path: string, headers: Record<string, string> = html) {
  const cost = { bytes: 0, rows: 0, calls: 0 };
  const measured = (db: D1Database): D1Database =>
    new Proxy(db, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== "batch") return typeof value === "function" ? value.bind(target) : value;
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements);
          cost.calls += 1;
          for (const { results: rows, meta } of results) {
            cost.bytes += JSON.stringify(rows).length;
            cost.rows += meta.rows_read;
          }
          return results;
        };
      },
    });
  const ctx = createExecutionContext();
  const bindings = withEveryDb({ ...env, TIMEOUTS: reportsAtOnce }, measured);
  const response = await serve(await adminRequest("GET", path, undefined, headers), bindings, ctx);
  const text = await response.text();
  await waitOnExecutionContext(ctx);
  return { status: response.status, text, length: text.length, ...cost };
}

const copies = 100;

/** Copies a form many times, with other keys. */
async function copyForm(key: string) {
  await dataDb
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
      insert into collection (id, kind, key, version, revision, name, description, time_zone,
        receipt_prefix, state, fields, fields_version, created_at, updated_at, views)
      select (select max(id) from collection) + i, kind, key || '-' || i, version, revision,
        name || i, description, time_zone, receipt_prefix, state, fields, fields_version,
        created_at, updated_at, views
      from n, collection where key = ?1`,
    )
    .bind(key, copies)
    .run();
  await placeCollections();
}

const viewsOf = (count: number, conditions: (view: number) => object[]) =>
  Array.from({ length: count }, (_, view) => ({
    key: `v${view}`,
    name: `${view}`.padEnd(200, "&"),
    conditions: conditions(view),
  }));
const label = "&".repeat(200);
const fields = [{ key: "text", label, type: "multiline_text", max_length: 100_000 }];
/** About as long as the views of a definition may be. HTML needs five characters for each “&”. */
const longViews = viewsOf(50, (view) => [
  {
    any: Array.from({ length: view === 7 ? 25 : 9 }, (_, index) => ({
      field: "text",
      op: "contains",
      value: `${view}-${index}-`.padEnd(500, "&"),
    })),
  },
]);
const shortViews = viewsOf(50, () => [{ field: "text", op: "is_empty", value: true }]);

describe.each([
  ["long", longViews],
  ["many", shortViews],
])("With %s views in each of 100 forms", (_, views) => {
  let form: string;
  let credential: string;
  let paths: string[];
  beforeAll(async () => {
    const owner = await client();
    form = await makeForm(await issueEditorToken(), fields, { views, name: label.slice(0, 190) });
    await copyForm(form);
    const resources = Array.from({ length: 20 }, (__, index) => `form:${form}-${index + 1}/v7`);
    credential = (await issue({ permissions: ["submissions:read"], resources })).id;
    const { id: hook } = await createWebhook(owner, new Receiver(), { collections: resources });
    paths = [
      "/integrations/new",
      `/integrations/${credential}/access`,
      `/integrations/${credential}`,
      `/integrations/${credential}/secrets`,
      "/webhooks/new",
      `/webhooks/${hook}/settings`,
      `/webhooks/${hook}`,
      "/forms?new",
    ];
  });

  it("the pages of credentials and webhooks read and send a few megabytes at most", async () => {
    for (const path of paths) {
      const page = await open(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect([path, Math.max(page.length, 2_000_000)]).toEqual([path, 2_000_000]);
      expect([path, Math.max(page.bytes, 2_500_000)]).toEqual([path, 2_500_000]);
      expect([path, Math.max(page.rows, 10_000)]).toEqual([path, 10_000]);
    }
  });

  it("a page links to the list of the views that it omits", async () => {
    const place = `form:${form}-90`;
    for (const path of ["/integrations/new", `/integrations/${credential}/access`]) {
      const first = await open(path);
      expect(first.text).toContain("Not all views fit on this page.");
      expect(first.text).not.toContain(`value="${place}/v49"`);
      const link = `/admin${path}?${new URLSearchParams({ views: place }).toString()}`;
      expect(first.text).toContain(`href="${link}"`);
      const listed = await open(link.slice("/admin".length));
      expect(listed.text).toContain(`value="${place}/v49"`);
      expect(listed.text).not.toContain(`href="${link}"`);
      expect(listed.length).toBeLessThan(2_000_000);
    }
    const { text } = await open("/integrations/new", {});
    const { access_to: choices }: Json = JSON.parse(text);
    const { views: known, more_views: hasMore } = choices.find(
      ({ key }: Json) => key === `${form}-90`,
    );
    expect([known, hasMore]).toEqual([[], true]);
  });

  it("the page of a credential describes its own views", async () => {
    const { text } = await open(`/integrations/${credential}`);
    expect(text).toContain(`(view “${views[7]?.name.replaceAll("&", "&amp;")}”)`);
    const access = await open(`/integrations/${credential}/access`);
    const own = access.text.match(/name="resources" value="[^"]*\/v7" checked/g);
    expect(own).toHaveLength(20);
  });

  it("a credential keeps views that are too long to describe when its page is saved", async () => {
    const resources = Array.from({ length: copies }, (__, index) => `form:${form}-${index + 1}/v7`);
    await homeDb
      .prepare("update credential set resources = ? where id = ?")
      .bind(JSON.stringify(resources), credential)
      .run();
    const { text, bytes } = await open(`/integrations/${credential}/access`);
    expect(bytes).toBeLessThan(2_000_000);
    const checked = [...text.matchAll(/name="resources" value="([^"]*)" checked/g)];
    expect(checked.map(([, name]) => name).toSorted()).toEqual(resources.toSorted());
    expect(text.includes("This view is too long to describe here.")).toBe(views === longViews);
  });
});
