import { beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../support/client";
import { client, makeForm } from "../support/service";

/** The limits of searches, at which a narrow credential could try which values hidden items have. */

/** The amounts of hidden items, how many have it, and the lengths of their texts. */
const hiddenItems = [
  [500, 1, 600],
  [501, 12, 15_000],
  [502, 1, 600_000],
] as const;

let owner: Client;
let items: string;
let partner: Client;
beforeAll(async () => {
  owner = await client();
  const longText = { type: "text", max_length: 100_000, searchable: false };
  const letters = ["a", "b", "c", "d", "e", "f"];
  const form = await makeForm(
    owner,
    [
      { key: "title", type: "text" },
      { key: "team", type: "select", options: [{ value: "ours" }, { value: "theirs" }] },
      { key: "amount", type: "number" },
      ...letters.map((key) => ({ key, ...longText })),
    ],
    {
      views: [
        {
          key: "ours",
          name: "Ours",
          conditions: [{ field: "team", op: "eq", value: "ours" }],
          fields: ["title", "team", "amount"],
        },
      ],
    },
  );
  items = `/forms/${form}/submissions`;
  partner = await client({ permissions: ["submissions:read"], resources: [`form:${form}/ours`] });
  for (let index = 0; index < 20; index += 1)
    await owner.post(items, { data: { title: "x", team: "ours", amount: 1 } });
  for (const [amount, count, length] of hiddenItems) {
    const long = Object.fromEntries(letters.map((key) => [key, "x".repeat(length / 6)]));
    for (let index = 0; index < count; index += 1) {
      const hidden = await owner.post(items, { data: { team: "theirs", amount, ...long } });
      if (hidden.status !== 201) throw new Error(hidden.text);
    }
  }
});

/** As many and as long conditions as a search may have. */
const costly = (amount: number) => [
  { field: "amount", op: "eq", value: amount },
  ...Array.from({ length: 48 }, (_, index) => ({
    field: "title",
    op: "contains",
    value: `${index}`.padEnd(1000, "t"),
  })),
];

describe("A narrow credential", () => {
  it.each([...hiddenItems.map(([amount]) => amount), 503])(
    "does not learn from the cost of conditions whether a hidden item has the value %i",
    async (amount) => {
      const conditions = costly(amount);
      for (const sort of [[], [{ field: "amount" }], [{ field: "amount" }, { field: "title" }]]) {
        const page = await partner.post(`${items}/search`, { conditions, sort });
        const { items: found, links, errors } = page.body;
        expect([sort.length, page.status, errors, found, links?.next]).toEqual([
          sort.length,
          200,
          undefined,
          [],
          null,
        ]);
      }
      const figures = await partner.post(`${items}/aggregate`, {
        conditions,
        metrics: { n: { op: "count" } },
        group_by: [{ field: "title" }],
      });
      expect([figures.status, figures.body.groups]).toEqual([200, []]);
    },
  );
});
