import {
  figureFields,
  isSum,
  maxAggregateItems,
  type Aggregate,
} from "#domain/aggregate/aggregate.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import { isStoredOrder } from "#domain/search/sort.ts";
import { referencedFields, type SearchField } from "#domain/search/tree.ts";
import type { CollectionDatabase } from "#store/db/database.ts";
import { rangeOf, requiredConditions, type ValueRange } from "#store/data/search/driver.ts";
import { findSmallestDriver } from "#store/data/search/plan.ts";
import type { Driver } from "#store/data/search/ranges.ts";

/** How to compute an aggregate. */
export interface AggregatePlan {
  aggregate: Aggregate;
  source: AggregateSource;
  coverage: Coverage;
}

/** The data that an aggregate reads. */
export type AggregateSource =
  /** The index entries of its only field, within these ranges. */
  | { reads: "entries"; field: SearchField; ranges: ValueRange[] }
  /** The items that a driver finds, or all items of the collection or of a range of creation times. */
  | { reads: "items"; driver: Driver | null };

/**
 * The numbers and times that a statement handles. It detects all other values and returns them as its outliers.
 * `integers` sums integers, which is fastest. `usual` handles numbers that fit a scale, and times in the usual years.
 * `full` handles everything.
 */
type Coverage = "integers" | "usual" | "full";

/** The last observations of an isolate. If one is outdated, an aggregate takes more round trips or reads more rows. */
const observedIn = memoryPart(() => ({
  /** Whether all values of a field are integers, by the number of the field. */
  integerFields: new Map<number, boolean>(),
  /** The number of items, by collection. */
  itemCounts: new Map<number, number>(),
  /** Whether the items of a collection are being indexed or recalculated. */
  isIndexing: new Map<number, boolean>(),
}));

const maxObserved = 2000;

function observe<Value>(observed: Map<number, Value>, key: number, value: Value): void {
  if (observed.size >= maxObserved && !observed.has(key)) observed.clear();
  observed.set(key, value);
}

/**
 * Plans an aggregate. Choosing an index among several takes a round trip unless the isolate knows that the collection
 * is small.
 */
export async function planAggregate(
  db: CollectionDatabase,
  memory: Memory,
  aggregate: Aggregate,
): Promise<AggregatePlan> {
  const { integerFields, itemCounts } = observedIn(memory);
  const entries = entriesSource(aggregate);
  if (!entries) {
    const itemCount = itemCounts.get(db.collectionId);
    const driver = await findSmallestDriver(db, aggregate.search, maxAggregateItems, itemCount);
    return { aggregate, source: { reads: "items", driver }, coverage: "usual" };
  }
  const { number, decimals } = entries.field;
  const hasIntegers = integerFields.get(number) ?? decimals === 0;
  const coverage = aggregate.metrics.some(isSum) && hasIntegers ? "integers" : "usual";
  return { aggregate, source: entries, coverage };
}

/** Returns the source if the entries of one field suffice. Returns undefined otherwise. */
function entriesSource(
  aggregate: Aggregate,
): Extract<AggregateSource, { reads: "entries" }> | undefined {
  const { search, groups } = aggregate;
  const fields = [...referencedFields(search), ...figureFields(aggregate)];
  const [field] = fields;
  if (!field || fields.some(({ number }) => number !== field.number)) return undefined;
  if (isStoredOrder(field) || ["line_items", "files", "actor"].includes(field.kind))
    return undefined;
  const ranges = requiredConditions(search.conditions).map((condition) =>
    "op" in condition ? rangeOf(condition) : null,
  );
  // An entry of a list has no access to the other entries of its item.
  const isOneEntryEnough =
    ranges.length === 0 &&
    groups.length > 0 &&
    aggregate.metrics.every(({ op }) => op !== "count_distinct");
  if (field.kind === "multi_select" && !isOneEntryEnough) return undefined;
  return ranges.every((range) => range !== null)
    ? { reads: "entries", field, ranges: ranges }
    : undefined;
}

/** The outliers that a statement returned: probably only large integers, or any values. */
export type Outliers = "integers" | "any";

/** Returns a plan that handles the outliers of this plan's statement, or the same plan if it has none. */
export function widenPlan(
  memory: Memory,
  plan: AggregatePlan,
  outliers: Outliers | undefined,
): AggregatePlan {
  if (!outliers) return plan;
  const { integerFields } = observedIn(memory);
  const { source, coverage } = plan;
  if (source.reads === "items") return { ...plan, coverage: "full" };
  const { number } = source.field;
  if (outliers === "integers" && integerFields.get(number) !== false) {
    observe(integerFields, number, true);
    return { ...plan, coverage: "integers" };
  }
  if (coverage === "integers") observe(integerFields, number, false);
  return { ...plan, coverage: "full" };
}

/** Whether a statement should also read the head of the collection, because items may be waiting to be indexed. */
export const expectsIndexing = (memory: Memory, collectionId: number): boolean =>
  observedIn(memory).isIndexing.get(collectionId) ?? false;

export function rememberCollection(
  memory: Memory,
  collectionId: number,
  { itemCount, isIndexing }: { itemCount: number; isIndexing: boolean },
): void {
  const observed = observedIn(memory);
  observe(observed.itemCounts, collectionId, itemCount);
  observe(observed.isIndexing, collectionId, isIndexing);
}
