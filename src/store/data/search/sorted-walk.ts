import type { SearchField, SortKey } from "#domain/search/tree.ts";
import { isStoredOrder } from "#domain/search/sort.ts";
import { sortSql } from "./conditions.ts";
import { type SearchValues } from "./search-values.ts";
import { costBoundSql, itemCostSql, lookUpRows, totalCostSql } from "./cost.ts";
import { maxKeyEntryBytes, maxKeyItemBytes, maxPageBytes } from "./budget.ts";
import type { Plan } from "./plan.ts";
import { inRangeSql } from "./ranges.ts";
import {
  candidatesSql,
  hitColumns,
  hitSizeColumn,
  itemJoinSql,
  itemsWithin,
  nullColumns,
  tooLargeIn,
  type RangeScan,
} from "./scan.ts";
import {
  atFirstSql,
  conditionsSql,
  endSql,
  fitsSql,
  judgedItem,
  narrowPartsSql,
  partCostsSql,
  runningSql,
} from "./shown.ts";
import { hiddenBytesSql, shownMeasure } from "./parts.ts";
import type { ShownBy } from "#domain/search/tree.ts";
import { itemCost, maxCostPerByte, maxTotalCost } from "#domain/search/item-cost.ts";
import { afterSql } from "./sort-scan.ts";
import { viewCostSql } from "./view-bound.ts";

type SortedPlan = Extract<Plan, { scan: "sorted" }>;

/** The maximum cost of evaluating the conditions of sorted candidates. The page then ends early. */
const maxScanCost = 16_000_000;

/**
 * Sorts all candidates by several keys, and then evaluates the conditions in that order until the page is full or the
 * budget is spent. Reads only the page's items in full.
 */
export function sortedScanSql(
  plan: SortedPlan,
  scan: RangeScan,
  rows: number,
  values: SearchValues,
): string {
  const { sort, conditions } = scan.search;
  const keys = sort.map((_, index) => `k${index}`);
  const candidates = `select distinct c.item from ${candidatesSql(plan.driver, scan, values)}`;
  const maxCandidates = itemsWithin(scan, 1 + lookUpRows(conditions));
  const after = scan.start
    ? `where ${afterSql(scan.search, scan.start, values, { key: (index) => `k${index}`, number: "number" })}`
    : "";
  const order = sort.map(({ direction }, index) => `k${index} is null, k${index} ${direction}`);
  const positionColumns = (table: string) =>
    [...keys, "number"].map((key, index) => `${table}.${key} as k${index}`).join(", ");
  const inBudget = "w.place < (select place from cut)";
  return `with c(item) as materialized (${candidates}),
      ${plan.readsEntries ? entryKeysSql(scan, values) : itemKeysSql(plan, scan, values)},
      walk as materialized (select *, row_number() over (rows unbounded preceding) as place
        from (select * from keyed ${after}
          order by ${[...order, "number"].join(", ")} limit ${maxCandidates + 1})),
      cut(place, too_large) as materialized (${cutSql(plan, scan, values, maxCandidates + 1)}),
      found as materialized (select w.*, ${hitSizeColumn(scan)}
        from walk w cross join item i on i.number = w.number
        where ${inBudget} and ${conditionsSql(scan, values, tooLargeIn("cut"))} limit ${rows}),
      s as materialized (select *, sum(size) over (rows unbounded preceding) - size as taken from found)
    select 'hit' as kind, ${positionColumns("s")}, ${hitColumns(scan)} from s cross join item i on i.number = s.number
      where s.taken < ${maxPageBytes}
    union all select * from (select 'edge', ${positionColumns("s")}, ${nullColumns()} from s
      where s.taken < ${maxPageBytes} and exists (select 1 from s where taken >= ${maxPageBytes})
      order by s.taken desc limit 1)
    union all select * from (select 'edge', ${positionColumns("w")}, ${nullColumns()} from walk w
      where ${inBudget} and (select count(*) from s where taken < ${maxPageBytes}) < ${rows}
        and not exists (select 1 from s where taken >= ${maxPageBytes})
        and exists (select 1 from walk w where not (${inBudget}))
      order by w.place desc limit 1)
    union all select 'heavy', ${keys.map(() => "null, ").join("")}null, ${nullColumns()} from b where not fits`;
}

/**
 * SQL for the place of the first candidate that the budget does not cover, and the items before it that are too large for
 * the view (`sizeSql`). The place is `end` if all are cheap.
 */
function cutSql(plan: SortedPlan, scan: RangeScan, values: SearchValues, end: number): string {
  const costSql = candidateCost(plan, scan);
  if (!costSql) return `select ${end}, null`;
  const running = runningSql(partCostsSql(scan.search, values, costSql), {
    from: "(select number as item from walk) c cross join item i on i.number = c.item",
  });
  return atFirstSql(
    `iif(up_to >= ${maxScanCost}, place + 1, ${end}), too_large`,
    running,
    endSql(scan.search, `up_to >= ${maxScanCost}`, "walk"),
    `${end}, null`,
  );
}

/** A view whose conditions cost more per byte of an item than this lowers the limit of keys. */
const viewCostPerByte = 6;
const atLeast = (bytes: string, cost: string) => `max(${bytes}, (${cost}) / ${viewCostPerByte})`;

/**
 * SQL for whether the bytes of the keys fit, separately for the parts that a narrow caller sees and does not see. Only
 * the view shows which these are, so evaluating it counts, too.
 */
function keysFitSql(
  shownBy: ShownBy,
  values: SearchValues,
  bytes: Record<"shown" | "rest" | "others", string>,
  candidates: { names?: readonly string[]; from: string },
): string {
  const cost = itemCost(shownBy.conditions);
  const parts = {
    shown: atLeast(bytes.shown, itemCostSql(cost, shownMeasure(shownBy, values))),
    rest: atLeast(bytes.rest, `${hiddenBytesSql(shownBy, values)} * ${maxCostPerByte(cost)}`),
    others: atLeast(bytes.others, viewCostSql(shownBy, itemCostSql(cost), judgedItem)),
  };
  return `(${fitsSql(narrowPartsSql(shownBy, values, parts), candidates, maxKeyItemBytes)})`;
}

/** Reads the keys from the candidates. `b` measures them only if they could be too large. */
function itemKeysSql({ maxItemBytes }: SortedPlan, scan: RangeScan, values: SearchValues): string {
  const { sort, shownBy } = scan.search;
  const join = `c cross join item i on ${itemJoinSql(scan)}`;
  const bytes = "octet_length(i.data)";
  const allFit = `(select total(${bytes}) from ${join}) <= ${maxKeyItemBytes}`;
  const measured = shownBy
    ? `iif(${allFit}, 1, ${keysFitSql(
        shownBy,
        values,
        {
          shown: shownMeasure(shownBy, values).bytes,
          rest: hiddenBytesSql(shownBy, values),
          others: bytes,
        },
        { from: join },
      )})`
    : allFit;
  const fits = maxItemBytes <= maxKeyItemBytes ? "1" : measured;
  const keyColumns = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  return `b(fits) as materialized (select ${fits}),
      keyed as (select ${["i.number", ...keyColumns].join(", ")} from ${join} where (select fits from b))`;
}

/** Reads the keys from all entries of the sort fields. Used only if the collection is small enough to have few. */
function entryKeysSql(scan: RangeScan, values: SearchValues): string {
  const { search, range } = scan;
  const { sort, shownBy } = search;
  const indexedFields = sort.map(({ field }) => field).filter((field) => !isStoredOrder(field));
  const numbers = indexedFields.map(({ number }) => number).join(", ");
  const keyColumns = sort.map((key, index) => `${entryKeySql(key, indexedFields)} as k${index}`);
  const nulls = indexedFields.map(() => "null").join(", ");
  const entries = indexedFields.map((field) => {
    const keyValues = indexedFields.map((other) => (other === field ? "c.value" : "null"));
    return `select c.item, ${keyValues.join(", ")}, 0 from search_entry c
        where c.field = ${field.number} and ${inRangeSql(range)} and (select fits from b)`;
  });
  const names = indexedFields.map((_, index) => `v${index}`).join(", ");
  const entriesOfKeys = `search_entry c where c.field in (${numbers}) and ${inRangeSql(range)}`;
  // The entries that a narrow caller sees have a separate limit. Only the items show which entries these are.
  const bytes = "octet_length(c.value)";
  const parts = { shown: "bytes", rest: "0", others: "bytes" };
  const itemsOfKeys = `(select c.item, sum(${bytes}) as bytes from ${entriesOfKeys} group by c.item) c
    cross join item i on ${itemJoinSql(scan)}`;
  const fits = shownBy
    ? `iif(bytes <= ${maxKeyItemBytes}, 1, ${keysFitSql(shownBy, values, parts, { names: ["bytes"], from: itemsOfKeys })})`
    : `bytes <= ${maxKeyEntryBytes}`;
  return `b(fits) as materialized (select ${fits}
        from (select coalesce(sum(${bytes}), 0) as bytes from ${entriesOfKeys})),
      keyed as (select item as number, ${keyColumns.join(", ")}
        from (with entry(item, ${names}, candidate) as (
          select item, ${nulls}, 1 from c where (select fits from b) union all ${entries.join(" union all ")})
          select * from entry) group by item having max(candidate) = 1)`;
}

function entryKeySql({ field }: SortKey, indexedFields: readonly SearchField[]): string {
  return isStoredOrder(field) ? "item" : `max(v${indexedFields.indexOf(field)})`;
}

/**
 * SQL for the cost of a candidate. Does not read large items, so their cost is an upper bound. For a narrow caller it
 * is exact, because the size of the largest item must not show. Null if all candidates are cheap.
 */
function candidateCost(
  { readsEntries, maxItemBytes }: SortedPlan,
  { search, budget }: RangeScan,
): typeof totalCostSql | null {
  const cost = itemCost(search.conditions);
  if (
    search.conditions.length === 0 ||
    maxTotalCost(cost, budget.rows, maxItemBytes) <= maxScanCost
  )
    return null;
  return readsEntries && !search.shownBy ? costBoundSql : totalCostSql;
}
