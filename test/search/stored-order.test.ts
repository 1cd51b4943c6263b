import fc from "fast-check";
import { pageBudget } from "../../src/store/data/search/budget.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Collection } from "../../src/domain/definition/collection.ts";
import { compileCollection } from "../../src/domain/data/compile.ts";
import { searchThrough } from "../../src/domain/data/narrow.ts";
import { parseSearch } from "../../src/domain/search/parse.ts";
import { itemNumberRange } from "../../src/domain/item/item.ts";
import { meOperand } from "../../src/domain/search/tree.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import { listItems } from "../../src/store/data/items.ts";
import { loadPage } from "../../src/store/data/search/page.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { matches, sorted } from "./reference";
import { idsOfPlan, possiblePlans, searchAllPages } from "./plans";
import type { Plan } from "../../src/store/data/search/plan.ts";
import { dataHandle, dataDb } from "../support/databases";
import { randomCases, unsized } from "../support/size";

const itemCount = 60;
const fields = [
  { key: "amount", type: "number" },
  { key: "name", type: "text" },
];
const types = { ...arbitrary.types, amount: "number" };

/** Items have no index entries of these system fields: the table of items is their index. */
describe.each(["app", "form"] as const)("Ids, receipt numbers and times of an %s", (kind) => {
  let integrator: Client;
  let path: string;
  let items: Json[];
  /** Items to take values from: also of another collection, and before they changed or were deleted. */
  let samples: Json[];
  let collection: Collection;
  beforeAll(async () => {
    integrator = await client();
    const noun = kind === "app" ? "records" : "submissions";
    const make = () =>
      kind === "app"
        ? makeApp(integrator, fields, { receipt_prefix: "A1-" })
        : makeForm(integrator, fields);
    const [key, otherKey] = [await make(), await make()];
    path = `/${kind}s/${key}/${noun}`;
    for (let n = 0; n < itemCount; n += 1) {
      const data = { amount: n % 4, name: n % 3 === 0 ? null : `n${n % 5}` };
      await integrator.post(path, { data });
      if (n % 10 === 0) await integrator.post(`/${kind}s/${otherKey}/${noun}`, { data });
    }
    // Items of the other collection are in between. Some items change or are deleted, also the last ones.
    const created = await everyItem(integrator, path);
    for (const item of created.filter((_, n) => n % 6 === 2 || n > itemCount - 4)) {
      if (kind === "form") await integrator.delete(`/submissions/${item.id}`);
      else await integrator.patch(`${path}/${item.id}`, { data: { amount: 9 } });
    }
    items = await everyItem(integrator, path);
    samples = [...(await everyItem(integrator, `/${kind}s/${otherKey}/${noun}`)), ...created];
    const current = await findCollection(dataHandle, kind, key);
    if (!current) throw new Error("The collection is gone.");
    ({ collection } = current);
  }, 60_000);

  const leaf = (field: string, op: string, value: unknown): Json => ({ field, op, value });
  /** A condition on a value of some sample, on a time next to one, or on a part of an id. */
  function conditionOf(random: (below: number) => number): Json {
    const sample = () => samples[random(samples.length)];
    const text = (key: string, valueOf: (item: Json) => string) => {
      const values = Array.from({ length: 1 + random(4) }, () => valueOf(sample()));
      const part =
        valueOf(sample())
          .slice(random(4), 4 + random(30))
          .toLowerCase() || "a";
      return [
        leaf(key, "eq", values[0]),
        leaf(key, "ne", values[0]),
        leaf(key, "in", values),
        leaf(key, "not_in", values),
        leaf(key, "contains", part),
        leaf(key, "starts_with", part),
        leaf(key, "is_empty", random(2) === 0),
      ];
    };
    const time = () => new Date(Date.parse(sample().created_at) + random(3) - 1).toISOString();
    const [a, b] = [time(), time()];
    const times = [
      ...["eq", "gt", "gte", "lt", "lte"].map((op) => leaf("$created_at", op, a)),
      leaf("$created_at", "between", random(4) === 0 ? [a, b] : [a, b].toSorted()),
      leaf("$created_at", "in", [a, b, sample().created_at]),
      leaf("$created_at", "gt", `${a.slice(0, -1)}5Z`),
      leaf("$created_at", "gt", "2020-01-01T00:00:00Z"),
      leaf("$created_at", "lt", "2020-01-01T00:00:00Z"),
      leaf("$created_at", "gte", "2099-01-01T00:00:00Z"),
    ];
    const receipts = kind === "app" ? text("$receipt_number", (item) => item.receipt_number) : [];
    const conditions = [
      ...times,
      ...times,
      ...text("$id", ({ id }) => id),
      ...receipts,
      leaf("amount", "eq", random(4)),
      leaf("amount", "gte", random(4)),
      leaf("name", "is_empty", true),
    ];
    return conditions[random(conditions.length)];
  }

  const names = ["$id", "$created_at", "$updated_at", "amount", "name"];
  const keys = kind === "app" ? [...names, "$receipt_number"] : names;
  const search = fc
    .tuple(
      fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
      fc.integer({ min: 0, max: 3 }),
      fc.uniqueArray(
        fc.record({ field: fc.constantFrom(...keys), direction: fc.constantFrom("asc", "desc") }),
        { maxLength: 2, selector: ({ field }) => field },
      ),
      fc.constantFrom("all", "any", "not", null, null, null),
    )
    .map(([numbers, count, sort, group]): Json => {
      let index = 0;
      const random = (below: number) => (numbers[index++ % numbers.length] ?? 0) % below;
      const conditions = Array.from({ length: count }, () => conditionOf(random));
      const [first, ...others] = conditions;
      if (!first || group === null) return { conditions, sort };
      const grouped = group === "not" ? { not: first } : { [group]: conditions };
      return { conditions: group === "not" ? [grouped, ...others] : [grouped], sort };
    });
  const expected = ({ conditions, sort }: Json) =>
    sorted(
      items.filter((item) => matches(item, conditions, types)),
      sort,
      types,
    ).map(({ id }) => id);

  it("are searched and sorted like the reference, over all pages, once each", async () => {
    await fc.assert(
      fc.asyncProperty(search, fc.integer({ min: 2, max: 30 }), async (body, limit) => {
        const results = await searchAllPages(integrator, `${path}/search`, body, limit);
        expect(results.map(({ id }) => id)).toEqual(expected(body));
      }),
      { numRuns: randomCases(12, 60) },
    );
  }, 120_000);

  it("give the same ids in the same order with every plan and budget, and never too high a count", async () => {
    await fc.assert(
      fc.asyncProperty(
        search,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (body, rows, budget) => {
          const parsed = searchThrough(
            compileCollection(collection),
            parseSearch(collection, body, meOperand),
          );
          const ids = expected(body);
          const checkPlan = async (plan: Plan) => {
            expect(await idsOfPlan(collection, plan, parsed, { rows, budget })).toEqual(ids);
            const scan = {
              collectionId: collection.id,
              search: parsed,
              start: null,
              budget: { ...pageBudget, rows: budget },
            };
            const { count } = await loadPage(
              dataHandle.of({ id: scan.collectionId }),
              plan,
              scan,
              1,
              { withCount: true },
            );
            expect(count?.count).toBeLessThanOrEqual(ids.length);
            if (count?.exact) expect(count.count).toBe(ids.length);
          };
          await Promise.all(possiblePlans(parsed).map(checkPlan));
        },
      ),
      { numRuns: randomCases(12, 60) },
    );
  }, 180_000);

  it("of other apps and forms appear on no page, also after a position among those", async () => {
    const sort = [{ field: "amount", direction: "asc" }];
    const byName = { field: "name", op: "eq", value: "n1" };
    const bodies = [
      {},
      { conditions: [{ field: "amount", op: "ne", value: 99 }] },
      { conditions: [byName] },
      { conditions: [byName, { field: "amount", op: "lt", value: 9 }] },
      { conditions: [leaf("$created_at", "gt", "2020-01-01T00:00:00Z")] },
      { sort },
      { sort: [...sort, { field: "name", direction: "desc" }] },
    ];
    const db = dataHandle.of({ id: collection.id });
    const { above, below } = itemNumberRange(collection.id);
    for (const body of bodies) {
      const parsed = parseSearch(collection, body, meOperand);
      for (const order of ["asc", "desc"] as const) {
        const ordered = searchThrough(compileCollection(collection), { ...parsed, order });
        const findOthers = async (plan: Plan, number: number) => {
          const start = { values: ordered.sort.map(() => null), number, truncatedKey: null };
          const scan = {
            collectionId: collection.id,
            search: ordered,
            start,
            budget: pageBudget,
          };
          const { hits } = await loadPage(db, plan, scan, 200);
          const others = hits.filter(({ item }) => item.collectionId !== collection.id);
          expect([body, order, plan, number, others]).toEqual([body, order, plan, number, []]);
        };
        const pages = possiblePlans(ordered).flatMap((plan) =>
          [1, above - 5, below + 5, below * 2].map((number) => findOthers(plan, number)),
        );
        await Promise.all(pages);
      }
    }
    const { id, key } = collection;
    for (const after of [0, above - 5]) {
      const query = { kind, key, id, after, limit: 200, maxBytes: 4_000_000, stamps: "{}" };
      const page = await listItems(dataHandle, query);
      expect(page?.items.map((item) => item.id)).toEqual(items.map((item) => item.id));
    }
  });

  unsized.it("have no search entries", async () => {
    const { results } = await dataDb
      .prepare(
        "select distinct field % 4294967296 - 2147483648 as id from search_entry where field % 4294967296 > 2147483648 order by 1",
      )
      .all<{ id: number }>();
    expect(results.map(({ id }) => id)).toEqual(kind === "app" ? [5] : [2, 5]);
  });
});
