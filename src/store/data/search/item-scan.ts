import type { SearchValues } from "./search-values.ts";
import { lookUpRows } from "./cost.ts";
import { rangeAfter, type NamedItems } from "./ranges.ts";
import {
  ascendingScanSql,
  candidatesSql,
  hitColumns,
  fullPageSql,
  itemJoinSql,
  itemsWithin,
  measuredSql,
  nullColumns,
  pageRowsSql,
  sizeSql,
  tooLargeIn,
  type RangeScan,
} from "./scan.ts";
import { conditionsSql } from "./shown.ts";

/** Loads one item by its ID or receipt number. */
export function namedItemSql(driver: NamedItems, scan: RangeScan, values: SearchValues): string {
  const startNumber = scan.start && values.scalar(scan.start.number);
  const range = rangeAfter(scan.range, scan.search.order, startNumber);
  return `select 'hit' as kind, i.number as k0, ${hitColumns(scan)}
    from (select c.item from ${candidatesSql(driver, { ...scan, range }, values)}) c cross join item i on ${itemJoinSql(scan)}
    where ${conditionsSql(scan, values)}`;
}

/** Scans the items by number, in a window that the budget limits. */
export function itemScanSql(scan: RangeScan, rows: number, values: SearchValues): string {
  const { conditions, order } = scan.search;
  if (conditions.length === 0) return allItemsSql(scan, rows, values);
  const maxCandidates = itemsWithin(scan, 1 + lookUpRows(conditions));
  if (order === "desc") return descendingScanSql(scan, rows, values, maxCandidates);
  return `with ${ascendingScanSql(scan, rows, values, {
    afterNumber: scan.start?.number ?? null,
    limit: String(rows),
    maxCandidates,
    position: (number) => `${number} as k0`,
    where: conditionsSql(scan, values, tooLargeIn("m")),
  })}`;
}

function descendingScanSql(
  scan: RangeScan,
  rows: number,
  values: SearchValues,
  maxCandidates: number,
): string {
  const startNumber = scan.start && values.scalar(scan.start.number);
  const { above, below } = rangeAfter(scan.range, "desc", startNumber);
  const top = `(select max(number) from item where number > ${above} and number < ${below})`;
  // Each side has one bound. SQLite uses only one bound to seek, and would read the rows that a second bound excludes.
  const newest = `select number as item from item where number <= (select number from top)
      and number > (select max(${above}, number - ${maxCandidates}) from top) order by number desc`;
  const measured = measuredSql(
    scan,
    values,
    newest,
    maxCandidates,
    ({ next }) => `(select number from top) - ${next}`,
  );
  return `with top(number) as materialized (select ${top}), ${sizeSql(scan, maxCandidates, rows, measured)},
      bottom(number) as materialized (select top.number - n.size from top, n),
      page as materialized (
      select 'hit' as kind, i.number as k0, ${hitColumns(scan)} from top cross join item i
      where i.number <= top.number and i.number > (select max(${above}, number) from bottom)
        and ${conditionsSql(scan, values, tooLargeIn("n"))}
      order by i.number desc limit ${rows})
    ${pageRowsSql(scan)}
    union all
    select 'edge', bottom.number + 1, ${nullColumns()} from bottom
    where (select count(*) from page) < ${rows}
      and exists (select 1 from item where number > ${above} and number <= bottom.number)`;
}

/** Without conditions every candidate matches, so only the byte limit can end a page early. */
function allItemsSql(scan: RangeScan, rows: number, values: SearchValues): string {
  const { order } = scan.search;
  const startNumber = scan.start && values.scalar(scan.start.number);
  const { above, below } = rangeAfter(scan.range, order, startNumber);
  const candidates = `select number as item from item where number > ${above} and number < ${below} order by number ${order}`;
  const fromSql = `from item i where i.number > ${above} and i.number < ${below} order by i.number ${order}`;
  return fullPageSql(scan, values, candidates, rows, fromSql);
}
