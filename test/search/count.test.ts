import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Compiled } from "../../src/domain/data/compile.ts";
import { parseSearch } from "../../src/domain/search/parse.ts";
import { choosePlan } from "../../src/store/data/search/plan.ts";
import { findPage } from "../../src/store/data/search/find-page.ts";
import { readPage } from "../../src/store/data/search/page.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { Browser } from "./browsing";
import { matches } from "./reference";

describe("The count of a search", () => {
  const browser = new Browser();
  let integrator: Client;
  let form: Compiled;
  let stored: Json[];
  beforeAll(async () => {
    integrator = await client();
    const key = await makeForm(integrator, arbitrary.fields);
    for (const data of fc.sample(arbitrary.document, { numRuns: 60, seed: 13 })) {
      await integrator.post(`/forms/${key}/submissions`, { data });
    }
    stored = await everyItem(integrator, `/forms/${key}/submissions`);
    form = await browser.form(key);
  }, 60_000);

  const expected = ({ conditions }: Json) =>
    stored.filter((each) => matches(each, conditions, arbitrary.types)).length;

  it("is exact for all that a page may look at, and the same on every page", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.search, async (body) => {
        const exact = { count: expected(body), exact: true };
        const first = await browser.page(form, { body, forPeople: true }, null, 5);
        expect(first.count).toEqual(exact);
        if (!first.more) return;
        const second = await browser.page(form, { body, forPeople: true }, first.more, 5);
        expect(second.count).toEqual(exact);
      }),
      { numRuns: 80 },
    );
  }, 60_000);

  it("is never too high, and exact only where it is right, whatever the budget", async () => {
    const { collection } = form;
    await fc.assert(
      fc.asyncProperty(arbitrary.search, fc.integer({ min: 1, max: 200 }), async (body, budget) => {
        const search = { ...parseSearch(collection, body), sort: [] };
        // As where nothing narrows: sizes are not known.
        const plan = choosePlan(search, [], { live: Infinity, largest: Infinity });
        if (!plan) throw new Error("There is always a plan without a sort.");
        const walk = { collectionId: collection.id, search, start: null, budget };
        const { count } = await readPage(env.DB, plan, walk, 1, { count: true });
        if (count?.exact) expect(count.count).toBe(expected(body));
        expect(count?.count).toBeLessThanOrEqual(expected(body));
      }),
      { numRuns: 120 },
    );
  }, 60_000);

  it("is read only where it is asked for", async () => {
    const search = parseSearch(form.collection, {});
    const page = await findPage(env.DB, form.collection.id, search, null, 5);
    expect(page).toMatchObject({ count: null, leading: [] });
  });
});
