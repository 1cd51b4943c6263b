import {
  isSumAt,
  maxAggregateItems,
  maxAggregateResponseBytes,
} from "#domain/aggregate/aggregate.ts";
import { selectList, type Column, type FigurePlan, type Figures } from "./figures.ts";
import { integersFirstSql } from "./integers-first.ts";
import type { Builder } from "./statement.ts";

/** The bytes of group keys that a general statement returns to the Worker for sorting. */
const maxKeyBytes = 4_000_000;

/** Returns one row for each group, in order. With no groups, returns one row whose `position` is null. */
export function groupsSql(rows: string, { source, figures }: Builder): string {
  const { aggregate } = figures.plan;
  const isGrouped = aggregate.groups.length > 0;
  const hasConditions = aggregate.search.conditions.length > 0;
  const columns = figures.figures(isGrouped || hasConditions);
  const keys = figures.keys().map(({ name }) => name);
  const grouped =
    integersFirstSql(columns, figures) ??
    `select ${[...keys, selectList(columns)].join(", ")} from rows${isGrouped ? ` group by ${keys.join(", ")}` : ""}`;
  const hasMissing = source.reads === "entries" && isGrouped && !hasConditions;
  const missing = columns.map((column) => column.missing).join(", ");
  const found =
    source.reads === "entries" && source.field.kind === "multi_select"
      ? `(select count(distinct item) from search_entry where field = ${source.field.number})`
      : "(select coalesce(sum(row_count), 0) from f)";
  const groups = hasMissing
    ? `f as materialized (${grouped}), h(missing) as materialized (select live - ${found} from t, n where reason is null),
      g as materialized (select * from f union all select ${[...keys.map(() => "null"), missing].join(", ")} from h where missing > 0)`
    : `g as materialized (${grouped})`;
  return `${rows}, ${groups} ${isGrouped ? pageSql(columns, figures) : onlyRowSql(columns, figures)}`;
}

/** SQLite takes longer to compile the windows of a page than to sum 1,000 entries. */
const onlyRowSql = (columns: readonly Column[], figures: Figures): string =>
  `select n.reason, 1 as total, row_count as all_rows, unusual as all_unusual, ${unscaledCountSql(figures)} as all_unscaled,
    1 as position, ${returnedSql(columns, figures)} from n cross join g`;

/** Whether the Worker sorts the groups, because the values that it adds can change their order. */
export const sortsInWorker = ({
  aggregate,
  isGeneral,
}: Pick<FigurePlan, "aggregate" | "isGeneral">): boolean =>
  isGeneral && aggregate.order.some(({ metric }) => isSumAt(aggregate, metric));

/** SQL for the bytes of a row with the keys of its group. */
const rowBytesSql = (keys: readonly string[], otherBytes: number): string =>
  [otherBytes, ...keys.map((key) => `coalesce(octet_length(${key}), 4)`)].join(" + ");

/** The groups that fit a response, in their order. */
function pageSql(columns: readonly Column[], figures: Figures): string {
  const { aggregate } = figures.plan;
  const keys = figures.keys().map(({ name }) => name);
  const isUnordered = sortsInWorker(figures.plan);
  const order = isUnordered
    ? keys.flatMap((key) => [`${key} is null`, key]).join(", ")
    : figures.order();
  const maxBytes = isUnordered ? maxKeyBytes : maxAggregateResponseBytes;
  const rowLimit = isUnordered ? maxAggregateItems * 5 : aggregate.limit;
  return `, o as (select *, row_number() over (rows unbounded preceding) as position,
      sum(${rowBytesSql(keys, 40)}) over (rows unbounded preceding) as spent
      from (select * from g order by ${order} limit ${rowLimit})),
    a as materialized (select count(*) as total, sum(row_count) as all_rows, sum(unusual) as all_unusual,
      sum(${unscaledCountSql(figures)}) as all_unscaled from g)
    select n.reason, a.total, a.all_rows, a.all_unusual, a.all_unscaled,
      position, ${returnedSql(columns, figures)}
    from n cross join a left join o on spent < ${maxBytes}`;
}

const unscaledCountSql = (figures: Figures): string =>
  figures
    .sums()
    .map(({ name }) => `unscaled_${name}`)
    .join(" + ") || "0";

/** The keys and the figures. Sums are texts, because they may be beyond the integers of JavaScript. */
const returnedSql = (columns: readonly Column[], figures: Figures): string =>
  [
    ...figures.keys().map(({ name }) => name),
    ...columns.map(({ name }) =>
      /^(whole|fraction)_/.test(name) ? `cast(${name} as text) as ${name}` : name,
    ),
  ].join(", ");

/** Returns the values of one column that SQL cannot sum exactly, with the keys of their groups. */
export function unscaledSql(rows: string, name: string, figures: Figures): string {
  const keys = figures.keys().map((key) => key.name);
  const columns = [...keys, `${name} as value`, "count(*) as times"].join(", ");
  return `${rows}, u as (select ${columns} from rows where ${name} is not null and x${name} is null
      group by ${[...keys, name].join(", ")})
    select *, sum(${rowBytesSql(keys, 60)}) over (rows unbounded preceding) as spent from u`;
}
