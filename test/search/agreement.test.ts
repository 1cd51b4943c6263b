import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/data/collections.ts";
import type { Collection } from "../../src/domain/definition/collection.ts";
import { parseSearch } from "../../src/domain/search/parse.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { matches, sorted } from "./reference";
import { pagesOf, plansOf, walked } from "./walking";

const many = 70;

describe("Searches agree with the reference", () => {
  let integrator: Client;
  let form: string;
  let path: string;
  let stored: Json[];
  let collection: Collection;
  beforeAll(async () => {
    integrator = await client();
    form = await makeForm(integrator, arbitrary.fields);
    path = `/forms/${form}/submissions`;
    const documents = fc.sample(arbitrary.document, { numRuns: many, seed: 7 });
    for (const [index, data] of documents.entries()) {
      const status = index % 5 === 0 ? "draft" : "submitted";
      const { status: code, text } = await integrator.post(path, { status, data });
      if (code !== 201) throw new Error(text);
    }
    const made = await everyItem(integrator, path);
    for (const item of made.filter((_, index) => index % 7 === 3)) {
      await integrator.patch(`/submissions/${item.id}`, { data: { amount: 5, name: null } });
    }
    for (const item of made.filter((_, index) => index % 11 === 5)) {
      await integrator.delete(`/submissions/${item.id}`);
    }
    stored = await everyItem(integrator, path);
    const now = await findCollection(env.DB, "form", form);
    if (!now) throw new Error("The form is gone.");
    ({ collection } = now);
  }, 60_000);

  const expected = ({ conditions, sort }: Json) =>
    sorted(
      stored.filter((each) => matches(each, conditions, arbitrary.types)),
      sort,
      arbitrary.types,
    ).map(({ id }) => id);

  it("over HTTP: the union of all pages is exactly what it says, once each, in order", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.search, fc.integer({ min: 3, max: 30 }), async (search, limit) => {
        const found = await pagesOf(integrator, `${path}/search`, search, limit);
        expect(found.map(({ id }) => id)).toEqual(expected(search));
        for (const item of found) {
          expect(item).toEqual(stored.find(({ id }) => id === item.id));
        }
      }),
      { numRuns: 120 },
    );
  }, 120_000);

  it("every plan that a search can have gives the same items in the same order, whatever the budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary.search,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (body, rows, budget) => {
          const search = parseSearch(collection, body);
          for (const plan of plansOf(search)) {
            expect(await walked(collection, plan, search, { rows, budget })).toEqual(
              expected(body),
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 180_000);
});
