import {
  aggregatedFields,
  maxAggregateBytes,
  maxAggregateItems,
  maxAggregateResponseBytes,
  type Aggregate,
  type GroupKey,
  type Metric,
} from "#domain/aggregate/aggregate.ts";
import { decimalNumber, quotient } from "#domain/aggregate/decimal.ts";
import { parseAggregate } from "#domain/aggregate/parse.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { utf8Length } from "#domain/item/item.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem, type FieldError, type Problem } from "#domain/problem/problem.ts";
import { inView } from "#domain/search/view.ts";
import { formatTimestamp } from "#domain/time.ts";
import { loadAggregates } from "#store/data/aggregate/load.ts";
import type {
  ExceededBound,
  Figure,
  GroupPage,
  ColumnValue,
} from "#store/data/aggregate/read-groups.ts";
import type { CollectionStatus } from "#store/data/search/count.ts";
import { resolveCollection } from "./collection-cache.ts";
import type { ReadContext } from "./context.ts";
import { retryOnConflict } from "./idempotent.ts";
import { parseOrReload } from "./query-items.ts";
import { askableOptions, assertIndexed, assertOptions, searchOfCaller } from "./search-checks.ts";
import { accessCollection } from "./caller-access.ts";
import { loadReadableApps, type ReadableApps, type ReaderRights } from "./search-targets.ts";

type Plain = string | number | boolean | null;

export interface AggregateGroup {
  key: Record<string, Plain>;
  metrics: Record<string, Plain>;
}

export interface AggregateView {
  groups: AggregateGroup[];
  /** Whether more groups exist. */
  truncated: boolean;
}

/** Computes figures over the items that match conditions. All of them reflect one state of the database. */
export async function aggregateItems(
  ctx: ReadContext,
  cached: CollectionAccess,
  body: unknown,
  options: Pick<AggregateOptions, "view" | "rights">,
): Promise<AggregateView> {
  const { views } = await aggregateTogether(ctx, cached, () => [body], options);
  const [figures] = views;
  if (!figures) throw new Error("There is no result.");
  if ("exceeded" in figures) throw tooComplexProblem(figures.exceeded);
  return figures;
}

export interface CombinedAggregates {
  access: CollectionAccess;
  /** The status of the collection, if requested. */
  status: CollectionStatus | null;
  views: (AggregateView | { exceeded: ExceededBound })[];
}

interface AggregateOptions {
  /** The key of a view, whose conditions apply too. */
  view?: string | undefined;
  /** The rights with which conditions read other apps. Without rights, they read no other app. */
  rights?: ReaderRights | undefined;
  /** Whether to return the status of the collection. */
  withStatus?: boolean;
}

/** Computes several aggregates over one state of the database. The bodies follow from the current definition. */
export async function aggregateTogether(
  ctx: ReadContext,
  cached: CollectionAccess,
  bodiesOf: (collection: Collection) => readonly unknown[],
  { view, rights, withStatus = false }: AggregateOptions = {},
): Promise<CombinedAggregates> {
  let access = cached;
  return retryOnConflict(ctx, async () => {
    const { collection } = access;
    const bodies = bodiesOf(collection);
    const apps = await loadReadableApps(ctx, rights, access, { conditions: bodies }, []);
    const parse = () => ({
      aggregates: bodies.map((body) => parseInView(ctx, access, body, view, apps)),
    });
    const parsed = await parseOrReload(ctx, access, parse, apps);
    if ("compiled" in parsed) {
      access = accessCollection(ctx, parsed.compiled);
      return undefined;
    }
    const { aggregates } = parsed;
    const unknownOptions = aggregates.flatMap(({ search }) => search.unknownOptions);
    const db = ctx.databases.of(collection);
    const result = await loadAggregates(db, ctx.memory, aggregates, {
      collection,
      values: askableOptions(access, { unknownOptions }),
      targets: apps.pageTargets,
      withStatus,
    });
    if ("exceeded" in result) throw tooComplexProblem(result.exceeded);
    access = accessCollection(ctx, resolveCollection(ctx, wholeCollection(access), result.head));
    const hasOutdatedTarget = apps.confirm(ctx, result.targetHeads);
    if (result.head.freshCollection || hasOutdatedTarget) return undefined;
    const fields = aggregates.flatMap(aggregatedFields);
    for (const { head, unindexed } of [result, ...result.targetHeads])
      assertIndexed(ctx, access, fields, unindexed, head.id);
    assertOptions({ unknownOptions }, result.missingValues);
    const views = result.results.map((found) =>
      "exceeded" in found ? found : buildView(found.aggregate, found),
    );
    return { access, status: result.status, views };
  });
}

/** Parses the aggregate and limits it to the items that the caller and the requested view show. */
function parseInView(
  { actor }: ReadContext,
  access: CollectionAccess,
  body: unknown,
  view: string | undefined,
  { targets }: ReadableApps,
): Aggregate {
  const { collection } = access;
  const aggregate = parseAggregate(collection, body, actor, targets);
  const { conditions } = inView(collection, aggregate.search, {}, view, actor);
  return { ...aggregate, search: searchOfCaller(access, { ...aggregate.search, conditions }) };
}

const narrower =
  "Narrow the request with a condition on $created_at, or with eq or in on a searchable field.";
const tooComplexReasons: Record<ExceededBound, string> = {
  items: `The request would read more than ${maxAggregateItems} items. ${narrower}`,
  bytes: `The request would read more than ${maxAggregateBytes / 1e6} MB. ${narrower}`,
  cost: `The conditions take too long for so many or so large items. Use fewer conditions or shorter texts. ${narrower}`,
  rows: `The lists of the items have too many combinations of values. ${narrower}`,
  keys: `The groups have too many long keys. Group by another field. ${narrower}`,
};

const tooComplexProblem = (exceeded: ExceededBound): Problem =>
  problem.invalidInput([errorAt(["conditions"], "too_complex", tooComplexReasons[exceeded])]);

function buildView(
  { groups, metrics }: Aggregate,
  { groups: found, hasMore }: GroupPage,
): AggregateView {
  const errors = new Map<string, FieldError>();
  const views = found.map(({ keys, figures }) => ({
    key: Object.fromEntries(
      groups.map((group, index) => [group.field.name, keyValue(group, keys[index] ?? null)]),
    ),
    metrics: Object.fromEntries(
      metrics.map((metric, index) => {
        const value = figureValue(metric, figures[index] ?? { value: null });
        if (value === undefined) errors.set(metric.name, rangeError(metric));
        return [metric.name, value ?? null];
      }),
    ),
  }));
  if (errors.size > 0) throw problem.invalidInput([...errors.values()]);
  const fitting = views.slice(0, countFitting(views));
  return { groups: fitting, truncated: hasMore || fitting.length < views.length };
}

const rangeError = ({ name }: Metric): FieldError =>
  errorAt(
    ["metrics", name],
    "out_of_range",
    "The result is beyond the range of a double-precision number.",
  );

/** Returns the number of groups that fit a response. */
function countFitting(groups: readonly AggregateGroup[]): number {
  let bytes = 50;
  const overflow = groups.findIndex((group) => {
    bytes += utf8Length(JSON.stringify(group)) + 1;
    return bytes > maxAggregateResponseBytes;
  });
  return overflow === -1 ? groups.length : overflow;
}

const keyValue = ({ grouping }: GroupKey, key: ColumnValue): Plain =>
  grouping === "boolean" && key !== null ? key === 1 : key;

/** Returns undefined if the value exceeds the range of doubles. */
function figureValue(metric: Metric, figure: Figure): Plain | undefined {
  if ("sum" in figure) {
    if (figure.count === 0) return null;
    return metric.op === "avg" ? quotient(figure.sum, figure.count) : decimalNumber(figure.sum);
  }
  const { value } = figure;
  const isExtreme = metric.op === "min" || metric.op === "max";
  if (!isExtreme || metric.field.type !== "datetime" || value === null) return value;
  return typeof value === "number" ? formatTimestamp(value) : `${value}Z`;
}
