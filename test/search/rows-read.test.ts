import { beforeAll, describe, expect, it } from "vitest";
import { fields } from "../../bench/fill";
import { searches } from "../../bench/searches";
import type { Client, Json } from "../support/client";
import { counted } from "../support/counting";
import { client, makeForm } from "../support/service";
import { fill, scale } from "./filled";

describe(`What a search reads, at ${scale} submissions of 10 fields`, () => {
  const { fetch, counts, reset } = counted();
  let integrator: Client;
  let path: string;
  beforeAll(async () => {
    integrator = (await client()).through(fetch);
    const form = await makeForm(integrator, fields);
    await fill(form);
    path = `/forms/${form}/submissions/search`;
    // The isolate learns the definition.
    await integrator.post(path, {});
  }, 600_000);

  /** Rows read for the pages that it takes to have `wanted` items, at most `pages` of them. */
  async function read(
    body: Json,
    from = path,
  ): Promise<{ rows: number; items: number; next: string }> {
    reset();
    const answer = await integrator.post(from, body);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    expect(counts.object).toBe(1);
    expect(counts.d1).toBeLessThanOrEqual(2);
    return { rows: counts.rowsRead, items: answer.body.items.length, next: answer.body.links.next };
  }

  it.each(searches)("$name", async ({ body, most, fills }) => {
    const first = await read(body);
    expect(first.rows).toBeLessThanOrEqual(most);
    if (fills) expect(first.items).toBe(50);
    if (!first.next) return;
    const second = await read(body, first.next);
    expect(second.rows).toBeLessThanOrEqual(most);
  });

  it("conditions in one group read what the same read side by side", async () => {
    const all = [
      { field: "$status", op: "eq", value: "submitted" },
      { field: "name", op: "contains", value: "nobody" },
    ];
    const { rows } = await read({ conditions: [{ all }] });
    expect(rows).toBeLessThanOrEqual(11_000);
    expect(rows).toBe((await read({ conditions: all })).rows);
  });

  it("page 100 reads what page 1 reads", async () => {
    const deep = ["no conditions", "equality", "sorted by a field"];
    for (const { body } of searches.filter(({ name }) => deep.includes(name))) {
      const first = await read({ ...body, limit: 20 });
      let { next } = first;
      for (let page = 2; page < 100; page += 1)
        ({ next } = await read({ ...body, limit: 20 }, next));
      const late = await read({ ...body, limit: 20 }, next);
      expect(Math.abs(late.rows - first.rows)).toBeLessThanOrEqual(2);
    }
  });

  it("what matches nowhere ends after as many pages as the budget makes of the collection", async () => {
    const body = { conditions: [{ field: "name", op: "contains", value: "nobody" }] };
    let pages = 0;
    for (let next: string | null = path; next; pages += 1) ({ next } = await read(body, next));
    expect(pages).toBeLessThanOrEqual(Math.ceil(scale / 5000) + 1);
  });
});
