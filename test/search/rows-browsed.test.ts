import { beforeAll, describe, expect, it } from "vitest";
import { fields } from "../../bench/fill";
import type { Compiled } from "../../src/domain/data/compile.ts";
import type { BrowsedPage } from "../../src/actions/query-items.ts";
import type { Json } from "../support/client";
import { client, makeForm } from "../support/service";
import { Browser } from "./browsing";
import { fill, scale } from "./filled";

const eq = (field: string, value: unknown) => ({ field, op: "eq", value });
const third = eq("department", "department 3");
const where = (...conditions: object[]) => ({ conditions });

describe(`What a page for people reads, at ${scale} submissions of 10 fields`, () => {
  const browser = new Browser();
  let form: Compiled;
  beforeAll(async () => {
    const key = await makeForm(await client(), fields);
    await fill(key);
    form = await browser.form(key);
  }, 600_000);

  /** The first page, in so many round trips. */
  async function read(text: string, body: Json = {}, trips = 1): Promise<BrowsedPage> {
    const page = await browser.page(form, { text, body, forPeople: true });
    expect(browser.counts.d1).toBe(trips);
    return page;
  }

  it.each([
    ["no item has", "nobody"],
    ["a tenth has", "department 3"],
    ["few have", "person 4711"],
    ["other values have", "2026"],
    ["has neither ASCII nor a script without case", "é"],
  ])("a text that %s", async (_, text) => {
    await read(text);
    expect(browser.counts.rowsRead).toBeLessThanOrEqual(24_000);
  });

  it("what begins with the text is found among all items at once", async () => {
    const code = "00000042";
    const { leading, count } = await read(code);
    expect(leading.map(({ data }) => data["code"])).toEqual([code]);
    expect(count).toEqual({ count: 1, exact: false });
  });

  it("a text that is found goes on to the end, page by page", async () => {
    const found = await browser.ids(form, { text: "city 33" }, 50);
    expect(found.length).toBeGreaterThan(scale / 1000);
    expect(new Set(found).size).toBe(found.length);
  });

  it("the count of all is told by the tally", async () => {
    const { count } = await read("");
    expect(count).toEqual({ count: scale, exact: true });
    expect(browser.counts.rowsRead).toBeLessThanOrEqual(57);
  });

  it.each([
    ["an equality", where(third), 1, 10_200],
    ["a range", where({ field: "amount", op: "lt", value: 500_000 }), 2, 24_000],
    [
      "a range and an equality",
      where({ field: "amount", op: "lt", value: 500_000 }, third),
      2,
      24_000,
    ],
    ["a negation", where({ not: third }), 1, 24_000],
    ["contains", where({ field: "name", op: "contains", value: "7" }), 1, 24_000],
    [
      "a condition on rows",
      where({ field: "lines", op: "any", value: [eq("sku", "SKU-7")] }),
      1,
      24_000,
    ],
  ] as const)("counting by %s reads no more than a page may", async (_, body, trips, most) => {
    const { count } = await read("", body, trips);
    expect(browser.counts.rowsRead).toBeLessThanOrEqual(most);
    const { count: alone } = await browser.page(form, { body });
    expect(alone).toBeNull();
    expect(count?.count).toBeGreaterThan(0);
  });

  it("what a narrow condition leaves is counted to the end", async () => {
    const all = { field: "score", op: "gte", value: 0 };
    const { count } = await read("", where(all, eq("code", "00000042")), 2);
    expect(count).toEqual({ count: 1, exact: true });
  });

  it("an index counts up to 10,000, and says where there are more", async () => {
    const all = { field: "score", op: "gte", value: 0 };
    const every = { count: Math.min(scale, 10_000), exact: scale <= 10_000 };
    expect((await read("", where(all), 2)).count).toEqual(every);
    const { count } = await read("", where(third));
    expect(count?.exact).toBe(scale <= 100_000);
  });
});
