import type { Aggregate } from "#domain/aggregate/aggregate.ts";
import type { Collection } from "#domain/definition/collection.ts";
import type { Memory } from "#domain/memory.ts";
import { cachedStampsJson } from "#store/data/definition-head.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import {
  headFromResult,
  headsFromResult,
  isIndexingStamp,
  preparePageStatement,
  runOptionalBatch,
  selectHead,
  settledHead,
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
import {
  expectsIndexing,
  planAggregate,
  rememberCollection,
  widenPlan,
  type AggregatePlan,
  type Outliers,
} from "./plan.ts";
import { readGroups, type ExceededBound, type GroupPage, type GroupRow } from "./read-groups.ts";
import { aggregateStatements } from "./statement.ts";

export interface AggregateResults extends SearchHead {
  /** For each aggregate, its groups or the bound that it exceeds. */
  results: ({ aggregate: Aggregate } & (GroupPage | { exceeded: ExceededBound }))[];
  missingValues: number[];
  /** The heads of the collections that conditions read through references. */
  targetHeads: SearchHead[];
  /** The collection's size and indexing progress. Null unless requested. */
  status: CollectionStatus | null;
}

export interface AggregateReads {
  /** The cached collection. */
  collection: Pick<Collection, "id" | "stamp">;
  /** Values of fields to look up in the index. */
  values: readonly FieldValue[];
  targets: PageTargets;
  withStatus?: boolean;
}

/**
 * Computes the figures of these aggregates in one round trip, which reads one state of the database. Choosing an index
 * among several can take another round trip before it. Outliers take one or two after it. A changed definition takes
 * one more and repeats the whole. Returns a bound if a single item makes the conditions exceed it.
 */
export async function loadAggregates(
  db: CollectionDatabase,
  memory: Memory,
  aggregates: readonly Aggregate[],
  reads: AggregateReads,
): Promise<AggregateResults | { exceeded: ExceededBound }> {
  let plans = await Promise.all(
    aggregates.map((aggregate) => planAggregate(db, memory, aggregate)),
  );
  let readsHead = expectsIndexing(memory, db.collectionId);
  try {
    for (;;) {
      const outcome = await runPlans(db, plans, reads, readsHead);
      if ("results" in outcome) {
        rememberCollection(memory, db.collectionId, outcome);
        return outcome.results;
      }
      const { outliers } = outcome;
      if (outliers) plans = plans.map((plan, index) => widenPlan(memory, plan, outliers[index]));
      else readsHead = true;
    }
  } catch (error) {
    if (String(error).includes(tooHeavyMessage)) return { exceeded: "cost" };
    throw error;
  }
}

type Outcome =
  | { results: AggregateResults; itemCount: number; isIndexing: boolean }
  /** For each plan, the outliers that its statement does not handle. Null if the cached definition is not current. */
  | { outliers: (Outliers | undefined)[] | null };

/** SQLite's error for a sum of integers beyond 64 bits. */
const overflowMessage = "integer overflow";

async function runPlans(
  db: CollectionDatabase,
  plans: readonly AggregatePlan[],
  { collection, values, targets, withStatus = false }: AggregateReads,
  readsHead: boolean,
): Promise<Outcome> {
  const statements = plans.map((plan) => aggregateStatements(db.collectionId, plan));
  const sumsIntegers = plans.some(({ coverage }) => coverage === "integers");
  const batch = await runOptionalBatch(db, [
    readsHead ? selectHead(db, { stamps: cachedStampsJson([collection]) }) : null,
    missingValuesStatement(db, values),
    targetHeadsStatement(db, targets),
    withStatus ? selectStatus(db, {}) : null,
    ...statements.flatMap(({ groups, outliers }) =>
      [groups, ...outliers].map((statement) => preparePageStatement(db, statement)),
    ),
  ]).catch((error: unknown) => {
    if (sumsIntegers && String(error).includes(overflowMessage)) return null;
    throw error;
  });
  if (!batch)
    return { outliers: plans.map(({ coverage }) => (coverage === "integers" ? "any" : undefined)) };
  const [headResult, missingResult, targetResult, statusResult, ...results] = batch;
  const [firstRow] = (results[0]?.results ?? []) as GroupRow[];
  if (!readsHead && firstRow?.stamp !== collection.stamp) return { outliers: null };
  let position = 0;
  const pages = statements.map((statement) => {
    const start = position;
    position += 1 + statement.outliers.length;
    const page = readGroups(statement, results.slice(start, position));
    return { aggregate: statement.rowColumns.plan.aggregate, ...page };
  });
  const complete = pages.flatMap((page) => ("outliers" in page ? [] : [page]));
  if (complete.length < pages.length)
    return { outliers: pages.map((page) => ("outliers" in page ? page.outliers : undefined)) };
  return {
    itemCount: firstRow?.live ?? 0,
    isIndexing: isIndexingStamp(firstRow?.stamp ?? ""),
    results: {
      ...(readsHead ? headFromResult(headResult) : settledHead(db.collectionId)),
      results: complete,
      missingValues: missingFromResult(missingResult),
      targetHeads: headsFromResult(targetResult),
      status: statusFromResult(statusResult),
    },
  };
}
