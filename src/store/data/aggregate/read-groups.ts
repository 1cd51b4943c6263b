import type { Aggregate, Metric } from "#domain/aggregate/aggregate.ts";
import { compareDecimals, DecimalSum, type Decimal } from "#domain/aggregate/decimal.ts";
import { sortsInWorker } from "./groups.ts";
import type { Outliers } from "./plan.ts";
import { maxOutlierBytes, maxRows, type AggregateStatements } from "./statement.ts";

/**
 * The bound that an aggregate exceeds: the number of items, their bytes, the cost of conditions, the rows of lists, or
 * the length of keys.
 */
export type ExceededBound = "items" | "bytes" | "cost" | "rows" | "keys";

/** A key or a figure in the form in which the database compares it. */
export type ColumnValue = string | number | null;

/** A figure: an exact sum and the number of its values, or a stored value. */
export type Figure = { sum: Decimal; count: number } | { value: ColumnValue };

interface Group {
  keys: ColumnValue[];
  figures: Figure[];
}

export interface GroupPage {
  /** Up to the limit of the aggregate, in its order. */
  groups: Group[];
  hasMore: boolean;
}

/** A row of a statement, with the columns of its group. */
export interface GroupRow extends Record<string, ColumnValue> {
  /** The bound that forbids reading any rows, or the kind of outliers. Null if there is neither. */
  reason: ExceededBound | "integers" | "outliers" | null;
  /** The number of items in the collection. */
  live: number;
  /** The result of `settledStampSql`. */
  stamp: string | null;
  /** Null if there is no group. */
  row_count: number | null;
  outlier_count: number | null;
}

/** Totals over all groups. Statements return them if groups that they do not return matter. */
interface Totals {
  group_total: number;
  row_total: number;
  outlier_total: number;
  /** The number of items with entries. Present only if an item can have several entries. */
  item_total?: number;
}

interface OutlierRow extends Record<string, ColumnValue> {
  value: number;
  times: number;
  spent: number;
}

/** Reads the results of an aggregate's statements. */
export function readGroups(
  statements: AggregateStatements,
  [groupsResult, ...outlierResults]: readonly (D1Result | undefined)[],
): GroupPage | { exceeded: ExceededBound } | { outliers: Outliers } {
  const rows = (groupsResult?.results ?? []) as (GroupRow & Partial<Totals>)[];
  const [first] = rows;
  // A deleted collection has no rows.
  if (!first) return { groups: [], hasMore: false };
  if (first.reason === "integers") return { outliers: "integers" };
  if (first.reason === "outliers") return { outliers: "any" };
  if (first.reason !== null) return { exceeded: first.reason };
  const groupRows = rows.filter(({ row_count: count }) => count !== null);
  const totals = { ...totalsOf(groupRows), ...first };
  if (totals.row_total > maxRows) return { exceeded: "rows" };
  if (totals.outlier_total > 0) return { outliers: "any" };
  const outliers = outlierResults.map((result) => (result?.results ?? []) as OutlierRow[]);
  if (outliers.some((list) => (list.at(-1)?.spent ?? 0) > maxOutlierBytes))
    return { exceeded: "keys" };
  return pageOf(statements, totals, buildGroups(statements, groupRows, outliers));
}

function totalsOf(rows: readonly GroupRow[]): Totals {
  const sumOf = (column: "row_count" | "outlier_count") =>
    rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);
  return {
    group_total: rows.length,
    row_total: sumOf("row_count"),
    outlier_total: sumOf("outlier_count"),
  };
}

function buildGroups(
  { rowColumns, groupColumns }: AggregateStatements,
  rows: readonly GroupRow[],
  outliers: readonly (readonly OutlierRow[])[],
): Group[] {
  const { groups, metrics } = rowColumns.plan.aggregate;
  const keysOf = (row: Record<string, ColumnValue>) =>
    groups.map((_, index) => row[`returned_key${index}`] ?? null);
  const outliersByGroup = new Map(
    groupColumns
      .sums()
      .map(({ value }, index) => [
        value,
        Map.groupBy(outliers[index] ?? [], (row) => JSON.stringify(keysOf(row))),
      ]),
  );
  const figureOf = (row: GroupRow, metric: number): Figure => {
    const columns = groupColumns.sumOfMetric(metric);
    if (!columns) return { value: row[`metric${metric}`] ?? null };
    const { whole, fraction, scale, count, value } = columns;
    const sum = new DecimalSum();
    sum.addUnits(BigInt(row[whole] ?? 0), 0);
    sum.addUnits(BigInt(row[fraction] ?? 0), Math.log10(scale));
    const added = outliersByGroup.get(value)?.get(JSON.stringify(keysOf(row))) ?? [];
    for (const outlier of added) sum.addNumber(outlier.value, outlier.times);
    return { sum: sum.total(), count: Number(row[count]) };
  };
  return rows.map((row) => ({
    keys: keysOf(row),
    figures: metrics.map((_, index) => figureOf(row, index)),
  }));
}

/** Adds the group of the items without entries, which the index does not contain, and limits the groups. */
function pageOf(
  { rowColumns: { plan } }: AggregateStatements,
  {
    live,
    group_total: groupTotal,
    row_total: rowTotal,
    item_total: itemTotal = rowTotal,
  }: Totals & Pick<GroupRow, "live">,
  groups: readonly Group[],
): GroupPage | { exceeded: ExceededBound } {
  const { aggregate, source } = plan;
  const isCut = groups.length < groupTotal;
  const isUnsorted = sortsInWorker(plan);
  if (isUnsorted && isCut) return { exceeded: "keys" };
  const readsAllEntries = source.reads === "entries" && aggregate.search.conditions.length === 0;
  const emptyCount = readsAllEntries && aggregate.groups.length > 0 ? live - itemTotal : 0;
  const last: Group[] = emptyCount > 0 ? [emptyGroup(aggregate, emptyCount)] : [];
  const all = [...groups, ...last];
  const sorted = isUnsorted || emptyCount > 0 ? sortGroups(aggregate, all) : all;
  // Groups that the statement left out can sort before an empty group at the end.
  const certain =
    isCut && last[0] !== undefined && sorted.at(-1) === last[0] ? sorted.slice(0, -1) : sorted;
  const limitedGroups = certain.slice(0, aggregate.limit);
  return { groups: limitedGroups, hasMore: limitedGroups.length < groupTotal + last.length };
}

/** Returns the group of `items` items without a value in the only field. */
const emptyGroup = ({ metrics }: Aggregate, items: number): Group => ({
  keys: [null],
  figures: metrics.map(({ op, field }) => {
    if (field === null) return { value: items };
    return { value: op === "count" || op === "count_distinct" ? 0 : null };
  }),
});

/** Sorts groups that are already ordered by their keys. */
function sortGroups({ metrics, order }: Aggregate, groups: readonly Group[]): Group[] {
  return groups.toSorted((a, b) => {
    for (const { metric: index, direction } of order) {
      const [metric, x, y] = [metrics[index], a.figures[index], b.figures[index]];
      if (!metric || !x || !y) continue;
      const [isEmptyX, isEmptyY] = [isEmptyFigure(x), isEmptyFigure(y)];
      if (isEmptyX !== isEmptyY) return isEmptyX ? 1 : -1;
      const difference = isEmptyX ? 0 : compareFigures(metric, x, y);
      if (difference !== 0) return direction === "desc" ? -difference : difference;
    }
    return 0;
  });
}

const isEmptyFigure = (figure: Figure): boolean =>
  "sum" in figure ? figure.count === 0 : figure.value === null;

function compareFigures(metric: Metric, x: Figure, y: Figure): number {
  if ("sum" in x && "sum" in y) {
    const isAverage = metric.op === "avg";
    return compareDecimals(x.sum, y.sum, isAverage ? y.count : 1, isAverage ? x.count : 1);
  }
  if ("sum" in x || "sum" in y) return 0;
  // Both values are numbers, or dates in the same form.
  if (x.value === y.value) return 0;
  return (x.value ?? 0) < (y.value ?? 0) ? -1 : 1;
}
