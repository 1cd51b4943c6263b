import {
  isSumAt,
  maxAggregateItems,
  maxAggregateResponseBytes,
} from "#domain/aggregate/aggregate.ts";
import type { GroupColumns } from "./group-columns.ts";
import type { AggregatePlan } from "./plan.ts";
import { emptyKey, selectList, type RowColumns } from "./row-columns.ts";
import type { Builder } from "./statement.ts";

/** The minimum bytes of a group in a response, without its keys. */
const minGroupBytes = 30;
/** The bytes of an outlier, without its keys. */
const outlierBytes = 60;
/** The bytes of group keys that a statement with full coverage returns to the Worker for sorting. */
const maxKeyBytes = 4_000_000;

/**
 * Completes the tables of `rows` to a statement that returns one row for each group. Each row also has the columns of
 * `bound`. If there are group keys but no groups, the statement returns one row whose `row_count` is null.
 */
export function groupsSql(rows: string, builder: Builder): string {
  const { rowColumns, groupColumns } = builder;
  const figures = selectList(groupColumns.figureColumns());
  const keys = rowColumns.keyNames();
  if (keys.length === 0)
    return `${rows} select bound.*, ${returnedSql(builder)} from bound cross join (select ${figures} from rows)`;
  const grouped = `select ${[...keys, figures].join(", ")} from rows group by ${groupColumns.keyOrderSql()}`;
  return needsTotals(rowColumns)
    ? `${rows}, grouped as materialized (${grouped}), ${totalledPageSql(builder)}`
    : `${rows} ${keyOrderedPageSql(builder, grouped)}`;
}

/**
 * Whether the statement must compute all groups. Groups beyond the limit can decide the order, the keys of other
 * groups, or whether there are too many rows.
 */
function needsTotals({ plan, joins, zonedGroups }: RowColumns): boolean {
  const { aggregate, coverage } = plan;
  return (
    aggregate.order.length > 0 || coverage === "full" || joins.length > 0 || zonedGroups.length > 0
  );
}

/** Whether the Worker sorts the groups, because the outliers that it adds can change their order. */
export const sortsInWorker = ({
  aggregate,
  coverage,
}: Pick<AggregatePlan, "aggregate" | "coverage">): boolean =>
  coverage === "full" && aggregate.order.some(({ metric }) => isSumAt(aggregate, metric));

/**
 * SQL for the first groups in the order of their keys, up to one more than the limit. The grouping sorts them, so
 * SQLite stops at that number. If not all groups fit a response, the last one exceeds it.
 */
function keyOrderedPageSql(builder: Builder, grouped: string): string {
  const { rowColumns, groupColumns } = builder;
  const order = groupColumns.keyOrderSql();
  const page = `(${grouped} order by ${order} limit ${rowColumns.plan.aggregate.limit + 1})`;
  const bytes = rowBytesSql(rowColumns.keyNames(), minGroupBytes);
  const fitting = `(select *, sum(${bytes}) over (rows unbounded preceding) - (${bytes}) as spent from ${page})
      on spent < ${maxAggregateResponseBytes}`;
  return `select bound.*, ${itemTotalSql(builder)} ${returnedSql(builder)}
    from bound left join ${hasTextKey(rowColumns) ? fitting : page} order by ${order}`;
}

/** SQL for the groups that fit a response, in their order, with totals over all groups. */
function totalledPageSql(builder: Builder): string {
  const { rowColumns, groupColumns } = builder;
  const { aggregate } = rowColumns.plan;
  const isUnordered = sortsInWorker(rowColumns.plan);
  const order = isUnordered ? groupColumns.keyOrderSql() : groupColumns.orderSql();
  const maxGroups = isUnordered ? maxAggregateItems * 5 : aggregate.limit;
  const bytes = rowBytesSql(rowColumns.keyNames(), minGroupBytes);
  const maxBytes = isUnordered ? maxKeyBytes : maxAggregateResponseBytes;
  const fittingGroups = `(select max(1, count(*)) from (select sum(${bytes}) over (rows unbounded preceding) as spent
      from (select * from grouped order by ${order} limit ${maxGroups})) where spent < ${maxBytes})`;
  const measures = isUnordered || hasTextKey(rowColumns);
  const limit = measures
    ? `iif((select byte_total from totals) < ${maxBytes}, ${maxGroups}, ${fittingGroups})`
    : maxGroups;
  return `totals as materialized (select count(*) as group_total, coalesce(sum(row_count), 0) as row_total,
      coalesce(sum(outlier_count), 0) as outlier_total, ${measures ? `sum(${bytes})` : "0"} as byte_total from grouped)
    select bound.*, totals.*, ${itemTotalSql(builder)} ${returnedSql(builder)}
    from bound cross join totals left join grouped order by ${order} limit ${limit}`;
}

/** Whether a key is a text. Without texts, every group up to the limit fits a response. */
const hasTextKey = ({ plan }: RowColumns): boolean =>
  plan.aggregate.groups.some(({ field }) => field.kind === "text");

/** SQL for the number of items with entries, if an item can have several entries. */
function itemTotalSql({ rowColumns }: Builder): string {
  const { source } = rowColumns.plan;
  return source.reads === "entries" && source.field.kind === "multi_select"
    ? `(select count(distinct item) from search_entry where field = iif(bound.reason is null, ${source.field.number}, -1)) as item_total,`
    : "";
}

/** SQL for the bytes of a row with the keys of its group. */
const rowBytesSql = (keys: readonly string[], otherBytes: number): string =>
  [otherBytes, ...keys.map((key) => `octet_length(${key})`)].join(" + ");

/**
 * SQL for the keys and the figures. The parts of sums are texts, because they may exceed the safe integers of
 * JavaScript.
 */
function returnedSql({ rowColumns, groupColumns }: Builder): string {
  const parts = new Set(groupColumns.sums().flatMap(({ whole, fraction }) => [whole, fraction]));
  const figures = groupColumns
    .figureColumns()
    .map(({ name }) => (parts.has(name) ? `cast(${name} as text) as ${name}` : name));
  return [returnedKeysSql(rowColumns), ...figures].filter((sql) => sql !== "").join(", ");
}

/** The keys as `returned_key0`, because `key0` sorts the groups. */
const returnedKeysSql = (rowColumns: RowColumns): string =>
  rowColumns
    .keyNames()
    .map((key) => `nullif(${key}, ${emptyKey}) as returned_${key}`)
    .join(", ");

/** Returns the outliers of one sum, with the keys of their groups. Its rows have full coverage. */
export function outliersSql(
  rows: string,
  { rowColumns }: Builder,
  { value, exact }: ReturnType<GroupColumns["sums"]>[number],
): string {
  const keys = rowColumns.keyNames();
  const columns = [...keys, value].join(", ");
  const spent = `sum(${rowBytesSql(keys, outlierBytes)}) over (rows unbounded preceding)`;
  return `${rows}, outliers as (select ${columns}, count(*) as times from rows
      where ${value} is not null and ${exact} is null group by ${columns})
    select ${[returnedKeysSql(rowColumns), `${value} as value`, "times", `${spent} as spent`].filter((sql) => sql !== "").join(", ")}
    from outliers`;
}
