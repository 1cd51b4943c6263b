import { beforeAll, describe, expect, it } from "vitest";
import { aggregates } from "../../bench/aggregates";
import { fields } from "../../bench/fill";
import { searches } from "../../bench/searches";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { ownerRows } from "../support/databases";
import { client, makeForm } from "../support/service";
import { fillForm, scale } from "./fill-form";

describe(`Rows that a search reads, at ${scale} submissions of 10 fields`, () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  let path: string;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
    const form = await makeForm(integrator, fields);
    await fillForm(form);
    path = `/forms/${form}/submissions/search`;
    // The isolate caches the definition.
    await integrator.post(path, {});
  }, 600_000);

  /** Sends one search and returns the rows it read, the number of items and the next link. */
  async function read(
    body: Json,
    url = path,
  ): Promise<{ rows: number; items: number; next: string }> {
    reset();
    const answer = await integrator.post(url, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    expect(counts.object).toBe(1);
    expect(counts.d1).toBeLessThanOrEqual(2);
    return { rows: counts.rowsRead, items: answer.body.items.length, next: answer.body.links.next };
  }

  it.each(searches)("$name", async ({ body, most, fills }) => {
    const first = await read(body);
    expect(first.rows).toBeLessThanOrEqual(most + ownerRows);
    if (fills) expect(first.items).toBe(50);
    if (!first.next) return;
    const second = await read(body, first.next);
    expect(second.rows).toBeLessThanOrEqual(most + ownerRows);
  });

  it.each(aggregates)("of an aggregate: $name", async ({ body, most }) => {
    const answer = async () => integrator.post(path.replace("search", "aggregate"), body);
    await answer();
    reset();
    const { status, text } = await answer();
    expect([status, text]).toEqual([200, text]);
    expect(counts.object).toBe(1);
    expect(counts.d1).toBeLessThanOrEqual(2);
    expect(counts.rowsRead).toBeLessThanOrEqual(most * scale + 1000);
  });

  it("are the same for conditions in a group and without it", async () => {
    const conditions = [
      { field: "$status", op: "eq", value: "submitted" },
      { field: "name", op: "contains", value: "nobody" },
    ];
    const { rows } = await read({ conditions: [{ all: conditions }] });
    expect(rows).toBeLessThanOrEqual(11_000);
    expect(rows).toBe((await read({ conditions })).rows);
  });

  it("are the same on page 100 as on page 1", async () => {
    const names = ["no conditions", "equality", "sorted by a field"];
    for (const { body } of searches.filter(({ name }) => names.includes(name))) {
      const first = await read({ ...body, limit: 20 });
      let { next } = first;
      for (let page = 2; page < 100; page += 1)
        ({ next } = await read({ ...body, limit: 20 }, next));
      const last = await read({ ...body, limit: 20 }, next);
      expect(Math.abs(last.rows - first.rows)).toBeLessThanOrEqual(2);
    }
  });

  it("take no more pages than the budget needs when nothing matches", async () => {
    const body = { conditions: [{ field: "name", op: "contains", value: "nobody" }] };
    let pages = 0;
    for (let next: string | null = path; next; pages += 1) ({ next } = await read(body, next));
    expect(pages).toBeLessThanOrEqual(Math.ceil(scale / 5000) + 1);
  });
});
