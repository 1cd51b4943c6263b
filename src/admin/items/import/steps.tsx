import type { PropsWithChildren } from "hono/jsx";
import type { Collection } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { Count } from "#html/viewer.tsx";
import { dataAssets, collectionPath } from "#admin/definitions/layout.tsx";
import { type PageContext, AdminPage } from "#admin/layout.tsx";
import { type ImportFile, countOutcomes, type OutcomeCounts, type ChangedRow } from "./file.ts";
import type { CheckedRow } from "#actions/import-rows.ts";
import type { RejectedRow } from "./row-errors.ts";
import { FormatInputs } from "./formats.tsx";
import { ColumnChoices, MatchChoice, ImportPreview } from "./columns.tsx";
import { RejectedTable, Rejections } from "./rejections.tsx";
import { DescriptionList } from "#html/parts.tsx";

export interface ImportPageProps {
  frame: PageContext;
  collection: Collection;
  problem?: Problem;
}

/** The layout of every step of an import. */
export function ImportPage({
  title,
  file,
  children,
  ...props
}: PropsWithChildren<ImportPageProps & { title: string; file?: ImportFile }>) {
  const { kind, key, definition } = props.collection;
  const path = collectionPath[kind];
  const { itemImport: text, terms } = props.frame.text;
  const columns = file?.csv.header.map((name, i) => [`column.${i}`, name]) ?? [];
  return (
    <AdminPage
      {...dataAssets}
      frame={props.frame}
      title={title}
      crumbs={[
        [terms.collections[kind].many, path],
        [definition.name, `${path}/${key}/items`],
      ]}
      problem={props.problem}
      problemTitle={file ? undefined : text.unreadable}
      labels={{ ...text.labels, ...(Object.fromEntries(columns) as Record<string, string>) }}
    >
      {children}
    </AdminPage>
  );
}

export const collectionItemsPath = ({ kind, key }: Collection) =>
  `${collectionPath[kind]}/${key}/items`;

/** Hidden inputs that send the file to the next step. */
function HiddenFile({ file }: { file: ImportFile }) {
  return (
    <>
      <input type="hidden" name="csv" value={file.text} />
      <input type="hidden" name="encoding" value={file.encoding} />
    </>
  );
}

/** Hidden inputs that send the choices for the import to the next step. */
function HiddenPlan({ file }: { file: ImportFile }) {
  return (
    <>
      {file.plan.columns.map((target, i) => (
        <input type="hidden" name={`column.${i}`} value={target} />
      ))}
      <input type="hidden" name="by" value={file.plan.by} />
      {Object.entries(file.formats).map(([name, value]) => (
        <input type="hidden" name={name} value={String(value)} />
      ))}
    </>
  );
}

/** Assigns columns to fields and previews the effect of the import on each row. */
export function ColumnsPage({
  file,
  checkedRows,
  rejections,
  changes,
  ...props
}: ImportPageProps & {
  file: ImportFile;
  checkedRows: readonly CheckedRow[];
  rejections: readonly RejectedRow[];
  changes: readonly ChangedRow[];
}) {
  const { collection } = props;
  const outcomes = checkedRows.map(({ outcome }) => outcome);
  const { itemImport: text, terms } = props.frame.text;
  const base = collectionItemsPath(collection);
  const counts = countOutcomes(outcomes);
  const acceptedCount = outcomes.length - counts.refused;
  return (
    <ImportPage {...props} file={file} title={text.title(terms.collections[collection.kind].items)}>
      <form
        method="post"
        action={`${base}/import`}
        enctype="multipart/form-data"
        class="import"
        data-warn=""
      >
        <HiddenFile file={file} />
        {file.encoding === "shift_jis" ? <p class="notice quiet">{text.shiftJis}</p> : null}
        {outcomes.length === 0 ? null : (
          <p class={counts.refused > 0 ? "notice warn" : "notice quiet"}>
            {text.forecast(counts)}{" "}
            {counts.refused > 0 ? <a href="#rejected">{text.viewRejected}</a> : null}
          </p>
        )}
        {file.plan.by === "" && counts.unchanged > 0 ? (
          <p class="notice quiet">
            {text.leftOut(counts.unchanged, terms.collections[collection.kind].items)}
          </p>
        ) : null}
        <FormatInputs formats={file.formats} />
        <p class="muted">
          {text.formatsHint} {text.zone(file.plan.zone)}
        </p>
        <Rejections rejections={rejections} />
        <h2>{text.labels.columns}</h2>
        <ColumnChoices file={file} collection={collection} />
        <MatchChoice file={file} collection={collection} />
        {outcomes.length === 0 ? null : (
          <ImportPreview {...{ file, collection, checkedRows, changes }} />
        )}
        <p class="actions sticky">
          {acceptedCount > 0 ? (
            <button type="submit" name="act" value="write">
              {text.importRows(acceptedCount)}
            </button>
          ) : null}
          <button type="submit" name="act" value="check" class="quiet">
            {text.checkAgain}
          </button>
          <a class="button quiet" href={base}>
            {text.cancel}
          </a>
        </p>
      </form>
    </ImportPage>
  );
}

/**
 * Shows the progress between two steps. A script starts the next step. Without scripts, the member presses the button.
 */
export function ProgressPage({
  file,
  counts,
  from,
  ...props
}: ImportPageProps & { file: ImportFile; counts: OutcomeCounts; from: number }) {
  const { collection } = props;
  const { itemImport: text, terms } = props.frame.text;
  const total = file.csv.rows.length;
  return (
    <ImportPage
      {...props}
      file={file}
      title={text.importing(terms.collections[collection.kind].items)}
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
          <progress max={total} value={from} aria-label={text.progress}></progress>{" "}
          {text.importedSoFar(from, total)}
        </p>
        <button type="submit">{from === 0 ? text.tryAgain : text.continue}</button>
      </form>
      <p class="muted">{text.resumable}</p>
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
  /** Null if finding them takes too long. */
  rejections: readonly RejectedRow[] | null;
}) {
  const { collection } = props;
  const { itemImport: text, terms } = props.frame.text;
  const total = file.csv.rows.length;
  const base = collectionItemsPath(collection);
  return (
    <ImportPage {...props} file={file} title={text.finished}>
      <p role="status" class={counts.refused > 0 ? "notice warn" : "said"}>
        {counts.refused > 0
          ? text.partlyImported(total - counts.refused, total, counts.refused)
          : text.imported(total)}
      </p>
      <DescriptionList
        facts={[
          [text.outcomes.created, <Count of={counts.created} />],
          [text.outcomes.updated, <Count of={counts.updated} />],
          [text.outcomes.unchanged, <Count of={counts.unchanged} />],
          [text.outcomes.refused, <Count of={counts.refused} />],
        ]}
      />
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="actions">
        <HiddenFile file={file} />
        <HiddenPlan file={file} />
        {counts.refused > 0 && rejections ? (
          <button type="submit" name="act" value="refused">
            {text.downloadRejected}
          </button>
        ) : null}
        <a class="button quiet" href={base}>
          {text.view(terms.collections[collection.kind].items)}
        </a>
        <a class="button quiet" href={`${base}/import`}>
          {text.importMore}
        </a>
      </form>
      {rejections ? null : <p class="notice">{text.rejectionsUnknown}</p>}
      {rejections && rejections.length > 0 ? <RejectedTable rejections={rejections} /> : null}
    </ImportPage>
  );
}
