import type { Collection } from "#domain/definition/collection.ts";
import type { Field } from "#domain/definition/field.ts";
import type { Viewer } from "#html/viewer.tsx";
import type { Catalogue, Localization } from "#admin/language/index.tsx";
import { valueText } from "#admin/items/value.tsx";
import type { Flash } from "#admin/preferences.ts";
import type { BulkChange } from "./change.ts";
import {
  actionOf,
  basePathOf,
  BulkPage,
  HiddenSelection,
  Refusals,
  type BulkPageProps,
} from "./bulk-page.tsx";
import type { BulkReport } from "./report.ts";

const maxNamedRefusals = 5;

/** Describes the result of a bulk action, including the items that it omitted. */
export function describeResult(
  { kind, definition }: Collection,
  change: BulkChange,
  report: BulkReport,
  { text: { bulk, terms }, viewer }: Localization,
): Flash {
  const { act } = change;
  const { done, refused, refusals } = report;
  const { itemCount } = terms.collections[kind];
  if (refused === 0) {
    const what = describeEdit(definition.fields.fields, change, { bulk, terms }, viewer);
    return { text: bulk.results.all(act, itemCount(done), report, what), isPartial: false };
  }
  const namedRefusals = refusals.slice(0, maxNamedRefusals);
  const text = bulk.results.partial(
    act,
    itemCount(done + report.unchanged + refused),
    report,
    namedRefusals,
    refused - namedRefusals.length,
  );
  return { text, isPartial: true };
}

/** Describes the result of an edit of one field, like “Department set to “Sales””. Undefined for other changes. */
function describeEdit(
  fields: readonly Field[],
  change: BulkChange,
  { bulk, terms }: Pick<Catalogue, "bulk" | "terms">,
  viewer: Viewer,
): string | undefined {
  if (change.act !== "edit") return undefined;
  const [entry, ...others] = Object.entries(change.data);
  const field = fields.find(({ key }) => key === entry?.[0]);
  if (!entry || !field || others.length > 0) return undefined;
  const value = valueText(field, entry[1], terms, viewer);
  return value === "" ? bulk.cleared(field.label) : bulk.set(field.label, value);
}

interface ReportProps extends BulkPageProps {
  change: BulkChange;
  report: BulkReport;
  /** The number of selected items when the action started. */
  total: number;
}

/**
 * Shows the progress between two steps. A script starts the next step. Without scripts, the member presses the button.
 */
export function ProgressPage(props: ReportProps & { next: string }) {
  const { frame, collection, selection, change, report, total, next, listPath } = props;
  const { bulk, terms } = frame.text;
  const { items, itemCount } = terms.collections[collection.kind];
  const title = bulk.progress.title(change.act, items);
  const count = report.done + report.unchanged + report.refused;
  const numbers = [
    ["done", report.done],
    ["unchanged", report.unchanged],
    ["refused", report.refused],
    ["total", total],
  ] as const;
  return (
    <BulkPage {...props} title={title}>
      <p role="status">
        <progress max={Math.max(1, total, count)} value={count} aria-label={title}></progress>{" "}
        {bulk.progress.counts(change.act, count, itemCount(Math.max(total, count)), report.refused)}
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
          <button type="submit">{terms.continue}</button>
          <a class="button quiet" href={listPath}>
            {bulk.progress.stop}
          </a>
        </p>
      </form>
    </BulkPage>
  );
}

/** Shows the result of a bulk action, with the omitted items and the reasons. */
export function ResultPage(props: ReportProps) {
  const { frame, collection, change, report, listPath } = props;
  const { act } = change;
  const { Items, item, itemCount } = frame.text.terms.collections[collection.kind];
  const text = frame.text.bulk.results;
  const { fields } = collection.definition.fields;
  const what = describeEdit(fields, change, frame.text, frame.viewer);
  const summary =
    report.refused === 0
      ? text.all(act, itemCount(report.done), report, what)
      : text.counts(act, report);
  return (
    <BulkPage {...props} title={text.title(act, Items)}>
      <p class={report.refused > 0 ? "notice warn" : "notice good"} role="status" data-done="">
        {summary}
      </p>
      <Refusals {...{ act, report, listPath }} />
      <p class="actions">
        <a class="button" href={listPath}>
          {text.back(item)}
        </a>
        {act === "delete" ? (
          <a class="button quiet" href={`${basePathOf(listPath)}/deleted`}>
            {frame.text.deletedItems.view}
          </a>
        ) : null}
      </p>
    </BulkPage>
  );
}
