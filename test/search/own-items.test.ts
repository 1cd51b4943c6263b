import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { copyItem } from "../support/copies";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";

const own = [{ field: "$created_by", op: "eq", value: "$me" }];
const fields = [
  { key: "title", type: "text" },
  { key: "amount", type: "number" },
  { key: "kind", type: "select", options: [{ value: "a" }, { value: "b" }] },
];

describe("Items of one creator", () => {
  const { fetch, counts, reset } = counted();
  let owner: Client;
  let partner: Client;
  let whole: Client;
  let form: string;
  let ownId: string;

  const rowsOf = async (caller: Client, ask: (caller: Client) => Promise<Json>) => {
    const counting = caller.through(fetch);
    // The object and the isolate learn of the credential and the definition.
    for (let turn = 0; turn < 2; turn += 1) await ask(counting);
    reset();
    const answer = await ask(counting);
    expect(answer["status"]).toBe(200);
    return { ...counts, body: answer["body"] };
  };

  beforeAll(async () => {
    owner = await client();
    form = await makeForm(owner, fields, {
      views: [{ key: "own", name: "Own", conditions: own, fields: ["title", "amount"] }],
    });
    const permissions = ["submissions:read", "submissions:write"];
    partner = await client({ permissions, resources: [`form:${form}/own`] });
    whole = await client({ permissions, resources: [`form:${form}`] });
    const create = async (caller: Client) => {
      const data = { title: "one", amount: 1 };
      return (await caller.post(`/forms/${form}/submissions`, { data })).body.id;
    };
    await copyItem(await create(owner), 99);
    ownId = await create(partner);
    await copyItem(await create(owner), 98);
  }, 60_000);

  it.each([
    ["a list", (caller: Client) => caller.get(`/forms/${form}/submissions`)],
    ["a search", (caller: Client) => caller.post(`/forms/${form}/submissions/search`, {})],
  ])("cost %s of a narrow credential no more rows than a plain one", async (_, ask) => {
    const narrow = await rowsOf(partner, ask);
    expect(narrow.body.items.map(({ id }: Json) => id)).toEqual([ownId]);
    expect(narrow.body.links.next).toBeNull();
    const plain = await rowsOf(whole, ask);
    expect(plain.body.items).toHaveLength(50);
    expect(narrow.d1).toBe(plain.d1);
    expect(narrow.rowsRead).toBeLessThanOrEqual(plain.rowsRead + 2);
    expect(narrow.rowsRead).toBeLessThanOrEqual(10);
  });

  it("fill a page, in whatever order, however many items others created", async () => {
    const busy = await client({
      permissions: ["submissions:read", "submissions:write"],
      resources: [`form:${form}/own`],
    });
    const ids: string[] = [];
    for (const amount of [3, 1, 2]) {
      const data = { title: "own", amount };
      ids.push((await busy.post(`/forms/${form}/submissions`, { data })).body.id);
      const other = await owner.post(`/forms/${form}/submissions`, { data });
      await copyItem(other.body.id, 12_000);
    }
    const path = `/forms/${form}/submissions`;
    const idsOf = ({ items }: Json) => items.map(({ id }: Json) => id);
    const page = await rowsOf(busy, (caller) => caller.get(path));
    expect([idsOf(page.body), page.body.links.next]).toEqual([ids, null]);
    const cases: [Json, number[]][] = [
      [{}, [2, 1, 0]],
      [{ sort: [{ field: "amount" }] }, [1, 2, 0]],
      [{ sort: [{ field: "amount" }, { field: "title" }] }, [1, 2, 0]],
      [{ conditions: [{ field: "amount", op: "gt", value: 1 }] }, [2, 0]],
      [{ conditions: [{ field: "title", op: "contains", value: "OW" }] }, [2, 1, 0]],
      [{ conditions: [{ field: "$created_by", op: "in", value: ["$me", "system"] }] }, [2, 1, 0]],
      [{ conditions: [{ field: "$created_by", op: "ne", value: "$me" }] }, []],
    ];
    for (const [body, order] of cases) {
      const found = await rowsOf(busy, (caller) => caller.post(`${path}/search`, body));
      const expected = order.map((index) => ids[index]);
      expect([body, idsOf(found.body), found.body.links.next]).toEqual([body, expected, null]);
      expect([body, found.rowsRead < 100, found.rowsRead]).toEqual([body, true, found.rowsRead]);
    }
    // Pages of one item each follow the same index.
    const seen: string[] = [];
    for (let next = `${path}?limit=1`; next;) {
      const { body, rowsRead } = await rowsOf(busy, (caller) => caller.get(next));
      expect(rowsRead).toBeLessThan(20);
      seen.push(...idsOf(body));
      next = body.links.next;
    }
    expect(seen).toEqual(ids);
    const metrics = { items: { op: "count" }, sum: { op: "sum", field: "amount" } };
    const figures = await rowsOf(busy, (caller) => caller.post(`${path}/aggregate`, { metrics }));
    expect(figures.body.groups).toEqual([{ key: {}, metrics: { items: 3, sum: 6 } }]);
    expect(figures.rowsRead).toBeLessThan(40);
  });
});
