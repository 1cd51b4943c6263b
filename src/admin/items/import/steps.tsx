import type { PropsWithChildren } from "hono/jsx";
import type { Collection } from "#domain/definition/collection.ts";
import type { Problem } from "#domain/problem/problem.ts";
import { showCount } from "#html/viewer.tsx";
import { dataAssets, words } from "#admin/definitions/layout.tsx";
import { type Frame, AdminPage } from "#admin/layout.tsx";
import { type Import, countsOf, type Counts, type Refused, bounds } from "./file.ts";
import type { RowOutcome } from "#actions/import-rows.ts";
import { ColumnChoices, Finder, Preview, RefusedTable } from "./columns.tsx";
import { Facts } from "#html/parts.tsx";
import { Input, TextArea } from "#html/inputs.tsx";
import { textOf, type Sent } from "#admin/form-input.ts";

export interface ImportShown {
  frame: Frame;
  collection: Collection;
  problem?: Problem;
}

const labels = { file: "File", csv: "Text", columns: "Columns" };

/** A page of an import, whatever step it shows. */
export function ImportPage({
  title,
  file,
  children,
  ...shown
}: PropsWithChildren<ImportShown & { title: string; file?: Import }>) {
  const { kind, key, definition } = shown.collection;
  const { path, many } = words[kind];
  const columns = file?.csv.header.map((name, i) => [`column.${i}`, name]) ?? [];
  return (
    <AdminPage
      {...dataAssets}
      frame={shown.frame}
      title={title}
      crumbs={[
        [many, path],
        [definition.name, `${path}/${key}/items`],
      ]}
      problem={shown.problem}
      labels={{ ...labels, ...(Object.fromEntries(columns) as Record<string, string>) }}
    >
      {children}
    </AdminPage>
  );
}

export const itemsAddress = ({ kind, key }: Collection) => `${words[kind].path}/${key}/items`;

export const rowsInWords = (count: number) => `${showCount(count)} ${count === 1 ? "row" : "rows"}`;

/** The file, for the next step. */
export function Carried({ file }: { file: Import }) {
  return <input type="hidden" name="csv" value={file.text} />;
}

/** What was chosen for it. */
export function Chosen({ file }: { file: Import }) {
  return (
    <>
      {file.plan.columns.map((target, i) => (
        <input type="hidden" name={`column.${i}`} value={target} />
      ))}
      <input type="hidden" name="by" value={file.plan.by} />
    </>
  );
}

/** Which column is which field, and what would become of each row. */
export function ColumnsPage({
  file,
  outcomes,
  refused,
  ...shown
}: ImportShown & { file: Import; outcomes: readonly RowOutcome[]; refused: readonly Refused[] }) {
  const { collection } = shown;
  const { items } = words[collection.kind];
  const base = itemsAddress(collection);
  const counts = countsOf(outcomes);
  const good = outcomes.length - counts.refused;
  return (
    <ImportPage {...shown} file={file} title={`Import ${items}`}>
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="import">
        <Carried file={file} />
        {outcomes.length === 0 ? null : (
          <p class={counts.refused > 0 ? "notice warn" : "notice quiet"}>{foretold(counts)}</p>
        )}
        <h2>Columns</h2>
        <ColumnChoices file={file} collection={collection} />
        <Finder file={file} collection={collection} />
        <p class="actions">
          {good > 0 ? (
            <button type="submit" name="act" value="write">
              Import {rowsInWords(good)}
            </button>
          ) : null}
          <button type="submit" name="act" value="check" class="quiet">
            Check again
          </button>
          {refused.length > 0 ? (
            <button type="submit" name="act" value="refused" class="quiet">
              Download refused rows
            </button>
          ) : null}
          <a class="button quiet" href={base}>
            Cancel
          </a>
        </p>
      </form>
      {outcomes.length === 0 ? null : <Preview {...{ file, outcomes, refused }} />}
    </ImportPage>
  );
}

function foretold({ created, updated, unchanged, refused }: Counts): string {
  const parts = [
    [created, "would be created"],
    [updated, "would be changed"],
    [unchanged, "would stay as they are"],
    [refused, refused === 1 ? "is refused and left out" : "are refused and left out"],
  ] as const;
  const all = created + updated + unchanged + refused;
  const told = parts.filter(([count]) => count > 0);
  return `${rowsInWords(all)}: ${told.map(([count, what]) => `${showCount(count)} ${what}`).join(", ")}.`;
}

/** Between two steps. A script goes on by itself; without one somebody presses the button. */
export function ProgressPage({
  file,
  counts,
  from,
  ...shown
}: ImportShown & { file: Import; counts: Counts; from: number }) {
  const { collection } = shown;
  const all = file.csv.rows.length;
  return (
    <ImportPage {...shown} file={file} title={`Importing ${words[collection.kind].items}`}>
      <form
        method="post"
        action={`${itemsAddress(collection)}/import`}
        enctype="multipart/form-data"
        data-continue={shown.problem ? undefined : ""}
      >
        <Carried file={file} />
        <Chosen file={file} />
        <input type="hidden" name="act" value="write" />
        <input type="hidden" name="from" value={String(from)} />
        {Object.entries(counts).map(([name, count]) => (
          <input type="hidden" name={name} value={String(count)} />
        ))}
        <p role="status" class="notice quiet">
          <progress max={all} value={from} aria-label="Import"></progress> {showCount(from)} of{" "}
          {rowsInWords(all)} are done.
        </p>
        <button type="submit">{from === 0 ? "Try again" : "Continue"}</button>
      </form>
      <p class="muted">
        It can be broken off and repeated: what is written already is not written twice.
      </p>
    </ImportPage>
  );
}

/** What became of all rows. */
export function ResultPage({
  file,
  counts,
  refused,
  ...shown
}: ImportShown & { file: Import; counts: Counts; refused: readonly Refused[] }) {
  const { collection } = shown;
  const { items } = words[collection.kind];
  const base = itemsAddress(collection);
  return (
    <ImportPage {...shown} file={file} title="Imported">
      <p role="status" class="said">
        {rowsInWords(file.csv.rows.length - counts.refused)} of {showCount(file.csv.rows.length)}{" "}
        are stored.
      </p>
      <Facts
        facts={[
          ["Created", showCount(counts.created)],
          ["Changed", showCount(counts.updated)],
          ["There already, as they are", showCount(counts.unchanged)],
          ["Refused", showCount(counts.refused)],
        ]}
      />
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="actions">
        <Carried file={file} />
        <Chosen file={file} />
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
      {refused.length > 0 ? <RefusedTable refused={refused} /> : null}
    </ImportPage>
  );
}

/** Where a file is chosen, or its text pasted. */
export function StartPage({ sent = {}, ...shown }: ImportShown & { sent?: Sent }) {
  const { collection } = shown;
  const { items } = words[collection.kind];
  const base = itemsAddress(collection);
  return (
    <ImportPage {...shown} title={`Import ${items}`}>
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="issue">
        <Input
          name="file"
          label="File"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          hint={`CSV in UTF-8 with a header; commas, semicolons or tabs between. Up to 1 MB, ${showCount(bounds.rows)} rows and ${bounds.columns} columns.`}
        />
        <TextArea
          name="csv"
          label="Or paste what is in it"
          hint="As it is in the file, or as it is copied from a spreadsheet."
          rows={8}
          spellcheck={false}
          value={textOf(sent["csv"])}
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
