import { showCount } from "../../../../html/show-count";
import { words } from "../../../definitions/words";
import type { Import } from "../file";
import { itemsAddress, Carried, Chosen, ImportPage, rowsInWords, type ImportShown } from "./frame";
import type { Counts } from "../counts";

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
