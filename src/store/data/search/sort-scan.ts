import type { Comparable, SortKey, Search } from "#domain/search/tree.ts";
import { valueSql, sortSql } from "./conditions.ts";
import { type SearchValues } from "./search-values.ts";
import { lookUpRows, candidateRows, balancedSql, totalCostSql } from "./cost.ts";
import { maxSortedBytes, maxPageBytes } from "./budget.ts";
import { probeSql, rangeSql } from "./driver.ts";
import { inRangeSql, prefixEnd, type PageStart } from "./ranges.ts";
import type { Plan } from "./plan.ts";
import {
  hitColumns,
  countWithinSql,
  hitSizeColumn,
  nullColumns,
  pageRowsSql,
  itemJoinSql,
  itemsWithin,
  sizeSql,
  tooLargeIn,
  ascendingScanSql,
  type RangeScan,
  type Scan,
} from "./scan.ts";
import { atFirstSql, conditionsSql, endSql, partCostsSql, runningSql } from "./shown.ts";

type SortPlan = Extract<Plan, { scan: "sort" }>;

/** Scans the sort field's entries in order, then the items without a value there in stored order. */
export function sortScanSql(
  plan: SortPlan,
  scan: RangeScan,
  rows: number,
  values: SearchValues,
): string {
  const { search, start } = scan;
  const startsInEmpties = start !== null && start.values[0] === null;
  if (startsInEmpties)
    return `with ${emptiesSql(plan, scan, String(rows), rows, values, start.number)}`;
  const entries = sortEntriesSql(plan, start, values);
  const probeConditions = plan.probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  const maxCandidates = itemsWithin(scan, candidateRows(plan.probes, search.conditions));
  const hits = `select 'hit' as kind, c.value as k0, i.number as k1, ${hitColumns(scan)}
      from (${entries} limit (select size from n)) c cross join item i on ${itemJoinSql(scan)}
      where ${inRangeSql(scan.range)} and ${probeConditions}${conditionsSql(scan, values, tooLargeIn("n"))} limit ${rows}`;
  const count = "(select count(*) from page)";
  const edge = `select 'edge', c.value, c.item, ${nullColumns()} from (${entries}
      limit (case when ${count} < ${rows} then 1 else 0 end) offset (select size - 1 from n)) c`;
  const scanSql = `${sizeSql(scan, maxCandidates, rows, countWithinSql(scan, values, entries, maxCandidates))}, page as materialized (${hits})`;
  if (!plan.includesEmpty) return `with ${scanSql} ${pageRowsSql(scan)} union all ${edge}`;
  const remaining = `(case when (select count(*) from edge) = 0 then ${rows} - ${count} else 0 end)`;
  return `with ${scanSql}, edge as materialized (${edge})
    ${pageRowsSql(scan)} union all select * from edge union all
    select * from (with ${emptiesSql(plan, scan, remaining, rows, values, null)})`;
}

function sortEntriesSql(
  { sort, range }: SortPlan,
  start: PageStart | null,
  values: SearchValues,
): string {
  const field = `c.field = ${sort.field.number}`;
  const inRange = rangeSql(range, "c.value", values);
  const entry = start && startEntry(sort, start);
  const [value, number] = entry ? entry.map((part) => values.scalar(part)) : [];
  if (sort.direction === "asc") {
    const after = entry ? ` and (c.value, c.item) > (${value}, ${number})` : "";
    return `select c.value, c.item from search_entry c where ${field}${inRange}${after} order by c.value, c.item`;
  }
  // Values descend, and the items of each value ascend. One index lookup finds the next lower value.
  const lower = (bound: string) =>
    `select c.value from search_entry c where ${field}${inRange} and c.value < ${bound} order by c.value desc limit 1`;
  const first = entry
    ? `select ${value}`
    : `select * from (select c.value from search_entry c where ${field}${inRange} order by c.value desc limit 1)`;
  const after = entry ? ` where v.value <> ${value} or c.item > ${number}` : "";
  return `with recursive v(value) as (${first}
      union all select (${lower("v.value")}) from v where v.value is not null)
    select c.value, c.item from v cross join search_entry c on ${field} and c.value = v.value${after}`;
}

/**
 * Returns the entry after which a page starts. For a truncated text, the entry comes before all texts with that prefix.
 */
function startEntry(
  sort: SortKey,
  { values: [value = null], number, truncatedKey }: PageStart,
): Comparable[] | null {
  if (value === null) return null;
  if (truncatedKey === null) return [value, number];
  if (sort.direction === "asc") return [value, 0];
  const end = prefixEnd(String(value));
  return end === undefined ? null : [end, Number.MAX_SAFE_INTEGER];
}

/** Scans the items without a value in the sort field, in stored order. */
function emptiesSql(
  { sort }: SortPlan,
  scan: RangeScan,
  limit: string,
  rows: number,
  values: SearchValues,
  afterNumber: number | null,
): string {
  return ascendingScanSql(scan, rows, values, {
    afterNumber,
    limit,
    maxCandidates: itemsWithin(scan, 2 * (1 + lookUpRows(scan.search.conditions))),
    position: (number) => `null as k0, ${number} as k1`,
    where: `${valueSql(sort.field)} is null and ${conditionsSql(scan, values, tooLargeIn("m"))}`,
  });
}

/** Sorts every match among the candidates. Only keys are sorted, and only the page's items are fetched. */
export function sortedInMemorySql(
  candidates: string,
  scan: Scan,
  rows: number,
  values: SearchValues,
): string {
  const { sort } = scan.search;
  const keys = sort.map((_, index) => `k${index}`);
  const sortColumns = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  const afterStart = scan.start ? ` and ${afterSql(scan.search, scan.start, values)}` : "";
  const order = sort.map(({ direction }, index) => `k${index} is null, k${index} ${direction}`);
  const byNumber = sort.length > 0 ? "number" : `number ${scan.search.order}`;
  const positionColumns = [...keys, "number"]
    .map((key, index) => `s.${key} as k${index}`)
    .join(", ");
  const items = `c cross join item i on ${itemJoinSql(scan)}`;
  const running = runningSql(partCostsSql(scan.search, values, totalCostSql), { from: items });
  const fits = atFirstSql(
    `up_to <= ${maxSortedBytes}, too_large`,
    running,
    endSql(scan.search, `up_to > ${maxSortedBytes}`, "c"),
    "1, null",
  );
  return `with c(item) as materialized (${candidates}),
      b(fits, too_large) as materialized (${fits}),
      sorted as materialized (select ${[...sortColumns, "i.number", hitSizeColumn(scan)].join(", ")}
        from ${items}
        where (select fits from b) and ${conditionsSql(scan, values, tooLargeIn("b"))}${afterStart}
        order by ${[...order, byNumber].join(", ")} limit ${rows}),
      s as materialized (select *, sum(size) over (rows unbounded preceding) - size as spent from sorted)
    select 'hit' as kind, ${positionColumns}, ${hitColumns(scan)} from s cross join item i on i.number = s.number
      where s.spent < ${maxPageBytes}
    union all select * from (select 'edge', ${positionColumns}, ${nullColumns()} from s
      where s.spent < ${maxPageBytes} and exists (select 1 from s where spent >= ${maxPageBytes})
      order by s.spent desc limit 1)
    union all select 'heavy', ${keys.map(() => "null, ").join("")}null, ${nullColumns()} from b
      where not fits`;
}

/** The columns of a sorted item: its sort keys and its number. */
interface SortColumns {
  key: (index: number, field: SortKey["field"]) => string;
  number: string;
}

const itemColumns: SortColumns = { key: (_, field) => sortSql(field), number: "i.number" };

/** SQL condition: an item comes strictly after the start in sort order. Empty values come last in both directions. */
export function afterSql(
  { sort, order }: Search,
  start: PageStart,
  values: SearchValues,
  sortColumns: SortColumns = itemColumns,
): string {
  const number = values.scalar(start.number);
  if (sort.length === 0) return `${sortColumns.number} ${order === "asc" ? ">" : "<"} ${number}`;
  const equalsStart = (index: number, field: SortKey["field"]) =>
    `${sortColumns.key(index, field)} is ${values.scalar(start.values[index] ?? null)}`;
  const steps = sort
    .slice(0, (start.truncatedKey ?? sort.length) + 1)
    .map(({ field, direction }, index) => {
      const equalKeys = sort
        .slice(0, index)
        .map((previous, position) => equalsStart(position, previous.field));
      const column = sortColumns.key(index, field);
      const value = start.values[index] ?? null;
      const afterValue =
        start.truncatedKey === index
          ? prefixBoundSql(column, direction, String(value), values)
          : value === null
            ? "0"
            : `${column} ${direction === "asc" ? ">" : "<"} ${values.scalar(value)}`;
      const orEmpty = value === null ? "" : `${column} is null or `;
      return balancedSql("and", [...equalKeys, `(${orEmpty}${afterValue})`]);
    });
  if (start.truncatedKey !== null) return balancedSql("or", steps);
  const equalKeys = sort.map(({ field }, index) => equalsStart(index, field));
  return balancedSql("or", [
    ...steps,
    balancedSql("and", [...equalKeys, `${sortColumns.number} > ${number}`]),
  ]);
}

/** SQL condition: in sort order, a value is not before the texts with this prefix. */
function prefixBoundSql(
  column: string,
  direction: "asc" | "desc",
  prefix: string,
  values: SearchValues,
): string {
  if (direction === "asc") return `${column} >= ${values.scalar(prefix)}`;
  const end = prefixEnd(prefix);
  return end === undefined ? "1" : `${column} < ${values.scalar(end)}`;
}
