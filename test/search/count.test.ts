import fc from "fast-check";
import { pageBudget } from "../../src/store/data/search/budget.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { CompiledCollection } from "../../src/domain/data/compile.ts";
import { compileCollection } from "../../src/domain/data/compile.ts";
import { searchThrough } from "../../src/domain/data/narrow.ts";
import { parseSearch } from "../../src/domain/search/parse.ts";
import { meOperand } from "../../src/domain/search/tree.ts";
import { choosePlan } from "../../src/store/data/search/plan.ts";
import { findPage } from "../../src/store/data/search/find-page.ts";
import { loadPage } from "../../src/store/data/search/page.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { ItemBrowser } from "./item-browser";
import { matches } from "./reference";
import { dataHandle } from "../support/databases";
import { randomCases, unsized } from "../support/size";

describe("Count of a search", () => {
  const browser = new ItemBrowser();
  let integrator: Client;
  let form: CompiledCollection;
  let items: Json[];
  beforeAll(async () => {
    integrator = await client();
    const key = await makeForm(integrator, arbitrary.fields);
    for (const data of fc.sample(arbitrary.document, { numRuns: 60, seed: 13 })) {
      await integrator.post(`/forms/${key}/submissions`, { data });
    }
    items = await everyItem(integrator, `/forms/${key}/submissions`);
    form = await browser.form(key);
  }, 60_000);

  const expected = ({ conditions }: Json) =>
    items.filter((item) => matches(item, conditions, arbitrary.types)).length;

  it("is exact within the budget of a page, and the same on every page", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.search, async (body) => {
        const exact = { count: expected(body), exact: true };
        const first = await browser.page(form, { body, isForPeople: true }, null, 5);
        expect(first.count).toEqual(exact);
        if (!first.nextPosition) return;
        const second = await browser.page(form, { body, isForPeople: true }, first.nextPosition, 5);
        expect(second.count).toEqual(exact);
      }),
      { numRuns: randomCases(40, 80) },
    );
  }, 60_000);

  it("is never too high, and marked exact only if it is, with any budget", async () => {
    const { collection } = form;
    await fc.assert(
      fc.asyncProperty(arbitrary.search, fc.integer({ min: 1, max: 200 }), async (body, budget) => {
        const parsed = parseSearch(collection, body, meOperand);
        const search = searchThrough(compileCollection(collection), { ...parsed, sort: [] });
        // The plan for a search that nothing narrows: sizes are unknown.
        const plan = choosePlan(search, [], { itemCount: Infinity, largestItemBytes: Infinity });
        if (!plan) throw new Error("There is always a plan without a sort.");
        const scan = {
          collectionId: collection.id,
          search,
          start: null,
          budget: { ...pageBudget, rows: budget },
        };
        const { count } = await loadPage(dataHandle.of({ id: scan.collectionId }), plan, scan, 1, {
          withCount: true,
        });
        if (count?.exact) expect(count.count).toBe(expected(body));
        expect(count?.count).toBeLessThanOrEqual(expected(body));
      }),
      { numRuns: randomCases(40, 120) },
    );
  }, 60_000);

  unsized.it("is null unless requested", async () => {
    const parsed = parseSearch(form.collection, {}, meOperand);
    const search = searchThrough(compileCollection(form.collection), parsed);
    const page = await findPage(dataHandle.of(form.collection), search, null, 5);
    expect(page).toMatchObject({ count: null, prefixMatches: [] });
  });
});
