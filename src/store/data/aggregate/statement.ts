import {
  figureFields,
  maxAggregateBytes,
  maxAggregateItems,
  type Aggregate,
} from "#domain/aggregate/aggregate.ts";
import { referencedFields, type SearchField } from "#domain/search/tree.ts";
import { itemCost, maxCostPerByte, maxTotalCost, readsRecords } from "#domain/search/item-cost.ts";
import { valueSql } from "#store/data/search/conditions.ts";
import { SearchValues } from "#store/data/search/search-values.ts";
import { balancedSql, totalCostSql, wholeMeasure, type Measure } from "#store/data/search/cost.ts";
import { hiddenBytesSql, measuringCost, shownMeasure } from "#store/data/search/parts.ts";
import { rangeSql } from "#store/data/search/driver.ts";
import { createdRange, itemRange, withRange } from "#store/data/search/ranges.ts";
import { settledStampSql, type PageStatement } from "#store/data/search/batch.ts";
import { candidatesSql, itemJoinSql, scanOf, type RangeScan } from "#store/data/search/scan.ts";
import {
  atFirstSql,
  computedOnceSql,
  conditionsSql,
  judgedItem,
  judgedSql,
  sumUpTo,
} from "#store/data/search/shown.ts";
import { viewCostSql } from "#store/data/search/view-bound.ts";
import { GroupColumns } from "./group-columns.ts";
import { groupsSql, outliersSql } from "./groups.ts";
import type { AggregatePlan, AggregateSource } from "./plan.ts";
import { RowColumns, selectList } from "./row-columns.ts";
import { hasMoreDecimalsSql, maxUsualSql } from "./sums.ts";

/** The maximum number of rows after each item is joined with its list entries. */
export const maxRows = 1_000_000;
/** The maximum cost of one aggregate, in bytes that SQLite reads. Reading that many takes about a second. */
const maxCost = 1_000_000_000;
/** The maximum cost of measuring all items for a narrow caller. Only views of hundreds of fields exceed it. */
const maxMeasuringCost = 10_000_000_000;
/** The cost per byte of reading one more value of an item. */
const valueCost = 0.25;
/** The maximum bytes of distinct texts that a statement may keep in memory. */
const maxTextBytes = 32_000_000;
/** The maximum bytes of outliers, with the keys of their groups. The Worker adds these values. */
export const maxOutlierBytes = 16_000_000;

export interface AggregateStatements {
  /** Computes the groups. */
  groups: PageStatement;
  /** For each sum, returns its outliers. Only with full coverage. */
  outliers: PageStatement[];
  rowColumns: RowColumns;
  groupColumns: GroupColumns;
}

export function aggregateStatements(
  collectionId: number,
  plan: AggregatePlan,
): AggregateStatements {
  const { aggregate, source, coverage } = plan;
  const rowColumns = new RowColumns(plan);
  const groupColumns = new GroupColumns(rowColumns);
  const build = (select: (rows: string, builder: Builder) => string): PageStatement => {
    const values = new SearchValues();
    const range = itemRange(collectionId, aggregate.search, values);
    const driver = source.reads === "items" ? source.driver : null;
    const wholeScan: RangeScan = {
      collectionId,
      search: aggregate.search,
      start: null,
      // Unused here. `bound.reason` limits the number and size of all items instead.
      budget: { rows: 0, cost: 0, room: { shown: 0, hidden: 0 } },
      range,
    };
    const scan = scanOf(driver, wholeScan, values);
    const builder = { scan, values, rowColumns, groupColumns };
    const rows =
      source.reads === "entries" ? entryRows(builder, source) : itemRows(builder, source);
    return values.statement(withRange(range, `with ${select(rows, builder)}`));
  };
  const sums = coverage === "full" ? groupColumns.sums() : [];
  return {
    rowColumns,
    groupColumns,
    groups: build(groupsSql),
    outliers: sums.map((sum) => build((rows, builder) => outliersSql(rows, builder, sum))),
  };
}

export interface Builder {
  scan: RangeScan;
  values: SearchValues;
  rowColumns: RowColumns;
  groupColumns: GroupColumns;
}

const sizeTableSql = (collectionId: number) =>
  `size(live, largest, stamp) as materialized (select live, largest, ${settledStampSql(collectionId)} from tally where collection_id = ${collectionId})`;

/**
 * Appends the table `rows` to `bounds`, which ends with the table `bound`. A `reason` in `bound` forbids the statement
 * to read rows.
 */
function rowsSql(
  { rowColumns }: Builder,
  bounds: string,
  from: string,
  hasOptimizerBarrier: boolean,
): string {
  // Keeps SQLite from merging the subqueries into the outer query, which would compute their columns several times.
  const barrier = hasOptimizerBarrier ? " where true limit -1" : "";
  let text = `select ${selectList(rowColumns.storedColumns()) || "1 as no_value"} ${from}`;
  for (const level of [rowColumns.helperColumns(), rowColumns.exactColumns()])
    if (level.length > 0) text = `select *, ${selectList(level)} from (${text})${barrier}`;
  const keys = rowColumns.keyColumns();
  if (keys.length > 0) text = `select *, ${selectList(keys)} from (${text})`;
  return `${bounds}, rows as not materialized (${text})`;
}

function entryRows(
  builder: Builder,
  source: Extract<AggregateSource, { reads: "entries" }>,
): string {
  const { scan, values, rowColumns } = builder;
  const { coverage } = rowColumns.plan;
  const { field, ranges } = source;
  const inRanges = ranges.map((range) => rangeSql(range, "c.value", values)).join("");
  const entriesOf = (number: number | string) =>
    `search_entry c where c.field = ${number}${inRanges}`;
  const entries = entriesOf(field.number);
  const countUpTo = (count: number) =>
    `(select count(*) from (select 1 from ${entries} limit ${count + 1}))`;
  const items = needsAllItems(builder)
    ? "live"
    : `iif(live <= ${maxAggregateItems}, live, ${countUpTo(maxAggregateItems)})`;
  const findsOutliers = coverage === "usual" && rowColumns.summedValues().length > 0;
  const isTooMany = [
    `items > ${maxAggregateItems}`,
    ...(field.kind === "multi_select" ? [`${countUpTo(maxRows)} > ${maxRows}`] : []),
  ];
  const keptBytes = `iif(largest * items <= ${maxTextBytes}, 0, (select total(octet_length(c.value)) from ${entries}))`;
  const reasons = [
    `when ${isTooMany.join(" or ")} then 'items'`,
    ...(field.kind === "text" ? [`when ${keptBytes} > ${maxTextBytes} then 'keys'`] : []),
    ...(findsOutliers ? outlierReasons(field, inRanges) : []),
  ];
  const extremes = findsOutliers ? extremesSql(field) : "null, null";
  const bounds = `${sizeTableSql(scan.collectionId)},
    scope(items, least, greatest) as materialized (select ${items}, ${extremes} from size),
    bound(reason, live, stamp) as materialized (select case ${reasons.join(" ")} end, live, stamp from scope, size)`;
  // No field has the number -1, so a rejected statement reads no entries. SQLite would evaluate a condition for each
  // entry.
  const from = `from ${entriesOf(`iif((select reason from bound) is null, ${field.number}, -1)`)}`;
  return rowsSql(builder, bounds, from, coverage === "full");
}

/** SQL for the cases in which the entries of a field, or the entries in the ranges, may not fit the usual scale. */
function outlierReasons({ number }: SearchField, inRanges: string): string[] {
  const max = maxUsualSql("items");
  const isLarge = `(greatest > ${max} or least < -${max})`;
  const haveMoreDecimals = `exists (select 1 from search_entry c indexed by search_entry_by_decimals
      where c.field = ${number}${inRanges} and ${hasMoreDecimalsSql("c.value")})`;
  return [
    `when ${isLarge} and typeof(greatest) = 'integer' and typeof(least) = 'integer' then 'integers'`,
    `when ${isLarge} or ${haveMoreDecimals} then 'outliers'`,
  ];
}

/** SQL for the smallest and the largest value of a field. */
const extremesSql = ({ number }: SearchField): string =>
  ["min", "max"]
    .map((extreme) => `(select ${extreme}(value) from search_entry where field = ${number})`)
    .join(", ");

/** Whether items without a value in the field count too. */
function needsAllItems({ scan, rowColumns }: Builder): boolean {
  const { groups, metrics } = rowColumns.plan.aggregate;
  const countsItems = metrics.some(({ field }) => field === null);
  return scan.search.conditions.length === 0 && (groups.length > 0 || countsItems);
}

function itemRows(
  builder: Builder,
  { driver }: Extract<AggregateSource, { reads: "items" }>,
): string {
  const { scan, values, rowColumns } = builder;
  const { search, range } = scan;
  const candidates = driver
    ? `(select distinct c.item from ${candidatesSql(driver, scan, values)}) c cross join item i on ${itemJoinSql(scan)}`
    : "item i";
  const inRange = driver ? "true" : `i.number > ${range.above} and i.number < ${range.below}`;
  const isWhole = !driver && !createdRange(search);
  const items = isWhole
    ? "live"
    : `iif(live <= ${maxAggregateItems}, live, (select count(*) from (select 1 from ${candidates} where ${inRange} limit ${maxAggregateItems + 1})))`;
  const bounds = `${sizeTableSql(scan.collectionId)},
    scope(items) as materialized (select ${items} from size),
    weight(bytes, cost, texts) as materialized (${measureSql(builder, `${candidates} where ${inRange}`)}),
    bound(reason, live, stamp) as materialized (select case when items > ${maxAggregateItems} then 'items'
      when bytes > ${maxAggregateBytes} then 'bytes' when cost > ${maxCost} then 'cost'
      when texts > ${maxTextBytes} then 'keys' end, live, stamp from scope, weight, size)`;
  const where = `${inRange} and (select reason from bound) is null and ${conditionsSql(scan, values)}`;
  const from = `from ${[candidates, ...rowColumns.joins].join(" ")} where ${where}`;
  const hasOptimizerBarrier = rowColumns.joins.length > 0 || rowColumns.exactColumns().length > 0;
  const limit = hasOptimizerBarrier ? ` limit ${maxRows + 1}` : "";
  return rowsSql(builder, bounds, from + limit, hasOptimizerBarrier);
}

/**
 * SQL for the bytes of the items, the cost of reading them, and the bytes of texts to keep. Returns zeros, without
 * reading any item, if none can be too large. For a narrow caller, it counts what the caller sees, or everything else if
 * that is more. It ends at the first item beyond a limit, because evaluating a view can be expensive.
 */
function measureSql({ scan: { search }, values, rowColumns }: Builder, fromItems: string): string {
  const { aggregate } = rowColumns.plan;
  const dataFields = figureFields(aggregate).filter(isInData);
  if (dataFields.length === 0 && !referencedFields(search).some(isInData)) return "select 0, 0, 0";
  const cost = itemCost(search.conditions);
  const costOf = (measure: Measure) =>
    `${totalCostSql(cost, measure)} + ${measure.bytes} * ${dataFields.length * valueCost}`;
  const texts = keptTexts(aggregate).map((field) => `ifnull(octet_length(${valueSql(field)}), 0)`);
  const keptBytes = balancedSql("+", texts);
  const maxBytes = texts.length > 0 ? maxTextBytes : maxAggregateBytes;
  const perByte = dataFields.length * valueCost + maxTotalCost(cost, 0, 1);
  const costBound = `items * (size.largest * ${perByte} + ${maxTotalCost(cost, 1, 0)})`;
  const { shownBy } = search;
  // Measuring for a narrow caller evaluates the view once, and reading the rows evaluates it again.
  const maxLightCost = shownBy ? maxCost / 2 : maxCost;
  // The sizes of the items do not limit the cost of reading records of other apps.
  const isLight = readsRecords(cost)
    ? "false"
    : `size.largest * items <= ${maxBytes} and ${costBound} <= ${maxLightCost}`;
  const maxMeasured = shownBy ? Math.floor(maxMeasuringCost / measuringCost(shownBy)) : Infinity;
  const maxItems = Math.min(maxAggregateItems, maxMeasured);
  const items = `(select 1 from scope, size where items <= ${maxItems} and not (${isLight})) cross join ${fromItems}`;
  if (!shownBy) {
    const sums = [wholeMeasure.bytes, costOf(wholeMeasure), keptBytes].map(
      (sql) => `total(${sql})`,
    );
    return `select ${sums.join(", ")} from ${items}`;
  }
  // Computes the parts of each item once. The limits keep SQLite from merging the subqueries.
  const measure = shownMeasure(shownBy, values);
  const sizedMeasure = { ...measure, bytes: "i.shown" };
  const judgedItems = `select i.*, ${judgedSql(shownBy, values)} as seen from ${items} limit -1`;
  const parts = `select i.*, iif(seen > 0, ${measure.bytes}, 0) as shown,
      iif(seen > 0, ${hiddenBytesSql(shownBy, values)}, ${wholeMeasure.bytes}) as hidden from (${judgedItems}) i limit -1`;
  const viewCost = itemCost(shownBy.conditions);
  const shownCost = `${costOf(sizedMeasure)} + ${totalCostSql(viewCost, sizedMeasure)}`;
  const otherCost = viewCostSql(shownBy, totalCostSql(viewCost), judgedItem);
  const hiddenCost = `2 * iif(seen > 0, i.hidden * ${maxCostPerByte(viewCost)}, ${otherCost})`;
  const amounts = `select i.shown, i.hidden, iif(seen > 0, ${shownCost}, 0) as cost, ${hiddenCost} as hidden_cost,
      iif(seen > 0, ${keptBytes}, 0) as texts from (${parts}) i`;
  const sums = `select max(${sumUpTo("shown")}, ${sumUpTo("hidden")}) as bytes,
      max(${sumUpTo("cost")}, ${sumUpTo("hidden_cost")}) as cost, ${sumUpTo("texts")} as texts
      from ${computedOnceSql(amounts)}`;
  const exceeds = `bytes > ${maxAggregateBytes} or cost > ${maxCost} or texts > ${maxTextBytes}`;
  const measuring = `iif((select items from scope) > ${maxItems}, ${maxCost + 1}, 0)`;
  return atFirstSql("*", `(${sums})`, exceeds, `0, ${measuring}, 0`);
}

const isInData = ({ source }: SearchField) => source.in === "data";

/** Returns the text fields whose distinct values SQLite keeps in memory for groups and `count_distinct`. */
function keptTexts({ groups, metrics }: Aggregate): SearchField[] {
  const fields = [
    ...groups.map(({ field }) => field),
    ...metrics.flatMap((metric) => (metric.op === "count_distinct" ? [metric.field] : [])),
  ];
  return fields.filter(({ kind, source }) => kind === "text" && source.in === "data");
}
