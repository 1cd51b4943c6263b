import { numbersOf } from "../../domain/item";
import type { Plan } from "../../domain/search/plan";
import type { Scalar, Sort } from "../../domain/search/tree";
import { valueSql, type Values } from "./condition-sql";
import { lookUps, perCandidate, windowOf } from "./cost";
import { probeSql, rangeSql } from "./driver-sql";
import { behindAll, type Position } from "./position";
import {
  columns,
  conditionsSql,
  countWithin,
  measuredSql,
  noColumns,
  ownItem,
  sizeSql,
  withinBytes,
  type Walk,
} from "./walk";

type SortPlan = Extract<Plan, { walk: "sort" }>;

/** The entries of the sort field in order, then the items without a value there in stored order. */
export function sortWalk(plan: SortPlan, walk: Walk, rows: number, values: Values): string {
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
  const size = `${withinBytes("max(item)")} + 1 - (select number from first)`;
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
