import { beforeAll, describe, expect, it } from "vitest";
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
  const hidden = await create("語 ".repeat(20_000));
  await copyItem(hidden, copies - 1);
  await dataDb
    .prepare(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?2)
      insert into search_entry select e.field, e.value, e.item + n.i, e.folded
      from item cross join search_entry e on e.item = item.number, n where item.id = ?1`,
    )
    .bind(hidden, copies - 1)
    .run();
  const last = await create("zq46");
  const resources = [`form:${form}/v`];
  const partner = await client({ permissions: ["submissions:read"], resources });
  const reader = partner.through(fetch);
  // The isolate caches the definition.
  await reader.get(`/submissions/${last}`);

  return { path, partner: reader, shown: [first, last] };
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
