import type { Search, Leaf, Sort } from "#domain/search/tree.ts";
import { attempt } from "#store/db/retry.ts";
import { driverSql, findDrivers, isValue, type EntryDriver, requiredConditions, type Range } from "./driver.ts";
import { createdRange, inRange, itemRange, withRange, type ItemRange, findNamed, type Driver } from "./ranges.ts";
import { Values } from "./conditions.ts";

/** Candidates that are sorted in memory; more are walked in order. */
const fewCandidates = 1000;
/** The same where the sort field is bounded, and its walk a good plan already. */
const fewBesideBounds = 100;
/** What a second sort key may have to sort (contract, section 9). */
export const mostSorted = 10_000;

/**
 * The drivers whose sizes decide the plan, and up to which size; null stands for all items of a range. None where one plan is
 * good whatever they are.
 */
export function chooseProbes(search: Search): { drivers: (EntryDriver | null)[]; upTo: number } {
  const drivers = findDrivers(search);
  const ranged = createdRange(search) ? [null] : [];
  const [sort] = search.sort;
  if (search.sort.length > 1) return { drivers: [...drivers, ...ranged], upTo: mostSorted };
  if (!sort) {
    const [only] = drivers;
    const alone = drivers.length === 1 && only && isValue(only);
    return { drivers: alone ? [] : drivers, upTo: fewCandidates };
  }
  const others = drivers.filter(({ field }) => field.number !== sort.field.number);
  const bounded = others.length < drivers.length;
  return { drivers: [...others, ...ranged], upTo: bounded ? fewBesideBounds : fewCandidates };
}

/** Whether the plan needs to know sizes. */
export function isWeighed(search: Search): boolean {
  if (findNamed(search)) return false;
  return search.sort.length > 1 || chooseProbes(search).drivers.length > 0;
}

/** What a probe tells of a driver. */
export interface Size {
  /** Its entries, counted up to one more than was asked for. */
  count: number;
  /** How far apart its newest items lie: the farther, the rarer they are. */
  span: number;
}

/** What a probe tells of the collection. */
export interface Whole {
  /** Its items, and the bytes that the largest one ever took. */
  live: number;
  largest: number;
}

export const nothingProbed = { sizes: [], whole: { live: 0, largest: 0 } };

/** How many items each driver has, counted up to one more than `upTo`, and how large the collection is. */
export async function probeSizes(
  db: D1Database,
  collectionId: number,
  search: Search,
): Promise<{ sizes: Size[]; whole: Whole }> {
  const { drivers, upTo } = chooseProbes(search);
  const values = new Values();
  const range = itemRange(collectionId, search, values);
  const columns = drivers.flatMap((driver, index) => [
    `${countSql(driver, upTo, range, values)} as count${index}`,
    `${spanSql(driver, range, values)} as span${index}`,
  ]);
  const text = `select ${["live", "largest", ...columns].join(", ")} from tally where collection_id = ${collectionId}`;
  const ranged = withRange(range, text);
  const probe = columns.length > 0 ? db.prepare(ranged).bind(values.json) : db.prepare(ranged);
  const found = (await attempt(() => probe.first<Record<string, number>>())) ?? {};
  return {
    sizes: drivers.map((_, index) => ({
      count: found[`count${index}`] ?? 0,
      span: found[`span${index}`] ?? 0,
    })),
    whole: { live: found["live"] ?? 0, largest: found["largest"] ?? 0 },
  };
}

const sampled = 32;

/** How many items or entries the driver has, counted up to one more than `upTo`. */
function countSql(
  driver: EntryDriver | null,
  upTo: number,
  range: ItemRange,
  values: Values,
): string {
  const own = driver
    ? `search_entry c where ${inDriver(driver, range, values)}`
    : `(select number as item from item) c where ${inRange(range)}`;
  return `(select count(*) from (select 1 from ${own} limit ${upTo + 1}))`;
}

/** Of several values not only those in the range, which could be far between. */
function inDriver(driver: EntryDriver, range: ItemRange, values: Values): string {
  const own = driverSql(driver, values);
  return isValue(driver) ? `${own} and ${inRange(range)}` : own;
}

/** How far apart the newest items of the driver lie; 0 where its entries are not in the order of items. */
function spanSql(driver: EntryDriver | null, range: ItemRange, values: Values): string {
  if (!driver || !isValue(driver)) return "0";
  const newest = `select c.item from search_entry c where ${inDriver(driver, range, values)} order by c.item desc limit ${sampled}`;
  return `(select max(item) - min(item) from (${newest}))`;
}

/** How a page is made. Every plan gives the same items in the same order, so that pages can change it. */
export type Plan =
  /** Few candidates, or all items of a short range or a small collection (no driver): read them all, sort them in memory. */
  | { walk: "none"; driver: Driver | null }
  /** The items themselves, newest first. */
  | { walk: "items" }
  /** The entries of one value, or items that are named, newest item first. */
  | { walk: "value"; driver: Driver; probes: EntryDriver[] }
  /** The entries of the sort field, then the items that have no value there. */
  | { walk: "sort"; sort: Sort; range: Range; empties: boolean; probes: EntryDriver[] };

/** The part of the sort field's entries that can match, and whether items without a value there can. */
export function planSortWalk(search: Search, sort: Sort): Extract<Plan, { walk: "sort" }> {
  const drivers = findDrivers(search);
  const own = drivers.find(
    ({ field, range }) => field.number === sort.field.number && !("among" in range),
  );
  const probes = drivers.filter(
    ({ field, range }) => "at" in range && field.number !== sort.field.number,
  );
  const excluded = requiredConditions(search.conditions).some(
    (each) => "op" in each && each.field.number === sort.field.number && needsValue(each),
  );
  return { walk: "sort", sort, range: own?.range ?? {}, empties: !excluded, probes };
}

function needsValue(condition: Leaf): boolean {
  switch (condition.op) {
    case "ne":
    case "not_in":
    case "has_none":
    case "none":
      return false;
    case "is_empty":
      return !condition.value;
    case "eq":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "between":
    case "in":
    case "contains":
    case "starts_with":
    case "has_any":
    case "has_all":
    case "any":
      return true;
  }
}

/** What is read at once to be sorted in memory, where a walk would do as well. */
const mostReadBytes = 16_000_000;

/** The plan, where `sizes` are those of the probed drivers. Undefined: too many to sort. */
export function choosePlan(
  search: Search,
  sizes: readonly Size[],
  { live, largest }: Whole,
): Plan | undefined {
  const named = findNamed(search);
  if (named) return { walk: "none", driver: named };
  const { drivers, upTo } = chooseProbes(search);
  const probed = drivers.map((driver, index) => ({ driver, size: sizes[index] }));
  const [smallest] = probed.toSorted((a, b) => (a.size?.count ?? 0) - (b.size?.count ?? 0));
  const count = smallest?.size?.count ?? Infinity;
  if (search.sort.length > 1) {
    if (smallest && count <= upTo) return { walk: "none", driver: smallest.driver };
    return live <= mostSorted ? { walk: "none", driver: null } : undefined;
  }
  if (smallest && count <= upTo && count * largest <= mostReadBytes) {
    return { walk: "none", driver: smallest.driver };
  }
  return chooseWalk(search, sizes);
}

/** The plan where nothing is sorted in memory; there is one sort key at the most. */
export function chooseWalk(search: Search, sizes: readonly Size[]): Plan {
  const [sort] = search.sort;
  if (sort) return planSortWalk(search, sort);
  const named = findNamed(search);
  if (named) return { walk: "value", driver: named, probes: [] };
  const [rarest, ...others] = chooseProbes(search)
    .drivers.map((driver, index) => ({ driver, span: sizes[index]?.span ?? 0 }))
    .toSorted((a, b) => b.span - a.span)
    .map(({ driver }) => driver)
    .filter((driver) => driver !== null)
    .filter(isValue);
  const driver = rarest ?? findDrivers(search).find(isValue);
  return driver ? { walk: "value", driver, probes: others } : { walk: "items" };
}
