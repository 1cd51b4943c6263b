import type { Field } from "../../../domain/definition/field";
import type { HistoryEntry, ItemHistory } from "../../../domain/item/history";
import type { ItemAction } from "../../../domain/item/change";
import type { ItemView } from "../../../domain/item/item-view";
import { may } from "../../../domain/credential/roles";
import { Act } from "../../../html/act";
import { Time } from "../../../html/time";
import type { Frame } from "../../frame/frame";
import { By } from "./by";
import { Changes } from "./field-changes";
import { formerData } from "./former-data";

const verbs: Record<ItemAction, string> = {
  "record.create": "Created",
  "record.update": "Changed",
  "record.recalculate": "Recalculated",
  "submission.create": "Created",
  "submission.update": "Changed",
  "submission.close": "Closed",
  "submission.reopen": "Reopened",
  "submission.recalculate": "Recalculated",
  "submission.delete": "Deleted",
};

interface Shown {
  frame: Frame;
  /** The address of the item. */
  at: string;
  view: ItemView;
  fields: readonly Field[];
  history: ItemHistory;
}

/** Who changed which field from what to what, newest first. */
export function HistoryList({ frame, at, view, fields, history }: Shown) {
  const { entries, older } = history;
  if (entries.length === 0) return null;
  const writes = may(frame.member.role, "write") && view.status !== "closed";
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol reversed>
        {entries.map((entry) => (
          <li>
            {verbs[entry.action]} by <By actor={entry.by} frame={frame} />, <Time at={entry.at} />
            <Changes entry={entry} fields={fields} />
            {writes && canRevert(entry, fields) ? (
              <Act
                action={`${at}/revert`}
                name="Change back"
                quiet
                values={{ $version: String(view.version), change: String(entry.version) }}
              />
            ) : null}
          </li>
        ))}
      </ol>
      {older ? <p class="muted">Older changes are not shown.</p> : null}
    </section>
  );
}

function canRevert({ fields: changes }: HistoryEntry, fields: readonly Field[]): boolean {
  return changes !== null && Object.keys(formerData(changes, fields)).length > 0;
}
