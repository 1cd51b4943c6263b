import { lazy } from "#domain/lazy.ts";
import type { Condition, Search } from "#domain/search/tree.ts";
import { itemColumns } from "#store/data/items.ts";
import { conditionSql, type SearchValues } from "./conditions.ts";
import {
  balancedSql,
  boundedSql,
  itemCost,
  itemCostSql,
  minMeasuredBytes,
  maxPageBytes,
  maxCostPerByte,
  readsRecords,
  type ScanBudget,
} from "./cost.ts";
import { driverSql } from "./driver.ts";
import {
  rangeAfter,
  inRangeSql,
  type ItemRange,
  namedItemsSql,
  type Driver,
  type PageStart,
} from "./ranges.ts";

/** The parts that every scan over candidates uses. */

export interface Scan {
  collectionId: number;
  search: Search;
  /** The position after which the page starts. Null for the first page. */
  start: PageStart | null;
  /** What the page may read before it ends early. */
  budget: ScanBudget;
}

/** A scan with the item range of its statement. */
export interface RangeScan extends Scan {
  range: ItemRange;
}

const columnNames = lazy(() => Object.keys(itemColumns()));
export const columns = () =>
  columnNames()
    .map((name) => `i.${name}`)
    .join(", ");
export const nullColumns = () =>
  columnNames()
    .map(() => "null")
    .join(", ");

const allSql = (conditions: readonly Condition[], values: SearchValues) =>
  balancedSql(
    "and",
    conditions.map((condition) => conditionSql(condition, values)),
  );

/** An item that the caller does not see is not too heavy for its conditions, because it does not reach them. */
export function conditionsSql({ search }: Pick<Scan, "search">, values: SearchValues): string {
  const { conditions, shownBy = [] } = search;
  const own = conditions.filter((condition) => !shownBy.includes(condition));
  const ownSql = allSql(own, values);
  const bounded = boundedSql(own, ownSql);
  if (bounded !== ownSql) return ifShown(search, values, bounded);
  return boundedSql(shownBy, allSql(conditions, values));
}

/** The SQL for items that a narrow caller sees, and another for those that it does not see. */
export function ifShown(
  { shownBy = [] }: Search,
  values: SearchValues,
  sql: string,
  otherwise = "0",
): string {
  if (shownBy.length === 0) return sql;
  return `iif(${boundedSql(shownBy, allSql(shownBy, values))}, ${sql}, ${otherwise})`;
}

const sumBefore = (name: string) => `sum(${name}) over (rows unbounded preceding) - ${name}`;

/**
 * SQL for what the candidates before each one cost, which ends a page early. The items that a narrow caller sees, and
 * those that it does not see, have a budget each. Otherwise, it could spend one with its own items, and see whether a
 * hidden one comes before the end.
 */
export function spentSql(
  { search }: Pick<Scan, "search">,
  values: SearchValues,
  cost: string,
): { columns: string; spent: string } {
  const { shownBy = [] } = search;
  if (shownBy.length === 0 || cost === "0")
    return { columns: `${cost} as cost`, spent: sumBefore("cost") };
  const shown = ifShown(search, values, cost);
  const hidden = ifShown(search, values, "0", itemCostSql(itemCost(shownBy)));
  return {
    columns: `${shown} as cost, ${hidden} as hidden`,
    spent: `max(${sumBefore("cost")}, ${sumBefore("hidden")})`,
  };
}

/** Builds the SQL after `from` for a driver's items or the whole range. Table `c` has their numbers as `item`. */
export function candidatesSql(
  driver: Driver | null,
  scan: RangeScan,
  values: SearchValues,
): string {
  const inRange = inRangeSql(scan.range);
  if (!driver) return `(select number as item from item) c where ${inRange}`;
  if (!("by" in driver)) return `${driverSql(driver, values)} and ${inRange}`;
  return `(${namedItemsSql(driver, scan.collectionId, values)}) c where ${inRange}`;
}

/** Joins the item of an entry `c`. Excludes items of other collections, whatever the index contains. */
export function itemJoinSql({ collectionId }: Scan): string {
  return `i.number = c.item and i.collection_id = ${collectionId}`;
}

/**
 * Builds a table `n` whose `size` is how many of `maxCandidates` a page may examine. Without large items, that is all
 * of them. Otherwise `measuredSize` computes it from `spent`, the running sum of the candidates' costs.
 */
export function sizeSql(
  { collectionId, search, budget }: Scan,
  maxCandidates: number,
  rows: number,
  measuredSize: string,
): string {
  const cost = itemCost(search.conditions);
  const maxPerByte = maxCostPerByte(cost);
  const maxUnmeasured = Math.max(minMeasuredBytes, budget.cost);
  const isSmall = readsRecords(cost)
    ? "0"
    : `t.largest * min(${maxCandidates}, t.live) * ${maxPerByte} <= ${maxUnmeasured}`;
  const maxCost = `iif(largest * ${rows} <= ${maxPageBytes}, ${budget.cost}, ${maxPageBytes})`;
  // A deleted collection has no tally, but SQLite rejects a limit of null.
  const tally = `select coalesce(max(live), 0) as live, coalesce(max(largest), 0) as largest from tally where collection_id = ${collectionId}`;
  return `n(size) as materialized (select case
      when t.largest * ${rows} <= ${maxPageBytes} and ${isSmall}
        then ${maxCandidates} else (${measuredSize}) end
      from (select live, largest, ${maxCost} as max_cost from (${tally})) t)`;
}

/**
 * For `sizeSql`, whose table `t` limits the cost. Evaluates `size` over the candidates that fit the bytes of a page. At least one always fits. Returns
 * `maxCandidates` if all of them do.
 */
export function measuredSql(
  scan: Scan,
  values: SearchValues,
  candidates: string,
  maxCandidates: number,
  size: string,
): string {
  const cost = itemCostSql(itemCost(scan.search.conditions));
  const { columns: costs, spent } = spentSql(scan, values, cost);
  return `select iif(max(spent) < t.max_cost, ${maxCandidates}, ${size}) from (
      select item, ${spent} as spent from (
        select c.item, ${costs} from (${candidates} limit ${maxCandidates}) c cross join item i on ${itemJoinSql(scan)}))`;
}

/** Limits an aggregate to the candidates that fit the bytes of a page. */
export const withinBytesSql = (aggregate: string) =>
  `${aggregate} filter (where spent < t.max_cost)`;

export function countWithinSql(
  scan: Scan,
  values: SearchValues,
  candidates: string,
  maxCandidates: number,
): string {
  return measuredSql(scan, values, candidates, maxCandidates, withinBytesSql("count(*)"));
}

/** The last column of pages on which every candidate matches. */
export const allowedColumn = "(select size from n) as allowed";

/** Returns all candidates in their order. `allowed` is the number of them that fit the bytes of the page. */
export function fullPageSql(
  scan: Scan,
  values: SearchValues,
  candidates: string,
  rows: number,
  fromSql: string,
): string {
  return `with ${sizeSql(scan, rows, rows, countWithinSql(scan, values, candidates, rows))}
    select 'hit' as kind, i.number as k0, ${columns()}, ${allowedColumn}
    ${fromSql} limit (select size from n)`;
}

interface AscendingScan {
  /** The number that the scan starts after. Null at the start. */
  afterNumber: number | null;
  /** The maximum number of items to return, as SQL. */
  limit: string;
  /** The maximum number of item numbers to examine. */
  maxCandidates: number;
  /** Builds the columns for the position of a number. */
  position: (number: string) => string;
  where: string;
}

/** Scans the items by number, oldest first, in a window that the budget limits. The SQL continues a `with`. */
export function ascendingScanSql(
  scan: RangeScan,
  rows: number,
  values: SearchValues,
  { afterNumber, limit, maxCandidates, position, where }: AscendingScan,
): string {
  const startNumber = afterNumber === null ? null : values.scalar(afterNumber);
  const { above, below } = rangeAfter(scan.range, "asc", startNumber);
  const first = `(select min(number) from item where number > ${above} and number < ${below})`;
  const oldest = `select number as item from item where number >= (select number from first)
      and number < (select min(${below}, number + ${maxCandidates}) from first) order by number`;
  const size = `${withinBytesSql("max(item)")} + 1 - (select number from first)`;
  const measured = measuredSql(scan, values, oldest, maxCandidates, size);
  return `first(number) as materialized (select ${first}),
      ${sizeSql(scan, maxCandidates, rows, measured).replace("n(size)", "m(size)")},
      top(number) as materialized (select first.number + m.size from first, m),
      found as materialized (
      select 'hit' as kind, ${position("i.number")}, ${columns()} from first cross join item i
      where i.number >= first.number and i.number < (select min(${below}, number) from top) and ${where}
      order by i.number limit ${limit})
    select * from found
    union all
    select 'edge', ${position("top.number - 1")}, ${nullColumns()} from top
    where ${limit} > 0 and (select count(*) from found) < ${limit}
      and exists (select 1 from item where number >= top.number and number < ${below})`;
}
