import { Values } from "./sql/values";
import { lookUps, perCandidate, candidatesWithin } from "./plan/cost";
import { driverSql, onlyDriver, probeSql } from "./plan/driver";
import { behind, inRange, itemRange, withRange } from "./item-range";
import type { Plan } from "./plan/plan";
import { sortedInMemory } from "./sorted";
import { sortWalk } from "./sort-walk";
import {
  columns,
  conditionsSql,
  countWithin,
  full,
  candidatesSql,
  measuredSql,
  noColumns,
  ownItem,
  sizeSql,
  upwards,
  withinBytes,
  type RangedWalk,
  type Walk,
} from "./walk";

/** A statement of one parameter. */
export interface PageStatement {
  text: string;
  values: string;
}

/**
 * The page of a plan. Its rows are of a `kind`: `hit` is an item, with its position in `k0`, `k1`, …; `edge` is the
 * position up to which was looked when the budget was spent before the page was full; `heavy` says that there is too much
 * to sort. Neither edge nor a full page: the end.
 */
export function pageStatement(plan: Plan, walk: Walk, rows: number): PageStatement {
  const values = new Values();
  const range = itemRange(walk.collectionId, walk.search, values);
  const text = withRange(range, sqlOf(plan, { ...walk, range }, rows, values));
  return { text, values: values.json };
}

function sqlOf(plan: Plan, walk: RangedWalk, rows: number, values: Values): string {
  switch (plan.walk) {
    case "none":
      return sortedInMemory(
        `select distinct c.item from ${candidatesSql(plan.driver, walk, values)}`,
        walk,
        rows,
        values,
      );
    case "items":
      return itemWalk(walk, rows, values);
    case "value":
      return valueWalk(plan, walk, rows, values);
    case "sort":
      return sortWalk(plan, walk, rows, values);
  }
}

/** The items by their numbers, within a window that is the budget. */
function itemWalk(walk: RangedWalk, rows: number, values: Values): string {
  const { conditions, order } = walk.search;
  if (conditions.length === 0) return everyItem(walk, rows, values);
  const most = candidatesWithin(walk.budget, 1 + lookUps(conditions));
  if (order === "desc") return downwards(walk, rows, values, most);
  return `with ${upwards(walk, rows, values, {
    after: walk.start?.number ?? null,
    limit: String(rows),
    most,
    position: (number) => `${number} as k0`,
    where: conditionsSql(walk, values),
  })}`;
}

function downwards(walk: RangedWalk, rows: number, values: Values, most: number): string {
  const at = walk.start && values.scalar(walk.start.number);
  const { above, below: from } = behind(walk.range, "desc", at);
  const top = `(select max(number) from item where number > ${above} and number < ${from})`;
  // One bound on each side: SQLite seeks by one, and would read the rows that a second one leaves out.
  const newest = `select number as item from item where number <= (select number from top)
      and number > (select max(${above}, number - ${most}) from top) order by number desc`;
  const size = `(select number from top) - ${withinBytes("min(item)")} + 1`;
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
function everyItem(walk: RangedWalk, rows: number, values: Values): string {
  const { order } = walk.search;
  const at = walk.start && values.scalar(walk.start.number);
  const { above, below } = behind(walk.range, order, at);
  const candidates = `select number as item from item where number > ${above} and number < ${below} order by number ${order}`;
  const found = `from item i where i.number > ${above} and i.number < ${below} order by i.number ${order}`;
  return full(walk, candidates, rows, found);
}

/** The entries of one value, or the items that are named, in the order of items. */
function valueWalk(
  { driver, probes }: Extract<Plan, { walk: "value" }>,
  walk: RangedWalk,
  rows: number,
  values: Values,
): string {
  const { conditions, order } = walk.search;
  const at = walk.start && values.scalar(walk.start.number);
  const range = behind(walk.range, order, at);
  const own = candidatesSql(driver, { ...walk, range }, values);
  const where = conditionsSql(walk, values);
  const entries = `select c.item from ${own} order by c.item ${order}`;
  const [only] = conditions;
  // The value is all that the one condition says, so every candidate is a match.
  if (conditions.length === 1 && only && onlyDriver(only) && !("by" in driver)) {
    const found = `from search_entry c cross join item i on ${ownItem(walk)}
      where ${driverSql(driver, values)} and ${inRange(range)} and ${where} order by c.item ${order}`;
    return full(walk, entries, rows, found);
  }
  const most = candidatesWithin(walk.budget, perCandidate(probes, conditions));
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
