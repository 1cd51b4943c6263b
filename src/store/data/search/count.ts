import { SearchValues } from "./search-values.ts";
import { candidateRows } from "./cost.ts";
import { candidatesWithin } from "./budget.ts";
import {
  driverSql,
  findDrivers,
  isSingleValue,
  findExactDriver,
  probeSql,
  type EntryDriver,
} from "./driver.ts";
import {
  inRangeSql,
  isCreatedRange,
  itemRange,
  withRange,
  type Driver,
  prefixEnd,
} from "./ranges.ts";
import type { PageStatement } from "./batch.ts";
import type { Plan } from "./plan.ts";
import {
  countWithinSql,
  candidatesSql,
  itemJoinSql,
  itemsWithin,
  scanOf,
  sizeSql,
  tooLargeIn,
  type RangeScan,
  type Scan,
} from "./scan.ts";
import { conditionsSql } from "./shown.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import type { TextSearch } from "#domain/search/text.ts";
import { sortedInMemorySql } from "./sort-scan.ts";
import { eq, sql } from "drizzle-orm";
import { indexing, tally } from "#store/db/schema.ts";
import { collectionStatement } from "#store/db/statement.ts";

/** The number of matching items. When `exact` is false, more items may match. */
export interface MatchCount {
  count: number;
  exact: boolean;
}

/**
 * Counts all matches, not only those of a page. Uses the tally or the index if they suffice. Otherwise examines as many
 * items as a page may. Returns one row, in which `exact` is 0 or 1.
 */
export function countStatement(plan: Plan, scan: Scan): PageStatement {
  const values = new SearchValues();
  const range = itemRange(scan.collectionId, scan.search, values);
  return values.statement(withRange(range, countSql(plan, { ...scan, range }, values)));
}

function countSql(plan: Plan, scan: RangeScan, values: SearchValues): string {
  const { conditions } = scan.search;
  if (conditions.length === 0) {
    return `select live as count, 1 as exact from tally where collection_id = ${scan.collectionId}`;
  }
  const otherConditions = conditions.filter((condition) => !isCreatedRange(condition));
  if (otherConditions.length === 0) return countRange(scan);
  const planDriver = "driver" in plan ? plan.driver : null;
  if (planDriver && "by" in planDriver)
    return countItems(planDriver, scanOf(planDriver, scan, values), values);
  const isNarrow =
    plan.scan === "none" && (planDriver !== null || otherConditions.length < conditions.length);
  if (isNarrow && conditions.length > 1) return countItems(planDriver, scan, values);
  const exactDrivers = otherConditions.map(findExactDriver);
  if (exactDrivers.every((driver) => driver !== undefined) && isCountable(exactDrivers)) {
    return countEntries(exactDrivers, planDriver, scan, values);
  }
  const drivers = findDrivers(scan.search);
  return countItems(planDriver ?? drivers.find(isSingleValue) ?? drivers[0] ?? null, scan, values);
}

/** Counts all items of the range without examining them. */
function countRange({ range, budget }: RangeScan): string {
  const { rows } = budget;
  return `select min(count(*), ${rows}) as count, count(*) <= ${rows} as exact
    from (select 1 from (select number as item from item) c where ${inRangeSql(range)} limit ${rows + 1})`;
}

/**
 * Whether index probes can check all drivers but one. A probe is fast for a single value, but not for a range or a
 * list.
 */
function isCountable(drivers: readonly EntryDriver[]): boolean {
  return drivers.filter(({ range }) => !("at" in range)).length <= 1;
}

/** Counts the entries of one driver whose items also match all other drivers. Reads no item. */
function countEntries(
  drivers: readonly EntryDriver[],
  planDriver: EntryDriver | null,
  { range, budget }: RangeScan,
  values: SearchValues,
): string {
  const rangeDriver = drivers.find(({ range: driverRange }) => !("at" in driverRange));
  const sameFieldDriver = drivers.find(({ field }) => field.number === planDriver?.field.number);
  const driver = rangeDriver ?? sameFieldDriver ?? drivers[0];
  if (!driver) throw new Error("There is nothing to count by.");
  const probes = drivers
    .filter((candidate) => candidate !== driver)
    .map((candidate) => probeSql(candidate, values));
  const maxCandidates = candidatesWithin(budget, 1 + probes.length);
  // Entries of one value are in item order, so the range bounds their scan. Other entries are only filtered by it.
  const scanRange = isSingleValue(driver) ? ` and ${inRangeSql(range)}` : "";
  const entries = `select c.item from ${driverSql(driver, values)}${scanRange} limit ${maxCandidates + 1}`;
  const matches = [inRangeSql(range), ...probes].join(" and ");
  return `select min(count(distinct c.item) filter (where ${matches}), ${maxCandidates}) as count, count(*) <= ${maxCandidates} as exact
    from (${entries}) c`;
}

/** Counts matches among the driver's items or the whole range. Examines as many as a page may, newest first if possible. */
function countItems(driver: Driver | null, scan: RangeScan, values: SearchValues): string {
  const { search } = scan;
  const isOrdered = driver === null || "by" in driver || isSingleValue(driver);
  const newestFirst = isOrdered ? " order by c.item desc" : "";
  const candidates = `select c.item from ${candidatesSql(driver, scan, values)}${newestFirst}`;
  const maxCandidates = itemsWithin(scan, candidateRows([], search.conditions));
  return `with ${sizeSql(scan, maxCandidates, 0, countWithinSql(scan, values, candidates, maxCandidates))}
    select count(distinct i.number) filter (where ${conditionsSql(scan, values, tooLargeIn("n"))}) as count,
      count(*) < max(1, (select size from n)) as exact
    from (${candidates} limit (select size from n)) c cross join item i on ${itemJoinSql(scan)}`;
}

export function countFromResult(result: D1Result | undefined): MatchCount | null {
  const [row] = (result?.results ?? []) as { count: number; exact: number }[];
  return row ? { count: row.count, exact: row.exact === 1 } : null;
}

export type TextPrefixes = TextSearch["prefixes"];

/** The number of entries, of ids and of receipt numbers that `prefixStatement` reads. */
const maxEntries = 200;
const maxPrefixMatches = 20;

/**
 * Finds the newest items with a value that starts with one of the texts. Reads only the first entries in the index. In
 * a large collection, a scan would take long to reach these items.
 */
export function prefixStatement(scan: Scan, prefixes: TextPrefixes): PageStatement {
  const values = new SearchValues();
  const sources = [entriesSql(prefixes, values), idsSql(prefixes, values)];
  if (prefixes.sequences.length > 0) sources.push(receiptsSql(scan, prefixes, values));
  const selects = sources.map((source) => `select item from (${source} limit ${maxEntries})`);
  const candidates = `select distinct item from (${selects.join(" union all ")})`;
  const text = sortedInMemorySql(candidates, { ...scan, start: null }, maxPrefixMatches, values);
  return values.statement(text);
}

function entriesSql({ texts, fields }: TextPrefixes, values: SearchValues): string {
  const indexedFields = fields.filter(({ source }) => source.in !== "system");
  const numbers = values.table(indexedFields.map(({ number }) => number));
  return `select c.item from ${numbers} f cross join ${prefixRangesSql(texts, values)} r
      cross join search_entry c on c.field = f.value and c.value >= r.value ->> 0 and c.value < r.value ->> 1`;
}

/**
 * Selects items by the start of their ids. The index of ids covers all collections, so the first ids may belong to
 * others.
 */
function idsSql({ texts }: TextPrefixes, values: SearchValues): string {
  return `select c.number as item from ${prefixRangesSql(texts, values)} r
      cross join item c on c.id >= r.value ->> 0 and c.id < r.value ->> 1`;
}

function receiptsSql(
  { collectionId }: Scan,
  { sequences }: TextPrefixes,
  values: SearchValues,
): string {
  const { above } = itemNumberRange(collectionId);
  return `select c.number as item from ${values.table(sequences)} r
      cross join item c on c.number >= ${above} + (r.value ->> 0) and c.number < ${above} + (r.value ->> 1)`;
}

/** A table with the range of texts that start with each prefix. */
function prefixRangesSql(texts: readonly string[], values: SearchValues): string {
  const ranges = texts.flatMap((text) => {
    const end = prefixEnd(text);
    return end === undefined ? [] : [[text, end]];
  });
  return values.table(ranges);
}

/** The number of a collection's items. Also the indexing progress while some items lack search entries. */
export interface CollectionStatus {
  itemCount: number;
  indexing: { done: number; total: number } | null;
}

export const selectStatus = collectionStatement<object>((db, { collectionId }) =>
  db
    .select({
      live: tally.live,
      done: sql`${indexing.done}`.as("done"),
      total: sql`${indexing.total}`.as("total"),
    })
    .from(tally)
    .leftJoin(indexing, eq(indexing.collectionId, tally.collectionId))
    .where(eq(tally.collectionId, collectionId)),
);

export function statusFromResult(result: D1Result | undefined): CollectionStatus | null {
  const [row] = (result?.results ?? []) as { live: number; done: number | null; total: number }[];
  if (!row) return null;
  const { live: itemCount, done, total } = row;
  return { itemCount, indexing: done === null ? null : { done, total } };
}
