import { type CollectionDatabase } from "#store/db/database.ts";
import { SearchValues } from "./search-values.ts";
import { itemScanSql, namedItemSql } from "./item-scan.ts";
import { candidateRows } from "./cost.ts";
import { driverSql, findExactDriver, probeSql } from "./driver.ts";
import { rangeAfter, inRangeSql, itemRange, withRange } from "./ranges.ts";
import type { Plan } from "./plan.ts";
import { sortedInMemorySql, sortScanSql } from "./sort-scan.ts";
import { sortedScanSql } from "./sorted-walk.ts";
import {
  hitColumns,
  limitedPageSql,
  countWithinSql,
  fullPageSql,
  candidatesSql,
  nullColumns,
  pageRowsSql,
  itemJoinSql,
  itemsWithin,
  scanOf,
  sizeSql,
  tooLargeIn,
  type RangeScan,
  type Scan,
} from "./scan.ts";
import { conditionsSql } from "./shown.ts";
import type { FullPosition } from "#domain/cursor.ts";
import type { PartSizes } from "#domain/item/part-limits.ts";
import type { Item } from "#domain/item/item.ts";
import { itemFromRow, type ItemRow } from "#store/data/items.ts";
import {
  headFromResult,
  headsFromResult,
  preparePageStatement,
  runOptionalBatch,
  selectHead,
  targetHeadsStatement,
  type PageStatement,
  type PageTargets,
  type SearchHead,
} from "./batch.ts";
import {
  selectStatus,
  statusFromResult,
  type CollectionStatus,
  countFromResult,
  countStatement,
  type MatchCount,
  prefixStatement,
  type TextPrefixes,
} from "./count.ts";
import {
  includedFromRows,
  withIncluded,
  type ExpandedReference,
  type Included,
  type IncludedRow,
} from "./included.ts";
import { orderedStatement, type RecordName } from "./included-in-order.ts";
import { missingFromResult, missingValuesStatement, type FieldValue } from "./missing-values.ts";

/**
 * Builds the statement that loads a page. Each row has a `kind`:
 * - `hit` is an item, with its position in `k0`, `k1`, …
 * - `edge` is the last position that the scan examined, if the budget or the byte limit ended the page early.
 * - `heavy` means that there is too much to sort.
 * A page that is not full and has no edge is the last one.
 */
function pageStatement(plan: Plan, scan: Scan, rows: number): PageStatement {
  const values = new SearchValues();
  const range = itemRange(scan.collectionId, scan.search, values);
  const driver = "driver" in plan ? plan.driver : null;
  const text = withRange(
    range,
    planSql(plan, scanOf(driver, { ...scan, range }, values), rows, values),
  );
  const { shownBy } = scan.search;
  return values.statement(shownBy ? limitedPageSql(scan, shownBy, text, rows, values) : text);
}

function planSql(plan: Plan, scan: RangeScan, rows: number, values: SearchValues): string {
  switch (plan.scan) {
    case "none":
      return sortedInMemorySql(
        `select distinct c.item from ${candidatesSql(plan.driver, scan, values)}`,
        scan,
        rows,
        values,
      );
    case "one":
      return namedItemSql(plan.driver, scan, values);
    case "sorted":
      return sortedScanSql(plan, scan, rows, values);
    case "items":
      return itemScanSql(scan, rows, values);
    case "value":
      return valueScanSql(plan, scan, rows, values);
    case "sort":
      return sortScanSql(plan, scan, rows, values);
  }
}

/** Scans the entries of one value, or the named items, in item order. */
function valueScanSql(
  { driver, probes }: Extract<Plan, { scan: "value" }>,
  scan: RangeScan,
  rows: number,
  values: SearchValues,
): string {
  const { conditions, order } = scan.search;
  const startNumber = scan.start && values.scalar(scan.start.number);
  const range = rangeAfter(scan.range, order, startNumber);
  const candidates = candidatesSql(driver, { ...scan, range }, values);
  const entries = `select c.item from ${candidates} order by c.item ${order}`;
  const [firstCondition] = conditions;
  // The driver evaluates the only condition, so every candidate matches.
  if (
    conditions.length === 1 &&
    firstCondition &&
    findExactDriver(firstCondition) &&
    !("by" in driver)
  ) {
    const fromSql = `from (select c.item from ${driverSql(driver, values)} and ${inRangeSql(range)}) c
      cross join item i on ${itemJoinSql(scan)} where ${conditionsSql(scan, values)} order by c.item ${order}`;
    return fullPageSql(scan, values, entries, rows, fromSql);
  }
  const maxCandidates = itemsWithin(scan, candidateRows(probes, conditions));
  const probeConditions = probes.map((probe) => `${probeSql(probe, values)} and `).join("");
  return `with ${sizeSql(scan, maxCandidates, rows, countWithinSql(scan, values, entries, maxCandidates))}, page as materialized (
      select 'hit' as kind, i.number as k0, ${hitColumns(scan)}
      from (${entries} limit (select size from n)) c cross join item i on ${itemJoinSql(scan)}
      where ${probeConditions}${conditionsSql(scan, values, tooLargeIn("n"))} limit ${rows})
    ${pageRowsSql(scan)}
    union all
    select 'edge', c.item, ${nullColumns()} from (${entries}
      limit (case when (select count(*) from page) < ${rows} then 1 else 0 end) offset (select size - 1 from n)) c`;
}

/** Optional reads that share the round trip of the page. */
export interface PageExtras {
  /**
   * The stamps of the definitions that the caller has cached (`cachedStampsJson`). The statement does not read these
   * again.
   */
  stamps?: string;
  withCount?: boolean;
  prefixes?: TextPrefixes | null;
  withStatus?: boolean;
  /** Values of fields to look up in the index. */
  values?: readonly FieldValue[];
  /** The collections that the search reads through references. */
  targets?: PageTargets;
  /** References whose records the page includes. */
  expanded?: readonly ExpandedReference[];
  /** The names of these records if not all of them fit. The page then includes as many of the first records as fit. */
  names?: readonly RecordName[] | null;
}

export interface SearchPage extends SearchHead {
  hits: { item: Item; position: FullPosition }[];
  /** The last position that the scan examined, if the budget or the byte limit ended the page early. */
  edge: FullPosition | null;
  /** The remaining room of a narrow caller's page. Null if there is no room for further items. */
  room: PartSizes | null;
  /** Whether there is too much to sort at once. */
  isHeavy: boolean;
  /** The count of all matches, not only of this page. Null unless requested. */
  count: MatchCount | null;
  /** The newest items with a value that starts with a requested text, newest first. */
  prefixMatches: Item[];
  /** The collection's size and indexing progress. Null unless requested. */
  status: CollectionStatus | null;
  /** Indexes of the requested values that no item has. */
  missingValues: number[];
  targetHeads: SearchHead[];
  included: Included;
}

/** `allowed` is the number of items that fit the page. Only pages on which every candidate matches have it. */
type PageRow = ItemRow & { allowed?: number; shown_bytes?: number; hidden_bytes?: number } & {
  kind: "hit" | "edge" | "heavy" | "included";
} & Record<`k${number}`, FullPosition[number]>;

/** Loads at most `rows` matches from the scan's start, in the order of the search. */
export async function loadPage(
  db: CollectionDatabase,
  plan: Plan,
  scanOptions: Omit<Scan, "collectionId">,
  rows: number,
  extras: PageExtras = {},
): Promise<SearchPage> {
  const scan: Scan = { ...scanOptions, collectionId: db.collectionId };
  const statement = pageStatement(plan, scan, rows);
  const { expanded = [], names = null } = extras;
  const keyCount = scan.search.sort.length + 1;
  // Another statement evaluates the views of records, after this one has found the page.
  const isNarrow = expanded.some(({ shownBy }) => shownBy !== null);
  const includesAll = expanded.length > 0 && names === null && !isNarrow;
  const [
    headResult,
    pageResult,
    countResult,
    prefixResult,
    statusResult,
    missing,
    targets,
    recordsResult,
  ] = await runOptionalBatch(db, [
    selectHead(db, { stamps: extras.stamps ?? "{}" }),
    preparePageStatement(db, includesAll ? withIncluded(statement, expanded, keyCount) : statement),
    extras.withCount ? preparePageStatement(db, countStatement(plan, scan)) : null,
    extras.prefixes ? preparePageStatement(db, prefixStatement(scan, extras.prefixes)) : null,
    extras.withStatus ? selectStatus(db, {}) : null,
    missingValuesStatement(db, extras.values),
    targetHeadsStatement(db, extras.targets),
    names && preparePageStatement(db, orderedStatement(names, expanded)),
  ]);
  const page = pageFromRows(scan, (pageResult?.results ?? []) as PageRow[], rows);
  const records = (recordsResult?.results ?? []) as IncludedRow[];
  return {
    ...headFromResult(headResult),
    ...page,
    included: names ? includedFromRows(records) : page.included,
    count: countFromResult(countResult),
    prefixMatches: ((prefixResult?.results ?? []) as PageRow[])
      .filter(({ kind }) => kind === "hit")
      .map(itemFromRow),
    status: statusFromResult(statusResult),
    missingValues: missingFromResult(missing),
    targetHeads: headsFromResult(targets),
  };
}

/** Returns the hits that fit a narrow caller's page, and the remaining room. */
function fitHits(
  hits: readonly PageRow[],
  room: PartSizes,
): Pick<SearchPage, "room"> & { count: number } {
  let { shown, hidden } = room;
  for (const [index, { shown_bytes = 0, hidden_bytes = 0 }] of hits.entries()) {
    if (Math.min(shown, hidden) <= 0) return { count: index, room: null };
    shown -= shown_bytes;
    hidden -= hidden_bytes;
  }
  return { count: hits.length, room: Math.min(shown, hidden) > 0 ? { shown, hidden } : null };
}

function pageFromRows(
  { search, budget }: Scan,
  pageRows: readonly PageRow[],
  rows: number,
): Pick<SearchPage, "hits" | "edge" | "room" | "isHeavy" | "included"> {
  const position = (row: PageRow): FullPosition =>
    [...search.sort, null].map((_, index) => row[`k${index}`] ?? null);
  const found = pageRows.filter((row) => row.kind === "hit");
  const { count, room } = fitHits(found, budget.room);
  const hits = found.slice(0, count);
  const isTruncated = hits[0]?.allowed === hits.length && hits.length < rows;
  const edge =
    isTruncated || count < found.length ? hits.at(-1) : pageRows.find((row) => row.kind === "edge");
  return {
    hits: hits.map((row) => ({ item: itemFromRow(row), position: position(row) })),
    edge: edge ? position(edge) : null,
    room,
    isHeavy: pageRows.some((row) => row.kind === "heavy"),
    included: includedFromRows(pageRows),
  };
}
