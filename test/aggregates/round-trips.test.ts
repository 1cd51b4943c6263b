import { beforeAll, describe, expect, it } from "vitest";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { dataDb } from "../support/databases";
import { client, makeForm } from "../support/service";

const sum = { metrics: { sum: { op: "sum", field: "amount" } } };
const number = (rules: object = {}) => ({ key: "amount", type: "number", ...rules });

describe("The round trips of an aggregate", () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
  });
  const create = async (form: string, ...amounts: number[]) => {
    const operations = amounts.map((amount) => ({ op: "create", data: { amount } }));
    const path = `/forms/${form}/submissions/batch`;
    expect((await integrator.post(path, { operations })).status).toBe(200);
  };
  /** The digits of the sum, and the number of round trips. */
  const sumOf = async (form: string): Promise<[sum: string | undefined, trips: number]> => {
    reset();
    const { text } = await integrator.post(`/forms/${form}/submissions/aggregate`, sum);
    return [/"sum":(-?[\d.]+)/.exec(text)?.[1], counts.d1];
  };

  it("are one more for integers that do not fit the scale of decimals, and only the first time", async () => {
    const form = await makeForm(integrator, [number()]);
    await create(form, 3_000_000_000_000, -7, 9_007_199_254_740_991);
    await sumOf(form);
    const other = await makeForm(integrator, [number()]);
    await create(other, 3_000_000_000_000, 4_000_000_000_000);
    expect(await sumOf(other)).toEqual(["7000000000000", 2]);
    expect(await sumOf(other)).toEqual(["7000000000000", 1]);
    expect(await sumOf(form)).toEqual(["9010199254740984", 1]);
  });

  it("are at most three if such integers have decimals between them, and later two", async () => {
    const form = await makeForm(integrator, [number()]);
    await create(form, -3_000_000_000_000, 0.25, 4_000_000_000_000);
    expect(await sumOf(form)).toEqual(["1000000000000.25", 3]);
    expect(await sumOf(form)).toEqual(["1000000000000.25", 2]);
  });

  it("are two for a field of integers that stores an older decimal, and later one", async () => {
    const form = await makeForm(integrator, [number()]);
    await create(form, 0.5, 2);
    const fields = [number({ integer: true })];
    expect((await integrator.put(`/forms/${form}/schema`, { fields })).status).toBe(200);
    await create(form, 3);
    expect(await sumOf(form)).toEqual(["5.5", 2]);
    expect(await sumOf(form)).toEqual(["5.5", 1]);
  });

  it("are one more for a sum of integers beyond 64 bits, which stays exact", async () => {
    const form = await makeForm(integrator, [number({ integer: true })]);
    await create(form, 2 ** 53 - 1);
    expect(await sumOf(form)).toEqual(["9007199254740991", 1]);
    await dataDb
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1099)
        insert into search_entry select field, value, item + i, null from n, search_entry
        where value = 9007199254740991 and field / 4294967296 = (select id from collection where key = ?1)`,
      )
      .bind(form)
      .run();
    expect(await sumOf(form)).toEqual(["9907919180215090100", 2]);
  });

  it("are one in a small collection, whatever index could serve the conditions", async () => {
    const form = await makeForm(integrator, [number(), { key: "name", type: "text" }]);
    await create(form, 1, 2, 3);
    const body: Json = {
      conditions: [
        { field: "amount", op: "gte", value: 2 },
        { field: "name", op: "is_empty", value: true },
      ],
      metrics: { items: { op: "count" } },
    };
    const tripsOf = async () => {
      reset();
      const answer = await integrator.post(`/forms/${form}/submissions/aggregate`, body);
      expect(answer.body.groups[0].metrics.items).toBe(2);
      return counts.d1;
    };
    expect(await tripsOf()).toBe(2);
    expect(await tripsOf()).toBe(1);
  });

  it("use the current definition although the isolate has cached another", async () => {
    const form = await makeForm(integrator, [number()]);
    await create(form, 1, 2);
    expect(await sumOf(form)).toEqual(["3", 1]);
    await dataDb
      .prepare(
        "update collection set fields = replace(fields, 'amount', 'price'), updated_at = updated_at + 1 where key = ?1",
      )
      .bind(form)
      .run();
    const { status, body } = await integrator.post(`/forms/${form}/submissions/aggregate`, sum);
    expect([status, body.errors[0].pointer]).toEqual([422, "/metrics/sum/field"]);
  });
});
