import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Collection } from "../../src/domain/definition/collection.ts";
import { compileCollection, type CompiledCollection } from "../../src/domain/data/compile.ts";
import { narrowCollection, searchThrough } from "../../src/domain/data/narrow.ts";
import { parseSearch } from "../../src/domain/search/parse.ts";
import { itemNumberRange, type Item } from "../../src/domain/item/item.ts";
import { loadItemsInRange } from "../../src/store/data/item-ranges.ts";
import { matchesItem } from "../../src/domain/search/matches.ts";
import type { Condition } from "../../src/domain/search/tree.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { matches, sorted } from "./reference";
import { idsOfPlan, possiblePlans, searchAllPages } from "./plans";
import { dataHandle } from "../support/databases";
import { randomCases } from "../support/size";

const itemCount = 70;

describe("Searches compared with the reference", () => {
  let integrator: Client;
  let form: string;
  let path: string;
  let items: Json[];
  let collection: Collection;
  let compiled: CompiledCollection;
  let stored: Item[];
  let me: string;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, arbitrary.fields);
    path = `/forms/${form}/submissions`;
    me = (await integrator.get("/me")).body.actor;
    const documents = fc.sample(arbitrary.document, { numRuns: itemCount, seed: 7 });
    const creators = [integrator, await client()];
    for (const [index, data] of documents.entries()) {
      const status = index % 5 === 0 ? "draft" : "submitted";
      const creator = creators[index % 3 === 0 ? 1 : 0] ?? integrator;
      const { status: code, text } = await creator.post(path, { status, data });
      if (code !== 201) throw new Error(text);
    }
    const created = await everyItem(integrator, path);
    for (const item of created.filter((_, index) => index % 7 === 3)) {
      await integrator.patch(`/submissions/${item.id}`, { data: { amount: 5, name: null } });
    }
    for (const item of created.filter((_, index) => index % 11 === 5)) {
      await integrator.delete(`/submissions/${item.id}`);
    }
    items = await everyItem(integrator, path);
    const current = await findCollection(dataHandle, "form", form);
    if (!current) throw new Error("The form is gone.");
    ({ collection } = current);
    compiled = compileCollection(collection);
    const { above, below } = itemNumberRange(collection.id);
    const range = { next: above + 1, last: below - 1 };
    const bounds = { limit: 1000, maxBytes: 10_000_000, slots: null };
    stored = await loadItemsInRange(dataHandle.of(collection), range, bounds);
  }, 60_000);

  const matchingIds = (conditions: readonly Condition[]) =>
    stored.filter((item) => matchesItem(conditions, item)).map(({ id }) => id);

  /** The conditions for the reference, which does not know who asks. */
  const withActor = (conditions: Json[]) =>
    JSON.parse(JSON.stringify(conditions).replaceAll('"$me"', JSON.stringify(me))) as Json[];

  const expected = ({ conditions, sort }: Json) =>
    sorted(
      items.filter((item) => matches(item, withActor(conditions), arbitrary.types)),
      sort,
      arbitrary.types,
    ).map(({ id }) => id);

  it("return the same items over HTTP, over all pages, once each, in the same order", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.search, fc.integer({ min: 3, max: 30 }), async (search, limit) => {
        const results = await searchAllPages(integrator, `${path}/search`, search, limit);
        expect(results.map(({ id }) => id)).toEqual(expected(search));
        for (const item of results) {
          expect(item).toEqual(items.find(({ id }) => id === item.id));
        }
      }),
      { numRuns: randomCases(20, 80) },
    );
  }, 120_000);

  it("return the same ids in the same order with every possible plan and budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary.search,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (body, rows, budget) => {
          const search = searchThrough(compiled, parseSearch(collection, body, me));
          // Writes through a view decide without SQL.
          const unsorted = expected({ ...body, sort: [] }).toReversed();
          expect(matchingIds(search.conditions)).toEqual(unsorted);
          const ids = expected(body);
          await Promise.all(
            possiblePlans(search).map(async (plan) => {
              expect(await idsOfPlan(collection, plan, search, { rows, budget })).toEqual(ids);
            }),
          );
        },
      ),
      { numRuns: randomCases(12, 40) },
    );
  }, 180_000);

  it("return the same ids through a view, whatever it hides and however small its pages are", async () => {
    const keys = collection.definition.fields.fields.map(({ key }) => key);
    await fc.assert(
      fc.asyncProperty(
        arbitrary.search,
        fc.subarray(keys),
        fc.record({
          rows: fc.integer({ min: 1, max: 20 }),
          budget: fc.integer({ min: 1, max: 120 }),
          shownRoom: fc.integer({ min: 1, max: 1500 }),
        }),
        async ({ conditions, sort }, fields, limits) => {
          const view = { key: "view", name: "View", conditions, fields };
          const narrow = narrowCollection(compiled, view, me);
          const search = searchThrough(narrow, parseSearch(collection, { sort }, me));
          const ids = expected({ conditions, sort });
          await Promise.all(
            possiblePlans(search).map(async (plan) => {
              expect(await idsOfPlan(collection, plan, search, limits)).toEqual(ids);
            }),
          );
        },
      ),
      { numRuns: randomCases(8, 40) },
    );
  }, 180_000);
});
