import { wholeCollection } from "#domain/data/narrow.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { valueType, type Field } from "#domain/definition/field.ts";
import { problem } from "#domain/problem/problem.ts";
import { dayInZone, localToUtc } from "#domain/time.ts";
import type { CollectionStatus } from "#store/data/search/count.ts";
import { aggregateTogether, type AggregateGroup, type AggregateView } from "./aggregate-items.ts";
import { cachedOrStoredCollection } from "./collection-cache.ts";
import type { ActionContext } from "./context.ts";

/** Months as `YYYY-MM`, both included, in the time zone of the collection. */
export interface MonthPeriod {
  from: string;
  to: string;
}

/** The number of items with each value, most first. */
export interface Breakdown {
  /** Null for the status. */
  field: Field | null;
  values: { value: string | null; items: number }[];
  /** The items with values that `values` omits. */
  others: number;
}

export interface Figures {
  /** Every month of the period, also those without items. */
  months: { month: string; items: number }[];
  total: number;
  breakdowns: Breakdown[];
  /** Null for a field without values. */
  sums: { field: Field; sum: number | null }[];
}

export interface Summary {
  collection: Collection;
  status: CollectionStatus | null;
  period: MonthPeriod;
  /** Null when the period has more items, or larger ones, than aggregates may read. */
  figures: Figures | null;
  /** Whether the collection has more fields to summarize than a page shows. */
  hasMoreFields: boolean;
}

/** Each breakdown reads the items of the period once. */
const maxBreakdowns = 6;
const maxSums = 5;
const maxValues = 8;
const usualMonths = 12;
export const maxMonths = 36;

/** The months that end with this one. */
export function recentMonths(count: number, now: number, zone: string): MonthPeriod {
  const to = dayInZone(now, zone).slice(0, 7);
  return { from: addMonths(to, 1 - count), to };
}

function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const months = year * 12 + number - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}`;
}

/** Lists the months of a period, at most one more than a summary may have. */
function monthsOf({ from, to }: MonthPeriod): string[] {
  const months: string[] = [];
  for (let month = from; month <= to && months.length <= maxMonths; month = addMonths(month, 1))
    months.push(month);
  return months;
}

/** Throws 422 if the period is empty or too long. */
function assertPeriod(period: MonthPeriod): void {
  const count = monthsOf(period).length;
  if (count >= 1 && count <= maxMonths) return;
  const reason =
    count === 0 ? "Must not be after the last month." : `Choose at most ${maxMonths} months.`;
  throw problem.invalidInput([{ field: "from", code: "out_of_range", reason }]);
}

const summarized = (fields: readonly Field[], type: "select" | "number") =>
  fields.filter((field) => field.searchable && valueType(field) === type);

/**
 * Summarizes the items that were created in a period, or in the last 12 months. All figures come from one state of the
 * database, in one round trip.
 */
export async function summarizeItems(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  chosen: Partial<MonthPeriod>,
): Promise<Summary> {
  const likely = await cachedOrStoredCollection(ctx, kind, key);
  if (!likely) throw problem.notFound();
  const periodOf = ({ definition }: Collection): MonthPeriod => {
    const recent = recentMonths(usualMonths, ctx.now(), definition.time_zone);
    const to = chosen.to ?? recent.to;
    return { from: chosen.from ?? addMonths(to, 1 - usualMonths), to };
  };
  assertPeriod(periodOf(likely.collection));
  const { access, status, views } = await aggregateTogether(
    ctx,
    likely,
    (collection) => aggregateBodies(collection, periodOf(collection)),
    { withStatus: true },
  );
  const { collection } = access;
  const { fields } = collection.definition.fields;
  const period = periodOf(collection);
  const complete = views.flatMap((view) => ("exceeded" in view ? [] : [view]));
  return {
    collection,
    status,
    period,
    figures:
      complete.length === views.length
        ? readFigures(wholeCollection(access), period, complete)
        : null,
    hasMoreFields:
      summarized(fields, "select").length > maxBreakdowns ||
      summarized(fields, "number").length > maxSums,
  };
}

const items = { items: { op: "count" } };

/** The requests for the months, the status, each select field and the sums, in this order. */
function aggregateBodies({ kind, definition }: Collection, period: MonthPeriod): object[] {
  const { time_zone: zone, fields } = definition;
  const start = (month: string) => localToUtc(`${month}-01T00:00`, zone);
  const conditions = [
    { field: "$created_at", op: "gte", value: start(period.from) },
    { field: "$created_at", op: "lt", value: start(addMonths(period.to, 1)) },
  ];
  const breakdown = (field: string) => ({
    conditions,
    group_by: [{ field }],
    metrics: items,
    order_by: [{ metric: "items", direction: "desc" }],
    limit: maxValues,
  });
  const numbers = summarized(fields.fields, "number").slice(0, maxSums);
  const sums = numbers.map(({ key }, index) => [`sum${index}`, { op: "sum", field: key }] as const);
  return [
    {
      conditions,
      group_by: [{ field: "$created_at", unit: "month" }],
      metrics: items,
      limit: maxMonths,
    },
    ...(kind === "form" ? [breakdown("$status")] : []),
    ...summarized(fields.fields, "select")
      .slice(0, maxBreakdowns)
      .map(({ key }) => breakdown(key)),
    ...(sums.length > 0 ? [{ conditions, metrics: Object.fromEntries(sums) }] : []),
  ];
}

const itemsOf = ({ metrics }: AggregateGroup) => Number(metrics["items"] ?? 0);

function readFigures(
  { collection: { kind, definition } }: CompiledCollection,
  period: MonthPeriod,
  [monthView, ...otherViews]: readonly AggregateView[],
): Figures {
  const { fields } = definition.fields;
  const byMonth = new Map(
    monthView?.groups.map((group) => [group.key["$created_at"], itemsOf(group)]),
  );
  const months = monthsOf(period).map((month) => ({ month, items: byMonth.get(month) ?? 0 }));
  const total = months.reduce((sum, month) => sum + month.items, 0);
  const selects = summarized(fields, "select").slice(0, maxBreakdowns);
  const breakdownFields = [...(kind === "form" ? [null] : []), ...selects];
  const breakdowns = breakdownFields.map((field, index) => {
    const values = (otherViews[index]?.groups ?? []).map((group) => {
      const value = group.key[field?.key ?? "$status"];
      return { value: typeof value === "string" ? value : null, items: itemsOf(group) };
    });
    const shown = values.reduce((sum, value) => sum + value.items, 0);
    return { field, values, others: total - shown };
  });
  const sumMetrics = otherViews[breakdownFields.length]?.groups[0]?.metrics ?? {};
  const sums = summarized(fields, "number")
    .slice(0, maxSums)
    .map((field, index) => {
      const sum = sumMetrics[`sum${index}`] ?? null;
      return { field, sum: sum === null ? null : Number(JSON.stringify(sum)) };
    });
  return { months, total, breakdowns, sums };
}
