import type { Comparable, Sort, Search } from "#domain/search/tree.ts";
import { valueSql, type Values, sortSql } from "./conditions.ts";
import { lookUps, perCandidate, candidatesWithin, balanced, itemCost, mostSortedBytes, pageBytes, wholeCostSql } from "./cost.ts";
import { probeSql, rangeSql } from "./driver.ts";
import { inRange, behindAll, type Start } from "./ranges.ts";
import type { Plan } from "./plan.ts";
import { columns, conditionsSql, countWithin, noColumns, ownItem, sizeSql, upwards, type RangedWalk, type Walk } from "./scan.ts";

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

/** Every match among the candidates, sorted. The keys are sorted alone, and items fetched for the page. */
export function sortedInMemory(
  candidates: string,
  walk: Walk,
  rows: number,
  values: Values,
): string {
  const { sort } = walk.search;
  const keys = sort.map((_, index) => `k${index}`);
  const sorted = sort.map(({ field }, index) => `${sortSql(field)} as k${index}`);
  const after = walk.start ? ` and ${afterSql(walk.search, walk.start, values)}` : "";
  const order = sort.map(({ direction }, index) => `k${index} is null, k${index} ${direction}`);
  const byNumber = sort.length > 0 ? "number" : `number ${walk.search.order}`;
  const places = [...keys, "number"].map((key, index) => `s.${key} as k${index}`).join(", ");
  return `with c(item) as materialized (${candidates}),
      b(bytes) as materialized (select sum(${wholeCostSql(itemCost(walk.search.conditions))})
        from c cross join item i on ${ownItem(walk)}),
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
function afterSql({ sort, order }: Search, start: Start, values: Values): string {
  const number = values.scalar(start.number);
  if (sort.length === 0) return `i.number ${order === "asc" ? ">" : "<"} ${number}`;
  const isSame = (index: number, field: Sort["field"]) =>
    `${sortSql(field)} is ${values.scalar(start.values[index] ?? null)}`;
  const steps = sort
    .slice(0, (start.from ?? sort.length) + 1)
    .map(({ field, direction }, index) => {
      const same = sort.slice(0, index).map((each, before) => isSame(before, each.field));
      const at = sortSql(field);
      const value = start.values[index] ?? null;
      const behind =
        start.from === index
          ? beginsSql(at, direction, String(value), values)
          : value === null
            ? "0"
            : `${at} ${direction === "asc" ? ">" : "<"} ${values.scalar(value)}`;
      const empty = value === null ? "" : `${at} is null or `;
      return balanced("and", [...same, `(${empty}${behind})`]);
    });
  if (start.from !== null) return balanced("or", steps);
  const same = sort.map(({ field }, index) => isSame(index, field));
  return balanced("or", [...steps, balanced("and", [...same, `i.number > ${number}`])]);
}

/** From where texts begin that begin so, in this direction. */
function beginsSql(at: string, direction: "asc" | "desc", text: string, values: Values): string {
  if (direction === "asc") return `${at} >= ${values.scalar(text)}`;
  const end = behindAll(text);
  return end === undefined ? "1" : `${at} < ${values.scalar(end)}`;
}
