import { beforeAll, describe, expect, it } from "vitest";
import { fields } from "../../bench/fill";
import type { CompiledCollection } from "../../src/domain/data/compile.ts";
import type { QueryPage } from "../../src/actions/query-items.ts";
import type { Json } from "../support/client";
import { ownerRows } from "../support/databases";
import { client, makeForm } from "../support/service";
import { ItemBrowser } from "./item-browser";
import { fillForm, scale } from "./fill-form";

const eq = (field: string, value: unknown) => ({ field, op: "eq", value });
const inDepartment3 = eq("department", "department 3");
const where = (...conditions: object[]) => ({ conditions });

describe(`A list page of the administration, at ${scale} submissions of 10 fields`, () => {
  const browser = new ItemBrowser();
  let form: CompiledCollection;
  beforeAll(async () => {
    const key = await makeForm(await client(), fields);
    await fillForm(key);
    form = await browser.form(key);
  }, 600_000);

  /** Reads the first page and asserts the number of round trips. */
  async function read(text: string, body: Json = {}, trips = 1): Promise<QueryPage> {
    const page = await browser.page(form, { text, body, isForPeople: true });
    expect(browser.counts.d1).toBe(trips);
    return page;
  }

  it.each([
    ["no item has", "nobody"],
    ["a tenth has", "department 3"],
    ["few have", "person 4711"],
    ["other values have", "2026"],
    ["has neither ASCII nor a script without case", "é"],
  ])("reads at most 24,000 rows for a text that %s", async (_, text) => {
    await read(text);
    expect(browser.counts.rowsRead).toBeLessThanOrEqual(24_000);
  });

  it("finds the items that begin with the text among all items", async () => {
    const code = "00000042";
    const { prefixMatches, count } = await read(code);
    expect(prefixMatches.map(({ data }) => data["code"])).toEqual([code]);
    expect(count).toEqual({ count: 1, exact: false });
  });

  it("reaches all matches of a text, page by page, each once", async () => {
    const ids = await browser.ids(form, { text: "city 33" }, 50);
    expect(ids.length).toBeGreaterThan(scale / 1000);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("reads at most 57 rows to count all items, from the tally", async () => {
    const { count } = await read("");
    expect(count).toEqual({ count: scale, exact: true });
    expect(browser.counts.rowsRead).toBeLessThanOrEqual(57 + ownerRows);
  });

  it.each([
    ["an equality", where(inDepartment3), 1, 10_200],
    ["a range", where({ field: "amount", op: "lt", value: 500_000 }), 2, 24_000],
    [
      "a range and an equality",
      where({ field: "amount", op: "lt", value: 500_000 }, inDepartment3),
      2,
      24_000,
    ],
    ["a negation", where({ not: inDepartment3 }), 1, 24_000],
    ["contains", where({ field: "name", op: "contains", value: "7" }), 1, 24_000],
    [
      "a condition on rows",
      where({ field: "lines", op: "any", value: [eq("sku", "SKU-7")] }),
      1,
      24_000,
    ],
  ] as const)(
    "stays within the page budget when it counts by %s",
    async (_, body, trips, maxRows) => {
      const { count } = await read("", body, trips);
      expect(browser.counts.rowsRead).toBeLessThanOrEqual(maxRows);
      const { count: countForApi } = await browser.page(form, { body });
      expect(countForApi).toBeNull();
      expect(count?.count).toBeGreaterThan(0);
    },
  );

  it("returns an exact count for a narrow condition", async () => {
    const anyScore = { field: "score", op: "gte", value: 0 };
    const { count } = await read("", where(anyScore, eq("code", "00000042")), 2);
    expect(count).toEqual({ count: 1, exact: true });
  });

  it("counts up to 10,000 items from an index, and marks larger counts inexact", async () => {
    const anyScore = { field: "score", op: "gte", value: 0 };
    const expected = { count: Math.min(scale, 10_000), exact: scale <= 10_000 };
    expect((await read("", where(anyScore), 2)).count).toEqual(expected);
    const { count } = await read("", where(inDepartment3));
    expect(count?.exact).toBe(scale <= 100_000);
  });
});
