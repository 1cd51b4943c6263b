import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { nothing, recording } from "../../bench/workers/recording";
import type { Client, Json } from "../support/client";
import { reportsAtOnce, serve } from "../support/serve";
import { client, makeForm } from "../support/service";
import { fullSize } from "../support/size";
import {
  baseFields,
  big,
  createdItem,
  decisions,
  otherThresholds,
  letters,
  longText,
  partnerRights,
  patchedItem,
  viewOfOurs,
  type Probe,
} from "./thresholds";

/**
 * A narrow credential adds to what it sees until a limit answers. The point at which it does must not depend on what it
 * does not see, or the credential could measure that part.
 */

let owner: Client;
beforeAll(async () => {
  owner = await client();
});

const decision = { key: "decision", ...longText };
const texts = letters.map((key) => ({ key, ...longText }));

async function follow(fields: object[], shown: readonly string[], more: object[] = []) {
  const { conditions, ...view } = viewOfOurs(shown);
  const views = [{ ...view, conditions: [...conditions, ...more] }];
  const form = await makeForm(owner, fields, { views });
  const resources = [`form:${form}/ours`];
  const partner = await client({ permissions: partnerRights, resources });
  return { form, items: `/forms/${form}/submissions`, partner };
}

const probesOf = (make: (hidden: string, index: number) => Promise<Probe>): Promise<Probe[]> =>
  Promise.all(decisions.map(make));

const isTooLarge = (status: number, allowed: number, text: string): boolean => {
  if (status === 413 || status === allowed) return status === 413;
  throw new Error(text);
};

describe("A narrow credential meets the limit", () => {
  it.each([440, 200])(
    "of an item with %i wide rows at the same size whatever its hidden fields have",
    async (count) => {
      const columns = Array.from({ length: 60 }, (_, index) => `c${index}`.padEnd(60, "k"));
      const lines = {
        key: "lines",
        type: "line_items",
        fields: columns.map((key) => ({ key, type: "text", searchable: false })),
      };
      const { items, partner } = await follow(
        [...baseFields, ...texts, decision, lines],
        [...letters, "lines"],
      );
      const rows = Array.from({ length: count }, () => ({ [columns[0] ?? ""]: "x" }));
      const probes = await probesOf(async (hidden) => {
        const { id } = await createdItem(owner, items, { team: "ours", decision: hidden });
        await patchedItem(owner, id, { lines: rows });
        return async (size) => {
          const data = { a: big.slice(0, size), b: big.slice(0, Math.max(0, size - big.length)) };
          const answer = await partner.patch(`/submissions/${id}`, { data });
          return isTooLarge(answer.status, 200, answer.text);
        };
      });
      expect(await otherThresholds([0, 200_000], probes)).toEqual([]);
    },
  );

  it("of what a batch writes at the same size whatever hidden fields have", async () => {
    const { items, partner } = await follow([...baseFields, ...texts, decision], letters);
    const own = Object.fromEntries(letters.slice(0, 8).map((key) => [key, big]));
    const probes = await probesOf(async (hidden) => {
      const { id } = await createdItem(owner, items, { team: "ours", decision: hidden });
      await patchedItem(partner, id, own);
      const renamed = Array.from({ length: 8 }, (_, index) => ({ title: `t${index}` }));
      return async (size) => {
        const changes = [{ i: "y".repeat(size), title: "t" }, ...renamed];
        const operations = [
          ...changes.map((data) => ({ op: "update", id, data })),
          { op: "update", id, data: {}, if_match: '"0"' },
        ];
        const answer = await partner.post(`${items}/batch`, { operations });
        return isTooLarge(answer.status, 412, answer.text);
      };
    });
    expect(await otherThresholds([80_000, 99_000], probes)).toEqual([]);
  });

  fullSize.it("of what a batch reads at the same size whatever hidden fields have", async () => {
    const { items, partner } = await follow([...baseFields, ...texts, decision], letters);
    const own = Object.fromEntries(letters.slice(0, 8).map((key) => [key, big]));
    const ids: string[] = [];
    for (let index = 0; index < 10; index += 1)
      ids.push((await createdItem(partner, items, { team: "ours", ...own })).id);
    const last = ids.at(-1) ?? "";
    const probes = await probesOf(async (hidden) => {
      const { id } = await createdItem(owner, items, { team: "ours", decision: hidden });
      return async (size) => {
        await patchedItem(partner, last, { h: "y".repeat(size) });
        const operations = [...ids, id].map((each) => ({
          op: "update",
          id: each,
          data: {},
          if_match: '"0"',
        }));
        const answer = await partner.post(`${items}/batch`, { operations });
        return isTooLarge(answer.status, 412, answer.text);
      };
    });
    expect(await otherThresholds([95_000, 100_000], probes)).toEqual([]);
  });

  fullSize.it(
    "of index entries of a batch at the same number whatever hidden fields have",
    async () => {
      const columns = Array.from({ length: 29 }, (_, index) => ({
        key: `c${index}`,
        type: "text",
      }));
      const lines = { key: "lines", type: "line_items", fields: columns };
      const secrets = ["s1", "s2", "s3"].map((key) => ({ key, type: "text" }));
      const { items, partner } = await follow([...baseFields, lines, ...secrets], ["lines"]);
      const rows = (count: number) =>
        Array.from({ length: count }, (_, row) =>
          Object.fromEntries(columns.map(({ key }) => [key, `${row}-${key}`])),
        );
      const ids: string[] = [];
      for (let index = 0; index < 4; index += 1)
        ids.push((await createdItem(partner, items, { team: "ours", lines: rows(500) })).id);
      const { id: fifth } = await createdItem(partner, items, { team: "ours" });
      const make = async (hidden: object): Promise<Probe> => {
        const { id } = await createdItem(owner, items, { team: "ours", ...hidden });
        return async (count) => {
          const rest = columns.slice(0, count % 29).map(({ key }) => [key, `r${key}`]);
          const full = rows(Math.floor(count / 29));
          await patchedItem(partner, fifth, { lines: [...full, Object.fromEntries(rest)] });
          const deleted = [...ids, fifth, id].map((each) => ({ op: "delete", id: each }));
          const operations = [...deleted, { op: "delete", id: fifth, if_match: '"9"' }];
          const answer = await partner.post(`${items}/batch`, { operations });
          // The last operation does not find its item, which comes first in the order of checks.
          if (answer.status !== 404) throw new Error(answer.text);
          return answer.body.errors.some(({ code }: Json) => code === "too_large");
        };
      };
      const probes = await Promise.all([{}, { s1: "x" }, { s1: "x", s2: "y", s3: "z" }].map(make));
      expect(await otherThresholds([1900, 2100], probes)).toEqual([]);
    },
  );

  it("of unique values of a batch however many hidden fields are unique", async () => {
    const uniques = Array.from({ length: 110 }, (_, index) => ({
      key: `u${index}`,
      type: "text",
      unique: true,
    }));
    const { items, partner } = await follow([...baseFields, ...uniques], []);
    const statuses = [];
    for (const count of [0, 110]) {
      const data = Object.fromEntries(uniques.slice(0, count).map(({ key }) => [key, key]));
      const { id } = await createdItem(owner, items, { team: "ours", ...data });
      const operations = Array.from({ length: 99 }, (_, index) => ({
        op: "update",
        id,
        data: { title: `t${index}` },
      }));
      statuses.push((await partner.post(`${items}/batch`, { operations })).status);
    }
    expect(statuses).toEqual([200, 200]);
  });

  fullSize.it(
    "of formula steps of a batch at the same number however many rows are hidden",
    async () => {
      const list = (key: string) => ({
        key,
        type: "line_items",
        fields: [{ key: "n", type: "number" }],
      });
      const computed = (key: string, formula: string) => ({
        key,
        type: "computed",
        formula,
        result: "number",
      });
      const fields = [
        ...baseFields,
        list("lines"),
        computed("total", "sum(lines.map(l, l.n * l.n * l.n * l.n + l.n * 2 + l.n * 3))"),
        list("costs"),
        computed("cost", "sum(costs.map(l, l.n))"),
        computed("margin", "sum(lines.map(l, l.n)) - cost"),
      ];
      const { items, partner } = await follow(fields, ["lines", "total", "margin"]);
      const rows = (count: number) => Array.from({ length: count }, () => ({ n: 5 }));
      const make = async (count: number): Promise<Probe> => {
        const { id } = await createdItem(owner, items, { team: "ours", costs: rows(count) });
        return async (size) => {
          const changes = Array.from({ length: 98 }, (_, index) => ({ title: `t${index}` }));
          const operations = [
            ...[{ title: "t", lines: rows(size) }, ...changes].map((data) => ({
              op: "update",
              id,
              data,
            })),
            { op: "update", id, data: {}, if_match: '"0"' },
          ];
          const { body } = await partner.post(`${items}/batch`, { operations });
          return body.errors.some(({ code }: Json) => code === "too_complex");
        };
      };
      expect(await otherThresholds([1, 500], await Promise.all([0, 1, 7, 300].map(make)))).toEqual(
        [],
      );
    },
  );
});

/** A pattern that needs almost all matching steps of an item for a text of 4,000 characters. */
const expensive = { type: "text", max_length: 4000, pattern: "(.?){1,660}#" };
const expensiveText = (name: string) => `${name}#`.padStart(4000, "x");

describe("A batch through a view", () => {
  it("returns 422 when the values of its upserts take more matching steps than one item has", async () => {
    const code = { key: "code", unique: true, ...expensive };
    const { items, partner } = await follow([...baseFields, code], ["code"]);
    const codes = ["a", "b"].map(expensiveText);
    for (const value of codes) await createdItem(owner, items, { team: "ours", code: value });
    const upsert = (value: string) => ({ op: "upsert", by: "code", data: { code: value } });
    const send = (values: readonly string[]) =>
      partner.post(`${items}/batch`, { operations: values.map(upsert) });
    expect((await send(codes.slice(0, 1))).status).toBe(200);
    const { status, body } = await send(codes);
    expect([status, body.errors]).toMatchObject([
      422,
      [{ code: "too_complex", pointer: "/operations/1/data/code" }],
    ]);
  });

  it("returns 422 when the hidden texts of its drafts take more matching steps than one item has", async () => {
    const memo = { key: "memo", searchable: false, ...expensive };
    const { items, partner } = await follow([...baseFields, memo], []);
    const submit = async (names: readonly string[]) => {
      const operations = [];
      for (const name of names) {
        const data = { team: "ours", memo: expensiveText(name) };
        const { body } = await owner.post(items, { status: "draft", data });
        operations.push({ op: "update", id: body.id, status: "submitted" });
      }
      return partner.post(`${items}/batch`, { operations });
    };
    expect((await submit(["a"])).status).toBe(200);
    const { status, body } = await submit(["b", "c"]);
    expect([status, body.errors]).toMatchObject([
      422,
      [{ code: "outside_view", pointer: "/operations/1" }],
    ]);
  });

  it("returns 422 when its hidden formulas take more steps than two items may have", async () => {
    const costs = { key: "costs", type: "line_items", fields: [{ key: "n", type: "number" }] };
    const computed = Array.from({ length: 20 }, (_, index) => ({
      key: `cost${index}`,
      type: "computed",
      formula: "sum(costs.map(l, l.n * l.n + l.n * 2 + l.n * 3))",
      result: "number",
    }));
    const { items, partner } = await follow([...baseFields, costs, ...computed], []);
    const data = { team: "ours", costs: Array.from({ length: 500 }, () => ({ n: 5 })) };
    const { id } = await createdItem(owner, items, data);
    const send = (count: number) => {
      const titles = Array.from({ length: count }, (_, index) => `${count} ${index}`);
      const operations = titles.map((title) => ({ op: "update", id, data: { title } }));
      return partner.post(`${items}/batch`, { operations });
    };
    expect((await send(1)).status).toBe(200);
    const { status, body } = await send(20);
    expect([status, body.errors[0]]).toMatchObject([422, { code: "too_complex" }]);
  });
});

describe("A write through a view", () => {
  it("returns 413 when the item no longer has room for the results of others", async () => {
    const shared = { key: "b", type: "text", max_length: 19_000, searchable: false };
    const copies = Array.from({ length: 9 }, (_, index) => ({
      key: `r${index}`,
      type: "computed",
      searchable: false,
      formula: `concat(b, "${index}")`,
      result: "text",
    }));
    const hidden = letters.map((key) => ({ ...longText, key: `h${key}` }));
    const fields = [...baseFields, ...texts, ...hidden, ...copies].filter(({ key }) => key !== "b");
    const { items, partner } = await follow(
      [...fields, shared],
      letters.filter((key) => key !== "b"),
    );
    const { id } = await createdItem(owner, items, {
      team: "ours",
      b: "語".repeat(18_000),
      ...Object.fromEntries(hidden.map(({ key }) => [key, "x".repeat(90_000)])),
    });
    const grow = (keys: readonly string[]) =>
      partner.patch(`/submissions/${id}`, {
        data: Object.fromEntries(keys.map((key) => [key, big])),
      });
    expect((await grow(["a", "c"])).status).toBe(200);
    expect((await grow(["d", "e", "f", "g", "h"])).status).toBe(413);
    const { body } = await owner.patch(`/submissions/${id}`, { data: { title: "new" } });
    expect(body.data).toMatchObject({ r8: `${"語".repeat(18_000)}8`, d: null });
  });

  it("stores no entries of an item that it validates, except those of the conditions", async () => {
    const lines = { key: "lines", type: "line_items", fields: [{ key: "c", type: "text" }] };
    const { items, form } = await follow(
      [...baseFields, lines],
      ["lines"],
      [{ field: "title", op: "contains", value: "our" }],
    );
    const permissions = ["submissions:create"];
    const creator = await client({ permissions, resources: [`form:${form}/ours`] });
    const rows = Array.from({ length: 500 }, (_, index) => ({ c: `row ${index}` }));
    const costs = nothing();
    const service = { ...recording(env, costs), TIMEOUTS: reportsAtOnce };
    const answer = await creator
      .through((request) => serve(request, service, createExecutionContext()))
      .post(`${items}/validate`, { data: { team: "ours", title: "ours title", lines: rows } });
    expect(answer.status).toBe(200);
    const statements = costs.trips.flatMap((trip) => trip.statements);
    const entries = statements.find(({ sql }) => sql.startsWith('insert into "search_entry"'));
    expect(entries?.values.join()).toContain("ours title");
    expect(entries?.values.join()).not.toContain("row 1");
  });
});
