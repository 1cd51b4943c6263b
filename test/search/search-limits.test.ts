import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";
import { copyItem } from "../support/copies";
import { dataDb } from "../support/databases";

const options = Array.from({ length: 101 }, (_, n) => ({ value: `o${n}` }));
const allValues = options.slice(0, 100).map(({ value }) => value);

describe("Searches of items with long lists in rows", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });

  it("read a list once for has_all, for any number of values", async () => {
    const marks = { key: "marks", type: "multi_select", options };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [marks] }]);
    const rows = Array.from({ length: 20 }, () => ({ marks: allValues }));
    await integrator.post(`/forms/${form}/submissions`, { data: { l: rows } });
    const values = [...allValues.slice(1), "o100"];
    const value: Json[] = [{ field: "marks", op: "has_all", value: values }];
    const search = (op: string) =>
      integrator.post(`/forms/${form}/submissions/search`, {
        conditions: [{ field: "l", op, value }],
      });
    await search("any");
    reset();
    expect((await search("any")).body.items).toHaveLength(0);
    expect(counts.rowsRead).toBeLessThanOrEqual(5_000);
    expect((await search("none")).body.items).toHaveLength(1);
  });

  const countOrError = async (form: string, body: Json) => {
    const answer = await integrator.post(`/forms/${form}/submissions/search`, body);
    const [error] = answer.body.errors ?? [];
    return answer.status === 200 ? answer.body.items.length : [error?.code, error?.pointer];
  };
  const times = <T>(count: number, make: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => make(n));

  it("return 422 `too_complex` for many conditions on lists in rows once one item is too large", async () => {
    const choices = times(401, (n) => ({ value: `o${n}` }));
    const marks = { key: "marks", type: "multi_select", options: choices };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [marks] }]);
    const marked = choices.slice(0, 400).map(({ value }) => value);
    const search = (count: number, op: string) => {
      const any = times(count, (n) => ({
        field: "marks",
        op,
        value: [`o400`, `o${n}`].slice(0, op === "has_all" ? 2 : 1),
      }));
      return countOrError(form, { conditions: [{ field: "l", op: "any", value: [{ any }] }] });
    };
    await integrator.post(`/forms/${form}/submissions`, { data: { l: [{ marks: marked }] } });
    expect([await search(46, "has_all"), await search(46, "has_any")]).toEqual([0, 0]);
    const rows = times(250, () => ({ marks: marked }));
    await integrator.post(`/forms/${form}/submissions`, { data: { l: rows } });
    const tooComplex = ["too_complex", "/conditions"];
    expect([await search(46, "has_all"), await search(46, "has_any")]).toEqual([
      tooComplex,
      tooComplex,
    ]);
    expect([await search(5, "has_all"), await search(10, "has_any")]).toEqual([0, 0]);
  });

  it.each(["one list", "separate lists"])(
    "return 200 for the maximum number of conditions on %s",
    async (target) => {
      const lists = times(50, (n) => ({ key: `m${n}`, type: "multi_select", options }));
      const form = await makeForm(integrator, lists);
      await integrator.post(`/forms/${form}/submissions`, { data: { m0: ["o0"], m49: ["o2"] } });
      for (const op of ["has_any", "has_none", "has_all"]) {
        const any = times(49, (n) => ({
          field: target === "one list" ? "m0" : `m${n}`,
          op,
          value: ["o0", "o1"],
        }));
        const conditions = [{ not: { any } }];
        const answer = await integrator.post(`/forms/${form}/submissions/search`, { conditions });
        expect([op, answer.status]).toEqual([op, 200]);
      }
    },
  );

  it("return 422 `too_complex` for many long texts in the long texts of many rows", async () => {
    const t = { key: "t", type: "multiline_text", max_length: 100_000 };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [t] }]);
    const created = await integrator.post(`/forms/${form}/submissions`, {
      data: { l: times(10, () => ({ t: "a".repeat(90_000) })) },
    });
    expect(created.status).toBe(201);
    const search = (count: number) => {
      const any = times(count, (n) => ({
        field: "t",
        op: "contains",
        value: `${"a".repeat(900 + n)}b`,
      }));
      return countOrError(form, { conditions: [{ field: "l", op: "any", value: [{ any }] }] });
    };
    expect(await search(49)).toEqual(["too_complex", "/conditions"]);
    expect(await search(3)).toBe(0);
  });

  it("return 200 for two sort keys with conditions that scan many rows", async () => {
    const columns = times(50, (n) => ({ key: `c${n}`, type: "number", searchable: n < 24 }));
    const form = await makeForm(integrator, [
      { key: "a", type: "text" },
      { key: "b", type: "text" },
      { key: "l", type: "line_items", fields: columns },
    ]);
    const l = times(300, () => Object.fromEntries(columns.map(({ key }) => [key, 1])));
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "x", b: "y", l } });
    const search = (count: number, sort: Json[]) => {
      const any = times(count, (n) => ({
        field: "l",
        op: "any",
        value: [{ field: `c${n}`, op: "gt", value: 2 }],
      }));
      return countOrError(form, { conditions: [{ any }], sort });
    };
    const keys = [{ field: "a" }, { field: "b" }];
    expect(await search(24, keys)).toBe(0);
    expect(await search(4, keys)).toBe(0);
    expect(await search(24, [{ field: "a" }])).toBe(0);
  });

  it("return 200 for two sort keys with many `contains` conditions", async () => {
    const keys = ["a", "b"].map((key) => ({ key, type: "text" }));
    const form = await makeForm(integrator, keys);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
    await copyItem(created.body.id, 999);
    const sort = keys.map(({ key }) => ({ field: key }));
    const search = (count: number) =>
      countOrError(form, {
        conditions: [
          { any: times(count, (n) => ({ field: "a", op: "contains", value: `y${n}` })) },
        ],
        sort,
      });
    expect(await search(50)).toBe(0);
    expect(await search(20)).toBe(0);
  });

  it("return 422 `too_complex` for two sort keys whose values are too large to sort", async () => {
    const keys = [
      { key: "a", type: "text" },
      { key: "t", type: "multiline_text", max_length: 100_000 },
    ];
    const form = await makeForm(integrator, keys);
    const data = { a: "x", t: "y".repeat(98_000) };
    const { id } = (await integrator.post(`/forms/${form}/submissions`, { data })).body;
    const copies = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 339)";
    await dataDb.batch([
      dataDb.prepare(`${copies} insert into search_entry select e.field, e.value, e.item + i, e.folded
        from search_entry e, n where e.item = (select number from item where id = '${id}')`),
      dataDb.prepare(`${copies} insert into item select number + i, id || i, collection_id, receipt_number,
        status, version, definition_version, created_at, created_by, updated_at, updated_by, data, null
        from item, n where id = '${id}'`),
      dataDb.prepare(`update tally set last_place = 340, live = 340
        where collection_id = (select collection_id from item where id = '${id}')`),
    ]);
    const search = (...sort: string[]) =>
      countOrError(form, { sort: sort.map((field) => ({ field })) });
    expect(await search("a", "t")).toEqual(["too_complex", "/sort/1"]);
    // Pages end at 4 MB, so this one has fewer items than its limit.
    expect(await search("a", "$updated_at")).toBeGreaterThan(30);
  });
});
