import {
  isSum,
  maxAggregateItems,
  type Aggregate,
  type Metric,
} from "#domain/aggregate/aggregate.ts";
import { compareDecimals, DecimalSum, type Decimal } from "#domain/aggregate/decimal.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import {
  headFromResult,
  headsFromResult,
  preparePageStatement,
  runOptionalBatch,
  selectHead,
  targetHeadsStatement,
  type PageTargets,
  type SearchHead,
} from "#store/data/search/batch.ts";
import { selectStatus, statusFromResult, type CollectionStatus } from "#store/data/search/count.ts";
import { tooHeavyMessage } from "#store/data/search/cost.ts";
import {
  missingFromResult,
  missingValuesStatement,
  type FieldValue,
} from "#store/data/search/missing-values.ts";
import { findSmallestDriver } from "#store/data/search/plan.ts";
import type { Figures } from "./figures.ts";
import { sortsInWorker } from "./groups.ts";
import {
  aggregateStatements,
  entriesSource,
  maxUnscaledBytes,
  maxRows,
  type AggregateSource,
} from "./statement.ts";

/** The bound that an aggregate exceeds: items or their bytes, the time for conditions, rows of lists, or long keys. */
export type ExceededBound = "items" | "bytes" | "cost" | "rows" | "keys";

/** The value of a key or a figure as the database compares it. */
export type Stored = string | number | null;

/** A figure: an exact sum and the number of its values, or a stored value. */
export type Figure = { sum: Decimal; count: number } | { value: Stored };

interface FoundGroup {
  keys: Stored[];
  figures: Figure[];
}

export interface FoundGroups {
  /** At most as many as the aggregate's limit, in its order. */
  groups: FoundGroup[];
  hasMore: boolean;
}

export interface AggregateResults extends SearchHead {
  /** For each aggregate, its groups or the bound that it exceeds. */
  results: ({ aggregate: Aggregate } & (FoundGroups | { exceeded: ExceededBound }))[];
  missingValues: number[];
  /** The heads of the collections that conditions read through references. */
  targetHeads: SearchHead[];
  /** The collection's size and indexing progress. Null unless requested. */
  status: CollectionStatus | null;
}

/** Each group has the columns of `Figures`. */
interface GroupRow extends Record<string, Stored> {
  reason: ExceededBound | "unusual" | null;
  position: number | null;
  /** The number of all groups. */
  total: number;
  all_rows: number | null;
  all_unusual: number | null;
  all_unscaled: number | null;
}

interface UnscaledRow extends Record<string, Stored> {
  value: number;
  times: number;
  spent: number;
}

export interface AggregateReads {
  stamps: string;
  /** Values of fields to look up in the index. */
  values: readonly FieldValue[];
  targets: PageTargets;
  withStatus?: boolean;
}

/**
 * Computes the figures of these aggregates in one round trip, which reads one state of the database. Choosing an index
 * among several takes another before it. Numbers or times of unusual size take another after it, which repeats the whole.
 * Returns a bound if the conditions exceed it with a single item.
 */
export async function loadAggregates(
  db: CollectionDatabase,
  aggregates: readonly Aggregate[],
  reads: AggregateReads,
): Promise<AggregateResults | { exceeded: ExceededBound }> {
  const sources = await Promise.all(aggregates.map((aggregate) => findSource(db, aggregate)));
  const run = (isGeneral: boolean) =>
    runStatements(
      db,
      aggregates.map((aggregate, index) => ({
        aggregate,
        isGeneral,
        ...aggregateStatements(
          db.collectionId,
          aggregate,
          sources[index] ?? { reads: "items", driver: null },
          isGeneral,
        ),
      })),
      reads,
    );
  try {
    return (await run(false)) ?? (await run(true)) ?? { exceeded: "keys" };
  } catch (error) {
    if (String(error).includes(tooHeavyMessage)) return { exceeded: "cost" };
    throw error;
  }
}

async function findSource(db: CollectionDatabase, aggregate: Aggregate): Promise<AggregateSource> {
  const entries = entriesSource(aggregate);
  if (entries) return entries;
  const driver = await findSmallestDriver(db, aggregate.search, maxAggregateItems);
  return { reads: "items", driver };
}

interface Running extends ReturnType<typeof aggregateStatements> {
  aggregate: Aggregate;
  isGeneral: boolean;
}

/** Returns undefined if only general statements compute the figures. */
async function runStatements(
  db: CollectionDatabase,
  running: readonly Running[],
  { stamps, values, targets, withStatus = false }: AggregateReads,
): Promise<AggregateResults | undefined> {
  const [headResult, missingResult, targetResult, statusResult, ...results] =
    await runOptionalBatch(db, [
      selectHead(db, { stamps }),
      missingValuesStatement(db, values),
      targetHeadsStatement(db, targets),
      withStatus ? selectStatus(db, {}) : null,
      ...running.flatMap(({ groups, unscaled }) =>
        [groups, ...unscaled].map((statement) => preparePageStatement(db, statement)),
      ),
    ]);
  let position = 0;
  const found = running.map((each) => {
    const count = 1 + each.unscaled.length;
    position += count;
    const { aggregate } = each;
    const groups = findGroups(each, results.slice(position - count, position));
    return groups && { aggregate, ...groups };
  });
  if (found.includes(undefined)) return undefined;
  return {
    ...headFromResult(headResult),
    results: found.filter((result) => result !== undefined),
    missingValues: missingFromResult(missingResult),
    targetHeads: headsFromResult(targetResult),
    status: statusFromResult(statusResult),
  };
}

/** Returns undefined if only a general statement computes the figures. */
function findGroups(
  { aggregate, isGeneral, figures }: Running,
  [groupsResult, ...unscaledResults]: readonly (D1Result | undefined)[],
): FoundGroups | { exceeded: ExceededBound } | undefined {
  const rows = (groupsResult?.results ?? []) as GroupRow[];
  const [first] = rows;
  const exceeded = exceededBound(rows);
  if (first?.reason === "unusual") return undefined;
  if (exceeded) return { exceeded };
  if (!isGeneral && ((first?.all_unusual ?? 0) > 0 || (first?.all_unscaled ?? 0) > 0))
    return undefined;
  const unscaled = unscaledResults.map((result) => (result?.results ?? []) as UnscaledRow[]);
  if (unscaled.some((list) => (list.at(-1)?.spent ?? 0) > maxUnscaledBytes))
    return { exceeded: "keys" };
  const found = rows.filter(({ position }) => position !== null);
  const groups = buildGroups(aggregate, figures, found.toSorted(byPosition), unscaled);
  const total = first?.total ?? 0;
  const isUnordered = sortsInWorker(figures.plan);
  if (isUnordered && found.length < total) return { exceeded: "keys" };
  const sorted = isUnordered ? sortGroups(aggregate, groups) : groups;
  return {
    groups: sorted.slice(0, aggregate.limit),
    hasMore: total > Math.min(groups.length, aggregate.limit),
  };
}

function exceededBound([first]: readonly GroupRow[]): ExceededBound | undefined {
  if (first?.reason != null && first.reason !== "unusual") return first.reason;
  return (first?.all_rows ?? 0) > maxRows ? "rows" : undefined;
}

const byPosition = (a: GroupRow, b: GroupRow) => (a.position ?? 0) - (b.position ?? 0);

function buildGroups(
  { groups, metrics }: Aggregate,
  figures: Figures,
  rows: readonly GroupRow[],
  unscaled: readonly (readonly UnscaledRow[])[],
): FoundGroup[] {
  const keysOf = (row: Record<string, Stored>) =>
    groups.map((_, index) => row[`g${index}`] ?? null);
  const columns = figures.sums().map(({ name, scale }, index) => {
    const byGroup = Map.groupBy(unscaled[index] ?? [], (row) => JSON.stringify(keysOf(row)));
    return { name, decimals: Math.log10(scale), byGroup };
  });
  const sumOf = (row: GroupRow, metric: number): Figure => {
    const name = figures.sumOf(metric);
    const column = columns.find((each) => each.name === name);
    const sum = new DecimalSum();
    sum.addUnits(BigInt(row[`whole_${name}`] ?? 0), 0);
    sum.addUnits(BigInt(row[`fraction_${name}`] ?? 0), column?.decimals ?? 0);
    for (const { value, times } of column?.byGroup.get(JSON.stringify(keysOf(row))) ?? [])
      sum.addNumber(value, times);
    return { sum: sum.total(), count: Number(row[`count_${name}`]) };
  };
  return rows.map((row) => ({
    keys: keysOf(row),
    figures: metrics.map((metric, index) =>
      isSum(metric) ? sumOf(row, index) : { value: row[`m${index}`] ?? null },
    ),
  }));
}

/** Sorts groups that are in the order of their keys. */
function sortGroups({ metrics, order }: Aggregate, groups: readonly FoundGroup[]): FoundGroup[] {
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
  // Both are numbers, or dates of equal form.
  if (x.value === y.value) return 0;
  return (x.value ?? 0) < (y.value ?? 0) ? -1 : 1;
}
