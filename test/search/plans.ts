import { pageBudget } from "../../src/store/data/search/budget.ts";
import { expect } from "vitest";
import type { FullPosition } from "../../src/domain/cursor.ts";
import type { Collection } from "../../src/domain/definition/collection.ts";
import type { Search } from "../../src/domain/search/tree.ts";
import { findDrivers, isSingleValue } from "../../src/store/data/search/driver.ts";
import { loadPage } from "../../src/store/data/search/page.ts";
import { findNamedItems } from "../../src/store/data/search/ranges.ts";
import { planSortScan, type Plan } from "../../src/store/data/search/plan.ts";
import type { Client, Json } from "../support/client";
import { dataHandle } from "../support/databases";

/** Searches over HTTP, page by page, and returns all items. */
export async function searchAllPages(
  client: Client,
  path: string,
  body: Json,
  limit: number,
): Promise<Json[]> {
  const items: Json[] = [];
  for (let next: string | null = path; next;) {
    const page = await client.post(next, { ...body, limit });
    if (page.status !== 200) throw new Error(page.text);
    items.push(...page.body.items);
    next = page.body.links.next;
  }
  return items;
}

/** Runs one plan to the end and returns the ids. With a small budget, pages end early. */
export async function idsOfPlan(
  collection: Collection,
  plan: Plan,
  search: Search,
  { rows, budget, shownRoom }: { rows: number; budget: number; shownRoom?: number },
): Promise<string[]> {
  const ids: string[] = [];
  let after: FullPosition | null = null;
  for (let pagesRead = 0; pagesRead < 500; pagesRead += 1) {
    const start = after && {
      values: after.slice(0, -1),
      number: Number(after.at(-1)),
      truncatedKey: null,
    };
    const scan = {
      collectionId: collection.id,
      search,
      start,
      budget: {
        ...pageBudget,
        rows: budget,
        ...(shownRoom === undefined ? {} : { room: { ...pageBudget.room, shown: shownRoom } }),
      },
    };
    const page = await loadPage(dataHandle.of({ id: scan.collectionId }), plan, scan, rows + 1);
    const hits = page.hits.slice(0, rows);
    ids.push(...hits.map(({ item }) => item.id));
    const next: FullPosition | null =
      page.hits.length > rows ? (hits.at(-1)?.position ?? null) : page.edge;
    if (!next) return ids;
    expect(next).not.toEqual(after);
    after = next;
  }
  throw new Error("The pages do not end.");
}

/** Every plan that can run the search. */
export function possiblePlans(search: Search): Plan[] {
  const drivers = findDrivers(search);
  const namedItems = findNamedItems(search);
  const [sort, secondSort] = search.sort;
  const unsorted = [...drivers, null, ...(namedItems ? [namedItems] : [])].map((driver): Plan => ({
    scan: "none",
    driver,
  }));
  if (secondSort) {
    const sorted = [true, false].flatMap((readsEntries) =>
      [...drivers, null].map((driver): Plan => ({
        scan: "sorted",
        driver,
        readsEntries,
        maxItemBytes: Infinity,
      })),
    );
    return [...unsorted, ...sorted];
  }
  if (sort) return [...unsorted, planSortScan(search, sort)];
  const singleValues = drivers.filter(isSingleValue);
  return [
    ...unsorted,
    { scan: "items" },
    ...(namedItems ? [{ scan: "value", driver: namedItems, probes: singleValues } as const] : []),
    ...singleValues.map((driver): Plan => {
      const probes = singleValues.filter((probe) => probe !== driver);
      return { scan: "value", driver, probes };
    }),
  ];
}
