import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";

const options = Array.from({ length: 101 }, (_, n) => ({ value: `o${n}` }));
const all = options.slice(0, 100).map(({ value }) => value);

describe("What a search may do to an item with long lists in rows", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });

  it("has_all goes through a list once, however many values it wants", async () => {
    const marks = { key: "marks", type: "multi_select", options };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [marks] }]);
    const rows = Array.from({ length: 20 }, () => ({ marks: all }));
    await integrator.post(`/forms/${form}/submissions`, { data: { l: rows } });
    const wanted = [...all.slice(1), "o100"];
    const value: Json[] = [{ field: "marks", op: "has_all", value: wanted }];
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

  const tooComplex = async (form: string, body: Json) => {
    const answer = await integrator.post(`/forms/${form}/submissions/search`, body);
    const [error] = answer.body.errors ?? [];
    return answer.status === 200 ? answer.body.items.length : [error?.code, error?.pointer];
  };
  const some = <T>(count: number, make: (n: number) => T) =>
    Array.from({ length: count }, (_, n) => make(n));

  it("many conditions on lists in rows are refused where one item is too large for them", async () => {
    const more = some(401, (n) => ({ value: `o${n}` }));
    const marks = { key: "marks", type: "multi_select", options: more };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [marks] }]);
    const held = more.slice(0, 400).map(({ value }) => value);
    const ask = (count: number, op: string) => {
      const any = some(count, (n) => ({
        field: "marks",
        op,
        value: [`o400`, `o${n}`].slice(0, op === "has_all" ? 2 : 1),
      }));
      return tooComplex(form, { conditions: [{ field: "l", op: "any", value: [{ any }] }] });
    };
    await integrator.post(`/forms/${form}/submissions`, { data: { l: [{ marks: held }] } });
    expect([await ask(46, "has_all"), await ask(46, "has_any")]).toEqual([0, 0]);
    const rows = some(250, () => ({ marks: held }));
    await integrator.post(`/forms/${form}/submissions`, { data: { l: rows } });
    const refused = ["too_complex", "/conditions"];
    expect([await ask(46, "has_all"), await ask(46, "has_any")]).toEqual([refused, refused]);
    expect([await ask(5, "has_all"), await ask(10, "has_any")]).toEqual([0, 0]);
  });

  it.each(["one list", "lists of their own"])(
    "as many conditions as there may be, on %s, are no fault of the database",
    async (on) => {
      const lists = some(50, (n) => ({ key: `m${n}`, type: "multi_select", options }));
      const form = await makeForm(integrator, lists);
      await integrator.post(`/forms/${form}/submissions`, { data: { m0: ["o0"], m49: ["o2"] } });
      for (const op of ["has_any", "has_none", "has_all"]) {
        const any = some(49, (n) => ({
          field: on === "one list" ? "m0" : `m${n}`,
          op,
          value: ["o0", "o1"],
        }));
        const conditions = [{ not: { any } }];
        const answer = await integrator.post(`/forms/${form}/submissions/search`, { conditions });
        expect([op, answer.status]).toEqual([op, 200]);
      }
    },
  );

  it("many long texts are not sought in the long texts of many rows", async () => {
    const t = { key: "t", type: "multiline_text", max_length: 100_000 };
    const form = await makeForm(integrator, [{ key: "l", type: "line_items", fields: [t] }]);
    const made = await integrator.post(`/forms/${form}/submissions`, {
      data: { l: some(10, () => ({ t: "a".repeat(90_000) })) },
    });
    expect(made.status).toBe(201);
    const ask = (count: number) => {
      const any = some(count, (n) => ({
        field: "t",
        op: "contains",
        value: `${"a".repeat(900 + n)}b`,
      }));
      return tooComplex(form, { conditions: [{ field: "l", op: "any", value: [{ any }] }] });
    };
    expect(await ask(49)).toEqual(["too_complex", "/conditions"]);
    expect(await ask(3)).toBe(0);
  });

  it("what is sorted at once counts the rows that are gone through", async () => {
    const columns = some(50, (n) => ({ key: `c${n}`, type: "number", searchable: n < 24 }));
    const form = await makeForm(integrator, [
      { key: "a", type: "text" },
      { key: "b", type: "text" },
      { key: "l", type: "line_items", fields: columns },
    ]);
    const l = some(300, () => Object.fromEntries(columns.map(({ key }) => [key, 1])));
    await integrator.post(`/forms/${form}/submissions`, { data: { a: "x", b: "y", l } });
    const ask = (count: number, sort: Json[]) => {
      const any = some(count, (n) => ({
        field: "l",
        op: "any",
        value: [{ field: `c${n}`, op: "gt", value: 2 }],
      }));
      return tooComplex(form, { conditions: [{ any }], sort });
    };
    const keys = [{ field: "a" }, { field: "b" }];
    expect(await ask(24, keys)).toEqual(["too_complex", "/sort/1"]);
    expect(await ask(4, keys)).toBe(0);
    expect(await ask(24, [{ field: "a" }])).toBe(0);
  });

  it("what is sorted at once counts the texts that are looked up", async () => {
    const keys = ["a", "b"].map((key) => ({ key, type: "text" }));
    const form = await makeForm(integrator, keys);
    const made = await integrator.post(`/forms/${form}/submissions`, { data: { a: "x" } });
    const { id } = made.body;
    await env.DB.batch([
      env.DB.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 999)
        insert into item select number + i, id || i, collection_id, receipt_number, status, version,
        definition_version, created_at + i, created_by, updated_at + i, updated_by, data, null
        from item, n where id = '${id}'`),
      env.DB.prepare(`update tally set last_place = 1000, live = 1000
        where collection_id = (select collection_id from item where id = '${id}')`),
    ]);
    const sort = keys.map(({ key }) => ({ field: key }));
    const ask = (count: number) =>
      tooComplex(form, {
        conditions: [{ any: some(count, (n) => ({ field: "a", op: "contains", value: `y${n}` })) }],
        sort,
      });
    expect(await ask(50)).toEqual(["too_complex", "/sort/1"]);
    expect(await ask(20)).toBe(0);
  });
});
