import { numbersOf } from "../../domain/item";
import type { Driver, Plan } from "../../domain/search/plan";
import type { Scalar, Search, Sort } from "../../domain/search/tree";
import { itemColumns } from "../items";
import { balanced, conditionSql, valueSql, Values } from "./condition-sql";
import {
  itemCost,
  itemCostSql,
  lightBytes,
  lookUps,
  mostSortedBytes,
  pageBytes,
  perCandidate,
  windowOf,
  worstPerByte,
} from "./cost";
import { driverSql, probeSql, rangeSql } from "./driver-sql";
import { behindAll, type Position } from "./position";

export interface Walk {
  collectionId: number;
  search: Search;
  /** Where the page before this one ended; null at the start. */
  position: Position | null;
  /** The rows that the page may read before it ends early. */
  budget: number;
}

/** A statement of one parameter. */
export interface PageStatement {
  text: string;
  values: string;
}

const names = Object.keys(itemColumns);
const columns = names.map((name) => `i.${name}`).join(", ");
const noColumns = names.map(() => "null").join(", ");

/**
 * The page of a plan. Its rows are of a `kind`: `hit` is an item, with its place in `k0`, `k1`, …; `edge` is the
 * place up to which was looked when the budget was spent before the page was full; `heavy` says that there is too much
 * to sort. Neither edge nor a full page: the end.
 */
export function pageStatement(plan: Plan, walk: Walk, rows: number): PageStatement {
  const values = new Values();
  const text = sqlOf(plan, walk, rows, values);
  return { text, values: values.json };
}

function sqlOf(plan: Plan, walk: Walk, rows: number, values: Values): string {
  switch (plan.walk) {
    case "none":
      return sortedInMemory(plan.driver, walk, rows, values);
    case "items":
      return itemWalk(walk, rows, values);
    case "value":
      return valueWalk(plan, walk, rows, values);
    case "sort":
      return sortWalk(plan, walk, rows, values);
  }
}

function conditionsSql({ search }: Walk, values: Values): string {
  return balanced(
    "and",
    search.conditions.map((each) => conditionSql(each, values)),
  );
}

/** The item of an entry `c`; whatever the index says, it is one of this collection. */
function ownItem({ collectionId }: Walk): string {
  return `i.number = c.item and i.collection_id = ${collectionId}`;
}

/**
 * How much of `most` a page may look at, as a table `n` of one column `size`: all of it, unless the collection has items
 * so large that bytes have to be counted. `measured` gives the size by a running sum `spent` of what the candidates cost.
 */
function sizeSql(
  { collectionId, search }: Walk,
  most: number,
  rows: number,
  measured: string,
): string {
  const worst = worstPerByte(itemCost(search.conditions));
  return `n(size) as materialized (select case
      when t.largest * ${rows} <= ${pageBytes} and t.largest * min(${most}, t.live) * ${worst} <= ${lightBytes}
        then ${most} else (${measured}) end
      from tally t where t.collection_id = ${collectionId})`;
}

/**
 * What `size` is of the candidates, in their order, that are within the bytes of a page, one at the least; `most` where
 * all of them are.
 */
function measuredSql(walk: Walk, candidates: string, most: number, size: string): string {
  const cost = itemCostSql(itemCost(walk.search.conditions));
  return `select iif(max(spent) < ${pageBytes}, ${most}, ${size}) from (
      select item, sum(cost) over (rows unbounded preceding) - cost as spent from (
        select c.item, ${cost} as cost from (${candidates} limit ${most}) c cross join item i on ${ownItem(walk)}))`;
}

/** Those of the candidates that are within the bytes. */
const within = (size: string) => `${size} filter (where spent < ${pageBytes})`;

function countWithin(walk: Walk, candidates: string, most: number): string {
  return measuredSql(walk, candidates, most, within("count(*)"));
}

/** Every match of the driver, or of the collection, sorted. The keys are sorted alone, and items fetched for the page. */
function sortedInMemory(driver: Driver | null, walk: Walk, rows: number, values: Values): string {
  const { sort } = walk.search;
  const { above, below } = numbersOf(walk.collectionId);
  const found = driver
    ? `select distinct c.item from search_entry c where ${driverSql(driver, values)}`
    : `select number as item from item where number > ${above} and number < ${below}`;
  const keys = sort.map((_, index) => `k${index}`);
  const sorted = sort.map(({ field }, index) => `${valueSql(field)} as k${index}`);
  const after = walk.position ? ` and ${afterSql(sort, walk.position, values)}` : "";
  const order = sort.map(({ direction }, index) => `k${index} is null, k${index} ${direction}`);
  const byNumber = sort.length > 0 ? "number" : "number desc";
  const places = [...keys, "number"].map((key, index) => `s.${key} as k${index}`).join(", ");
  return `with c(item) as materialized (${found}),
      b(bytes) as materialized (select sum(octet_length(i.data)) from c cross join item i on ${ownItem(walk)}),
      sorted as materialized (select ${[...sorted, "i.number", "octet_length(i.data) as size"].join(", ")}
        from c cross join item i on ${ownItem(walk)}
        where (select bytes from b) <= ${mostSortedBytes} and ${conditionsSql(walk, values)}${after}
        order by ${[...order, byNumber].join(", ")} limit ${rows}),
      s as materialized (select *, sum(size) over (rows unbounded preceding) - size as spent from sorted)
    select 'hit' as kind, ${places}, ${columns} from s cross join item i on i.number = s.number
      where s.spent < ${pageBytes}
    union all select * from (select 'edge', ${places}, ${noColumns} from s
      where s.spent < ${pageBytes} and exists (select 1 from s where spent >= ${pageBytes})
      order by s.spent desc limit 1)
    union all select 'heavy', ${keys.map(() => "null, ").join("")}null, ${noColumns} from b
      where bytes > ${mostSortedBytes}`;
}

/** Strictly behind a position in the order of the sort keys; empty values come last in both directions. */
function afterSql(sort: readonly Sort[], position: Position, values: Values): string {
  const number = values.scalar(position.number);
  if (sort.length === 0) return `i.number < ${number}`;
  const isSame = (index: number, field: Sort["field"]) =>
    `${valueSql(field)} is ${values.scalar(position.values[index] ?? null)}`;
  const steps = sort
    .slice(0, (position.from ?? sort.length) + 1)
    .map(({ field, direction }, index) => {
      const same = sort.slice(0, index).map((each, before) => isSame(before, each.field));
      const at = valueSql(field);
      const value = position.values[index] ?? null;
      const behind =
        position.from === index
          ? beginsSql(at, direction, String(value), values)
          : value === null
            ? "0"
            : `${at} ${direction === "asc" ? ">" : "<"} ${values.scalar(value)}`;
      const empty = value === null ? "" : `${at} is null or `;
      return balanced("and", [...same, `(${empty}${behind})`]);
    });
  if (position.from !== null) return balanced("or", steps);
  const same = sort.map(({ field }, index) => isSame(index, field));
  return balanced("or", [...steps, balanced("and", [...same, `i.number > ${number}`])]);
}

/** From where texts begin that begin so, in this direction. */
function beginsSql(at: string, direction: "asc" | "desc", start: string, values: Values): string {
  if (direction === "asc") return `${at} >= ${values.scalar(start)}`;
  const end = behindAll(start);
  return end === undefined ? "1" : `${at} < ${values.scalar(end)}`;
}

/** The items by their numbers, newest first, within a window that is the budget. */
function itemWalk(walk: Walk, rows: number, values: Values): string {
  const { above, below } = numbersOf(walk.collectionId);
  const from = walk.position ? values.scalar(walk.position.number) : String(below);
  const { conditions } = walk.search;
  if (conditions.length === 0) return everyItem(walk, from, rows);
  const top = `(select max(number) from item where number > ${above} and number < ${from})`;
  // One bound on each side: SQLite seeks by one, and would read the rows that a second one leaves out.
  const most = windowOf(walk.budget, 1 + lookUps(conditions));
  const newest = `select number as item from item where number <= (select number from top)
      and number > (select max(${above}, number - ${most}) from top) order by number desc`;
  const size = `(select number from top) - ${within("min(item)")} + 1`;
  const measured = measuredSql(walk, newest, most, size);
  return `with top(number) as materialized (select ${top}), ${sizeSql(walk, most, rows, measured)},
      bottom(number) as materialized (select top.number - n.size from top, n),
      page as materialized (
      select 'hit' as kind, i.number as k0, ${columns} from top cross join item i
      where i.number <= top.number and i.number > (select max(${above}, number) from bottom)
        and ${conditionsSql(walk, values)}
      order by i.number desc limit ${rows})
    select * from page
    union all
    select 'edge', bottom.number + 1, ${noColumns} from bottom
    where (select count(*) from page) < ${rows}
      and exists (select 1 from item where number > ${above} and number <= bottom.number)`;
}

/** Without conditions every candidate is a match, and the page is full unless it would be too large. */
function everyItem(walk: Walk, from: string, rows: number): string {
  const { above } = numbersOf(walk.collectionId);
  const newest = `select number as item from item where number > ${above} and number < ${from} order by number desc`;
  const found = `from item i where i.number > ${above} and i.number < ${from} order by i.number desc`;
  return full(walk, newest, rows, found);
}

/** A page of all candidates in their order, of which `allowed` many are within its bytes. */
function full(walk: Walk, candidates: string, rows: number, found: string): string {
  return `with ${sizeSql(walk, rows, rows, countWithin(walk, candidates, rows))}
    select 'hit' as kind, i.number as k0, ${columns}, (select size from n) as allowed
    ${found} limit (select size from n)`;
}

/** The entries of one value, newest item first. */
function valueWalk(
  { driver, probes }: Extract<Plan, { walk: "value" }>,
  walk: Walk,
  rows: number,
  values: Values,
): string {
  const before = walk.position ? ` and c.item < ${values.scalar(walk.position.number)}` : "";
  const own = driverSql(driver, values) + before;
  const { conditions } = walk.search;
  const where = conditionsSql(walk, values);
  const entries = `select c.item from search_entry c where ${own} order by c.item desc`;
  // The value is the one condition, so every candidate is a match.
  if (conditions.length === 1) {
    const found = `from search_entry c cross join item i on ${ownItem(walk)}
      where ${own} and ${where} order by c.item desc`;
    return full(walk, entries, rows, found);
  }
  const most = windowOf(walk.budget, perCandidate(probes, conditions));
  const probed = probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  return `with ${sizeSql(walk, most, rows, countWithin(walk, entries, most))}, page as materialized (
      select 'hit' as kind, i.number as k0, ${columns}
      from (${entries} limit (select size from n)) c cross join item i on ${ownItem(walk)}
      where ${probed}${where} limit ${rows})
    select * from page
    union all
    select 'edge', c.item, ${noColumns} from (${entries}
      limit (case when (select count(*) from page) < ${rows} then 1 else 0 end) offset (select size - 1 from n)) c`;
}

type SortPlan = Extract<Plan, { walk: "sort" }>;

/** The entries of the sort field in order, then the items without a value there in stored order. */
function sortWalk(plan: SortPlan, walk: Walk, rows: number, values: Values): string {
  const { search, position } = walk;
  const inEmpties = position !== null && position.values[0] === null;
  if (inEmpties)
    return `with ${emptiesSql(plan, walk, String(rows), rows, values, position.number)}`;
  const entries = sortEntries(plan, position, values);
  const probed = plan.probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  const most = windowOf(walk.budget, perCandidate(plan.probes, search.conditions));
  const hits = `select 'hit' as kind, c.value as k0, i.number as k1, ${columns}
      from (${entries} limit (select size from n)) c cross join item i on ${ownItem(walk)}
      where ${probed}${conditionsSql(walk, values)} limit ${rows}`;
  const count = "(select count(*) from page)";
  const edge = `select 'edge', c.value, c.item, ${noColumns} from (${entries}
      limit (case when ${count} < ${rows} then 1 else 0 end) offset (select size - 1 from n)) c`;
  const walked = `${sizeSql(walk, most, rows, countWithin(walk, entries, most))}, page as materialized (${hits})`;
  if (!plan.empties) return `with ${walked} select * from page union all ${edge}`;
  const left = `(case when (select count(*) from edge) = 0 then ${rows} - ${count} else 0 end)`;
  return `with ${walked}, edge as materialized (${edge})
    select * from page union all select * from edge union all
    select * from (with ${emptiesSql(plan, walk, left, rows, values, null)})`;
}

function sortEntries({ sort, range }: SortPlan, position: Position | null, values: Values): string {
  const field = `c.field = ${sort.field.number}`;
  const within = rangeSql(range, "c.value", values);
  const at = position && beginning(sort, position);
  const [value, number] = at ? at.map((each) => values.scalar(each)) : [];
  if (sort.direction === "asc") {
    const after = at ? ` and (c.value, c.item) > (${value}, ${number})` : "";
    return `select c.value, c.item from search_entry c where ${field}${within}${after} order by c.value, c.item`;
  }
  // Values downwards, and the items of each value upwards: the next lower value is one look-up.
  const lower = (than: string) =>
    `select c.value from search_entry c where ${field}${within} and c.value < ${than} order by c.value desc limit 1`;
  const first = at
    ? `select ${value}`
    : `select * from (select c.value from search_entry c where ${field}${within} order by c.value desc limit 1)`;
  const after = at ? ` where v.value <> ${value} or c.item > ${number}` : "";
  return `with recursive v(value) as (${first}
      union all select (${lower("v.value")}) from v where v.value is not null)
    select c.value, c.item from v cross join search_entry c on ${field} and c.value = v.value${after}`;
}

/** The entry behind which a page begins; for a value of which only the beginning is known, none that could be missed. */
function beginning(
  sort: Sort,
  { values: [value = null], number, from }: Position,
): Scalar[] | null {
  if (value === null) return null;
  if (from === null) return [value, number];
  if (sort.direction === "asc") return [value, 0];
  const end = behindAll(String(value));
  return end === undefined ? null : [end, Number.MAX_SAFE_INTEGER];
}

/** The parts of a `with` clause, and what is selected from them. */
function emptiesSql(
  { sort }: SortPlan,
  walk: Walk,
  limit: string,
  rows: number,
  values: Values,
  after: number | null,
): string {
  const { above, below } = numbersOf(walk.collectionId);
  const from = after === null ? String(above) : values.scalar(after);
  const most = windowOf(walk.budget, 2 * (1 + lookUps(walk.search.conditions)));
  const first = `(select min(number) from item where number > ${from} and number < ${below})`;
  const oldest = `select number as item from item where number >= (select number from first)
      and number < (select min(${below}, number + ${most}) from first) order by number`;
  const size = `${within("max(item)")} + 1 - (select number from first)`;
  const measured = measuredSql(walk, oldest, most, size);
  const hits = `select 'hit' as kind, null as k0, i.number as k1, ${columns} from first cross join item i
      where i.number >= first.number and i.number < (select min(${below}, number) from top)
        and ${valueSql(sort.field)} is null and ${conditionsSql(walk, values)}
      order by i.number limit ${limit}`;
  return `first(number) as materialized (select ${first}),
      ${sizeSql(walk, most, rows, measured).replace("n(size)", "m(size)")},
      top(number) as materialized (select first.number + m.size from first, m),
      empties as materialized (${hits})
    select * from empties
    union all
    select 'edge', null, top.number - 1, ${noColumns} from top
    where ${limit} > 0 and (select count(*) from empties) < ${limit}
      and exists (select 1 from item where number >= top.number and number < ${below})`;
}
