import {
  figureFields,
  maxAggregateBytes,
  maxAggregateItems,
  type Aggregate,
} from "#domain/aggregate/aggregate.ts";
import { isStoredOrder } from "#domain/search/sort.ts";
import { referencedFields, type SearchField } from "#domain/search/tree.ts";
import { SearchValues, valueSql } from "#store/data/search/conditions.ts";
import {
  balancedSql,
  itemCost,
  maxTotalCost,
  readsRecords,
  totalCostSql,
  wholeMeasure,
  type Measure,
} from "#store/data/search/cost.ts";
import { hiddenBytesSql, shownMeasure } from "#store/data/search/parts.ts";
import {
  rangeOf,
  rangeSql,
  requiredConditions,
  type ValueRange,
} from "#store/data/search/driver.ts";
import { createdRange, itemRange, withRange, type Driver } from "#store/data/search/ranges.ts";
import type { PageStatement } from "#store/data/search/batch.ts";
import {
  candidatesSql,
  conditionsSql,
  ifShown,
  itemJoinSql,
  type RangeScan,
} from "#store/data/search/scan.ts";
import { Figures, selectList, type FigurePlan } from "./figures.ts";
import { groupsSql, unscaledSql } from "./groups.ts";
import {
  entriesSql,
  exceedsSql,
  leastAndGreatestSql,
  takesIntegersFirst,
} from "./integers-first.ts";
import { hasMoreDecimalsSql, maxSummed } from "./sums.ts";

/** The maximum number of rows after each item is joined with its list entries. */
export const maxRows = 1_000_000;
/** The maximum cost of one aggregate, in bytes that SQLite reads. It takes about a second. */
const maxCost = 1_000_000_000;
/** Reading one more value of an item costs this much per byte. */
const valueCost = 0.25;
/** The bytes of distinct texts that a statement may have to keep in memory. */
const maxTextBytes = 32_000_000;
/** The bytes of values that SQL cannot sum exactly, with the keys of their groups. The Worker adds these values. */
export const maxUnscaledBytes = 16_000_000;

/** What an aggregate reads. */
export type AggregateSource =
  /** The index entries of its only field, within these ranges. */
  | { reads: "entries"; field: SearchField; ranges: ValueRange[] }
  /** The items that a driver finds, or all items of the collection or of a range of creation times. */
  | { reads: "items"; driver: Driver | null };

/** Returns the source if the entries of one field suffice. */
export function entriesSource(aggregate: Aggregate): AggregateSource | undefined {
  const { search, groups } = aggregate;
  const fields = [...referencedFields(search), ...figureFields(aggregate)];
  const [field] = fields;
  if (!field || fields.some(({ number }) => number !== field.number)) return undefined;
  if (isStoredOrder(field) || ["line_items", "files", "actor"].includes(field.kind))
    return undefined;
  const ranges = requiredConditions(search.conditions).map((condition) =>
    "op" in condition ? rangeOf(condition) : null,
  );
  const isList = field.kind === "multi_select";
  if (isList && (ranges.length > 0 || groups.length === 0)) return undefined;
  return ranges.every((range) => range !== null)
    ? { reads: "entries", field, ranges: ranges }
    : undefined;
}

/** One statement computes the groups. For each sum, one returns the values that SQL cannot sum exactly. */
export function aggregateStatements(
  collectionId: number,
  aggregate: Aggregate,
  source: AggregateSource,
  isGeneral: boolean,
): { groups: PageStatement; unscaled: PageStatement[]; figures: Figures } {
  const plan: FigurePlan = { aggregate, source: source.reads, isGeneral };
  const figures = new Figures(plan);
  const build = (select: (rows: string, builder: Builder) => string): PageStatement => {
    const values = new SearchValues();
    const range = itemRange(collectionId, aggregate.search, values);
    const scan: RangeScan = {
      collectionId,
      search: aggregate.search,
      start: null,
      // Unused: `n.reason` limits the number and size of all items instead.
      budget: { rows: 0, cost: 0, room: { shown: 0, hidden: 0 } },
      range,
    };
    const builder = { scan, values, source, figures };
    const rows =
      source.reads === "entries" ? entryRows(builder, source) : itemRows(builder, source);
    const text = withRange(range, `with ${select(rows, builder)}`);
    return { text, values: values.json };
  };
  return {
    figures,
    groups: build(groupsSql),
    unscaled: isGeneral
      ? figures.sums().map(({ name }) => build((rows) => unscaledSql(rows, name, figures)))
      : [],
  };
}

export interface Builder {
  scan: RangeScan;
  values: SearchValues;
  source: AggregateSource;
  figures: Figures;
}

const tallySql = (collectionId: number) =>
  `t(live, largest) as materialized (select live, largest from tally where collection_id = ${collectionId})`;

/** Appends the table `rows` to `bounds`, which ends with `n`: its `reason` is set if the limits forbid reading any rows. */
function rowsSql(
  { figures }: Builder,
  bounds: string,
  from: string,
  hasOptimizerBarrier: boolean,
): string {
  // Keeps SQLite from merging the subqueries into the query around them, which would compute their columns several times.
  const barrier = hasOptimizerBarrier ? " where true limit -1" : "";
  let text = `select ${selectList(figures.stored()) || "1 as no_value"} ${from}`;
  const levels = [figures.prepared(), figures.derived()].filter((level) => level.length > 0);
  for (const level of levels) text = `select *, ${selectList(level)} from (${text})${barrier}`;
  const keys = figures.keys();
  if (keys.length > 0) text = `select *, ${selectList(keys)} from (${text})`;
  return `${bounds}, rows as not materialized (${text})`;
}

function entryRows(
  builder: Builder,
  source: Extract<AggregateSource, { reads: "entries" }>,
): string {
  const { scan, values, figures } = builder;
  const { field, ranges } = source;
  const inRanges = ranges.map((range) => rangeSql(range, "c.value", values)).join("");
  const entriesOf = (number: number | string) =>
    `search_entry c where c.field = ${number}${inRanges}`;
  const entries = entriesOf(field.number);
  const countUpTo = (count: number) =>
    `(select count(*) from (select 1 from ${entries} limit ${count + 1}))`;
  const isText = typeof field.options === "undefined" && field.kind === "text";
  const bytes = isText
    ? `(select iif(t.largest * items <= ${maxTextBytes}, 0, (select total(octet_length(c.value)) from ${entries})))`
    : "0";
  const isSummed = figures.sums().length > 0 && !figures.plan.isGeneral;
  const leastAndGreatest = isSummed ? leastAndGreatestSql(field) : "null, null";
  const unusual = [
    exceedsSql(String(maxSummed)),
    `exists (select 1 from search_entry c indexed by search_entry_by_decimals
      where c.field = ${field.number}${inRanges} and ${hasMoreDecimalsSql("c.value")})`,
  ];
  const items = needsAllItems(builder)
    ? "live"
    : `iif(live <= ${maxAggregateItems}, live, ${countUpTo(maxAggregateItems)})`;
  const rowCount = field.kind === "multi_select" ? countUpTo(maxRows) : "0";
  const bounds = `${tallySql(scan.collectionId)},
    b(items, least, greatest) as materialized (select ${items}, ${leastAndGreatest} from t),
    n(reason, items, least, greatest) as materialized (select case
      when items > ${maxAggregateItems} or ${rowCount} > ${maxRows} then 'items'
      when ${bytes} > ${maxTextBytes} then 'keys' ${isSummed ? `when ${unusual.join(" or ")} then 'unusual'` : ""} end,
      items, least, greatest from b, t)`;
  if (takesIntegersFirst(figures)) return `${bounds}, ${entriesSql(figures, inRanges)}`;
  // No field has the number -1, so a rejected statement reads no entries. A condition would be evaluated for each entry.
  const from = `from ${entriesOf(`iif((select reason from n) is null, ${field.number}, -1)`)}`;
  return rowsSql(builder, bounds, from, figures.plan.isGeneral);
}

/** Whether the items without the field count too. */
function needsAllItems({ scan, figures }: Builder): boolean {
  const { groups, metrics } = figures.plan.aggregate;
  const countsItems = metrics.some(({ field }) => field === null);
  return scan.search.conditions.length === 0 && (groups.length > 0 || countsItems);
}

function itemRows(
  builder: Builder,
  { driver }: Extract<AggregateSource, { reads: "items" }>,
): string {
  const { scan, values, figures } = builder;
  const { search, range } = scan;
  const candidates = driver
    ? `(select distinct c.item from ${candidatesSql(driver, scan, values)}) c cross join item i on ${itemJoinSql(scan)}`
    : "item i";
  const inRange = driver ? "true" : `i.number > ${range.above} and i.number < ${range.below}`;
  const isWhole = !driver && !createdRange(search);
  const items = isWhole
    ? "live"
    : `iif(live <= ${maxAggregateItems}, live, (select count(*) from (select 1 from ${candidates} where ${inRange} limit ${maxAggregateItems + 1})))`;
  const bounds = `${tallySql(scan.collectionId)},
    b(items) as materialized (select ${items} from t),
    w(bytes, cost, texts) as materialized (${measureSql(builder, `${candidates} where ${inRange}`)}),
    n(reason) as materialized (select case when items > ${maxAggregateItems} then 'items'
      when bytes > ${maxAggregateBytes} then 'bytes' when cost > ${maxCost} then 'cost'
      when texts > ${maxTextBytes} then 'keys' end from b, w)`;
  const where = `${inRange} and (select reason from n) is null and ${conditionsSql(scan, values)}`;
  const from = `from ${[candidates, ...figures.joins].join(" ")} where ${where}`;
  const hasOptimizerBarrier = figures.joins.length > 0 || figures.derived().length > 0;
  const limit = hasOptimizerBarrier ? ` limit ${maxRows + 1}` : "";
  return rowsSql(builder, bounds, from + limit, hasOptimizerBarrier);
}

/**
 * SQL for the bytes of the items, the cost of reading them, and the bytes of texts to keep. Zeros, without looking at any
 * item, if none can be too large. For a narrow caller, the bytes are those of what it sees, or of all else if that is more.
 */
function measureSql({ scan: { search }, values, figures }: Builder, fromItems: string): string {
  const { aggregate } = figures.plan;
  const dataFields = figureFields(aggregate).filter(isInData);
  if (dataFields.length === 0 && !referencedFields(search).some(isInData)) return "select 0, 0, 0";
  const cost = itemCost(search.conditions);
  const costOf = (measure: Measure) =>
    `${totalCostSql(cost, measure)} + ${measure.bytes} * ${dataFields.length * valueCost}`;
  const texts = keptTexts(aggregate).map((field) => `ifnull(octet_length(${valueSql(field)}), 0)`);
  const keptBytes = balancedSql("+", texts);
  const maxBytes = texts.length > 0 ? maxTextBytes : maxAggregateBytes;
  const perByte = dataFields.length * valueCost + maxTotalCost(cost, 0, 1);
  const costBound = `items * (t.largest * ${perByte} + ${maxTotalCost(cost, 1, 0)})`;
  // The sizes of the items do not limit the cost of reading records of other apps.
  const isLight = readsRecords(cost)
    ? "false"
    : `t.largest * items <= ${maxBytes} and ${costBound} <= ${maxCost}`;
  const items = `(select 1 from b, t where items <= ${maxAggregateItems} and not (${isLight})) cross join ${fromItems}`;
  const { shownBy } = search;
  if (!shownBy) {
    const sums = [wholeMeasure.bytes, costOf(wholeMeasure), keptBytes].map(
      (sql) => `total(${sql})`,
    );
    return `select ${sums.join(", ")} from ${items}`;
  }
  // Computes the parts of each item once. The limits keep SQLite from merging the subqueries.
  const shown = { ...shownMeasure(shownBy), bytes: "i.shown" };
  const isShown = ifShown(search, values, "1");
  const seen = `select i.*, ${isShown} as is_shown from ${items} limit -1`;
  const parts = `select i.*, iif(is_shown, ${shownMeasure(shownBy).bytes}, 0) as shown,
      iif(is_shown, ${hiddenBytesSql(shownBy)}, ${wholeMeasure.bytes}) as hidden from (${seen}) i limit -1`;
  return `select max(total(i.shown), total(i.hidden)), total(iif(is_shown, ${costOf(shown)}, 0)),
    total(iif(is_shown, ${keptBytes}, 0)) from (${parts}) i`;
}

const isInData = ({ source }: SearchField) => source.in === "data";

/** Text fields whose distinct values SQLite keeps in memory, for groups and `count_distinct`. */
function keptTexts({ groups, metrics }: Aggregate): SearchField[] {
  const fields = [
    ...groups.map(({ field }) => field),
    ...metrics.flatMap((metric) => (metric.op === "count_distinct" ? [metric.field] : [])),
  ];
  return fields.filter(({ kind, source }) => kind === "text" && source.in === "data");
}
