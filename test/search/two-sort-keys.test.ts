import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";
import { dataDb, dataHandle } from "../support/databases";

const states = ["cancelled", "open", "paid", "sent"];
const fields = [
  { key: "state", type: "select", options: states.map((value) => ({ value })) },
  { key: "ordered_on", type: "date" },
  { key: "customer", type: "text" },
  {
    key: "lines",
    type: "line_items",
    fields: [
      { key: "sku", type: "text" },
      { key: "qty", type: "number" },
    ],
  },
  { key: "note", type: "multiline_text", max_length: 100_000, searchable: false },
];
const qtyOf = (p: string, line: number) => `((${p} * 7919 + ${line}) % 50)`;
const lineNumbers = [1, 2, 3];

describe("A search with two sort keys", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });

  /** Inserts orders by SQL, with the rows that creates would store. */
  async function makeOrders(count: number, noteLength: number): Promise<string> {
    const form = await makeForm(integrator, fields);
    const created = await integrator.post(`/forms/${form}/submissions`, { data: {} });
    const current = await findCollection(dataHandle, "form", form);
    const { id, definition } = current?.collection ?? { id: 0, definition: { fields: null } };
    const list = definition.fields?.fields ?? [];
    const lines = list[3] && "fields" in list[3] ? list[3] : undefined;
    const [state, orderedOn, customer, , note] = list.map((field) => field.id);
    const [sku, qty] = lines?.fields.map((field) => field.id) ?? [];
    const first = id * 2 ** 32;
    const stateSql = `substr('cancelledopen     paid     sent     ', 1 + 9 * (p % 4), 9)`;
    const values = {
      state: `trim(${stateSql})`,
      day: "date('2026-01-01', '+' || (p * 31 % 300) || ' days')",
      customer: "('Customer ' || (p % 977))",
    };
    const lineSql = lineNumbers.map(
      (line) => `json_object('${sku}', 'SKU-' || ${line}, '${qty}', ${qtyOf("p", line)})`,
    );
    const data = `json_object('${state}', ${values.state}, '${orderedOn}', ${values.day} || 'Z',
      '${customer}', ${values.customer}, '${lines?.id}', json_array(${lineSql.join(", ")}),
      '${note}', printf('%.*c', ${noteLength}, 'n'))`;
    const numbers = `with recursive n(p) as (select 2 union all select p + 1 from n where p <= ${count})`;
    const entry = (field: number | undefined, value: string, folded = "null") =>
      dataDb.prepare(`insert or ignore into search_entry ${numbers}
        select ${first + (field ?? 0)}, ${value}, ${first} + p, ${folded} from n`);
    await dataDb.batch([
      dataDb.prepare(`insert into item ${numbers}
        select ${first} + p, id || p, collection_id, receipt_number, status, version, definition_version,
          created_at, created_by, updated_at, updated_by, ${data}, null
        from item, n where id = '${created.body.id}'`),
      entry(state, values.state),
      entry(orderedOn, values.day),
      entry(customer, values.customer, `lower(${values.customer})`),
      ...lineNumbers.map((line) => entry(qty, qtyOf("p", line))),
      dataDb.prepare(`update tally set last_place = ${count + 1}, live = ${count},
        largest = (select max(octet_length(data)) from item where number between ${first} and ${first + 2 ** 32 - 1})
        where collection_id = ${id}`),
      dataDb.prepare(`delete from item where id = '${created.body.id}'`),
    ]);
    return form;
  }

  const sort = [{ field: "state" }, { field: "ordered_on", direction: "desc" }];
  const qtyAbove = (value: number) => ({
    field: "lines",
    op: "any",
    value: [{ field: "qty", op: "gt", value }],
  });
  const compare = (a: Json, b: Json) =>
    states.indexOf(a.state) - states.indexOf(b.state) ||
    (a.ordered_on < b.ordered_on ? 1 : a.ordered_on > b.ordered_on ? -1 : 0);

  /** Reads all pages. Each costs a bounded number of rows, in one object call and two round trips. */
  async function readAll(form: string, body: Json, maxPages: number): Promise<Json[]> {
    const items: Json[] = [];
    let next: string | null = `/forms/${form}/submissions/search`;
    for (let pages = 0; next; pages += 1) {
      reset();
      const answer: Json = await integrator.post(next, { ...body, limit: 200 });
      expect([answer.status, pages < maxPages]).toEqual([200, true]);
      expect(counts.rowsRead).toBeLessThanOrEqual(90_000);
      expect([counts.object, counts.d1 <= 2]).toEqual([1, true]);
      items.push(...answer.body.items);
      ({ next } = answer.body.links);
    }
    return items;
  }

  it.each<[name: string, condition: Json[], matches: (data: Json) => boolean]>([
    [
      "one condition on rows",
      [qtyAbove(48)],
      ({ lines }) => lines.some((line: Json) => line.qty > 48),
    ],
    [
      "two conditions on rows",
      [qtyAbove(48), { field: "lines", op: "none", value: [{ field: "qty", op: "lt", value: 2 }] }],
      ({ lines }) =>
        lines.some((line: Json) => line.qty > 48) && !lines.some((line: Json) => line.qty < 2),
    ],
    [
      "a text or a row",
      [{ any: [{ field: "customer", op: "contains", value: "MER 97" }, qtyAbove(48)] }],
      ({ customer, lines }) =>
        customer.includes("mer 97") || lines.some((line: Json) => line.qty > 48),
    ],
  ])("returns 9,900 orders of 490 bytes in order, for %s", async (_, conditions, matches) => {
    const form = await orders();
    const first = await integrator.post(`/forms/${form}/submissions/search`, { sort, conditions });
    expect([first.status, first.body.items.length]).toEqual([200, 50]);
    const found = await readAll(form, { sort, conditions, fields: orderFields }, 12);
    expect(found.every(({ data }) => matches(data))).toBe(true);
    expect(found.length).toBe(await countOf(form, conditions));
    const keys = found.map(({ data }) => data);
    expect(keys).toEqual(keys.toSorted(compare));
    expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
  });

  let filled: Promise<string> | undefined;
  const orders = () => (filled ??= makeOrders(9_900, 270));
  const orderFields = ["state", "ordered_on", "customer", "lines"];
  const countOf = async (form: string, conditions: Json[]) => {
    const download = await integrator.post(
      `/forms/${form}/submissions/search`,
      { conditions },
      { Accept: "application/x-ndjson" },
    );
    return download.text.trim().split("\n").length;
  };

  it("returns 9,900 items of 5 KB by their index entries", async () => {
    const form = await makeOrders(9_900, 4_800);
    reset();
    const conditions = [qtyAbove(48)];
    const { status, body } = await integrator.post(`/forms/${form}/submissions/search`, {
      conditions,
      sort,
      fields: orderFields,
    });
    expect(status).toBe(200);
    expect(body.items).toHaveLength(50);
    const keys = body.items.map((item: Json) => item.data);
    expect(keys).toEqual(keys.toSorted(compare));
    expect(counts.rowsRead).toBeLessThanOrEqual(100_000);
  });

  it("returns small pages with a next link for 20 texts in 2,500 small items", async () => {
    const form = await makeOrders(2_500, 1);
    const any = Array.from({ length: 20 }, (_, n) => ({
      field: "customer",
      op: "contains",
      value: `mer ${n}9`,
    }));
    const found = await readAll(form, { sort, conditions: [{ any }], fields: orderFields }, 12);
    expect(found.length).toBe(await countOf(form, [{ any }]));
  });
});
