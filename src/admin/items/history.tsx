import type { Field } from "#domain/definition/field.ts";
import type { HistoryEntry, FieldChange, ItemHistory, ItemAction } from "#domain/item/change.ts";
import { textOf } from "#admin/form-input.ts";
import { statusWords, Value, By } from "./value.tsx";
import type { ItemView } from "#domain/item/item.ts";
import { may } from "#domain/credential/permissions.ts";
import { Act } from "#html/action-button.tsx";
import { Time } from "#html/viewer.tsx";
import type { Frame } from "#admin/layout.tsx";

export function Changes({ entry, fields }: { entry: HistoryEntry; fields: readonly Field[] }) {
  if (entry.fields === null) return <p class="muted">What it changed is not known any more.</p>;
  if (entry.fields.length === 0) return null;
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return (
    <dl>
      {entry.fields.map((change) => (
        <div>
          <dt>{change.label}</dt>
          <dd>
            <Side field={byKey.get(change.key)} value={change.from} />
            <span aria-label="became"> → </span>
            <Side field={byKey.get(change.key)} value={change.to} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What is no field is the status. */
function statusName(value: unknown): string {
  const text = textOf(value);
  return Object.entries(statusWords).find(([status]) => status === text)?.[1] ?? text;
}

function Side({ field, value }: { field: Field | undefined; value: unknown }) {
  return field ? <Value field={field} value={value} short /> : <>{statusName(value)}</>;
}

/** What a change can be changed back to: the former values of the fields that people write. */
export function formerData(
  changes: readonly FieldChange[],
  fields: readonly Field[],
): Record<string, unknown> {
  const written = new Set(fields.filter(({ type }) => type !== "computed").map(({ key }) => key));
  return Object.fromEntries(
    changes.filter(({ key }) => written.has(key)).map(({ key, from }) => [key, from]),
  );
}

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
