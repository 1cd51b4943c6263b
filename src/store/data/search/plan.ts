import { type CollectionDatabase } from "#store/db/database.ts";
import type { Search, LeafCondition, SortKey } from "#domain/search/tree.ts";
import { retryTransient } from "#store/db/retry.ts";
import {
  driverSql,
  findDrivers,
  isSingleValue,
  type EntryDriver,
  requiredConditions,
  type ValueRange,
} from "./driver.ts";
import {
  createdRange,
  inRangeSql,
  itemRange,
  withRange,
  type ItemRange,
  findNamedItems,
  type Driver,
  type NamedItems,
} from "./ranges.ts";
import { SearchValues } from "./search-values.ts";
import { maxKeyItemBytes } from "./budget.ts";

/** The maximum number of candidates that a plan sorts in memory. For more, it scans in order. */
const maxInMemoryCandidates = 1000;
/** The same limit when a condition bounds the sort field. Scanning that field is then already a good plan. */
const maxBoundedCandidates = 100;
/** The maximum number of items that a search with several sort keys may sort. */
export const maxSortedItems = 10_000;

/**
 * Chooses the drivers whose sizes determine the plan, and the size limit. A null driver stands for all items of the
 * range. Returns no drivers if one plan is good for all sizes.
 */
function chooseProbes(search: Search): { drivers: (EntryDriver | null)[]; maxCount: number } {
  const drivers = findDrivers(search);
  const rangeDrivers = createdRange(search) ? [null] : [];
  const [sort] = search.sort;
  if (search.sort.length > 1)
    return { drivers: [...drivers, ...rangeDrivers], maxCount: maxSortedItems };
  if (!sort) {
    const [driver] = drivers;
    const isOnlyChoice = drivers.length === 1 && driver && isSingleValue(driver);
    return { drivers: isOnlyChoice ? [] : drivers, maxCount: maxInMemoryCandidates };
  }
  const otherDrivers = drivers.filter(({ field }) => field.number !== sort.field.number);
  const isBounded = otherDrivers.length < drivers.length;
  return {
    drivers: [...otherDrivers, ...rangeDrivers],
    maxCount: isBounded ? maxBoundedCandidates : maxInMemoryCandidates,
  };
}

/** Whether the plan needs to know sizes. */
export function needsSizes(search: Search): boolean {
  if (findNamedItems(search)) return false;
  return search.sort.length > 1 || chooseProbes(search).drivers.length > 0;
}

/** The size of a driver, measured by a probe. */
export interface DriverSize {
  /** The number of its entries, counted up to one more than the limit. */
  count: number;
  /** The difference between the numbers of its newest items. Rarer items have a larger span. */
  span: number;
}

/** The size of the collection, measured by a probe. */
export interface CollectionSize {
  /** The number of its items. */
  itemCount: number;
  /** The bytes of the largest item that the collection has ever stored. */
  largestItemBytes: number;
}

export const emptyProbe = { sizes: [], collectionSize: { itemCount: 0, largestItemBytes: 0 } };

/**
 * Counts the items of each driver, up to one more than the limit, and loads the size of the collection. The limit is
 * `maxSize`, or the limit that planning a page needs.
 */
export async function probeSizes(
  db: CollectionDatabase,
  search: Search,
  maxSize?: number,
): Promise<{ sizes: DriverSize[]; collectionSize: CollectionSize }> {
  const { collectionId } = db;
  const { drivers, maxCount: usualMax } = chooseProbes(search);
  const maxCount = maxSize ?? usualMax;
  const values = new SearchValues();
  const range = itemRange(collectionId, search, values);
  const columns = drivers.flatMap((driver, index) => [
    `${countSql(driver, maxCount, range, values)} as count${index}`,
    `${spanSql(driver, range, values)} as span${index}`,
  ]);
  const text = `select ${["live", "largest", ...columns].join(", ")} from tally where collection_id = ${collectionId}`;
  const statement = withRange(range, text);
  const probe = db.prepare(statement, columns.length > 0 ? [values.json] : []);
  const row = (await retryTransient(db, () => probe.first<Record<string, number>>())) ?? {};
  return {
    sizes: drivers.map((_, index) => ({
      count: row[`count${index}`] ?? 0,
      span: row[`span${index}`] ?? 0,
    })),
    collectionSize: { itemCount: row["live"] ?? 0, largestItemBytes: row["largest"] ?? 0 },
  };
}

const sampleSize = 32;

/** SQL for the number of the driver's items or entries, up to one more than `maxCount`. */
function countSql(
  driver: EntryDriver | null,
  maxCount: number,
  range: ItemRange,
  values: SearchValues,
): string {
  const source = driver
    ? driverEntriesSql(driver, range, values)
    : `(select number as item from item) c where ${inRangeSql(range)}`;
  return `(select count(*) from (select 1 from ${source} limit ${maxCount + 1}))`;
}

/**
 * Like `driverSql`, but does not apply the range to several values, because entries inside the range could be far
 * apart.
 */
function driverEntriesSql(driver: EntryDriver, range: ItemRange, values: SearchValues): string {
  const entries = driverSql(driver, values);
  return isSingleValue(driver) ? `${entries} and ${inRangeSql(range)}` : entries;
}

/** SQL for the span of the driver's newest items. It is 0 if the entries are not in item order. */
function spanSql(driver: EntryDriver | null, range: ItemRange, values: SearchValues): string {
  if (!driver || !isSingleValue(driver)) return "0";
  const newest = `select c.item from ${driverEntriesSql(driver, range, values)} order by c.item desc limit ${sampleSize}`;
  return `(select max(item) - min(item) from (${newest}))`;
}

/**
 * Finds the driver with the fewest items, for a search that reads all of its matches. Null stands for all items of the
 * range. Compares the sizes of all drivers if the collection has more than `maxItems`. Compares none if `itemCount`,
 * which may be outdated, is small.
 */
export async function findSmallestDriver(
  db: CollectionDatabase,
  search: Search,
  maxItems: number,
  itemCount = Infinity,
): Promise<Driver | null> {
  const namedItems = findNamedItems(search);
  if (namedItems) return namedItems;
  const { drivers } = chooseProbes(search);
  if (drivers.length === 0) return findDrivers(search)[0] ?? null;
  // Entries in item order cost little more than the items themselves.
  const ordered = drivers.find((driver) => driver !== null && isSingleValue(driver)) ?? null;
  if (itemCount <= maxInMemoryCandidates) return ordered;
  const first = await probeSizes(db, search);
  const isSmall = first.sizes.some(({ count }) => count <= maxInMemoryCandidates);
  const isLarge = !isSmall && first.collectionSize.itemCount > maxItems;
  const { sizes } = isLarge ? await probeSizes(db, search, maxItems) : first;
  const [smallest] = drivers
    .map((driver, index) => ({ driver, size: sizes[index]?.count ?? 0 }))
    .toSorted((a, b) => a.size - b.size);
  return isSmall || isLarge ? (smallest?.driver ?? null) : ordered;
}

/** A way to load a page. Every plan returns the same items in the same order, so pages may use different plans. */
export type Plan =
  /** Reads and sorts all candidates in memory. Without a driver, these are all items of a range or collection. */
  | { scan: "none"; driver: Driver | null }
  /** Loads one item by its ID or receipt number. */
  | { scan: "one"; driver: NamedItems }
  /**
   * Sorts the candidates by several keys, then evaluates the conditions in that order. Takes the keys from items or, in
   * a small collection with large items, from index entries. All candidates have at most `maxItemBytes` of data.
   */
  | { scan: "sorted"; driver: Driver | null; readsEntries: boolean; maxItemBytes: number }
  /** Scans the items by number. */
  | { scan: "items" }
  /** Scans the entries of one value, or the named items, in item order. */
  | { scan: "value"; driver: Driver; probes: EntryDriver[] }
  /** Scans the entries of the sort field, then the items that have no value there. */
  | {
      scan: "sort";
      sort: SortKey;
      range: ValueRange;
      includesEmpty: boolean;
      probes: EntryDriver[];
    };

/** Determines which of the sort field's entries to scan, and whether items without a value there can match. */
export function planSortScan(search: Search, sort: SortKey): Extract<Plan, { scan: "sort" }> {
  const drivers = findDrivers(search);
  const sortDriver = drivers.find(
    ({ field, range }) => field.number === sort.field.number && !("among" in range),
  );
  const probes = drivers.filter(
    ({ field, range }) => "at" in range && field.number !== sort.field.number,
  );
  const requiresValue = requiredConditions(search.conditions).some(
    (condition) =>
      "op" in condition && condition.field.number === sort.field.number && needsValue(condition),
  );
  return {
    scan: "sort",
    sort,
    range: sortDriver?.range ?? {},
    includesEmpty: !requiresValue,
    probes,
  };
}

/** Whether the only condition is the ID or the receipt number of one item. */
const namesOneItem = ({ by, names }: NamedItems, { conditions, sort }: Search): boolean =>
  by !== "createdAt" && names.length === 1 && conditions.length === 1 && sort.length === 0;

function needsValue(condition: LeafCondition): boolean {
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
    case "matches":
      return true;
  }
}

/** The maximum bytes to read and sort in memory when a scan is also possible. */
const maxInMemoryBytes = 16_000_000;

/**
 * Chooses the plan from the sizes of the probed drivers. Returns undefined if there are too many items to sort. For a
 * narrow caller, the size of the largest item does not decide whether a plan sorts in memory. Pages of a scan may end early.
 */
export function choosePlan(
  search: Search,
  sizes: readonly DriverSize[],
  { itemCount, largestItemBytes }: CollectionSize,
): Plan | undefined {
  const namedItems = findNamedItems(search);
  const isSorted = search.sort.length > 1;
  if (namedItems && isSorted)
    return { scan: "sorted", driver: namedItems, readsEntries: false, maxItemBytes: Infinity };
  if (namedItems && namesOneItem(namedItems, search)) return { scan: "one", driver: namedItems };
  if (namedItems) return { scan: "none", driver: namedItems };
  const { drivers, maxCount } = chooseProbes(search);
  const candidates = drivers.map((driver, index) => ({ driver, size: sizes[index] }));
  const [smallest] = candidates.toSorted((a, b) => (a.size?.count ?? 0) - (b.size?.count ?? 0));
  const count = smallest?.size?.count ?? Infinity;
  if (isSorted) {
    const isNarrow = smallest !== undefined && count <= maxCount;
    if (!isNarrow && itemCount > maxSortedItems) return undefined;
    const maxItemBytes = Math.min(count, itemCount) * largestItemBytes;
    const readsEntries = maxItemBytes > maxKeyItemBytes && itemCount <= maxSortedItems;
    return {
      scan: "sorted",
      driver: isNarrow ? smallest.driver : null,
      readsEntries,
      maxItemBytes,
    };
  }
  const isLight = search.shownBy !== null || count * largestItemBytes <= maxInMemoryBytes;
  if (smallest && count <= maxCount && isLight) {
    return { scan: "none", driver: smallest.driver };
  }
  return chooseScan(search, sizes);
}

/** Chooses a plan that sorts nothing in memory, for a search with at most one sort key. */
export function chooseScan(search: Search, sizes: readonly DriverSize[]): Plan {
  const [sort] = search.sort;
  if (sort) return planSortScan(search, sort);
  const namedItems = findNamedItems(search);
  if (namedItems) return { scan: "value", driver: namedItems, probes: [] };
  const [rarest, ...probes] = chooseProbes(search)
    .drivers.map((driver, index) => ({ driver, span: sizes[index]?.span ?? 0 }))
    .toSorted((a, b) => b.span - a.span)
    .map(({ driver }) => driver)
    .filter((driver) => driver !== null)
    .filter(isSingleValue);
  const driver = rarest ?? findDrivers(search).find(isSingleValue);
  return driver ? { scan: "value", driver, probes } : { scan: "items" };
}
