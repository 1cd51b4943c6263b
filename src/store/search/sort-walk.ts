import type { Comparable, Sort } from "../../domain/search/tree";
import { valueSql } from "./sql/value";
import type { Values } from "./sql/values";
import { lookUps, perCandidate, candidatesWithin } from "./plan/cost";
import { probeSql, rangeSql } from "./plan/driver";
import { inRange } from "./item-range";
import type { Plan } from "./plan/plan";
import { behindAll, type Start } from "./start";
import {
  columns,
  conditionsSql,
  countWithin,
  noColumns,
  ownItem,
  sizeSql,
  upwards,
  type RangedWalk,
} from "./walk";

type SortPlan = Extract<Plan, { walk: "sort" }>;

/** The entries of the sort field in order, then the items without a value there in stored order. */
export function sortWalk(plan: SortPlan, walk: RangedWalk, rows: number, values: Values): string {
  const { search, start } = walk;
  const inEmpties = start !== null && start.values[0] === null;
  if (inEmpties) return `with ${emptiesSql(plan, walk, String(rows), rows, values, start.number)}`;
  const entries = sortEntries(plan, start, values);
  const probed = plan.probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  const most = candidatesWithin(walk.budget, perCandidate(plan.probes, search.conditions));
  const hits = `select 'hit' as kind, c.value as k0, i.number as k1, ${columns}
      from (${entries} limit (select size from n)) c cross join item i on ${ownItem(walk)}
      where ${inRange(walk.range)} and ${probed}${conditionsSql(walk, values)} limit ${rows}`;
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

function sortEntries({ sort, range }: SortPlan, start: Start | null, values: Values): string {
  const field = `c.field = ${sort.field.number}`;
  const within = rangeSql(range, "c.value", values);
  const at = start && beginning(sort, start);
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
  { values: [value = null], number, from }: Start,
): Comparable[] | null {
  if (value === null) return null;
  if (from === null) return [value, number];
  if (sort.direction === "asc") return [value, 0];
  const end = behindAll(String(value));
  return end === undefined ? null : [end, Number.MAX_SAFE_INTEGER];
}

/** The items without a value in the sort field, in stored order. */
function emptiesSql(
  { sort }: SortPlan,
  walk: RangedWalk,
  limit: string,
  rows: number,
  values: Values,
  after: number | null,
): string {
  return upwards(walk, rows, values, {
    after,
    limit,
    most: candidatesWithin(walk.budget, 2 * (1 + lookUps(walk.search.conditions))),
    position: (number) => `null as k0, ${number} as k1`,
    where: `${valueSql(sort.field)} is null and ${conditionsSql(walk, values)}`,
  });
}
