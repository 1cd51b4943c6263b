import type { CollectionKind } from "#domain/definition/collection.ts";
import { formatCount } from "#html/viewer.tsx";
import { Table } from "#html/parts.tsx";
import { collectionTerms } from "#admin/definitions/layout.tsx";
import type { Flash } from "#admin/preferences.ts";
import type { BulkAct, BulkChange } from "./change.ts";
import { actionOf, BulkPage, HiddenSelection, type BulkPageProps } from "./confirm-page.tsx";
import type { BulkReport } from "./run-step.ts";

const pastVerbs: Record<BulkAct, string> = { edit: "changed", close: "closed", delete: "deleted" };
const ongoing: Record<BulkAct, string> = { edit: "Editing", close: "Closing", delete: "Deleting" };

const maxNamedRefusals = 5;

/** Says what a bulk action did, and names what it left out. */
export function describeResult(
  kind: CollectionKind,
  { act }: BulkChange,
  { done, unchanged, refused, refusals }: BulkReport,
): Flash {
  const { item, items } = collectionTerms[kind];
  const verb = pastVerbs[act];
  const total = done + unchanged + refused;
  const same = unchanged > 0 ? ` ${formatCount(unchanged)} had this value already.` : "";
  if (refused === 0) {
    const text = `${formatCount(done)} ${done === 1 ? item : items} ${verb}`;
    return { text: same === "" ? text : `${text}.${same}`, isPartial: false };
  }
  const names = refusals
    .slice(0, maxNamedRefusals)
    .map(({ title, reason }) => `${title} (${reason})`)
    .join(", ");
  const others = refused - Math.min(maxNamedRefusals, refusals.length);
  const more = others > 0 ? ` and ${formatCount(others)} more` : "";
  const text = `${formatCount(done)} of ${formatCount(total)} ${items} ${verb}.${same} Not ${verb}: ${names}${more}.`;
  return { text, isPartial: true };
}

interface ReportProps extends BulkPageProps {
  change: BulkChange;
  report: BulkReport;
  /** The number of selected items when the action started. */
  total: number;
}

/** Shows the progress between two steps. A script starts the next step; without one, people press the button. */
export function ProgressPage(props: ReportProps & { next: string }) {
  const { collection, selection, change, report, total, next, listPath } = props;
  const { items } = collectionTerms[collection.kind];
  const count = report.done + report.unchanged + report.refused;
  const numbers = [
    ["done", report.done],
    ["unchanged", report.unchanged],
    ["refused", report.refused],
    ["total", total],
  ] as const;
  return (
    <BulkPage {...props} title={`${ongoing[change.act]} ${items}`}>
      <p role="status">
        <progress
          max={Math.max(1, total, count)}
          value={count}
          aria-label={`${ongoing[change.act]} ${items}`}
        ></progress>{" "}
        {`${formatCount(count)} of ${formatCount(Math.max(total, count))} ${items}`}
        {report.refused > 0 ? `, ${formatCount(report.refused)} not ${pastVerbs[change.act]}` : ""}
      </p>
      <form method="post" action={actionOf(listPath)} data-continue="">
        <HiddenSelection selection={selection} act={change.act} />
        {change.act === "edit" ? (
          <input type="hidden" name="data" value={JSON.stringify(change.data)} />
        ) : null}
        <input type="hidden" name="sure" value="yes" />
        <input type="hidden" name="from" value={next} />
        {numbers.map(([name, value]) => (
          <input type="hidden" name={name} value={String(value)} />
        ))}
        <input type="hidden" name="refusals" value={JSON.stringify(report.refusals)} />
        <p class="actions">
          <button type="submit">Continue</button>
          <a class="button quiet" href={listPath}>
            Stop
          </a>
        </p>
      </form>
    </BulkPage>
  );
}

/** Shows the result of a bulk action, with the items that it left out and why. */
export function ResultPage(props: ReportProps) {
  const { collection, change, report, listPath } = props;
  const { kind } = collection;
  const { Items, item } = collectionTerms[kind];
  const verb = pastVerbs[change.act];
  const summary = describeResult(kind, change, { ...report, refusals: [] });
  const base = listPath.split("?")[0] ?? "";
  const text =
    report.refused === 0
      ? summary.text
      : `${formatCount(report.done)} ${verb}, ${formatCount(report.refused)} not ${verb}`;
  return (
    <BulkPage {...props} title={`${Items} ${verb}`}>
      <p class={report.refused > 0 ? "notice warn" : "notice good"} role="status" data-done="">
        {text}
      </p>
      {report.refusals.length > 0 ? (
        <Table caption={`Not ${verb}`} columns={[`Not ${verb}`, "Reason"]}>
          {report.refusals.map(({ id, title, reason }) => (
            <tr>
              <th scope="row">
                <a href={`${base}/${id}`}>{title}</a>
              </th>
              <td>{reason}</td>
            </tr>
          ))}
        </Table>
      ) : null}
      {report.refused > report.refusals.length ? (
        <p class="muted">
          {`The first ${report.refusals.length} of ${formatCount(report.refused)} are listed.`}
        </p>
      ) : null}
      <p class="actions">
        <a class="button" href={listPath}>
          {`Back to the ${item} list`}
        </a>
      </p>
    </BulkPage>
  );
}
