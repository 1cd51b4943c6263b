import { Input } from "../../../../html/form/input";
import { TextArea } from "../../../../html/form/text-area";
import { showCount } from "../../../../html/show-count";
import { words } from "../../../definitions/words";
import { textOf, type Sent } from "../../../frame/sent";
import { bounds } from "../sent-text";
import { itemsAddress, ImportPage, type ImportShown } from "./frame";

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
