import { explainErrors } from "#admin/explain-problem.ts";
import { reasonFor } from "#domain/problem/reasons.ts";
import * as z from "zod/mini";
import {
  recentMonths,
  shorterPeriod,
  summarizeItems,
  type Figures,
  type MonthPeriod,
  type Summary,
} from "#actions/summarize-items.ts";
import { collectionPath, CollectionLayout } from "#admin/definitions/layout.tsx";
import { type FormValues, textOf } from "#admin/form-input.ts";
import type { PageContext } from "#admin/layout.tsx";
import { useText } from "#admin/language/index.tsx";
import { page } from "#admin/page.ts";
import { Plot } from "#admin/plot.tsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { lazy } from "#domain/lazy.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { FormErrors } from "#html/form-errors.tsx";
import { EmptyState, Table } from "#html/parts.tsx";
import { Count, formatMonth, useViewer } from "#html/viewer.tsx";
import { BreakdownTable, shorten } from "./breakdown-table.tsx";
import { PeriodForm } from "./summary-period.tsx";
import { EmptyValue, ExactNumber } from "./value.tsx";

const month = lazy(() =>
  // Years have four digits, so that months can be compared as texts.
  z.optional(
    z.string().check(z.regex(/^(?!9999)[1-9]\d{3}-(0[1-9]|1[0-2])$/, reasonFor("notMonth"))),
  ),
);
const summaryQuery = lazy(() =>
  z.object({
    from: month(),
    to: month(),
    page: z.optional(z.coerce.number().check(z.int(), z.minimum(1))),
  }),
);

/**
 * Shows items over time, by status and by each select field, and the sum of each number field. Fields that do not fit
 * one response are on further pages.
 */
export const summaryPage = (kind: CollectionKind) =>
  page({
    query: summaryQuery,
    showsQueryErrors: true,
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
    render: (frame, summary, attempt) => <SummaryPage {...{ frame, summary, attempt }} />,
  });

function SummaryPage({
  frame,
  summary,
  attempt,
}: {
  frame: PageContext;
  summary: Summary;
  attempt: { values: FormValues; problem: Problem } | undefined;
}) {
  const { collection, status, period, figures } = summary;
  const { summary: text, terms } = frame.text;
  const { items } = terms.collections[collection.kind];
  const zone = collection.definition.time_zone;
  const settings = `${collectionPath[collection.kind]}/${collection.key}/settings`;
  return (
    <CollectionLayout {...{ frame, collection }} live={status?.itemCount ?? 0} tab="summary">
      <FormErrors problem={attempt && explainErrors(attempt.problem, frame.text)}>
        <PeriodForm
          period={
            attempt
              ? { from: textOf(attempt.values["from"]), to: textOf(attempt.values["to"]) }
              : period
          }
          recent={(months) => recentMonths(months, frame.viewer.now, zone)}
        />
      </FormErrors>
      {figures ? (
        <>
          <SummaryFigures {...{ summary, figures }} />
          <PageLinks {...summary} />
        </>
      ) : (
        <TooLarge kind={collection.kind} period={period} />
      )}
      <p class="muted small">
        {text.note(items, zone)}{" "}
        {roleAllows(frame.member.role, "define") ? <a href={settings}>{text.changeZone}</a> : null}
      </p>
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
      {summary.page === 1 ? <MonthChart kind={kind} months={months} /> : null}
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
