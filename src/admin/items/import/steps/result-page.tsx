import { Facts } from "../../../../html/parts/facts";
import { showCount } from "../../../../html/show-count";
import { words } from "../../../definitions/words";
import type { Import } from "../file";
import { itemsAddress, Carried, Chosen, ImportPage, rowsInWords, type ImportShown } from "./frame";
import type { Counts } from "../counts";
import type { Refused } from "../outcomes";
import { RefusedTable } from "./refused-table";

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
