import { beforeAll, describe, expect, it } from "vitest";
import { sweepStorage } from "../../src/schedule.ts";
import { runBackfill } from "../../src/actions/backfill.ts";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { admin, client, makeApp, makeForm } from "../support/service";
import { as, newMember } from "../support/members";
import { dataDb } from "../support/databases";
import { background } from "../support/serve";

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

/** Follows the feed from this link to its current end. */
async function follow(
  start: string,
  caller = integrator,
): Promise<{ items: Json[]; next: string }> {
  const items: Json[] = [];
  let next = start;
  for (;;) {
    const { status, body } = await caller.get(next);
    expect(status).toBe(200);
    items.push(...body.items);
    next = body.links.next.split("/api/v1")[1];
    if (body.items.length === 0) return { items, next };
  }
}

describe("The changes feed", () => {
  it("returns changes in commit order with the current item, and continues from its last link", async () => {
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
    const { body: current } = await integrator.get(`/submissions/${first.body.id}`);
    expect(items[0].item).toEqual(current);
    expect(items[1]).not.toHaveProperty("item");
    expect(items[3]).not.toHaveProperty("item");
    await integrator.patch(`/submissions/${first.body.id}`, { status: "closed" });
    const later = await follow(next);
    expect(later.items.map(({ type, fields: keys }: Json) => [type, keys])).toEqual([
      ["updated", ["$status"]],
    ]);
  });

  it("lists no fields for an item that was created and deleted on one page", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    await integrator.patch(`/submissions/${body.id}`, { data: { title: "b" } });
    await integrator.delete(`/submissions/${body.id}`);
    const { items } = await follow(`/forms/${form}/changes`);
    expect(items).toMatchObject([{ id: body.id, type: "deleted", version: 2, fields: [] }]);
  });

  it("merges the changes of one item on a page into one, with the last version and all changed fields", async () => {
    const app = await makeApp(integrator, fields);
    const { body } = await integrator.post(`/apps/${app}/records`, { data: { title: "a" } });
    const { body: secondItem } = await integrator.post(`/apps/${app}/records`, {
      data: { title: "b" },
    });
    await integrator.patch(`/apps/${app}/records/${body.id}`, { data: { amount: 5 } });
    const { items } = await follow(`/apps/${app}/changes`);
    expect(
      items.map(({ id, type, version, fields: keys }: Json) => [id, type, version, keys]),
    ).toEqual([
      [secondItem.id, "created", 1, ["title"]],
      [body.id, "created", 2, ["title", "amount", "double"]],
    ]);
    const pages = await follow(`/apps/${app}/changes?limit=1`);
    expect(pages.items.map(({ type }: Json) => type)).toEqual(["created", "created", "updated"]);
  });

  it("starts at the end with `cursor=now`, even in an empty collection", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.get(`/forms/${form}/changes?cursor=now`);
    expect(body).toMatchObject({ items: [], schema_version: 1 });
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    expect((await follow(body.links.next.split("/api/v1")[1])).items).toHaveLength(1);
    const nextStart = await integrator.get(`/forms/${form}/changes?cursor=now`);
    expect(nextStart.body.items).toEqual([]);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "b" } });
    expect((await follow(nextStart.body.links.next.split("/api/v1")[1])).items).toHaveLength(1);
  });

  it("returns 403 without read permission, 404 out of scope, and 422 to invalid parameters", async () => {
    const form = await makeForm(integrator, fields);
    const writer = await client({ permissions: ["submissions:write", "records:read"] });
    expect((await writer.get(`/forms/${form}/changes`)).body.required_permission).toBe(
      "submissions:read",
    );
    const outsider = await client({ resources: ["form:elsewhere"] });
    expect((await outsider.get(`/forms/${form}/changes`)).status).toBe(404);
    for (const [query, code] of [
      ["all=yes", "not_an_option"],
      ["limit=201", "out_of_range"],
      ["cursor=xyz", "invalid_cursor"],
      ["since=1", "unknown_parameter"],
    ]) {
      const { status, body } = await integrator.get(`/forms/${form}/changes?${query}`);
      expect([status, body.errors[0].code]).toEqual([422, code]);
    }
    const rejection = await integrator.get(`/forms/${form}/changes?all=yes`);
    expect(rejection.body.errors[0].reason).toBe('Must be one of "true", "false".');
    const otherForm = await makeForm(integrator, fields);
    const { body } = await integrator.get(`/forms/${otherForm}/changes?cursor=now`);
    const cursor = new URL(body.links.next).search;
    expect((await integrator.get(`/forms/${form}/changes${cursor}`)).body.errors[0].code).toBe(
      "invalid_cursor",
    );
  });

  it("contains every write exactly once, so that a client can build an equal copy from it", async () => {
    const form = await makeForm(integrator, fields);
    const list = `/forms/${form}/submissions`;
    const created = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        integrator.post(list, { data: { title: `t${index}`, amount: index } }),
      ),
    );
    const ids = created.map(({ body }) => body.id);
    await Promise.all([
      ...ids.slice(0, 10).map((id) => integrator.delete(`/submissions/${id}`)),
      ...ids
        .slice(5, 25)
        .map((id, index) => integrator.patch(`/submissions/${id}`, { data: { amount: index } })),
      ...ids
        .slice(5, 25)
        .map((id, index) =>
          integrator.patch(`/submissions/${id}`, { data: { title: `u${index}` } }),
        ),
      ...ids
        .slice(20)
        .map((id) => admin("POST", `/forms/${form}/items/${id}`, { data: { title: "area" } })),
    ]);
    const tripledFields = fields.with(2, {
      ...fields[2],
      formula: "amount * 3",
    } as (typeof fields)[2]);
    await integrator.put(`/forms/${form}/schema`, { fields: tripledFields });
    await runBackfill(background());
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

  it("names `system` as the actor of a recalculation", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a", amount: 2 } });
    const { next } = await follow(`/forms/${form}/changes`);
    const tripledFields = fields.with(2, {
      ...fields[2],
      formula: "amount * 3",
    } as (typeof fields)[2]);
    await integrator.put(`/forms/${form}/schema`, { fields: tripledFields });
    await runBackfill(background());
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

  it("returns 410 to a cursor more than 30 days old, and the last 30 days without a cursor", async () => {
    const form = await makeForm(integrator, fields);
    const list = `/forms/${form}/submissions`;
    const start = await integrator.get(`/forms/${form}/changes?cursor=now`);
    for (let index = 0; index < 20; index += 1)
      await integrator.post(list, { data: { title: `t${index}` } });
    await dataDb
      .prepare(
        `UPDATE change SET at = ?1 + number % 1000 WHERE item IN (SELECT i.number FROM item i JOIN collection c
        ON c.id = i.collection_id WHERE c.key = ?2 ORDER BY i.number LIMIT 15)`,
      )
      .bind(Date.now() - 31 * day, form)
      .run();
    const expiredPage = await integrator.get(start.body.links.next.split("/api/v1")[1]);
    expect([expiredPage.status, expiredPage.body.code]).toEqual([410, "changes_expired"]);
    const { items } = await follow(`/forms/${form}/changes?limit=2`);
    expect(items.map(({ item }: Json) => item.data.title)).toEqual([
      "t15",
      "t16",
      "t17",
      "t18",
      "t19",
    ]);
  });

  it("reads as few rows per page with 10,000 changes as with 10", async () => {
    const form = await makeForm(integrator, fields);
    await integrator.post(`/forms/${form}/submissions`, { data: { title: "a" } });
    const { fetch, counts, reset } = counted();
    const caller = integrator.through(fetch);
    const readAt = async (changes: number) => {
      await dataDb
        .prepare(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
          INSERT INTO change SELECT c.number + n.i, c.at + n.i, c.actor, 'submission.update', c.item, c.item_id, 1 + n.i,
            c.number + n.i - 1, '[]', null, null, 'r', null, null, null
          FROM (SELECT * FROM change WHERE item_id IN (SELECT i.id FROM item i JOIN collection k
            ON k.id = i.collection_id WHERE k.key = ?2) ORDER BY number DESC LIMIT 1) c, n`,
        )
        .bind(changes, form)
        .run();
      reset();
      expect((await caller.get(`/forms/${form}/changes?limit=5&all=true`)).body.items).toHaveLength(
        5,
      );
      return { d1: counts.d1, rows: counts.rowsRead };
    };
    const [atTen, atTenThousand] = [await readAt(10), await readAt(10_000)];
    expect(atTen.rows).toBeLessThan(90);
    expect(atTenThousand.rows).toBeLessThan(140);
  });
});

describe("Former values", () => {
  const former = async (form: string) => {
    const { results } = await dataDb
      .prepare(
        `SELECT version, former FROM change WHERE number / 4294967296 = (SELECT id FROM collection WHERE key = ?) ORDER BY number`,
      )
      .bind(form)
      .all<{ version: number; former: string | null }>();
    return results.map(({ version, former: values }) => [version, values && JSON.parse(values)]);
  };

  /** Repeats the last change of an item, which is also the last one of its collection. */
  const copyLastChange = (id: string, count: number) =>
    dataDb.batch([
      dataDb
        .prepare(
          `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
          INSERT INTO change (number, at, actor, action, item, item_id, version, previous, fields, former, request_id)
          SELECT c.number + i, c.at, c.actor, c.action, c.item, c.item_id, c.version + i, c.number + i - 1, c.fields,
            c.former, c.request_id
          FROM change c, n WHERE c.number = (SELECT last_change FROM item WHERE id = ?1)`,
        )
        .bind(id, count),
      dataDb
        .prepare(
          "UPDATE item SET version = version + ?2, last_change = last_change + ?2 WHERE id = ?1",
        )
        .bind(id, count),
    ]);

  const backdate = (key: string, days: number) =>
    dataDb
      .prepare(
        `UPDATE change SET at = at - ?1 WHERE number / 4294967296 = (SELECT id FROM collection WHERE key = ?2)`,
      )
      .bind(days * day, key)
      .run();

  it("return 422 or 403 to callers who shorten `history_days`, unless they are owners", async () => {
    const form = await makeForm(integrator, fields);
    const path = `/forms/${form}/schema`;
    const put = async (days: number) => {
      const { status, body } = await integrator.put(path, { fields, history_days: days });
      return [status, body.errors?.[0]?.pointer, body.errors?.[0]?.code];
    };
    expect((await put(400))[0]).toBe(200);
    expect(await put(365)).toEqual([422, "/history_days", "invalid_definition"]);
    const json = { fields, history_days: 60, schema_version: 2 };
    const page = `/forms/${form}/json`;
    for (const role of ["admin", "editor"] as const) {
      const { status, body } = await as((await newMember(role)).cookie)("POST", page, json);
      expect([status, body.required_ability]).toEqual([403, "owners"]);
    }
    expect((await integrator.get(path)).body.history_days).toBe(400);
    expect((await as((await newMember("owner")).cookie)("POST", page, json)).status).toBe(200);
    expect((await integrator.get(path)).body.history_days).toBe(60);
  });

  it("are stored only for the fields that changed", async () => {
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

  it("are erased when the item is deleted, however many changes it has", async () => {
    const form = await makeForm(integrator, fields);
    const { body } = await integrator.post(`/forms/${form}/submissions`, { data: { amount: 0 } });
    await integrator.patch(`/submissions/${body.id}`, { data: { amount: 1 } });
    await copyLastChange(body.id, 258);
    await integrator.delete(`/submissions/${body.id}`);
    expect((await former(form)).filter(([, values]) => values !== null)).toHaveLength(59);
    await sweepStorage(background(), Date.now());
    expect((await former(form)).filter(([, values]) => values !== null)).toHaveLength(0);
    expect(await former(form)).toHaveLength(261);
  });

  it("expire after `history_days`, by default 365, and the changes themselves after a year, except the last one", async () => {
    const form = await makeForm(integrator, fields, { history_days: 40 });
    expect((await integrator.get(`/forms/${form}/schema`)).body.history_days).toBe(40);
    const otherForm = await makeForm(integrator, fields);
    expect((await integrator.get(`/forms/${otherForm}/schema`)).body.history_days).toBe(365);
    for (const days of [29, 3651, 1.5, "40"]) {
      const { status, body } = await integrator.put(`/forms/${form}/schema`, {
        fields,
        history_days: days,
      });
      expect([status, body.errors?.[0]?.field]).toEqual([422, "history_days"]);
    }
    for (const key of [form, otherForm]) {
      const { body } = await integrator.post(`/forms/${key}/submissions`, { data: { amount: 0 } });
      for (const amount of [1, 2])
        await integrator.patch(`/submissions/${body.id}`, { data: { amount } });
      await backdate(key, 41);
      await integrator.patch(`/submissions/${body.id}`, { data: { amount: 3 } });
    }
    await sweepStorage(background(), Date.now());
    const known = async (key: string) => (await former(key)).map(([, values]) => values !== null);
    expect(await known(form)).toEqual([false, false, false, true]);
    expect(await known(otherForm)).toEqual([false, true, true, true]);
    // Shortening erases on the next run, also behind what was erased before.
    for (const days of [30, 330]) {
      await backdate(form, days);
      await sweepStorage(background(), Date.now());
    }
    expect(await known(form)).toEqual([false]);
    expect(await known(otherForm)).toEqual([false, true, true, true]);
    await backdate(form, 40);
    const { body } = await integrator.get(`/forms/${form}/changes`);
    expect(body.items).toEqual([]);
  });
});
