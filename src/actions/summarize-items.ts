import { maxMetrics } from "#domain/aggregate/aggregate.ts";
import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import { valueType, type Field } from "#domain/definition/field.ts";
import { problem } from "#domain/problem/problem.ts";
import { dayInZone, localToUtc } from "#domain/time.ts";
import type { CollectionStatus } from "#store/data/search/count.ts";
import { aggregateTogether, type AggregateGroup, type AggregateView } from "./aggregate-items.ts";
import { cachedOrStoredCollection } from "./collection-cache.ts";
import type { ActionContext } from "./context.ts";
import { reasonFor } from "#domain/problem/reasons.ts";

/** Months as `YYYY-MM`, both inclusive, in the time zone of the collection. */
export interface MonthPeriod {
  from: string;
  to: string;
}

/** The number of items with each value, the most frequent first. */
export interface Breakdown {
  /** Null for the status. */
  field: Field | null;
  values: { value: string | null; items: number }[];
  /** The number of items with values that `values` omits. */
  others: number;
}

export interface Figures {
  /** Every month of the period, including months without items. */
  months: { month: string; items: number }[];
  total: number;
  breakdowns: Breakdown[];
  /** As JSON, each sum has all its digits. Null for a field without values. */
  sums: { field: Field; sum: AggregateGroup["metrics"][string] }[];
}

export interface Summary {
  collection: Collection;
  status: CollectionStatus | null;
  period: MonthPeriod;
  /** Null when the period has more or larger items than aggregates may read. */
  figures: Figures | null;
  /** The number of the page, from 1. Each page has figures of different fields. */
  page: number;
  pageCount: number;
}

/** Each breakdown reads the items of the period once, and so do the sums of five fields. */
const breakdownsPerPage = 6;
const sumsPerPage = 10;
const maxValues = 8;
const usualMonths = 12;
export const maxMonths = 36;

/** Returns the given number of months up to the current one. */
export function recentMonths(count: number, now: number, zone: string): MonthPeriod {
  const to = dayInZone(now, zone).slice(0, 7);
  return { from: addMonths(to, 1 - count), to };
}

function addMonths(month: string, count: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const months = year * 12 + number - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, "0")}-${String((months % 12) + 1).padStart(2, "0")}`;
}

/** Lists the months of a period, up to one more than a summary may have. */
function monthsOf({ from, to }: MonthPeriod): string[] {
  const months: string[] = [];
  for (let month = from; month <= to && months.length <= maxMonths; month = addMonths(month, 1))
    months.push(month);
  return months;
}

/** Returns the second half of the months of a period. Undefined for a single month. */
export function shorterPeriod({ from, to }: MonthPeriod): MonthPeriod | undefined {
  const half = monthsOf({ from, to }).length >> 1;
  return half === 0 ? undefined : { from: addMonths(to, 1 - half), to };
}

/** Throws 422 if the period is empty or too long. */
function assertPeriod(period: MonthPeriod): void {
  const count = monthsOf(period).length;
  if (count >= 1 && count <= maxMonths) return;
  const reason =
    count === 0 ? reasonFor("startsAfterEnd") : reasonFor("tooManyMonths", { maximum: maxMonths });
  throw problem.invalidInput([{ field: "from", code: "out_of_range", reason }]);
}

/** The fields of a page of a summary. */
interface SummaryFields {
  /** Null for the status, which is on the first page of a form. */
  breakdowns: (Field | null)[];
  numbers: Field[];
  page: number;
  pageCount: number;
}

function summaryFields({ kind, definition }: Collection, page: number): SummaryFields {
  const { fields } = definition.fields;
  const ofType = (type: "select" | "number") =>
    fields.filter((field) => field.searchable && valueType(field) === type);
  const breakdowns = [...(kind === "form" ? [null] : []), ...ofType("select")];
  const numbers = ofType("number");
  const pageCount = Math.max(
    1,
    Math.ceil(breakdowns.length / breakdownsPerPage),
    Math.ceil(numbers.length / sumsPerPage),
  );
  const shownPage = Math.min(page, pageCount);
  const pageOf = <Entry>(list: readonly Entry[], size: number) =>
    list.slice((shownPage - 1) * size, shownPage * size);
  return {
    breakdowns: pageOf(breakdowns, breakdownsPerPage),
    numbers: pageOf(numbers, sumsPerPage),
    page: shownPage,
    pageCount,
  };
}

/**
 * Summarizes the items that were created in a period, or in the last 12 months. All figures of a page come from one
 * state of the database, in one round trip. A page number after the last page returns the last page.
 */
export async function summarizeItems(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
  chosen: Partial<MonthPeriod> & { page?: number },
): Promise<Summary> {
  const likely = await cachedOrStoredCollection(ctx, kind, key);
  if (!likely) throw problem.notFound();
  const periodOf = ({ definition }: Collection): MonthPeriod => {
    const recent = recentMonths(usualMonths, ctx.now(), definition.time_zone);
    const to = chosen.to ?? recent.to;
    return { from: chosen.from ?? addMonths(to, 1 - usualMonths), to };
  };
  assertPeriod(periodOf(likely.collection));
  const fieldsOf = (collection: Collection) => summaryFields(collection, chosen.page ?? 1);
  const { access, status, views } = await aggregateTogether(
    ctx,
    likely,
    (collection) => aggregateBodies(collection, periodOf(collection), fieldsOf(collection)),
    { withStatus: true },
  );
  const { collection } = access;
  const period = periodOf(collection);
  const fields = fieldsOf(collection);
  const complete = views.flatMap((view) => ("exceeded" in view ? [] : [view]));
  return {
    collection,
    status,
    period,
    figures: complete.length === views.length ? readFigures(period, fields, complete) : null,
    page: fields.page,
    pageCount: fields.pageCount,
  };
}

const items = { items: { op: "count" } };

/** The requests for the months, each breakdown and the sums, in this order. */
function aggregateBodies(
  { definition }: Collection,
  period: MonthPeriod,
  { breakdowns, numbers }: SummaryFields,
): object[] {
  const { time_zone: zone } = definition;
  const start = (month: string) => localToUtc(`${month}-01T00:00`, zone);
  const conditions = [
    { field: "$created_at", op: "gte", value: start(period.from) },
    { field: "$created_at", op: "lt", value: start(addMonths(period.to, 1)) },
  ];
  return [
    {
      conditions,
      group_by: [{ field: "$created_at", unit: "month" }],
      metrics: items,
      limit: maxMonths,
    },
    ...breakdowns.map((field) => ({
      conditions,
      group_by: [{ field: keyOf(field) }],
      metrics: items,
      order_by: [{ metric: "items", direction: "desc" }],
      limit: maxValues,
    })),
    ...chunksOf(numbers, maxMetrics).map((chunk) => ({
      conditions,
      metrics: Object.fromEntries(
        chunk.map(({ key }, index) => [`sum${index}`, { op: "sum", field: key }]),
      ),
    })),
  ];
}

const keyOf = (field: Field | null): string => field?.key ?? "$status";

const chunksOf = <Entry>(list: readonly Entry[], size: number): Entry[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );

const itemsOf = ({ metrics }: AggregateGroup) => Number(metrics["items"] ?? 0);

function readFigures(
  period: MonthPeriod,
  fields: SummaryFields,
  [monthView, ...otherViews]: readonly AggregateView[],
): Figures {
  const byMonth = new Map(
    monthView?.groups.map((group) => [group.key["$created_at"], itemsOf(group)]),
  );
  const months = monthsOf(period).map((month) => ({ month, items: byMonth.get(month) ?? 0 }));
  const total = months.reduce((sum, month) => sum + month.items, 0);
  const breakdowns = fields.breakdowns.map((field, index) => {
    const values = (otherViews[index]?.groups ?? []).map((group) => {
      const value = group.key[keyOf(field)];
      return { value: typeof value === "string" ? value : null, items: itemsOf(group) };
    });
    const shown = values.reduce((sum, value) => sum + value.items, 0);
    return { field, values, others: total - shown };
  });
  const sumViews = otherViews.slice(breakdowns.length);
  const sums = fields.numbers.map((field, index) => {
    const view = sumViews[Math.floor(index / maxMetrics)];
    return { field, sum: view?.groups[0]?.metrics[`sum${index % maxMetrics}`] ?? null };
  });
  return { months, total, breakdowns, sums };
}
