import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { answerOf, root, type Client, type Fetch, type Json } from "../support/client";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { dataDb } from "../support/databases";
import { client, makeApp, makeForm } from "../support/service";

/** The costs of measuring items in which most fields, or every other field, are hidden from a narrow credential. */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

/** The check of responses against the OpenAPI document cannot read a document of so many fields. */
const post = async (
  { bearer }: Client,
  path: string,
  body: unknown,
  fetch: Fetch = (request) => exports.default.fetch(request),
) => {
  const headers = { Authorization: `Bearer ${bearer}`, "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return answerOf(await fetch(new Request(root + path, init)));
};

const manyOf = (length: number) =>
  Array.from({ length }, (_, index) => ({
    key: `h${index}`,
    type: "number",
    searchable: false,
  }));
const fieldsOf = (count: number) => [
  { key: "title", type: "text" },
  { key: "n", type: "number" },
  { key: "team", type: "text" },
  ...manyOf(count),
];
const view = {
  key: "v",
  name: "V",
  conditions: [{ field: "team", op: "eq", value: "ours" }],
  fields: ["title", "n", "team"],
};

async function make(count: number, { conditions = view.conditions, shown = view.fields } = {}) {
  const views = [{ ...view, conditions, fields: shown }];
  const form = await makeForm(owner, fieldsOf(count), { views });
  const path = `/forms/${form}/submissions`;
  const answer = await post(owner, path, { data: { title: "t", n: 1, team: "ours" } });
  expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
  const resources = [`form:${form}/v`];
  const partner = await client({ permissions: ["submissions:read"], resources });
  return { path, partner, id: answer.body.id as string };
}

/** Gives the item a value in every hidden field, and copies it with its index entries. */
async function fillAndCopy(id: string, count: number, copies: number): Promise<void> {
  const hidden = Object.fromEntries(manyOf(count).map((_, index) => [index + 4, 1]));
  await dataDb.batch([
    dataDb
      .prepare("update item set data = json_patch(data, ?2) where id = ?1")
      .bind(id, JSON.stringify(hidden)),
    dataDb
      .prepare(
        `update tally set largest = (select octet_length(data) from item where id = ?1)
          where collection_id = (select collection_id from item where id = ?1)`,
      )
      .bind(id),
  ]);
  await copyItem(id, copies);
  await dataDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
      insert into search_entry select e.field, e.value, e.item + n.i, e.folded
      from item cross join search_entry e on e.item = item.number, n where item.id = ?1`,
    )
    .bind(id, copies)
    .run();
}

const none = [{ field: "title", op: "contains", value: "zzz" }];

describe("Through a view that hides many fields", () => {
  it.each<[string, number, number, Json]>([
    ["a page of 200 items", 1900, 250, { limit: 200 }],
    ["a search without matches", 400, 4000, { conditions: none }],
    ["a sorted search without matches", 400, 4000, { conditions: none, sort: [{ field: "n" }] }],
  ])("%s takes a few seconds at most", async (_, count, copies, body) => {
    const { path, partner, id } = await make(count);
    await fillAndCopy(id, count, copies);
    const start = performance.now();
    expect((await post(partner, `${path}/search`, body)).status).toBe(200);
    expect(performance.now() - start).toBeLessThan(6000);
  });

  it("a search takes a few seconds at most if every other field is visible", async () => {
    const visible = manyOf(400).filter((_, index) => index % 2 === 0);
    const shown = [...view.fields, ...visible.map(({ key }) => key)];
    const { path, partner, id } = await make(400, { shown });
    await fillAndCopy(id, 400, 4000);
    const start = performance.now();
    const sort = [{ field: "n" }];
    const answer = await post(partner, `${path}/search`, { conditions: none, sort });
    expect(answer.status).toBe(200);
    expect(performance.now() - start).toBeLessThan(6000);
  });

  it("a search sorted by two keys reads each value of the 50 items that it examines twice", async () => {
    const shown = [...view.fields, ...manyOf(400).map(({ key }) => key)];
    const { path, partner, id } = await make(400, { shown });
    await fillAndCopy(id, 400, 99);
    const { fetch, counts } = counted();
    const sort = [{ field: "n" }, { field: "title" }];
    const answer = await post(partner, `${path}/search`, { conditions: none, sort }, fetch);
    expect(answer.status).toBe(200);
    expect(counts.rowsRead).toBeLessThan(2.5 * 400 * 50);
  });

  const texts = Array.from({ length: 47 }, (_, index) => `ours${index}`.padEnd(70, "x"));
  const costly = [
    { any: [...texts, "ours"].map((value) => ({ field: "team", op: "contains", value })) },
  ];
  const sorted = { conditions: none, sort: [{ field: "n" }] };
  it.each<[string, number, Json[], number, Json]>([
    // More than a search sorts in memory.
    ["a sorted search, with cheap conditions,", 1900, view.conditions, 1100, sorted],
    ["a sorted search, with costly conditions,", 300, costly, 0, sorted],
    ["a page, with costly conditions,", 800, costly, 0, {}],
  ])("%s gets an answer", async (_, count, conditions, copies, body) => {
    const { path, partner, id } = await make(count, { conditions });
    await fillAndCopy(id, 0, copies);
    expect((await post(partner, `${path}/search`, body)).status).toBe(200);
  });
});

describe("A page that expands references to records with 1,900 fields", () => {
  it("takes a few seconds at most, and includes the values that the owner sees", async () => {
    const copies = 59;
    const special = [
      { key: "yes", type: "boolean" },
      { key: "no", type: "boolean" },
      { key: "tags", type: "multi_select", options: [{ value: "a" }, { value: "b" }] },
      { key: "rows", type: "line_items", fields: [{ key: "done", type: "boolean" }] },
    ];
    const fields = [...special, ...fieldsOf(1900)];
    const views = [{ key: "v", name: "V", fields: fields.map(({ key }) => key) }];
    const app = await makeApp(owner, [...fields, { key: "secret", type: "text" }], { views });
    const form = await makeForm(owner, [{ key: "record", type: "reference", app }]);
    const path = `/forms/${form}/submissions`;
    const data = {
      yes: true,
      no: false,
      tags: ["b", "a"],
      rows: [{ done: true }, { done: false }],
      title: 'a"\\\n語',
      ...Object.fromEntries(manyOf(1900).map(({ key }, index) => [key, (index * 0.1 + 0.2) / 3])),
    };
    const record = await post(owner, `/apps/${app}/records`, { data: { ...data, secret: "s" } });
    expect([record.status, record.text.slice(0, 300)]).toEqual([201, expect.anything()]);
    await copyItem(record.body.id, copies);
    const item = await post(owner, path, { data: { record: record.body.id } });
    await copyItem(item.body.id, copies);
    await dataDb
      .prepare(
        `update item set data = replace(data, ?2, ?2 || 'Z' || substr(id, length(?1) + 2)) where id like ?1 || 'Z%'`,
      )
      .bind(item.body.id, record.body.id)
      .run();
    const partner = await client({
      permissions: ["submissions:read", "records:read"],
      resources: [`form:${form}`, `app:${app}/v`],
    });
    const start = performance.now();
    const answer = await post(partner, `${path}/search`, { expand: ["record"], limit: copies + 1 });
    expect(performance.now() - start).toBeLessThan(10_000);
    expect([answer.status, Object.keys(answer.body.included).length]).toEqual([200, copies + 1]);
    expect(answer.body.included[record.body.id].data).toMatchObject(data);
  });
});
