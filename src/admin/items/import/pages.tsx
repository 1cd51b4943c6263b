import type { RowOutcome } from "../../../actions/batch/import-rows";
import { Input } from "../../../html/form/input";
import { TextArea } from "../../../html/form/text-area";
import { showCount } from "../../../html/show-count";
import { words } from "../../definitions/words";
import { textOf, type Sent } from "../../frame/sent";
import { ColumnChoices, Finder } from "./columns";
import { bounds, type Import } from "./file";
import { addressOf, Carried, ImportPage, rowsOf, type Shown } from "./frame";
import { countsOf, type Counts, type Refused } from "./outcomes";
import { Preview } from "./preview";

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
