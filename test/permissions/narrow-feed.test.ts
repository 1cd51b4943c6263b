import { beforeAll, describe, expect, it } from "vitest";
import { dataDb } from "../support/databases";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { servedBetween } from "../support/serve-between";
import { client, makeApp, makeForm } from "../support/service";

/** What a narrow credential can do with the feed of changes, and cannot learn from it. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const day = 24 * 60 * 60 * 1000;
const team = { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] };
const ours = { field: "team", op: "eq", value: "ours" };

/** Adds this many copies of the only change of an item after it. */
const copyChange = (id: string, count: number) =>
  dataDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
      insert into change select number + i, at, actor, action, item, item_id, version, previous,
        fields, former, session, request_id, sent_request_id, views, audit_action
      from change, n where item_id = ?1 and i <= ?2`,
    )
    .bind(id, count)
    .run();

async function follow(fields: object[], keys: string[]) {
  const view = { key: "ours", name: "Ours", conditions: [ours], fields: keys };
  const form = await makeForm(owner, [team, ...fields], { views: [view] });
  const resources = [`form:${form}/ours`];
  const partner = await client({ permissions: ["submissions:read"], resources });
  const create = (name: string) =>
    owner.post(`/forms/${form}/submissions`, { data: { team: name } });
  const age = async (days: number) => {
    const oldest = await dataDb
      .prepare(
        `update change set at = at - ?1 where item in
          (select i.number from item i join collection c on c.id = i.collection_id where c.key = ?2)`,
      )
      .bind(days * day, form)
      .run();
    expect(oldest.meta.changes).toBeGreaterThan(0);
  };
  const redefine = async (changed: object) => {
    const schema = await owner.get(`/forms/${form}/schema`);
    const views = schema.body.views.map((each: object) => ({ ...each, ...changed }));
    const patched = await owner.patch(`/forms/${form}/schema`, { views });
    expect([patched.status, patched.text]).toEqual([200, patched.text]);
  };
  return { form, feed: `/forms/${form}/changes`, partner, create, age, redefine };
}

describe("The changes feed of a narrow credential", () => {
  it("continues through a view of many fields", async () => {
    const fields = Array.from({ length: 60 }, (_, index) => ({ key: `f${index}`, type: "text" }));
    const { feed, partner, create } = await follow(fields, [
      "team",
      ...fields.map(({ key }) => key),
    ]);
    await create("ours");
    const first = await partner.get(feed);
    expect(first.body.items).toHaveLength(1);
    await create("ours");
    const next = await partner.get(first.body.links.next);
    expect([next.status, next.body.items?.length]).toEqual([200, 1]);
  });

  it("does not expire because of hidden changes, but 30 days after it was read", async () => {
    const { feed, partner, create, age } = await follow([], ["team"]);
    await create("ours");
    const { links } = (await partner.get(`${feed}?limit=1`)).body;
    await create("theirs");
    await age(40);
    const next = await partner.get(links.next);
    expect([next.status, next.body.items]).toEqual([200, []]);
  });

  it("expires cursors after the former version of the service wrote the definition, which may have changed the view", async () => {
    const { form, feed, partner, create } = await follow(
      [{ key: "title", type: "text" }],
      ["team", "title"],
    );
    await create("ours");
    const { next } = (await partner.get(feed)).body.links;
    await dataDb
      .prepare("update collection set view_versions = null, revision = revision + 1 where key = ?1")
      .bind(form)
      .run();
    await expect.poll(async () => (await partner.get(next)).status).toBe(410);
    expect((await partner.get(feed)).status).toBe(200);
  });

  it("expires cursors when a view changes, and still when it changes back", async () => {
    const fields = [{ key: "title", type: "text" }];
    const { form, feed, partner, create, redefine } = await follow(fields, ["team", "title"]);
    const { id } = (await create("ours")).body;
    const { links } = (await partner.get(feed)).body;
    await redefine({ conditions: [{ ...ours, value: "theirs" }] });
    await owner.patch(`/submissions/${id}`, { data: { title: "missed" } });
    await create("ours");
    await redefine({ conditions: [ours] });
    expect((await partner.get(links.next)).status).toBe(410);
    // The changes of the time between are missing, so the feed starts after them.
    const begun = await partner.get(feed);
    expect([begun.status, begun.body.items]).toEqual([200, []]);
    await create("ours");
    expect((await partner.get(begun.body.links.next)).body.items).toHaveLength(1);
    const { next } = (await partner.get(feed)).body.links;
    for (const keys of [["team"], ["team", "title"]]) await redefine({ fields: keys });
    expect((await partner.get(next)).status).toBe(410);
    expect((await partner.get(feed)).body.items).toHaveLength(1);
    expect((await owner.get(`/forms/${form}/changes`)).body.items).toHaveLength(3);
  });

  it("keeps cursors when a view gets another name or its fields get other keys", async () => {
    const { form, feed, partner, create, redefine } = await follow([], ["team"]);
    await create("ours");
    const { next } = (await partner.get(feed)).body.links;
    await redefine({ name: "Another name" });
    const renamed = { ...team, key: "group", renamed_from: "team" };
    const put = await owner.put(`/forms/${form}/schema`, { fields: [renamed] });
    expect([put.status, put.text]).toEqual([200, put.text]);
    await owner.post(`/forms/${form}/submissions`, { data: { group: "ours" } });
    const page = await partner.get(next);
    expect([page.status, page.body.items.length]).toEqual([200, 1]);
  });

  it.each([
    ["the first page is read", 1],
    ["a further page of the scan is read", 2],
  ])(
    "shows nothing that was written after the view hid its field, just before %s",
    async (_, page) => {
      const salary = { key: "salary", type: "text" };
      const { form, feed, partner, redefine, create } = await follow([salary], ["team", "salary"]);
      const operations = Array.from({ length: 100 }, () => ({
        op: "create",
        data: { team: "theirs" },
      }));
      for (let left = 300; left > 0; left -= 100)
        await owner.post(`/forms/${form}/submissions/batch`, { operations });
      const { id } = (await create("ours")).body;
      const hide = async () => {
        await redefine({ fields: ["team"] });
        const { status } = await owner.patch(`/submissions/${id}`, { data: { salary: "SECRET" } });
        expect(status).toBe(200);
      };
      const readsFeed = /instr\(c\.views/;
      const { status, text, body } = await partner
        .through(servedBetween(readsFeed, hide, page))
        .get(feed);
      expect([status, text.includes("SECRET")]).toEqual([200, false]);
      expect(body.items).toMatchObject([{ id, item: { data: { team: "ours" } } }]);
    },
  );

  it("does not end early because of hidden changes, however large their items are", async () => {
    const fields = ["a", "b", "c"].map((key) => ({ key, type: "text", max_length: 100_000 }));
    const { form, feed, partner, create } = await follow(fields, ["team"]);
    const text = "語".repeat(100_000);
    const data = { team: "theirs", a: text, b: text, c: text };
    const hidden = (await owner.post(`/forms/${form}/submissions`, { data })).body;
    await copyChange(hidden.id, 400);
    await create("ours");
    expect((await partner.get(feed)).body.items).toHaveLength(1);
  });

  it("searches at most 40 MB of marks for a page, and continues on the next page", async () => {
    const { feed, partner, create } = await follow([], ["team"]);
    const hidden = (await create("theirs")).body;
    await dataDb
      .prepare("update change set views = ?2 where item_id = ?1")
      .bind(hidden.id, JSON.stringify(["x".repeat(20_000)]))
      .run();
    await copyChange(hidden.id, 3000);
    await create("ours");
    const { fetch, counts, reset } = counted();
    const reader = partner.through(fetch);
    const lengths = [];
    for (let path = feed; lengths.at(-1) !== 1;) {
      reset();
      const { body } = await reader.get(path);
      lengths.push(body.items.length);
      // Reads of 200 and of 1,000 changes.
      expect(counts.d1).toBeLessThanOrEqual(3);
      path = body.links.next;
    }
    expect(lengths).toEqual([0, 0, 1]);
  });

  it("has the same pages however many hidden changes come between", async () => {
    const pagesWith = async (hiddenCount: number): Promise<number[]> => {
      const { form, feed, partner, create } = await follow([], ["team"]);
      await create("ours");
      const hidden = (await create("theirs")).body;
      await copyChange(hidden.id, hiddenCount - 1);
      for (const name of ["ours", "theirs", "ours", "ours", "theirs"]) await create(name);
      const lengths = [];
      let path = `${feed}?limit=2`;
      for (let page = 0; page < 4; page += 1) {
        const { body } = await partner.get(path);
        lengths.push(body.items.length);
        path = body.links.next;
      }
      expect(
        (await owner.get(`/forms/${form}/changes?all=true`)).body.items.length,
      ).toBeGreaterThan(6);
      return lengths;
    };
    for (const count of [1, 2, 199, 1001, 3000])
      expect([count, await pagesWith(count)]).toEqual([count, [2, 2, 0, 0]]);
  });

  it.each([
    [{ field: "$receipt_number", op: "starts_with", value: "vip" }],
    [{ field: "$created_at", op: "gt", value: "2020-01-01T00:00:00Z" }],
    [{ field: "$updated_at", op: "gt", value: "2020-01-01T00:00:00Z" }],
    [{ not: { field: "$receipt_number", op: "eq", value: "VIP-000001" } }],
    [
      {
        any: [
          { field: "$receipt_number", op: "eq", value: "VIP-000002" },
          { field: "$created_by", op: "eq", value: "$me" },
        ],
      },
    ],
  ])("has creates that %j decides, alone and in batches", async (condition) => {
    const app = await makeApp(owner, [{ key: "code", type: "text", unique: true }], {
      receipt_prefix: "VIP-",
      views: [{ key: "vip", name: "V", conditions: [condition] }],
    });
    const items = `/apps/${app}/records`;
    const resources = [`app:${app}/vip`];
    const partner = await client({ permissions: ["records:read", "records:write"], resources });
    await owner.post(items, { data: { code: "1" } });
    const operations = [
      { op: "upsert", by: "code", data: { code: "2" } },
      { op: "create", data: { code: "3" } },
      { op: "upsert", by: "code", data: { code: "2" } },
    ];
    expect((await owner.post(`${items}/batch`, { operations })).status).toBe(200);
    const own = await partner.post(`${items}/batch`, {
      operations: ["4", "5"].map((code) => ({ op: "create", data: { code } })),
    });
    const seen = (await partner.get(items)).body.items.map(({ id }: { id: string }) => id);
    expect(seen.length).toBeGreaterThan(own.status === 200 ? 2 : 0);
    const changes = (await partner.get(`/apps/${app}/changes`)).body.items;
    expect(changes.map(({ id, type }: Json) => [id, type])).toEqual(
      seen.map((id: string) => [id, "created"]),
    );
  });
});
