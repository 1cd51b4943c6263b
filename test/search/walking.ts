import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { WholePosition } from "../../src/domain/cursor.ts";
import type { Collection } from "../../src/domain/definition/collection.ts";
import type { Search } from "../../src/domain/search/tree.ts";
import { findDrivers, isValue } from "../../src/store/data/search/driver.ts";
import { readPage } from "../../src/store/data/search/page.ts";
import { findNamed } from "../../src/store/data/search/ranges.ts";
import { planSortWalk, type Plan } from "../../src/store/data/search/plan.ts";
import type { Client, Json } from "../support/client";

/** All items of a search over HTTP, page by page. */
export async function pagesOf(
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

/** The ids of all pages of one plan, with a budget so small that pages end early. */
export async function walked(
  collection: Collection,
  plan: Plan,
  search: Search,
  { rows, budget }: { rows: number; budget: number },
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

/** Every plan that a search can have. */
export function plansOf(search: Search): Plan[] {
  const drivers = findDrivers(search);
  const named = findNamed(search);
  const [sort, second] = search.sort;
  const few = [...drivers, null, ...(named ? [named] : [])].map((driver): Plan => ({
    walk: "none",
    driver,
  }));
  if (second) return few;
  if (sort) return [...few, planSortWalk(search, sort)];
  const values = drivers.filter(isValue);
  return [
    ...few,
    { walk: "items" },
    ...(named ? [{ walk: "value", driver: named, probes: values } as const] : []),
    ...values.map((driver): Plan => {
      const probes = values.filter((each) => each !== driver);
      return { walk: "value", driver, probes };
    }),
  ];
}
