import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { findCollection } from "../../src/store/definitions/collections";
import type { Collection } from "../../src/domain/definition/collection";
import { parseSearch } from "../../src/domain/search/parse";
import type { Search } from "../../src/domain/search/tree";
import type { WholePosition } from "../../src/domain/cursor";
import { findDrivers, isValue } from "../../src/store/search/driver";
import { planSortWalk, type Plan } from "../../src/store/search/plan";
import { readPage } from "../../src/store/search/find-page";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { matches, sorted } from "./reference";

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

  async function pages(body: Json, limit: number): Promise<Json[]> {
    const items: Json[] = [];
    for (let next: string | null = `${path}/search`; next;) {
      const page = await integrator.post(next, { ...body, limit });
      if (page.status !== 200) throw new Error(page.text);
      items.push(...page.body.items);
      next = page.body.links.next;
    }
    return items;
  }

  it("over HTTP: the union of all pages is exactly what it says, once each, in order", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary.search, fc.integer({ min: 3, max: 30 }), async (search, limit) => {
        const found = await pages(search, limit);
        expect(found.map(({ id }) => id)).toEqual(expected(search));
        for (const item of found) {
          expect(item).toEqual(stored.find(({ id }) => id === item.id));
        }
      }),
      { numRuns: 120 },
    );
  }, 120_000);

  /** All pages of one plan, with a budget so small that pages end early. */
  async function walked(
    plan: Plan,
    search: Search,
    rows: number,
    budget: number,
  ): Promise<string[]> {
    const found: string[] = [];
    let after: WholePosition | null = null;
    for (let pagesRead = 0; pagesRead < 500; pagesRead += 1) {
      const start = after && {
        values: after.slice(0, -1),
        number: Number(after.at(-1)),
        from: null,
      };
      const walk = { collectionId: collection.id, search, start, budget };
      const page = await readPage(env.DB, plan, walk, rows + 1);
      const shown = page.hits.slice(0, rows);
      found.push(...shown.map(({ item }) => item.id));
      const more: WholePosition | null =
        page.hits.length > rows ? (shown.at(-1)?.position ?? null) : page.edge;
      if (!more) return found;
      expect(more).not.toEqual(after);
      after = more;
    }
    throw new Error("The pages do not end.");
  }

  function plansOf(search: Search): Plan[] {
    const drivers = findDrivers(search);
    const [sort, second] = search.sort;
    const few: Plan[] = drivers.map((driver) => ({ walk: "none", driver }));
    if (second) return [...few, { walk: "none", driver: null }];
    if (sort) return [...few, planSortWalk(search, sort)];
    const values = drivers.filter(isValue);
    return [
      ...few,
      { walk: "items" },
      ...values.map((driver): Plan => {
        const probes = values.filter((each) => each !== driver);
        return { walk: "value", driver, probes };
      }),
    ];
  }

  it("every plan that a search can have gives the same items in the same order, whatever the budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrary.search,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (body, rows, budget) => {
          const search = parseSearch(collection, body);
          for (const plan of plansOf(search)) {
            expect(await walked(plan, search, rows, budget)).toEqual(expected(body));
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 180_000);
});
