import type { RowOutcome } from "../../../../actions/batch/import-rows";
import { showCount } from "../../../../html/show-count";
import { words } from "../../../definitions/words";
import { ColumnChoices } from "./columns";
import { Finder } from "./finder";
import type { Import } from "../file";
import { itemsAddress, Carried, ImportPage, rowsInWords, type ImportShown } from "./frame";
import { countsOf, type Counts } from "../counts";
import type { Refused } from "../outcomes";
import { Preview } from "./preview";

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
