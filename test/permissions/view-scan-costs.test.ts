import { beforeAll, describe, expect, it } from "vitest";
import { lazy } from "../../src/domain/lazy.ts";
import type { Client, Json } from "../support/client";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { dataDb } from "../support/databases";
import { client, makeForm } from "../support/service";

/**
 * The conditions of a view may be expensive, and its items large. A request through the view evaluates it only on the
 * items that the budget of a page covers. Each condition looks up a row, so the rows show how many items it evaluated.
 */

const conditionCount = 47;
/** A page covers 4 items. Its statement finds the end of this budget, and then examines the items before it. */
const maxRows = 16 * conditionCount;
/** A search that continues covers 21 items with each statement, and reads the index entries of all items. */
const maxDeepRows = 80 * conditionCount;
/** An aggregate covers about 100 items. */
const maxAggregateRows = 120 * conditionCount;

const view = {
  key: "v",
  name: "V",
  conditions: [
    {
      any: Array.from({ length: conditionCount }, (_, index) => ({
        field: "text",
        op: "contains",
        value: `zq${index}`,
      })),
    },
  ],
};

const fields = [
  { key: "n", type: "number" },
  { key: "team", type: "text" },
  { key: "text", type: "multiline_text", max_length: 100_000 },
];

let owner: Client;
beforeAll(async () => {
  owner = await client();
});
const { fetch, counts, reset } = counted();

/** A form with an item of the view, this many hidden ones, and another item of the view. */
async function makeItems(copies: number) {
  const form = await makeForm(owner, fields, { views: [view] });
  const path = `/forms/${form}/submissions`;
  const create = async (text: string): Promise<string> => {
    const data = { n: 1, team: "ours", text };
    return (await owner.post(path, { data })).body.id;
  };
  const first = await create("zq46");
  await copyWithEntries(await create("語 ".repeat(20_000)), copies);
  const last = await create("zq46");
  return { path, partner: await makePartner(form, last), shown: [first, last] };
}

/** Makes this many items of one. The index has the entries of each. */
async function copyWithEntries(id: string, count: number): Promise<void> {
  await copyItem(id, count - 1);
  await dataDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
      insert into search_entry select e.field, e.value, e.item + n.i, e.folded
      from item cross join search_entry e on e.item = item.number, n where item.id = ?1`,
    )
    .bind(id, count - 1)
    .run();
}

async function makePartner(form: string, id: string): Promise<Client> {
  const resources = [`form:${form}/v`];
  const partner = await client({ permissions: ["submissions:read"], resources });
  const reader = partner.through(fetch);
  // The isolate caches the definition.
  await reader.get(`/submissions/${id}`);
  return reader;
}

async function send(request: () => ReturnType<Client["get"]>) {
  reset();
  const answer = await request();
  return { answer, rows: counts.rowsRead, statements: counts.d1 };
}

const byTeam = [{ field: "team", op: "eq", value: "ours" }];

describe("A view with expensive conditions, for a credential that sees few of many large items,", () => {
  it.each<[string, Json]>([
    ["", {}],
    [" in stored order", { sort: [{ field: "$created_at", direction: "asc" }] }],
  ])("is evaluated on few items for a page%s, and the pages lack no item", async (_, search) => {
    const { path, partner, shown } = await makeItems(24);
    const ids: string[] = [];
    let pages = 0;
    for (let next: string | null = `${path}/search`; next !== null; pages += 1) {
      const url = next;
      const { answer, rows } = await send(() => partner.post(url, search));
      expect(answer.status).toBe(200);
      expect(rows).toBeLessThanOrEqual(maxRows);
      ids.push(...answer.body.items.map(({ id }: { id: string }) => id));
      ({ next } = answer.body.links);
    }
    expect(ids.toSorted()).toEqual(shown.toSorted());
    expect(pages).toBeLessThanOrEqual(8);
  });

  it.each<[string, Json]>([
    ["sorted by a field", { sort: [{ field: "n" }] }],
    ["sorted by two fields", { sort: [{ field: "n" }, { field: "team" }] }],
    ["that an index serves", { conditions: byTeam }],
    ["that an index serves, sorted", { conditions: byTeam, sort: [{ field: "n" }] }],
  ])("is evaluated on few items by each statement of a search %s", async (_, search) => {
    const { path, partner } = await makeItems(150);
    const { answer, rows, statements } = await send(() => partner.post(`${path}/search`, search));
    expect(answer.status).toBe(200);
    expect(rows / statements).toBeLessThanOrEqual(maxDeepRows);
  });

  it("is evaluated on no more items by an aggregate than its limit of work covers", async () => {
    const { path, partner } = await makeItems(150);
    const metrics = { total: { op: "sum", field: "n" } };
    const { answer, rows } = await send(() => partner.post(`${path}/aggregate`, { metrics }));
    expect(answer.status).toBe(422);
    expect(answer.text).toContain("too_complex");
    expect(rows).toBeLessThanOrEqual(maxAggregateRows);
  });
});

describe("A view whose lists have lost a column, for items that are too large for its conditions,", () => {
  const lists = Array.from({ length: 20 }, (_, index) => `list${index}`);
  const fieldsOf = (columns: readonly string[]) => [
    ...fields,
    ...lists.map((key) => ({
      key,
      type: "line_items",
      fields: columns.map((column) => ({ key: column, type: "text" })),
    })),
  ];
  const containing = Array.from({ length: conditionCount }, (_, index) => ({
    field: "text",
    op: "contains",
    value: `zq${index}`.padEnd(150, "x"),
  }));
  const views = [{ key: "v", name: "V", conditions: [{ any: containing }] }];
  const rowsOf = (count: number) => {
    const rows = Array.from({ length: count }, () => ({ kept: "x", lost: "x" }));
    return Object.fromEntries(lists.map((key) => [key, rows]));
  };
  const copies = 12;
  let path: string;
  let partner: Client;
  /** The rows that measuring one item reads. */
  let itemRows: number;

  beforeAll(async () => {
    const form = await makeForm(owner, fieldsOf(["kept", "lost"]), { views });
    path = `/forms/${form}/submissions`;
    const { body } = await owner.post(path, { data: { n: 1, team: "ours", ...rowsOf(500) } });
    await copyWithEntries(body.id, copies);
    await owner.put(`/forms/${form}/schema`, { fields: fieldsOf(["kept"]), views });
    partner = await makePartner(form, body.id);
    const named = [{ field: "$id", op: "eq", value: body.id }];
    itemRows = (await send(() => partner.post(`${path}/search`, { conditions: named }))).rows;
  });

  it("is measured only until one of the parts is too large", () => {
    expect(itemRows).toBeGreaterThan(10_000);
    expect(itemRows).toBeLessThan(25_000);
  });

  it.each<[string, Json]>([
    ["", {}],
    [" in stored order", { sort: [{ field: "$created_at", direction: "asc" }] }],
  ])(
    "is measured once for each of the 3 items of a page%s, and for one more",
    async (_, search) => {
      const { answer, rows } = await send(() => partner.post(`${path}/search`, search));
      expect([answer.status, answer.body.items]).toEqual([200, []]);
      expect(rows / itemRows).toBeLessThan(4.1);
    },
  );

  it.each<[number, string, Json]>([
    [1.5, "", {}],
    [2.2, " sorted by a field", { sort: [{ field: "n" }] }],
    [1.8, " sorted by two fields", { sort: [{ field: "n" }, { field: "team" }] }],
    [1.5, " that an index serves", { conditions: byTeam }],
    [3, " that an index serves, sorted", { conditions: byTeam, sort: [{ field: "n" }] }],
  ])("is measured at most %f times for each item of a download%s", async (times, _, search) => {
    const csv = { Accept: "text/csv" };
    const { answer, rows } = await send(() => partner.post(`${path}/search`, search, csv));
    expect(answer.status).toBe(200);
    expect(rows / itemRows / copies).toBeLessThan(times);
  });

  it.each<[string, Json]>([
    ["", {}],
    [" in stored order", { sort: [{ field: "$created_at", direction: "asc" }] }],
    [" sorted by a field", { sort: [{ field: "n" }] }],
    [" sorted by a field that is empty", { sort: [{ field: "text2" }] }],
    [" sorted by two fields", { sort: [{ field: "n" }, { field: "team" }] }],
    [" that an index serves", { conditions: byTeam }],
    [" that an index serves, sorted", { conditions: byTeam, sort: [{ field: "n" }] }],
  ])("still excludes them from a search%s, and no large item that fits", async (_, search) => {
    const { items, reader, fitting } = await makeMixed();
    const ids: string[] = [];
    for (let next: string | null = `${items}/search`; next !== null;) {
      const { status, body } = await reader.post(next, { ...search, limit: 2 });
      expect(status).toBe(200);
      ids.push(...body.items.map(({ id }: Json) => id));
      ({ next } = body.links);
    }
    expect(ids.toSorted()).toEqual(fitting);
  });

  /** Items that meet the conditions. Every third one is too large, and every third one has to be measured and fits. */
  const makeMixed = lazy(async () => {
    const fieldsWith = (column: string[]) => [...fieldsOf(column), { key: "text2", type: "text" }];
    const form = await makeForm(owner, fieldsWith(["kept", "lost"]), { views });
    const items = `/forms/${form}/submissions`;
    const ids: string[] = [];
    for (const [n, count] of [1, 100, 500, 1, 100, 500].entries()) {
      const text = containing[0]?.value;
      const data = { n, team: "ours", text, ...rowsOf(count) };
      ids.push((await owner.post(items, { data })).body.id);
    }
    await owner.put(`/forms/${form}/schema`, { fields: fieldsWith(["kept"]), views });
    const reader = await makePartner(form, ids[0] ?? "");
    return { items, reader, fitting: ids.filter((_, index) => index % 3 < 2).toSorted() };
  });
});
