import type { Leaf, Search, Sort } from "../../../domain/search/tree";
import { findDrivers, isValue, requiredConditions, type EntryDriver, type Range } from "./driver";
import { findNamed, type Driver } from "./named-items";
import { mostSorted, chooseProbes, type Size, type Whole } from "./probe-sizes";

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
