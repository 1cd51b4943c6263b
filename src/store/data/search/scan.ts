import { lazy } from "#domain/lazy.ts";
import type { Search, ShownBy } from "#domain/search/tree.ts";
import { itemCost, maxCostPerByte, readsRecords } from "#domain/search/item-cost.ts";
import { itemColumns } from "#store/data/items.ts";
import type { SearchValues } from "./search-values.ts";
import { itemCostSql } from "./cost.ts";
import { candidatesWithin, minMeasuredBytes, maxPageBytes, type ScanBudget } from "./budget.ts";
import { driverSql } from "./driver.ts";
import { hiddenBytesSql, measuringCost, shownMeasure } from "./parts.ts";
import { mayBeTooLarge } from "./view-bound.ts";
import {
  atFirstSql,
  computedOnceSql,
  ownConditions,
  partCostsSql,
  runningSql,
  seesItemSql,
  sumBefore,
} from "./shown.ts";
import {
  rangeAfter,
  inRangeSql,
  type ItemRange,
  namedItemsSql,
  type Driver,
  type PageStart,
} from "./ranges.ts";

/** Code that every scan over candidates uses. */

export interface Scan {
  collectionId: number;
  search: Search;
  /** The position after which the page starts. Null for the first page. */
  start: PageStart | null;
  /** The limits after which the page ends early. */
  budget: ScanBudget;
}

/** A scan with the item range of its statement. */
export interface RangeScan extends Scan {
  range: ItemRange;
  /** Selects the named items that a narrow caller sees. */
  seenNames?: string;
}

export const columnNames = lazy(() => Object.keys(itemColumns()));
export const columns = () =>
  columnNames()
    .map((name) => `i.${name}`)
    .join(", ");

/**
 * SQL for the columns of the items on a page. For a narrow caller, they include the data only if all items of the page
 * fit, so that no scan depends on the size of large items. `limitedPageSql` adds the data of others.
 */
export function hitColumns({ search: { shownBy } }: Pick<Scan, "search">): string {
  const data = "iif((select is_small from page_size), i.data, null) as data";
  return shownBy ? columns().replace("i.data", data) : columns();
}

export const nullColumns = (): string =>
  columnNames()
    .map(() => "null")
    .join(", ");

/**
 * The column with the size by which a sort limits its page. For a narrow caller, `limitedPageSql` limits the page
 * instead.
 */
export const hitSizeColumn = ({ search: { shownBy } }: Pick<Scan, "search">): string =>
  `${shownBy ? "0" : "octet_length(i.data)"} as size`;

/**
 * Limits the statement of a narrow caller's page by the sizes of the parts that it sees and does not see. Items that do
 * not fit have no data. The sizes are 0 if all items fit.
 */
export function limitedPageSql(
  { collectionId, search, budget: { room } }: Scan,
  shownBy: ShownBy,
  text: string,
  rows: number,
  values: SearchValues,
): string {
  const keys = [...search.sort, null].map((_, index) => `k${index}`);
  const hasRoom = `h.shown_before < ${room.shown} and h.hidden_before < ${room.hidden}`;
  const data = `coalesce(h.data, iif(${hasRoom}, (select data from item where number = h.number), null)) as data`;
  const names = columnNames().map((name) => (name === "data" ? data : name));
  const sizes = ["shown_bytes", "hidden_bytes"];
  const measures = [shownMeasure(shownBy, values).bytes, hiddenBytesSql(shownBy, values)];
  const measured = measures.map(
    (bytes, index) =>
      `iif(p.data is null, (select ${bytes} from item i where i.number = p.number), 0) as ${sizes[index]}`,
  );
  // The room, not the limit of a page: a statement that continues a page must not show the size of the largest item.
  const maxSmallBytes = Math.min(room.shown, room.hidden);
  return `with page_size(is_small) as materialized (
      select coalesce(max(largest), 0) * ${rows} <= ${maxSmallBytes} from tally where collection_id = ${collectionId})
    select ${["kind", ...keys, ...names, ...sizes].join(", ")} from (
      select *, ${sizes.map((name) => `${sumBefore(name)} as ${name.replace("bytes", "before")}`).join(", ")}
      from ${computedOnceSql(`select p.*, ${measured.join(", ")} from (${text}) p`)}) h`;
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
  const named = scan.seenNames ?? namedItemsSql(driver, scan.collectionId, values);
  return `(${named}) c where ${inRange}`;
}

/**
 * Returns the scan for a driver. If the driver names items, those that a narrow caller sees become a table that replaces
 * the view. A request that names items then reaches no limit because of others, and evaluates the view only once.
 */
export function scanOf(driver: Driver | null, scan: RangeScan, values: SearchValues): RangeScan {
  const { search } = scan;
  const { shownBy } = search;
  if (!shownBy || !driver || !("by" in driver)) return scan;
  const named = namedItemsSql(driver, scan.collectionId, values);
  const table = () => `named_item(item) as materialized (select i.number
      from (${named}) c cross join item i on ${itemJoinSql(scan)} where ${seesItemSql(shownBy, values)})`;
  const seenNames = `select item from ${values.define("named_item", table)}`;
  const own = {
    ...search,
    conditions: ownConditions(search, shownBy),
    shownBy: { ...shownBy, conditions: [] },
  };
  return { ...scan, search: own, seenNames };
}

/** SQL that joins the item of an entry `c`. Excludes items of other collections, whatever the index contains. */
export function itemJoinSql({ collectionId }: Scan): string {
  return `i.number = c.item and i.collection_id = ${collectionId}`;
}

/** Returns the number of items that a page may examine. It is at least one. */
export function itemsWithin({ budget, search: { shownBy } }: Scan, rowsPerItem: number): number {
  const maxMeasured = shownBy ? Math.floor(budget.cost / measuringCost(shownBy)) : Infinity;
  return Math.max(1, Math.min(candidatesWithin(budget, rowsPerItem), maxMeasured));
}

/**
 * SQL for the table `name`. Its column `size` is how many of `maxCandidates` a page may examine. Without large items,
 * these are all of them. Otherwise, `measuredSize` computes the number from the running sum of the candidates' costs.
 * For a narrow caller, measuring must not change the size, because the size of the largest item would show. The column
 * `too_large` lists the items that are then too large for the view. It is null if they are unknown.
 */
export function sizeSql(
  { collectionId, search, budget }: Scan,
  maxCandidates: number,
  rows: number,
  measuredSize: string,
  name = "n",
): string {
  const { conditions, shownBy } = search;
  const cost = itemCost(conditions);
  const maxPerByte = maxCostPerByte(cost);
  const maxUnmeasured = shownBy ? budget.cost : Math.max(minMeasuredBytes, budget.cost);
  const fitsPage = shownBy ? "1" : `largest * ${rows} <= ${maxPageBytes}`;
  const isSmall = readsRecords(cost)
    ? "0"
    : `largest * min(${maxCandidates}, live) * ${maxPerByte} <= ${maxUnmeasured}`;
  const maxCost = shownBy
    ? budget.cost
    : `iif(largest * ${rows} <= ${maxPageBytes}, ${budget.cost}, ${maxPageBytes})`;
  // A deleted collection has no tally, but SQLite rejects a limit of null.
  const tally = `select coalesce(max(live), 0) as live, coalesce(max(largest), 0) as largest from tally where collection_id = ${collectionId}`;
  return `allowance(is_small, max_cost) as (select ${fitsPage} and ${isSmall}, ${maxCost} from (${tally})),
      ${name}(size, too_large) as materialized (select ${maxCandidates}, null from allowance where is_small
        union all select * from (${measuredSize}) limit 1)`;
}

/** SQL for the items that the table `name` of `sizeSql` lists. */
export const tooLargeIn = (name: "n" | "m" | "b" | "cut") => `(select too_large from ${name})`;

/**
 * SQL for the rows of the table `page`, whose conditions use the column. SQLite computes a table where it first meets it,
 * and adds the depth of all conditions around it to the depth of its own. D1 rejects more than 100. So this query meets
 * the table `name` of `sizeSql` before the conditions of `page`.
 */
export const pageRowsSql = ({ search }: Scan, name = "n", page = "page"): string =>
  mayBeTooLarge(search.shownBy)
    ? `select ${page}.* from ${name} cross join ${page}`
    : `select * from ${page}`;

/**
 * SQL for the columns of `sizeSql`, whose table `allowance` limits the cost. `size` computes the size from how many
 * candidates fit, and the first one that does not. At least one always fits. Returns `maxCandidates` if all of them fit.
 */
export function measuredSql(
  scan: Scan,
  values: SearchValues,
  candidates: string,
  maxCandidates: number,
  size: (end: { fitting: string; next: string }) => string,
): string {
  const { search } = scan;
  const isMeasured = mayBeTooLarge(search.shownBy);
  const limited = `${candidates} limit ${maxCandidates}`;
  // If all candidates fit, the list is complete at the last one, which has no next one.
  const neighbors = `select item as next, lag(item) over (rows unbounded preceding) as item
      from (select item from (${limited}) union all select null)`;
  const running = runningSql(partCostsSql(search, values, itemCostSql), {
    names: isMeasured ? ["next"] : [],
    from: `(${isMeasured ? neighbors : limited}) c cross join item i on ${itemJoinSql(scan)}`,
  });
  const maxCost = "(select max_cost from allowance)";
  const [result, isEnd] = isMeasured
    ? [
        `iif(next is null, ${maxCandidates}, ${size({ fitting: "place", next: "next" })})`,
        `next is null or up_to >= ${maxCost}`,
      ]
    : [size({ fitting: "place - 1", next: "item" }), `before >= ${maxCost}`];
  return atFirstSql(`${result}, too_large`, running, isEnd, `${maxCandidates}, null`);
}

export function countWithinSql(
  scan: Scan,
  values: SearchValues,
  candidates: string,
  maxCandidates: number,
): string {
  return measuredSql(scan, values, candidates, maxCandidates, ({ fitting }) => fitting);
}

/** The last column of pages on which every candidate matches. */
export const allowedColumn = "(select size from n) as allowed";

/** SQL for all candidates in their order. `allowed` is the number of candidates that fit the bytes of the page. */
export function fullPageSql(
  scan: Scan,
  values: SearchValues,
  candidates: string,
  rows: number,
  fromSql: string,
): string {
  const hits = `select 'hit' as kind, i.number as k0, ${hitColumns(scan)}`;
  if (scan.search.shownBy) return `${hits} ${fromSql} limit ${rows}`;
  return `with ${sizeSql(scan, rows, rows, countWithinSql(scan, values, candidates, rows))}
    ${hits}, ${allowedColumn} ${fromSql} limit (select size from n)`;
}

interface AscendingScan {
  /** The number that the scan starts after. Null at the start. */
  afterNumber: number | null;
  /** The maximum number of items to return, as SQL. */
  limit: string;
  /** The maximum number of item numbers to examine. */
  maxCandidates: number;
  /** Builds the columns for the position of an item number. */
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
  const measured = measuredSql(
    scan,
    values,
    oldest,
    maxCandidates,
    ({ next }) => `${next} - (select number from first)`,
  );
  return `first(number) as materialized (select ${first}),
      ${sizeSql(scan, maxCandidates, rows, measured, "m")},
      top(number) as materialized (select first.number + m.size from first, m),
      found as materialized (
      select 'hit' as kind, ${position("i.number")}, ${hitColumns(scan)} from first cross join item i
      where i.number >= first.number and i.number < (select min(${below}, number) from top) and ${where}
      order by i.number limit ${limit})
    ${pageRowsSql(scan, "m", "found")}
    union all
    select 'edge', ${position("top.number - 1")}, ${nullColumns()} from top
    where ${limit} > 0 and (select count(*) from found) < ${limit}
      and exists (select 1 from item where number >= top.number and number < ${below})`;
}
