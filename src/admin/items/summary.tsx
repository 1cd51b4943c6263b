import * as z from "zod/mini";
import {
  maxMonths,
  recentMonths,
  summarizeItems,
  type Breakdown,
  type Figures,
  type MonthPeriod,
  type Summary,
} from "#actions/summarize-items.ts";
import { collectionTerms, CollectionLayout } from "#admin/definitions/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import type { PageContext } from "#admin/layout.tsx";
import { page } from "#admin/page.ts";
import { Plot } from "#admin/plot.tsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { EmptyState, Table } from "#html/parts.tsx";
import { formatCount, formatQuantity } from "#html/viewer.tsx";
import { optionLabel, Value } from "./value.tsx";

const month = lazy(() =>
  z.optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, "Must be a month like 2026-11."))),
);
const summaryQuery = lazy(() => z.object({ from: month(), to: month() }));

/** Shows items over time, by status and by select field, and the sums of number fields. */
export const summaryPage = (kind: CollectionKind) =>
  page({
    query: summaryQuery,
    load: ({ ctx, param, query: { from, to } }) =>
      summarizeItems(ctx, kind, param("key"), {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      }),
    document: ({ period, figures }) => ({
      ...period,
      figures: figures && {
        total: figures.total,
        months: figures.months,
        breakdowns: figures.breakdowns.map(({ field, values, others }) => ({
          field: field?.key ?? "$status",
          values,
          others,
        })),
        sums: figures.sums.map(({ field, sum }) => ({ field: field.key, sum })),
      },
    }),
    render: (frame, summary) => <SummaryPage frame={frame} summary={summary} />,
  });

function SummaryPage({ frame, summary }: { frame: PageContext; summary: Summary }) {
  const { collection, status, period, figures, hasMoreFields } = summary;
  const { items } = collectionTerms[collection.kind];
  const zone = collection.definition.time_zone;
  return (
    <CollectionLayout {...{ frame, collection }} live={status?.itemCount ?? 0} tab="summary">
      <PeriodForm
        period={period}
        recent={(months) => recentMonths(months, frame.viewer.now, zone)}
      />
      {figures ? (
        <SummaryFigures {...{ summary, figures }} />
      ) : (
        <div class="notice warn" role="status">
          <p>
            This period has too many {items} to summarize: more than 200,000, or more than 200 MB.
            Choose a shorter period.
          </p>
        </div>
      )}
      <p class="muted small">
        Months follow the clock of {zone}.{" "}
        {hasMoreFields ? "Only the first fields are shown. " : ""}
        Fields that are not searchable have no figures.
      </p>
    </CollectionLayout>
  );
}

const presets = [
  [1, "This month"],
  [3, "3 months"],
  [12, "12 months"],
] as const;

function PeriodForm({
  period,
  recent,
}: {
  period: MonthPeriod;
  recent: (months: number) => MonthPeriod;
}) {
  return (
    <form method="get" class="actions">
      <label>
        From <input type="month" name="from" value={period.from} required pattern="\d{4}-\d{2}" />
      </label>
      <label>
        To <input type="month" name="to" value={period.to} required pattern="\d{4}-\d{2}" />
      </label>
      <button type="submit" class="quiet">
        Show period
      </button>
      {presets.map(([months, name]) => {
        const { from, to } = recent(months);
        return <a href={`?from=${from}&to=${to}`}>{name}</a>;
      })}
      <small class="muted">At most {maxMonths} months.</small>
    </form>
  );
}

function SummaryFigures({ summary, figures }: { summary: Summary; figures: Figures }) {
  const { kind } = summary.collection;
  const { Items, items, item } = collectionTerms[kind];
  const { months, total, breakdowns, sums } = figures;
  if (total === 0) {
    return (
      <EmptyState>
        <p>No {items} were created in this period.</p>
      </EmptyState>
    );
  }
  return (
    <>
      <Plot
        title={`${Items} by month`}
        describeTotal={(count) => formatQuantity(count, item)}
        bars={months.map((each) => ({ label: each.month, value: each.items, bad: 0 }))}
      />
      <details>
        <summary>Figures by month</summary>
        <Table caption={`${Items} by month`} columns={["Month", { name: Items, number: true }]}>
          {months.map((each) => (
            <tr>
              <td>{each.month}</td>
              <td class="number">{formatCount(each.items)}</td>
            </tr>
          ))}
        </Table>
      </details>
      {sums.length > 0 ? (
        <>
          <h2>Sums</h2>
          <Table
            caption={`Sums of the numbers of each ${item}`}
            columns={["Field", { name: "Sum", number: true }]}
          >
            {sums.map(({ field, sum }) => (
              <tr>
                <td>
                  <bdi>{field.label}</bdi>
                </td>
                <td class="number">
                  <Value field={field} value={sum} />
                </td>
              </tr>
            ))}
          </Table>
        </>
      ) : null}
      <div class="columns">
        {breakdowns.map((breakdown) => (
          <BreakdownTable {...{ breakdown, total, Items }} />
        ))}
      </div>
    </>
  );
}

const barWidth = 120;
const barHeight = 10;

/** A row for each value with its bar. The table has the figures that the bars show. */
function BreakdownTable({
  breakdown: { field, values, others },
  total,
  Items,
}: {
  breakdown: Breakdown;
  total: number;
  Items: string;
}) {
  const { statuses } = useText().terms;
  const name = field?.label ?? "Status";
  const rows = [
    ...values.map(({ value, items }) => ({ label: labelOf(field, value, statuses), items })),
    ...(others > 0 ? [{ label: "Other values", items: others }] : []),
  ];
  return (
    <section>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      <Table caption={`${Items} by ${name}`} columns={[name, { name: Items, number: true }]}>
        {rows.map(({ label, items }) => (
          <tr>
            <td>
              <bdi>{label}</bdi>
              <svg
                class="plot"
                viewBox={`0 0 ${barWidth} ${barHeight}`}
                preserveAspectRatio="none"
                aria-hidden="true"
              >
                <rect width={Math.round((items / total) * barWidth * 10) / 10} height={barHeight} />
              </svg>
            </td>
            <td class="number">{formatCount(items)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}

const maxLabelLength = 60;

function labelOf(
  field: Breakdown["field"],
  value: string | null,
  statuses: Record<string, string>,
): string {
  if (value === null) return "No value";
  if (!field) return Object.entries(statuses).find(([status]) => status === value)?.[1] ?? value;
  const label = Array.from(optionLabel(field, value));
  return label.length > maxLabelLength
    ? `${label.slice(0, maxLabelLength).join("")}…`
    : label.join("");
}
