import type { PropsWithChildren } from "hono/jsx";
import type { RowOutcome } from "../../../actions/batch/import-rows";
import type { Collection } from "../../../domain/definition/collection";
import type { Problem } from "../../../domain/problem/problem";
import { Input, TextArea } from "../../../html/field";
import { Facts } from "../../../html/parts";
import { showCount } from "../../../html/reader";
import { dataAssets } from "../../definitions/assets";
import { words } from "../../definitions/words";
import type { Frame } from "../../frame/frame";
import { AdminPage } from "../../frame/layout";
import { textOf, type Sent } from "../../frame/sent";
import { ColumnChoices, Finder } from "./columns";
import { bounds, type Import } from "./file";
import { countsOf, type Counts, type Refused } from "./outcomes";
import { Preview, RefusedTable } from "./preview";

interface Shown {
  frame: Frame;
  collection: Collection;
  problem?: Problem;
}

const labels = { file: "File", csv: "Text", columns: "Columns" };

function ImportPage({
  title,
  file,
  children,
  ...shown
}: PropsWithChildren<Shown & { title: string; file?: Import }>) {
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

const addressOf = ({ kind, key }: Collection) => `${words[kind].path}/${key}/items`;

/** Where a file is chosen, or its text pasted. */
export function StartPage({ sent = {}, ...shown }: Shown & { sent?: Sent }) {
  const { collection } = shown;
  const { items } = words[collection.kind];
  const base = addressOf(collection);
  return (
    <ImportPage {...shown} title={`Import ${items}`}>
      <form method="post" action={`${base}/import`} enctype="multipart/form-data" class="issue">
        <Input
          name="file"
          label={labels.file}
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

/** The file, and what was chosen for it, for the next step. */
function Carried({ file }: { file: Import }) {
  return <input type="hidden" name="csv" value={file.text} />;
}

function Chosen({ file }: { file: Import }) {
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
}: Shown & { file: Import; outcomes: readonly RowOutcome[]; refused: readonly Refused[] }) {
  const { collection } = shown;
  const { items } = words[collection.kind];
  const base = addressOf(collection);
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
              Import {rowsOf(good)}
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

const rowsOf = (count: number) => `${showCount(count)} ${count === 1 ? "row" : "rows"}`;

function foretold({ created, updated, unchanged, refused }: Counts): string {
  const parts = [
    [created, "would be created"],
    [updated, "would be changed"],
    [unchanged, "would stay as they are"],
    [refused, refused === 1 ? "is refused and left out" : "are refused and left out"],
  ] as const;
  const all = created + updated + unchanged + refused;
  const told = parts.filter(([count]) => count > 0);
  return `${rowsOf(all)}: ${told.map(([count, what]) => `${showCount(count)} ${what}`).join(", ")}.`;
}

/** Between two steps. A script goes on by itself; without one somebody presses the button. */
export function ProgressPage({
  file,
  counts,
  from,
  ...shown
}: Shown & { file: Import; counts: Counts; from: number }) {
  const { collection } = shown;
  const all = file.csv.rows.length;
  return (
    <ImportPage {...shown} file={file} title={`Importing ${words[collection.kind].items}`}>
      <form
        method="post"
        action={`${addressOf(collection)}/import`}
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
          {rowsOf(all)} are done.
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
}: Shown & { file: Import; counts: Counts; refused: readonly Refused[] }) {
  const { collection } = shown;
  const { items } = words[collection.kind];
  const base = addressOf(collection);
  return (
    <ImportPage {...shown} file={file} title="Imported">
      <p role="status" class="said">
        {rowsOf(file.csv.rows.length - counts.refused)} of {showCount(file.csv.rows.length)} are
        stored.
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
