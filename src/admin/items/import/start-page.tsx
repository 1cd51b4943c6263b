import { collectionTerms } from "#admin/definitions/layout.tsx";
import { textOf, type FormValues } from "#admin/form-input.ts";
import { Input, TextArea } from "#html/inputs.tsx";
import { formatCount } from "#html/viewer.tsx";
import { importLimits } from "./file.ts";
import { collectionItemsPath, ImportPage, type ImportPageProps } from "./steps.tsx";

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
          hint={`CSV in UTF-8 with a header row, separated by commas, semicolons or tabs. Up to 1 MB, ${formatCount(importLimits.rows)} rows and ${importLimits.columns} columns.`}
        />
        <TextArea
          name="csv"
          label="Or paste the rows"
          hint="Copy them from the file or a spreadsheet, with the header row."
          rows={8}
          spellcheck={false}
          value={textOf(form["csv"])}
          wide
        />
        <p class="actions">
          <button type="submit">Review import</button>
          <a class="button quiet" href={base}>
            Cancel
          </a>
        </p>
      </form>
      <p class="muted">You can review every change before anything is imported.</p>
      <details>
        <summary>What can be imported</summary>
        <ul>
          <li>
            Downloads as “CSV, lossless” import unchanged. So do downloads “For spreadsheets”,
            except for line items.
          </li>
          <li>Line items are JSON in one cell. Options can be values or labels.</li>
          <li>
            Calculated fields, receipt numbers, versions, and columns about who created or changed
            an item are not imported.
          </li>
          <li>New submissions can be drafts or submitted, but not closed.</li>
        </ul>
      </details>
    </ImportPage>
  );
}
