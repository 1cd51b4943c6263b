import { numbersOf } from "../../domain/item";
import type { Driver, Plan } from "../../domain/search/plan";
import type { Scalar, Search, Sort } from "../../domain/search/tree";
import { balanced, conditionSql, valueSql, Values } from "./condition-sql";
import { lookUps, perCandidate, windowOf } from "./cost";
import { itemColumns } from "../items";
import { driverSql, probeSql, rangeSql } from "./driver-sql";

/** The values of the sort keys at a place, null where empty, and the item's number. */
export type Position = (Scalar | null)[];

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
 * place up to which was looked when the budget was spent before the page was full. Neither edge nor a full page: the
 * end.
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
  const { above, below } = numbersOf(collectionId);
  return `i.number = c.item and i.number > ${above} and i.number < ${below}`;
}

/** Every match of the driver, sorted. */
function sortedInMemory(driver: Driver, walk: Walk, rows: number, values: Values): string {
  const { sort } = walk.search;
  const keys = sort.map(({ field }, index) => `${valueSql(field)} as k${index}`);
  const after = walk.position ? ` and ${afterSql(sort, walk.position, values)}` : "";
  const order = sort.map(({ direction }, index) => `k${index} is null, k${index} ${direction}`);
  const byNumber = sort.length > 0 ? "i.number" : "i.number desc";
  return `select 'hit' as kind, ${[...keys, `i.number as k${sort.length}`, columns].join(", ")}
    from (select distinct c.item from search_entry c where ${driverSql(driver, values)}) c
    cross join item i on ${ownItem(walk)}
    where ${conditionsSql(walk, values)}${after}
    order by ${[...order, byNumber].join(", ")} limit ${rows}`;
}

/** Strictly behind a place in the order of the sort keys; empty values come last in both directions. */
function afterSql(sort: readonly Sort[], position: Position, values: Values): string {
  const number = values.scalar(position.at(-1) ?? null);
  if (sort.length === 0) return `i.number < ${number}`;
  const steps = sort.map(({ field, direction }, index) => {
    const at = valueSql(field);
    const place = position[index] ?? null;
    const same = sort
      .slice(0, index)
      .map(
        (each, before) => `${valueSql(each.field)} is ${values.scalar(position[before] ?? null)}`,
      );
    const behind =
      place === null
        ? "0"
        : `(${at} is null or ${at} ${direction === "asc" ? ">" : "<"} ${values.scalar(place)})`;
    return balanced("and", [...same, behind]);
  });
  const same = sort.map(
    (each, index) => `${valueSql(each.field)} is ${values.scalar(position[index] ?? null)}`,
  );
  return balanced("or", [...steps, balanced("and", [...same, `i.number > ${number}`])]);
}

/** The items by their numbers, newest first, within a window that is the budget. */
function itemWalk(walk: Walk, rows: number, values: Values): string {
  const { above, below } = numbersOf(walk.collectionId);
  const from = walk.position ? values.scalar(walk.position[0] ?? null) : String(below);
  const top = `(select max(number) from item where number > ${above} and number < ${from})`;
  const { conditions } = walk.search;
  if (conditions.length === 0) {
    return `select 'hit' as kind, i.number as k0, ${columns} from item i
      where i.number > ${above} and i.number < ${from} order by i.number desc limit ${rows}`;
  }
  // One bound on each side: SQLite seeks by one, and would read the rows that a second one leaves out.
  const window = windowOf(walk.budget, 1 + lookUps(conditions));
  return `with top(number) as (select ${top}), page as materialized (
      select 'hit' as kind, i.number as k0, ${columns} from top cross join item i
      where i.number <= top.number and i.number > max(${above}, top.number - ${window})
        and ${conditionsSql(walk, values)}
      order by i.number desc limit ${rows})
    select * from page
    union all
    select 'edge', top.number - ${window} + 1, ${noColumns} from top
    where (select count(*) from page) < ${rows}
      and exists (select 1 from item where number > ${above} and number <= top.number - ${window})`;
}

/** The entries of one value, newest item first. */
function valueWalk(
  { driver, probes }: Extract<Plan, { walk: "value" }>,
  walk: Walk,
  rows: number,
  values: Values,
): string {
  const before = walk.position ? ` and c.item < ${values.scalar(walk.position[0] ?? null)}` : "";
  const own = driverSql(driver, values) + before;
  const { conditions } = walk.search;
  const found = `'hit' as kind, i.number as k0, ${columns}`;
  const where = conditionsSql(walk, values);
  // The value is the one condition, so every candidate is a match.
  if (conditions.length === 1) {
    return `select ${found} from search_entry c cross join item i on ${ownItem(walk)}
      where ${own} and ${where} order by c.item desc limit ${rows}`;
  }
  const candidates = windowOf(walk.budget, perCandidate(probes, conditions));
  const probed = probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  const entries = `select c.item from search_entry c where ${own} order by c.item desc`;
  return `with page as materialized (
      select ${found} from (${entries} limit ${candidates}) c cross join item i on ${ownItem(walk)}
      where ${probed}${where} limit ${rows})
    select * from page
    union all
    select 'edge', c.item, ${noColumns} from (${entries}
      limit (case when (select count(*) from page) < ${rows} then 1 else 0 end) offset ${candidates - 1}) c`;
}

type SortPlan = Extract<Plan, { walk: "sort" }>;

/** The entries of the sort field in order, then the items without a value there in stored order. */
function sortWalk(plan: SortPlan, walk: Walk, rows: number, values: Values): string {
  const { search, position } = walk;
  const inEmpties = position !== null && position[0] === null;
  if (inEmpties) return emptiesSql(plan, walk, String(rows), values, position[1] ?? null);
  const entries = sortEntries(plan, position, values);
  const probed = plan.probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  const candidates = windowOf(walk.budget, perCandidate(plan.probes, search.conditions));
  const hits = `select 'hit' as kind, c.value as k0, i.number as k1, ${columns}
      from (${entries} limit ${candidates}) c cross join item i on ${ownItem(walk)}
      where ${probed}${conditionsSql(walk, values)} limit ${rows}`;
  const count = "(select count(*) from page)";
  const edge = `select 'edge', c.value, c.item, ${noColumns} from (${entries}
      limit (case when ${count} < ${rows} then 1 else 0 end) offset ${candidates - 1}) c`;
  if (!plan.empties)
    return `with page as materialized (${hits}) select * from page union all ${edge}`;
  const left = `(case when (select count(*) from edge) = 0 then ${rows} - ${count} else 0 end)`;
  return `with page as materialized (${hits}), edge as materialized (${edge})
    select * from page union all select * from edge union all
    select * from (${emptiesSql(plan, walk, left, values, null)})`;
}

function sortEntries({ sort, range }: SortPlan, position: Position | null, values: Values): string {
  const field = `c.field = ${sort.field.number}`;
  const [value, number] = (position ?? []).map((each) => values.scalar(each));
  const within = rangeSql(range, "c.value", values);
  if (sort.direction === "asc") {
    const after = position ? ` and (c.value, c.item) > (${value}, ${number})` : "";
    return `select c.value, c.item from search_entry c where ${field}${within}${after} order by c.value, c.item`;
  }
  // Values downwards, and the items of each value upwards: the next lower value is one look-up.
  const lower = (than: string) =>
    `select c.value from search_entry c where ${field}${within} and c.value < ${than} order by c.value desc limit 1`;
  const first = position
    ? `select ${value}`
    : `select * from (select c.value from search_entry c where ${field}${within} order by c.value desc limit 1)`;
  const after = position ? ` where v.value <> ${value} or c.item > ${number}` : "";
  return `with recursive v(value) as (${first}
      union all select (${lower("v.value")}) from v where v.value is not null)
    select c.value, c.item from v cross join search_entry c on ${field} and c.value = v.value${after}`;
}

function emptiesSql(
  { sort }: SortPlan,
  walk: Walk,
  limit: string,
  values: Values,
  after: Scalar | null,
): string {
  const { above, below } = numbersOf(walk.collectionId);
  const from = after === null ? String(above) : values.scalar(after);
  const window = windowOf(walk.budget, 2 * (1 + lookUps(walk.search.conditions)));
  const first = `(select min(number) from item where number > ${from} and number < ${below})`;
  const hits = `select 'hit' as kind, null as k0, i.number as k1, ${columns} from first cross join item i
      where i.number >= first.number and i.number < min(${below}, first.number + ${window})
        and ${valueSql(sort.field)} is null and ${conditionsSql(walk, values)}
      order by i.number limit ${limit}`;
  return `with first(number) as (select ${first}), empties as materialized (${hits})
    select * from empties
    union all
    select 'edge', null, first.number + ${window} - 1, ${noColumns} from first
    where ${limit} > 0 and (select count(*) from empties) < ${limit}
      and exists (select 1 from item where number >= first.number + ${window} and number < ${below})`;
}
