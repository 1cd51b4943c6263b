import type { Search } from "#domain/search/tree.ts";
import { itemColumns } from "#store/data/items.ts";
import { conditionSql, type Values } from "./conditions.ts";
import { balanced, boundedSql, itemCost, itemCostSql, lightBytes, pageBytes, worstPerByte } from "./cost.ts";
import { driverSql } from "./driver.ts";
import { behind, inRange, type ItemRange, namedSql, type Driver, type Start } from "./ranges.ts";

/** What every walk over candidates is made of. */

export interface Walk {
  collectionId: number;
  search: Search;
  /** Where the page begins; null for the first one. */
  start: Start | null;
  /** The rows that the page may read before it ends early. */
  budget: number;
}

/** A walk as part of a statement. */
export interface RangedWalk extends Walk {
  range: ItemRange;
}

const names = Object.keys(itemColumns);
export const columns = names.map((name) => `i.${name}`).join(", ");
export const noColumns = names.map(() => "null").join(", ");

export function conditionsSql({ search }: Walk, values: Values): string {
  const judged = balanced(
    "and",
    search.conditions.map((each) => conditionSql(each, values)),
  );
  return boundedSql(search.conditions, judged);
}

/** What follows `from` for the items of a driver, or of the whole range: a table `c` of their numbers, `item`. */
export function candidatesSql(driver: Driver | null, walk: RangedWalk, values: Values): string {
  const own = inRange(walk.range);
  if (!driver) return `(select number as item from item) c where ${own}`;
  if (!("by" in driver)) return `search_entry c where ${driverSql(driver, values)} and ${own}`;
  return `(${namedSql(driver, walk.collectionId, values)}) c where ${own}`;
}

/** The item of an entry `c`; whatever the index says, it is one of this collection. */
export function ownItem({ collectionId }: Walk): string {
  return `i.number = c.item and i.collection_id = ${collectionId}`;
}

/**
 * How much of `most` a page may look at, as a table `n` of one column `size`: all of it, unless the collection has items
 * so large that bytes have to be counted. `measured` gives the size by a running sum `spent` of what the candidates cost.
 */
export function sizeSql(
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
export function measuredSql(walk: Walk, candidates: string, most: number, size: string): string {
  const cost = itemCostSql(itemCost(walk.search.conditions));
  return `select iif(max(spent) < ${pageBytes}, ${most}, ${size}) from (
      select item, sum(cost) over (rows unbounded preceding) - cost as spent from (
        select c.item, ${cost} as cost from (${candidates} limit ${most}) c cross join item i on ${ownItem(walk)}))`;
}

/** Those of the candidates that are within the bytes. */
export const withinBytes = (size: string) => `${size} filter (where spent < ${pageBytes})`;

export function countWithin(walk: Walk, candidates: string, most: number): string {
  return measuredSql(walk, candidates, most, withinBytes("count(*)"));
}

/** A page of all candidates in their order, of which `allowed` many are within its bytes. */
export function full(walk: Walk, candidates: string, rows: number, found: string): string {
  return `with ${sizeSql(walk, rows, rows, countWithin(walk, candidates, rows))}
    select 'hit' as kind, i.number as k0, ${columns}, (select size from n) as allowed
    ${found} limit (select size from n)`;
}

interface Upwards {
  /** The number behind which the walk begins; null at the start. */
  after: number | null;
  /** How many items it may give, as SQL. */
  limit: string;
  /** How many numbers it may look at. */
  most: number;
  /** The position of a number, as columns. */
  position: (number: string) => string;
  where: string;
}

/** The items by their numbers, oldest first, within a window that is the budget: parts of a `with`, and what is of them. */
export function upwards(
  walk: RangedWalk,
  rows: number,
  values: Values,
  { after, limit, most, position, where }: Upwards,
): string {
  const at = after === null ? null : values.scalar(after);
  const { above: from, below } = behind(walk.range, "asc", at);
  const first = `(select min(number) from item where number > ${from} and number < ${below})`;
  const oldest = `select number as item from item where number >= (select number from first)
      and number < (select min(${below}, number + ${most}) from first) order by number`;
  const size = `${withinBytes("max(item)")} + 1 - (select number from first)`;
  const measured = measuredSql(walk, oldest, most, size);
  return `first(number) as materialized (select ${first}),
      ${sizeSql(walk, most, rows, measured).replace("n(size)", "m(size)")},
      top(number) as materialized (select first.number + m.size from first, m),
      found as materialized (
      select 'hit' as kind, ${position("i.number")}, ${columns} from first cross join item i
      where i.number >= first.number and i.number < (select min(${below}, number) from top) and ${where}
      order by i.number limit ${limit})
    select * from found
    union all
    select 'edge', ${position("top.number - 1")}, ${noColumns} from top
    where ${limit} > 0 and (select count(*) from found) < ${limit}
      and exists (select 1 from item where number >= top.number and number < ${below})`;
}
