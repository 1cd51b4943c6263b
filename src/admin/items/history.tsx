import type { Field } from "#domain/definition/field.ts";
import type { HistoryEntry, FieldChange, ItemHistory, ItemAction } from "#domain/item/change.ts";
import { textOf } from "#admin/form-input.ts";
import { statusNames, Value, ActorName } from "./value.tsx";
import type { ItemView } from "#domain/item/item.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { Action } from "#html/action-button.tsx";
import { Time } from "#html/viewer.tsx";
import type { PageContext } from "#admin/layout.tsx";

function ChangedFields({ entry, fields }: { entry: HistoryEntry; fields: readonly Field[] }) {
  if (entry.fields === null) return <p class="muted">What it changed is not known any more.</p>;
  if (entry.fields.length === 0) return null;
  const byKey = new Map(fields.map((field) => [field.key, field]));
  return (
    <dl>
      {entry.fields.map((change) => (
        <div>
          <dt>{change.label}</dt>
          <dd>
            <ChangedValue field={byKey.get(change.key)} value={change.from} />
            <span aria-label="became"> → </span>
            <ChangedValue field={byKey.get(change.key)} value={change.to} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Formats a value that belongs to no current field, such as a status. */
function statusName(value: unknown): string {
  const text = textOf(value);
  return Object.entries(statusNames).find(([status]) => status === text)?.[1] ?? text;
}

function ChangedValue({ field, value }: { field: Field | undefined; value: unknown }) {
  return field ? <Value field={field} value={value} short /> : <>{statusName(value)}</>;
}

/** The values before a change, to revert it. Leaves out computed and removed fields. */
export function previousData(
  changes: readonly FieldChange[],
  fields: readonly Field[],
): Record<string, unknown> {
  const editableKeys = new Set(
    fields.filter(({ type }) => type !== "computed").map(({ key }) => key),
  );
  return Object.fromEntries(
    changes.filter(({ key }) => editableKeys.has(key)).map(({ key, from }) => [key, from]),
  );
}

const actionLabels: Record<ItemAction, string> = {
  "record.create": "Created",
  "record.update": "Changed",
  "record.recalculate": "Recalculated",
  "record.erase": "Erased",
  "submission.create": "Created",
  "submission.update": "Changed",
  "submission.close": "Closed",
  "submission.reopen": "Reopened",
  "submission.recalculate": "Recalculated",
  "submission.delete": "Deleted",
  "submission.erase": "Erased",
};

interface HistoryListProps {
  frame: PageContext;
  itemPath: string;
  view: ItemView;
  fields: readonly Field[];
  history: ItemHistory;
}

/** Lists the changes of an item, newest first. */
export function HistoryList({ frame, itemPath, view, fields, history }: HistoryListProps) {
  const { entries, hasOlder } = history;
  if (entries.length === 0) return null;
  const canWrite = roleAllows(frame.member.role, "write") && view.status !== "closed";
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">History</h2>
      <ol reversed>
        {entries.map((entry) => (
          <li>
            {actionLabels[entry.action]} by <ActorName actor={entry.by} frame={frame} />,{" "}
            <Time at={entry.at} />
            <ChangedFields entry={entry} fields={fields} />
            {canWrite && canRevert(entry, fields) ? (
              <Action
                action={`${itemPath}/revert`}
                name="Change back"
                quiet
                values={{ $version: String(view.version), change: String(entry.version) }}
              />
            ) : null}
          </li>
        ))}
      </ol>
      {hasOlder ? <p class="muted">Older changes are not shown.</p> : null}
    </section>
  );
}

function canRevert({ fields: changes }: HistoryEntry, fields: readonly Field[]): boolean {
  return changes !== null && Object.keys(previousData(changes, fields)).length > 0;
}
