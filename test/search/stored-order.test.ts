import { env } from "cloudflare:workers";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Collection } from "../../src/domain/definition/collection.ts";
import { parseSearch } from "../../src/domain/search/parse.ts";
import { findCollection } from "../../src/store/data/collections.ts";
import { readPage } from "../../src/store/data/search/page.ts";
import { everyItem, type Client, type Json } from "../support/client";
import { client, makeApp, makeForm } from "../support/service";
import * as arbitrary from "./arbitrary";
import { matches, sorted } from "./reference";
import { pagesOf, plansOf, walked } from "./walking";

const many = 60;
const fields = [
  { key: "amount", type: "number" },
  { key: "name", type: "text" },
];
const types = { ...arbitrary.types, amount: "number" };

/** The system fields that items have no entries of: the table of items is their index. */
describe.each(["app", "form"] as const)("Ids, receipt numbers and times of an %s", (kind) => {
  let integrator: Client;
  let path: string;
  let stored: Json[];
  let strange: Json[];
  let collection: Collection;
  beforeAll(async () => {
    integrator = await client();
    const noun = kind === "app" ? "records" : "submissions";
    const make = () =>
      kind === "app"
        ? makeApp(integrator, fields, { receipt_prefix: "A1-" })
        : makeForm(integrator, fields);
    const [key, other] = [await make(), await make()];
    path = `/${kind}s/${key}/${noun}`;
    for (let n = 0; n < many; n += 1) {
      const data = { amount: n % 4, name: n % 3 === 0 ? null : `n${n % 5}` };
      await integrator.post(path, { data });
      if (n % 10 === 0) await integrator.post(`/${kind}s/${other}/${noun}`, { data });
    }
    // Others lie between these, some are gone, and the last ones too.
    const made = await everyItem(integrator, path);
    for (const item of made.filter((_, n) => n % 6 === 2 || n > many - 4)) {
      if (kind === "form") await integrator.delete(`/submissions/${item.id}`);
      else await integrator.patch(`${path}/${item.id}`, { data: { amount: 9 } });
    }
    stored = await everyItem(integrator, path);
    strange = [...(await everyItem(integrator, `/${kind}s/${other}/${noun}`)), ...made];
    const now = await findCollection(env.DB, kind, key);
    if (!now) throw new Error("The collection is gone.");
    ({ collection } = now);
  }, 60_000);

  const leaf = (field: string, op: string, value: unknown): Json => ({ field, op, value });
  /** Values of items that there are, were, or that others have; times between theirs; and parts of ids. */
  function conditionOf(random: (below: number) => number): Json {
    const one = () => strange[random(strange.length)];
    const text = (key: string, of: (item: Json) => string) => {
      const some = Array.from({ length: 1 + random(4) }, () => of(one()));
      const part =
        of(one())
          .slice(random(4), 4 + random(30))
          .toLowerCase() || "a";
      return [
        leaf(key, "eq", some[0]),
        leaf(key, "ne", some[0]),
        leaf(key, "in", some),
        leaf(key, "not_in", some),
        leaf(key, "contains", part),
        leaf(key, "starts_with", part),
        leaf(key, "is_empty", random(2) === 0),
      ];
    };
    const time = () => new Date(Date.parse(one().created_at) + random(3) - 1).toISOString();
    const [a, b] = [time(), time()];
    const times = [
      ...["eq", "gt", "gte", "lt", "lte"].map((op) => leaf("$created_at", op, a)),
      leaf("$created_at", "between", random(4) === 0 ? [a, b] : [a, b].toSorted()),
      leaf("$created_at", "in", [a, b, one().created_at]),
      leaf("$created_at", "gt", `${a.slice(0, -1)}5Z`),
      leaf("$created_at", "gt", "2020-01-01T00:00:00Z"),
      leaf("$created_at", "lt", "2020-01-01T00:00:00Z"),
      leaf("$created_at", "gte", "2099-01-01T00:00:00Z"),
    ];
    const receipts = kind === "app" ? text("$receipt_number", (item) => item.receipt_number) : [];
    const all = [
      ...times,
      ...times,
      ...text("$id", ({ id }) => id),
      ...receipts,
      leaf("amount", "eq", random(4)),
      leaf("amount", "gte", random(4)),
      leaf("name", "is_empty", true),
    ];
    return all[random(all.length)];
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
      let at = 0;
      const random = (below: number) => (numbers[at++ % numbers.length] ?? 0) % below;
      const conditions = Array.from({ length: count }, () => conditionOf(random));
      const [first, ...rest] = conditions;
      if (!first || group === null) return { conditions, sort };
      const grouped = group === "not" ? { not: first } : { [group]: conditions };
      return { conditions: group === "not" ? [grouped, ...rest] : [grouped], sort };
    });
  const expected = ({ conditions, sort }: Json) =>
    sorted(
      stored.filter((item) => matches(item, conditions, types)),
      sort,
      types,
    ).map(({ id }) => id);

  it("are found and sorted as a model says, over all pages, once each", async () => {
    await fc.assert(
      fc.asyncProperty(search, fc.integer({ min: 2, max: 30 }), async (body, limit) => {
        const found = await pagesOf(integrator, `${path}/search`, body, limit);
        expect(found.map(({ id }) => id)).toEqual(expected(body));
      }),
      { numRuns: 100 },
    );
  }, 120_000);

  it("every plan finds the same in the same order, and counts no more, whatever the budget", async () => {
    await fc.assert(
      fc.asyncProperty(
        search,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 120 }),
        async (body, rows, budget) => {
          const parsed = parseSearch(collection, body);
          for (const plan of plansOf(parsed)) {
            expect(await walked(collection, plan, parsed, { rows, budget })).toEqual(
              expected(body),
            );
            const walk = { collectionId: collection.id, search: parsed, start: null, budget };
            const { count } = await readPage(env.DB, plan, walk, 1, { count: true });
            const all = expected(body).length;
            expect(count?.count).toBeLessThanOrEqual(all);
            if (count?.exact) expect(count.count).toBe(all);
          }
        },
      ),
      { numRuns: 100 },
    );
  }, 180_000);

  it("have no search entries", async () => {
    const { results } = await env.DB.prepare(
      "select distinct field % 4294967296 - 2147483648 as id from search_entry where field % 4294967296 > 2147483648 order by 1",
    ).all<{ id: number }>();
    expect(results.map(({ id }) => id)).toEqual(kind === "app" ? [5] : [2, 5]);
  });
});
