import { beforeAll, describe, expect, it } from "vitest";
import type { Data } from "../../src/domain/data/values.ts";
import type { ShownBy } from "../../src/domain/search/tree.ts";
import { findViewBound, ItemSizes } from "../../src/domain/search/view-bound.ts";
import { SearchValues } from "../../src/store/data/search/search-values.ts";
import { withinViewSql } from "../../src/store/data/search/view-bound.ts";
import type { Client, Json } from "../support/client";
import { dataDb } from "../support/databases";
import { client, makeForm } from "../support/service";

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const long = { type: "multiline_text", max_length: 100_000, searchable: false };
const letters = ["a", "b", "c", "d", "e", "f"];
const fields = [
  { key: "title", type: "text" },
  { key: "n", type: "number" },
  { key: "team", type: "text", max_length: 200 },
  ...letters.map((key) => ({ key, ...long })),
];
const texts = Array.from({ length: 47 }, (_, index) => `x${index}`.padEnd(150, "x"));
const view = {
  key: "v",
  name: "V",
  conditions: [
    { any: [...texts, "ours"].map((value) => ({ field: "team", op: "contains", value })) },
  ],
  fields: ["title", "n"],
};
const large = Object.fromEntries(letters.map((key) => [key, "語".repeat(100_000)]));

describe("A credential with a view of expensive conditions", () => {
  it("gets the same answers for a large hidden item as for a missing one", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const path = `/forms/${form}/submissions`;
    const create = async (data: object) => {
      const answer = await owner.post(path, { data });
      expect([answer.status, answer.text.slice(0, 300)]).toEqual([201, expect.anything()]);
      return answer.body;
    };
    await create({ title: "own", team: "ours", n: 1 });
    const partner = await client({
      permissions: ["submissions:read", "submissions:write"],
      resources: [`form:${form}/v`],
    });
    const ask = async (id: string) => {
      const requests: [string, Json][] = [
        [`${path}/search`, {}],
        [`${path}/search`, { conditions: [{ field: "$id", op: "eq", value: id }] }],
        [
          `${path}/search`,
          { conditions: [{ field: "$id", op: "in", value: [id, id.replace("1", "2")] }] },
        ],
        [`${path}/search`, { sort: [{ field: "n" }] }],
        [`${path}/search`, { sort: [{ field: "n" }, { field: "title" }] }],
        [`${path}/search`, { conditions: [{ field: "title", op: "contains", value: "w" }] }],
        [`${path}/aggregate`, { metrics: { n: { op: "sum", field: "n" } } }],
        [`${path}/batch`, { operations: [{ op: "update", id, data: { n: 2 } }] }],
      ];
      const answers = [await partner.get(path), await partner.get(`/submissions/${id}`)];
      for (const [url, body] of requests) answers.push(await partner.post(url, body));
      return answers.map(({ status, body }) => [
        status,
        body.code ?? body.items?.length,
        body.errors?.[0].code,
      ]);
    };
    const missing = await ask("sub_01KAHV3M4E7XQ2R5T8W9YZB6CD");
    const hidden = await create({ title: "hidden", team: "theirs", n: 2 });
    for (const [key, value] of Object.entries(large)) {
      const patched = await owner.patch(`/submissions/${hidden.id}`, { data: { [key]: value } });
      expect(patched.status).toBe(200);
    }
    const found = await ask(hidden.id);
    expect(found).toEqual(missing);
  });

  it("sees an item of its view in every read, or in none if the item is too large for the conditions", async () => {
    const form = await makeForm(owner, fields, { views: [view] });
    const path = `/forms/${form}/submissions`;
    const partner = await client({
      permissions: ["submissions:read", "submissions:write"],
      resources: [`form:${form}/v`],
    });
    const { id } = (await owner.post(path, { data: { title: "own", team: "ours", n: 1 } })).body;
    const see = async () => {
      const answers = [
        await partner.get(path),
        await partner.post(`${path}/search`, {}),
        await partner.post(`${path}/search`, {
          conditions: [{ field: "$id", op: "eq", value: id }],
        }),
        await partner.post(`${path}/search`, { sort: [{ field: "n" }, { field: "title" }] }),
      ];
      const counted = await partner.post(`${path}/aggregate`, { metrics: { n: { op: "count" } } });
      const one = await partner.get(`/submissions/${id}`);
      const batch = await partner.post(`${path}/batch`, {
        operations: [{ op: "update", id, data: { n: 2 } }],
      });
      const lists = answers.map(({ body }) => body.items.length);
      return [...lists, counted.body.groups[0].metrics.n, one.status, batch.status];
    };
    expect(await see()).toEqual([1, 1, 1, 1, 1, 200, 200]);
    await owner.patch(`/submissions/${id}`, { data: { a: "x".repeat(20_000) } });
    expect(await see()).toEqual([1, 1, 1, 1, 1, 200, 200]);
    await owner.patch(`/submissions/${id}`, { data: { b: large["b"] } });
    expect(await see()).toEqual([0, 0, 0, 0, 0, 404, 404]);
  });

  it("cannot write an item that would then be too large for the conditions", async () => {
    const form = await makeForm(owner, fields, {
      views: [{ ...view, fields: [...view.fields, "a"] }],
    });
    const path = `/forms/${form}/submissions`;
    const partner = await client({
      permissions: ["submissions:read", "submissions:write"],
      resources: [`form:${form}/v`],
    });
    const { id } = (await owner.post(path, { data: { title: "own", team: "ours" } })).body;
    const small = await partner.patch(`/submissions/${id}`, { data: { a: "語".repeat(8000) } });
    const { status, body } = await partner.patch(`/submissions/${id}`, { data: { a: large["a"] } });
    expect([small.status, status, body.errors[0].code]).toEqual([200, 422, "outside_view"]);
    const open = {
      any: [...(view.conditions[0]?.any ?? []), { field: "title", op: "eq", value: "own" }],
    };
    const changed = { ...view, conditions: [open], fields: [...view.fields, "a"] };
    expect((await owner.patch(`/forms/${form}/schema`, { views: [changed] })).status).toBe(200);
    const create = (text: string) => partner.post(path, { data: { title: "own", a: text } });
    const created = [await create("x"), await create(large["a"] ?? "")];
    expect(created.map((answer) => [answer.status, answer.body.errors?.[0].code])).toEqual([
      [201, undefined],
      [422, "outside_view"],
    ]);
  });
});

/** The slots 1 and 2 are visible, and in the rows of list 3 only column 4. All others are hidden. */
const parts: ShownBy["parts"] = {
  shown: new Map([
    ["1", null],
    ["2", null],
    ["3", ["4"]],
  ]),
  hidden: new Map([["6", null]]),
  hiddenResults: new Set(["7"]),
};
const special = 'a"\\\n\u0001é語😀';
const base: Data = {
  1: special,
  2: 12.75,
  3: [{ 4: special, 5: special }, { 4: "x" }, { 5: 1.5 }, {}],
  6: [special, "b"],
  7: -3,
  8: true,
};
const withRow = (column: string, value: string): Data => ({
  ...base,
  3: [...(base["3"] as []), { [column]: value }],
});
const textLeaf = (slot: string) => ({
  op: "contains",
  value: "x".repeat(150),
  field: { source: { in: "data", slot }, kind: "text" },
});
const rowLeaf = {
  op: "any",
  value: textLeaf("4"),
  field: { source: { in: "data", slot: "3" }, kind: "line_items" },
};

const text = (length: number) => special + "x".repeat(length);
const rowsOf = (length: number, data: Data) => ({ 3: Array.from({ length }, () => data) }) as Data;

describe("The limit of a view's work on an item", () => {
  it.each<[string, number, (length: number) => Data, inRows?: boolean]>([
    ["a visible text", 50_000, (length) => ({ ...base, 1: text(length) })],
    ["a hidden text", 50_000, (length) => ({ ...base, 9: text(length) })],
    ["a hidden list", 50_000, (length) => ({ ...base, 6: [special, text(length)] })],
    ["a visible column", 50_000, (length) => withRow("4", text(length))],
    ["a hidden column", 50_000, (length) => withRow("5", text(length))],
    ["many short values in both columns", 5000, (rows) => rowsOf(rows, { 4: 1, 5: 2 }), false],
    ["many short values in one column", 5000, (rows) => rowsOf(rows, { 5: 2 }), false],
  ])(
    "is the same in the database and in the service for %s",
    async (_, least, lengthOf, inRows = true) => {
      const leaves = Array.from({ length: 30 }, () => textLeaf("1"));
      const conditions = inRows ? [...leaves, rowLeaf] : leaves;
      const shownBy = { conditions, parts } as unknown as ShownBy;
      const bound = findViewBound(shownBy.conditions);
      const isWithin = (data: Data) =>
        bound === null || new ItemSizes(data).fit(bound, parts.shown);
      let [fitting, tooLong] = [0, 40 * least];
      while (tooLong - fitting > 1) {
        const middle = (fitting + tooLong) >> 1;
        if (isWithin(lengthOf(middle))) fitting = middle;
        else tooLong = middle;
      }
      const values = new SearchValues();
      const sql = withinViewSql(shownBy, values, "1");
      const fits = (data: Data) =>
        dataDb
          .prepare(`select ${sql} as fits from (select ?2 as data) i`)
          .bind(values.json, JSON.stringify(data))
          .first<number>("fits");
      const found = await Promise.all([fitting, tooLong].map((length) => fits(lengthOf(length))));
      expect(fitting).toBeGreaterThan(least);
      expect(found).toEqual([1, 0]);
    },
  );
});
