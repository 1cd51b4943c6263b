import { Facts } from "../../../html/parts/facts";
import { showCount } from "../../../html/show-count";
import { words } from "../../definitions/words";
import type { Import } from "./file";
import { addressOf, Carried, Chosen, ImportPage, rowsOf, type Shown } from "./frame";
import type { Counts, Refused } from "./outcomes";
import { RefusedTable } from "./preview";

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
