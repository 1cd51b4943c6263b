import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { sweep } from "../../src/actions/sweep.ts";
import { catchUp } from "../../src/actions/backfill.ts";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { admin, client, makeApp, makeForm } from "../support/service";

const day = 24 * 60 * 60 * 1000;
const fields = [
  { key: "title", type: "text" },
  { key: "amount", type: "number" },
  { key: "double", type: "computed", formula: "amount * 2", result: "number" },
];

let integrator: Client;
beforeAll(async () => {
  integrator = await client();
});

/** Follows the feed from here to its present end. */
async function follow(from: string, by = integrator): Promise<{ items: Json[]; next: string }> {
  const items: Json[] = [];
  let next = from;
  for (;;) {
    const { status, body } = await by.get(next);
    expect(status).toBe(200);
    items.push(...body.items);
    next = body.links.next.split("/api/v1")[1];
    if (body.items.length === 0) return { items, next };
  }
}

describe("The changes feed", () => {
  it("tells what happened in the order of commit, with the item as it is now, and goes on from its end", async () => {
    const form = await makeForm(integrator, fields);
    const list = `/forms/${form}/submissions`;
    const first = await integrator.post(list, { data: { title: "a", amount: 1 } });
    const second = await integrator.post(list, { data: { title: "b" } });
    await integrator.patch(`/submissions/${first.body.id}`, { data: { amount: 5 } });
    await integrator.delete(`/submissions/${second.body.id}`);
    const { items, next } = await follow(`/forms/${form}/changes?all=true`);
    const { body: me } = await integrator.get("/me");
    expect(
      items.map(({ id, type, version, etag, by, fields: keys }: Json) => [
        id,
        type,
        version,
        etag,
        by,
        keys,
      ]),
    ).toEqual([
      [first.body.id, "created", 1, '"1"', me.actor, ["title", "amount", "double", "$status"]],
      [second.body.id, "created", 1, '"1"', me.actor, ["title", "$status"]],
      [first.body.id, "updated", 2, '"2"', me.actor, ["amount", "double"]],
      [second.body.id, "deleted", 1, '"1"', me.actor, []],
    ]);
    const { body: now } = await integrator.get(`/submissions/${first.body.id}`);
    expect(items[0].item).toEqual(now);
    expect(items[1]).not.toHaveProperty("item");
    expect(items[3]).not.toHaveProperty("item");
    await integrator.patch(`/submissions/${first.body.id}`, { status: "closed" });
    const more = await follow(next);
    expect(more.items.map(({ type, fields: keys }: Json) => [type, keys])).toEqual([
      ["updated", ["$status"]],
    ]);
  });

  it("changes of one item that lie on one page are told as one: with the last version, and the fields of all", async () => {
    const app = await makeApp(integrator, fields);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    const { body: other } = await integrator.post(`/apps/${app}/records`, { data: { title: "b" } });
    await integrator.patch(`/apps/${app}/records/${body.id}`, { data: { amount: 5 } });
    const { items } = await follow(`/apps/${app}/changes`);
    expect(
      items.map(({ id, type, version, fields: keys }: Json) => [id, type, version, keys]),
    ).toEqual([
      [other.id, "created", 1, ["title"]],
      [body.id, "created", 2, ["title", "amount", "double"]],
    ]);
    const pages = await follow(`/apps/${app}/changes?limit=1`);
    expect(pages.items.map(({ type }: Json) => type)).toEqual(["created", "created", "updated"]);
  });

  it("`cursor=now` begins at the end, also of a collection in which nothing happened yet", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.get(`/forms/${form}/changes?cursor=now`);
    expect(body).toMatchObject({ items: [], schema_version: 1 });
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    expect((await follow(body.links.next.split("/api/v1")[1])).items).toHaveLength(1);
    const again = await integrator.get(`/forms/${form}/changes?cursor=now`);
    expect(again.body.items).toEqual([]);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "b" } });
    expect((await follow(again.body.links.next.split("/api/v1")[1])).items).toHaveLength(1);
  });

  it("needs the permission to read, and knows its own parameters alone", async () => {
    const form = await makeForm(integrator, fields);
    const writer = await client({ permissions: ["submissions:write", "records:read"] });
    expect((await writer.get(`/forms/${form}/changes`)).body.required_permission).toBe(
      "submissions:read",
    );
    const elsewhere = await client({ resources: ["form:elsewhere"] });
    expect((await elsewhere.get(`/forms/${form}/changes`)).status).toBe(404);
    for (const [query, code] of [
      ["all=yes", "not_an_option"],
      ["limit=201", "out_of_range"],
      ["cursor=xyz", "invalid_cursor"],
      ["since=1", "unknown_parameter"],
    ]) {
      const { status, body } = await integrator.get(`/forms/${form}/changes?${query}`);
      expect([status, body.errors[0].code]).toEqual([422, code]);
    }
    const unclear = await integrator.get(`/forms/${form}/changes?all=yes`);
    expect(unclear.body.errors[0].reason).toBe('Must be one of "true", "false".');
    const other = await makeForm(integrator, fields);
    const { body } = await integrator.get(`/forms/${other}/changes?cursor=now`);
    const cursor = new URL(body.links.next).search;
    expect((await integrator.get(`/forms/${form}/changes${cursor}`)).body.errors[0].code).toBe(
      "invalid_cursor",
    );
  });

  it("every write of every surface is there exactly once: the feed alone makes an equal copy", async () => {
    const form = await makeForm(integrator, fields);
    const list = `/forms/${form}/submissions`;
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, at) =>
        integrator.post(list, { data: { title: `t${at}`, amount: at } }),
      ),
    );
    const ids = made.map(({ body }) => body.id);
    await Promise.all([
      ...ids.slice(0, 10).map((id) => integrator.delete(`/submissions/${id}`)),
      ...ids
        .slice(5, 25)
        .map((id, at) => integrator.patch(`/submissions/${id}`, { data: { amount: at } })),
      ...ids
        .slice(5, 25)
        .map((id, at) => integrator.patch(`/submissions/${id}`, { data: { title: `u${at}` } })),
      ...ids
        .slice(20)
        .map((id) => admin("POST", `/forms/${form}/items/${id}`, { data: { title: "area" } })),
    ]);
    const tripled = fields.with(2, { ...fields[2], formula: "amount * 3" } as (typeof fields)[2]);
    await integrator.put(`/forms/${form}/schema`, { fields: tripled });
    await catchUp(env.DB);
    const copy = new Map<string, Json>();
    const versions = new Map<string, number>();
    for (const entry of (await follow(`/forms/${form}/changes?all=true&limit=7`)).items) {
      const version = entry.type === "deleted" ? entry.version : (versions.get(entry.id) ?? 0) + 1;
      expect([entry.id, entry.version]).toEqual([entry.id, version]);
      versions.set(entry.id, entry.version);
      if (entry.type === "deleted") copy.delete(entry.id);
      else if (entry.item) copy.set(entry.id, entry.item);
    }
    const { body } = await integrator.get(`${list}?limit=200`);
    expect([...copy.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      body.items.toSorted((a: Json, b: Json) => (a.id < b.id ? -1 : 1)),
    );
  });

  it("a recalculation is told as the service's own change", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a", amount: 2 } });
    const { next } = await follow(`/forms/${form}/changes`);
    const tripled = fields.with(2, { ...fields[2], formula: "amount * 3" } as (typeof fields)[2]);
    await integrator.put(`/forms/${form}/schema`, { fields: tripled });
    await catchUp(env.DB);
    const { items } = await follow(next);
    expect(items).toMatchObject([
      {
        type: "updated",
        by: "system",
        version: 2,
        fields: ["double"],
        item: { data: { double: 6 } },
      },
    ]);
  });

  it("what came behind a cursor more than 30 days ago is 410; without a cursor the last 30 days are told", async () => {
    const form = await makeForm(integrator, fields);
    const list = `/forms/${form}/submissions`;
    const start = await integrator.get(`/forms/${form}/changes?cursor=now`);
    for (let at = 0; at < 20; at += 1) await integrator.post(list, { data: { title: `t${at}` } });
    await env.DB.prepare(
      `UPDATE change SET at = ?1 + number % 1000 WHERE item IN (SELECT i.number FROM item i JOIN collection c
        ON c.id = i.collection_id WHERE c.key = ?2 ORDER BY i.number LIMIT 15)`,
    )
      .bind(Date.now() - 31 * day, form)
      .run();
    const late = await integrator.get(start.body.links.next.split("/api/v1")[1]);
    expect([late.status, late.body.code]).toEqual([410, "changes_expired"]);
    const { items } = await follow(`/forms/${form}/changes?limit=2`);
    expect(items.map(({ item }: Json) => item.data.title)).toEqual([
      "t15",
      "t16",
      "t17",
      "t18",
      "t19",
    ]);
  });

  it("a page costs its own rows, at 10 changes and at 10,000", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    const { fetch, counts, reset } = counted();
    const by = integrator.through(fetch);
    const readAt = async (changes: number) => {
      await env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
          INSERT INTO change SELECT c.number + n.i, c.at + n.i, c.actor, 'submission.update', c.item, c.item_id, 1 + n.i,
            c.number + n.i - 1, '[]', null, null, 'r', null
          FROM (SELECT * FROM change WHERE item_id IN (SELECT i.id FROM item i JOIN collection k
            ON k.id = i.collection_id WHERE k.key = ?2) ORDER BY number DESC LIMIT 1) c, n`,
      )
        .bind(changes, form)
        .run();
      reset();
      expect((await by.get(`/forms/${form}/changes?limit=5&all=true`)).body.items).toHaveLength(5);
      return { d1: counts.d1, rows: counts.rowsRead };
    };
    const [few, many] = [await readAt(10), await readAt(10_000)];
    expect(few.rows).toBeLessThan(90);
    expect(many.rows).toBeLessThan(140);
  });
});

describe("What a change remembers", () => {
  const former = async (form: string) => {
    const { results } = await env.DB.prepare(
      `SELECT version, former FROM change WHERE number / 4294967296 = (SELECT id FROM collection WHERE key = ?) ORDER BY number`,
    )
      .bind(form)
      .all<{ version: number; former: string | null }>();
    return results.map(({ version, former: values }) => [version, values && JSON.parse(values)]);
  };

  it("holds the former values of the fields that changed, and of no others", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, {
      data: { title: "a", amount: 1 },
    });
    await integrator.patch(`/submissions/${body.id}`, { data: { title: "b" } });
    await integrator.patch(`/submissions/${body.id}`, {
      data: { title: null, amount: 3 },
      status: "closed",
    });
    expect(await former(form)).toEqual([
      [1, null],
      [2, { 1: "a" }],
      [3, { 0: "submitted", 1: "b", 2: 1, 3: 2 }],
    ]);
  });

  it("a deletion erases the former values of its item, of however many changes", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { amount: 0 } });
    for (let at = 1; at < 260; at += 1)
      await integrator.patch(`/submissions/${body.id}`, { data: { amount: at } });
    await integrator.delete(`/submissions/${body.id}`);
    expect((await former(form)).filter(([, values]) => values !== null)).toHaveLength(59);
    await sweep(env.DB, Date.now());
    expect((await former(form)).filter(([, values]) => values !== null)).toHaveLength(0);
    expect(await former(form)).toHaveLength(261);
  });

  it("is kept for `history_days`, a year where nothing is said; the last change of a collection stays", async () => {
    const form = await makeForm(integrator, fields, { history_days: 40 });
    expect((await integrator.get(`/forms/${form}/schema`)).body.history_days).toBe(40);
    const other = await makeForm(integrator, fields);
    expect((await integrator.get(`/forms/${other}/schema`)).body.history_days).toBe(365);
    for (const days of [29, 3651, 1.5, "40"]) {
      const { status, body } = await integrator.put(`/forms/${form}/schema`, {
        fields,
        history_days: days,
      });
      expect([status, body.errors?.[0]?.field]).toEqual([422, "history_days"]);
    }
    for (const key of [form, other]) {
      for (let at = 0; at < 3; at += 1)
        await integrator.post(`/forms/${key}/submissions`, { data: { amount: at } });
      await env.DB.prepare(
        `UPDATE change SET at = at - ?1 WHERE number / 4294967296 = (SELECT id FROM collection WHERE key = ?2)`,
      )
        .bind(41 * day, key)
        .run();
    }
    await sweep(env.DB, Date.now());
    expect([(await former(form)).length, (await former(other)).length]).toEqual([1, 3]);
    const { body } = await integrator.get(`/forms/${form}/changes`);
    expect(body.items).toEqual([]);
  });
});
