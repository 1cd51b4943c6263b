import type { PropsWithChildren } from "hono/jsx";
import type { Collection } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { formatCount } from "#html/viewer.tsx";
import { dataAssets, collectionTerms } from "#admin/definitions/layout.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import {
  type ImportFile,
  countOutcomes,
  type OutcomeCounts,
  type RejectedRow,
  importLimits,
} from "./file.ts";
import type { RowOutcome } from "#actions/import-rows.ts";
import { ColumnChoices, MatchChoice, ImportPreview, RejectedTable } from "./columns.tsx";
import { DescriptionList } from "#html/parts.tsx";
import { Input, TextArea } from "#html/inputs.tsx";
import { textOf, type FormValues } from "#admin/form-input.ts";

export interface ImportPageProps {
  frame: PageContext;
  collection: Collection;
  problem?: Problem;
}

const labels = { file: "File", csv: "Text", columns: "Columns" };

/** The layout of every step of an import. */
function ImportPage({
  title,
  file,
  children,
  ...props
}: PropsWithChildren<ImportPageProps & { title: string; file?: ImportFile }>) {
  const { kind, key, definition } = props.collection;
  const { path, many: plural } = collectionTerms[kind];
  const columns = file?.csv.header.map((name, i) => [`column.${i}`, name]) ?? [];
  return (
    <AdminPage
      {...dataAssets}
      frame={props.frame}
      title={title}
      crumbs={[
        [plural, path],
        [definition.name, `${path}/${key}/items`],
      ]}
      problem={props.problem}
      labels={{ ...labels, ...(Object.fromEntries(columns) as Record<string, string>) }}
    >
      {children}
    </AdminPage>
  );
}

const collectionItemsPath = ({ kind, key }: Collection) =>
  `${collectionTerms[kind].path}/${key}/items`;

const formatRowCount = (count: number) => `${formatCount(count)} ${count === 1 ? "row" : "rows"}`;

/** Sends the file along to the next step. */
function HiddenFile({ file }: { file: ImportFile }) {
  return <input type="hidden" name="csv" value={file.text} />;
}

/** Sends the choices for the import along to the next step. */
function HiddenPlan({ file }: { file: ImportFile }) {
  return (
    <>
      {file.plan.columns.map((target, i) => (
        <input type="hidden" name={`column.${i}`} value={target} />
      ))}
      <input type="hidden" name="by" value={file.plan.by} />
    </>
  );
}

/** Assigns columns to fields and previews what the import would do with each row. */
export function ColumnsPage({
  file,
  outcomes,
  rejections,
  ...props
}: ImportPageProps & {
  file: ImportFile;
  outcomes: readonly RowOutcome[];
  rejections: readonly RejectedRow[];
}) {
  const { collection } = props;
  const { items } = collectionTerms[collection.kind];
  const base = collectionItemsPath(collection);
  const counts = countOutcomes(outcomes);
  const acceptedCount = outcomes.length - counts.refused;
  return (
    <ImportPage {...props} file={file} title={`Import ${items}`}>
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="import">
        <HiddenFile file={file} />
        {outcomes.length === 0 ? null : (
          <p class={counts.refused > 0 ? "notice warn" : "notice quiet"}>
            {describeForecast(counts)}
          </p>
        )}
        <h2>Columns</h2>
        <ColumnChoices file={file} collection={collection} />
        <MatchChoice file={file} collection={collection} />
        <p class="actions">
          {acceptedCount > 0 ? (
            <button type="submit" name="act" value="write">
              Import {formatRowCount(acceptedCount)}
            </button>
          ) : null}
          <button type="submit" name="act" value="check" class="quiet">
            Check again
          </button>
          {rejections.length > 0 ? (
            <button type="submit" name="act" value="refused" class="quiet">
              Download refused rows
            </button>
          ) : null}
          <a class="button quiet" href={base}>
            Cancel
          </a>
        </p>
      </form>
      {outcomes.length === 0 ? null : <ImportPreview {...{ file, outcomes, rejections }} />}
    </ImportPage>
  );
}

function describeForecast({ created, updated, unchanged, refused }: OutcomeCounts): string {
  const parts = [
    [created, "would be created"],
    [updated, "would be changed"],
    [unchanged, "would stay as they are"],
    [refused, refused === 1 ? "is refused and left out" : "are refused and left out"],
  ] as const;
  const total = created + updated + unchanged + refused;
  const nonZeroParts = parts.filter(([count]) => count > 0);
  return `${formatRowCount(total)}: ${nonZeroParts.map(([count, text]) => `${formatCount(count)} ${text}`).join(", ")}.`;
}

/** Shows the progress between two steps. A script starts the next step; without one, people press the button. */
export function ProgressPage({
  file,
  counts,
  from,
  ...props
}: ImportPageProps & { file: ImportFile; counts: OutcomeCounts; from: number }) {
  const { collection } = props;
  const total = file.csv.rows.length;
  return (
    <ImportPage
      {...props}
      file={file}
      title={`Importing ${collectionTerms[collection.kind].items}`}
    >
      <form
        method="post"
        action={`${collectionItemsPath(collection)}/import`}
        enctype="multipart/form-data"
        data-continue={props.problem ? undefined : ""}
      >
        <HiddenFile file={file} />
        <HiddenPlan file={file} />
        <input type="hidden" name="act" value="write" />
        <input type="hidden" name="from" value={String(from)} />
        {Object.entries(counts).map(([name, count]) => (
          <input type="hidden" name={name} value={String(count)} />
        ))}
        <p role="status" class="notice quiet">
          <progress max={total} value={from} aria-label="Import"></progress> {formatCount(from)} of{" "}
          {formatRowCount(total)} are done.
        </p>
        <button type="submit">{from === 0 ? "Try again" : "Continue"}</button>
      </form>
      <p class="muted">
        It can be broken off and repeated: what is written already is not written twice.
      </p>
    </ImportPage>
  );
}

/** Summarizes a finished import. */
export function ResultPage({
  file,
  counts,
  rejections,
  ...props
}: ImportPageProps & {
  file: ImportFile;
  counts: OutcomeCounts;
  rejections: readonly RejectedRow[];
}) {
  const { collection } = props;
  const { items } = collectionTerms[collection.kind];
  const base = collectionItemsPath(collection);
  return (
    <ImportPage {...props} file={file} title="Imported">
      <p role="status" class="said">
        {formatRowCount(file.csv.rows.length - counts.refused)} of{" "}
        {formatCount(file.csv.rows.length)} are stored.
      </p>
      <DescriptionList
        facts={[
          ["Created", formatCount(counts.created)],
          ["Changed", formatCount(counts.updated)],
          ["There already, as they are", formatCount(counts.unchanged)],
          ["Refused", formatCount(counts.refused)],
        ]}
      />
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="actions">
        <HiddenFile file={file} />
        <HiddenPlan file={file} />
        {counts.refused > 0 ? (
          <button type="submit" name="act" value="refused">
            Download refused rows
          </button>
        ) : null}
        <a class="button quiet" href={base}>
          See the {items}
        </a>
        <a class="button quiet" href={`${base}/import`}>
          Import more
        </a>
      </form>
      {rejections.length > 0 ? <RejectedTable rejections={rejections} /> : null}
    </ImportPage>
  );
}

/** Asks for a file or its pasted text. */
export function StartPage({ form = {}, ...props }: ImportPageProps & { form?: FormValues }) {
  const { collection } = props;
  const { items } = collectionTerms[collection.kind];
  const base = collectionItemsPath(collection);
  return (
    <ImportPage {...props} title={`Import ${items}`}>
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="issue">
        <Input
          name="file"
          label="File"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          hint={`CSV in UTF-8 with a header; commas, semicolons or tabs between. Up to 1 MB, ${formatCount(importLimits.rows)} rows and ${importLimits.columns} columns.`}
        />
        <TextArea
          name="csv"
          label="Or paste what is in it"
          hint="As it is in the file, or as it is copied from a spreadsheet."
          rows={8}
          spellcheck={false}
          value={textOf(form["csv"])}
          wide
        />
        <p class="actions">
          <button type="submit">Check it</button>
          <a class="button quiet" href={base}>
            Cancel
          </a>
        </p>
      </form>
      <p class="muted">Nothing is written before you have seen what will be.</p>
      <details>
        <summary>What can be imported</summary>
        <ul>
          <li>
            What “CSV, lossless” downloads comes back as it was. So does “For spreadsheets”, but for
            its line items.
          </li>
          <li>Line items are JSON in one cell; options stand there by value or label.</li>
          <li>
            Calculated fields, receipt numbers, versions, and when and by whom something was made
            are the service’s own: such columns are left out.
          </li>
          <li>A new submission is a draft or submitted; closed ones are not made.</li>
        </ul>
      </details>
    </ImportPage>
  );
}
