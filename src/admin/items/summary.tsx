import * as z from "zod/mini";
import {
  maxMonths,
  recentMonths,
  shorterPeriod,
  summarizeItems,
  type Figures,
  type MonthPeriod,
  type Summary,
} from "#actions/summarize-items.ts";
import { CollectionLayout } from "#admin/definitions/layout.tsx";
import type { PageContext } from "#admin/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { Plot } from "#admin/plot.tsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { lazy } from "#domain/lazy.ts";
import { EmptyState, Table } from "#html/parts.tsx";
import { Count, formatMonth, useViewer } from "#html/viewer.tsx";
import { BreakdownTable, shorten } from "./breakdown-table.tsx";
import { EmptyValue, ExactNumber } from "./value.tsx";
import { reasonFor } from "#domain/problem/reasons.ts";

const month = lazy(() =>
  z.optional(z.string().check(z.regex(/^\d{4}-(0[1-9]|1[0-2])$/, reasonFor("notMonth")))),
);
const summaryQuery = lazy(() =>
  z.object({
    from: month(),
    to: month(),
    page: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  }),
);

/**
 * Shows items over time, by status and by each select field, and the sum of each number field. The fields that do not fit
 * one response are on further pages.
 */
export const summaryPage = (kind: CollectionKind) =>
  page({
    query: summaryQuery,
    load: ({ ctx, param, query: { from, to, page: number } }) =>
      summarizeItems(ctx, kind, param("key"), {
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(number === undefined ? {} : { page: number }),
      }),
    document: ({ period, figures, page: number, pageCount }) => ({
      ...period,
      page: number,
      pages: pageCount,
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
  const { collection, status, period, figures } = summary;
  const text = frame.text.summary;
  const zone = collection.definition.time_zone;
  return (
    <CollectionLayout {...{ frame, collection }} live={status?.itemCount ?? 0} tab="summary">
      <PeriodForm
        period={period}
        recent={(months) => recentMonths(months, frame.viewer.now, zone)}
      />
      {figures ? (
        <>
          <SummaryFigures {...{ summary, figures }} />
          <PageLinks {...summary} />
        </>
      ) : (
        <TooLarge kind={collection.kind} period={period} />
      )}
      <p class="muted small">{text.note(zone)}</p>
    </CollectionLayout>
  );
}

function TooLarge({ kind, period }: { kind: CollectionKind; period: MonthPeriod }) {
  const { summary: text, terms } = useText();
  const viewer = useViewer();
  const shorter = shorterPeriod(period);
  return (
    <div class="notice warn" role="status">
      <p>
        {text.tooLarge(terms.collections[kind].items)}{" "}
        {shorter ? (
          <a href={`?from=${shorter.from}&to=${shorter.to}`}>
            {text.showMonths(formatMonth(viewer, shorter.from), formatMonth(viewer, shorter.to))}
          </a>
        ) : (
          text.monthTooLarge
        )}
      </p>
    </div>
  );
}

/** The numbers of months that a link shows, up to the present one. */
const presets = [1, 3, 12];

function PeriodForm({
  period,
  recent,
}: {
  period: MonthPeriod;
  recent: (months: number) => MonthPeriod;
}) {
  const text = useText().summary;
  return (
    <form method="get" class="actions">
      <label>
        {text.from}{" "}
        <input
          type="month"
          max="9999-12"
          name="from"
          value={period.from}
          required
          pattern="\d{4}-\d{2}"
        />
      </label>
      <label>
        {text.to}{" "}
        <input
          type="month"
          max="9999-12"
          name="to"
          value={period.to}
          required
          pattern="\d{4}-\d{2}"
        />
      </label>
      <button type="submit" class="quiet">
        {text.show}
      </button>
      {presets.map((months) => {
        const { from, to } = recent(months);
        return <a href={`?from=${from}&to=${to}`}>{text.recent(months)}</a>;
      })}
      <small class="muted">{text.longest(maxMonths)}</small>
    </form>
  );
}

function SummaryFigures({ summary, figures }: { summary: Summary; figures: Figures }) {
  const { kind } = summary.collection;
  const { summary: text, terms } = useText();
  const { Items, items, item, itemCount } = terms.collections[kind];
  const { months, total, breakdowns, sums } = figures;
  if (total === 0) {
    return (
      <EmptyState>
        <p>{text.none(items)}</p>
      </EmptyState>
    );
  }
  return (
    <>
      {summary.page === 1 ? <MonthChart {...{ kind, months }} /> : null}
      {sums.length > 0 ? (
        <>
          <h2>{text.sums}</h2>
          <Table
            caption={text.sumsCaption(item)}
            columns={[text.field, { name: text.sum, number: true }]}
          >
            {sums.map(({ field, sum }) => (
              <tr>
                <td>
                  <bdi>{shorten(field.label)}</bdi>
                </td>
                <td class="number">
                  {sum === null ? (
                    <EmptyValue />
                  ) : (
                    <ExactNumber field={field} digits={JSON.stringify(sum)} />
                  )}
                </td>
              </tr>
            ))}
          </Table>
        </>
      ) : null}
      <div class="columns">
        {breakdowns.map((breakdown) => (
          <BreakdownTable {...{ breakdown, total, Items }} counted={itemCount(total)} />
        ))}
      </div>
    </>
  );
}

function MonthChart({ kind, months }: { kind: CollectionKind; months: Figures["months"] }) {
  const { summary: text, terms } = useText();
  const { Items, itemCount } = terms.collections[kind];
  const viewer = useViewer();
  return (
    <>
      <Plot
        title={text.byMonth(Items)}
        describeTotal={(count) => itemCount(count)}
        bars={months.map((each) => ({
          label: formatMonth(viewer, each.month),
          value: each.items,
          bad: 0,
        }))}
      />
      <details>
        <summary>{text.figures}</summary>
        <Table caption={text.byMonth(Items)} columns={[text.month, { name: Items, number: true }]}>
          {months.map((each) => (
            <tr>
              <td>{formatMonth(viewer, each.month)}</td>
              <td class="number">
                <Count of={each.items} />
              </td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  );
}

/** Links to the figures of other fields in the same period. */
function PageLinks({ period: { from, to }, page: number, pageCount }: Summary) {
  const text = useText().summary;
  if (pageCount === 1) return null;
  const href = (target: number) => `?from=${from}&to=${to}&page=${target}`;
  return (
    <nav class="actions" aria-label={text.pages}>
      {number > 1 ? (
        <a class="button quiet" href={href(number - 1)} rel="prev">
          {text.previousPage}
        </a>
      ) : null}
      {number < pageCount ? (
        <a class="button quiet" href={href(number + 1)} rel="next">
          {text.nextPage}
        </a>
      ) : null}
      <small class="muted">{text.position(number, pageCount)}</small>
    </nav>
  );
}
