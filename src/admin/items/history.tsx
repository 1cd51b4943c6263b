import type { Field } from "#domain/definition/field.ts";
import type { HistoryEntry, FieldChange, ItemHistory } from "#domain/item/change.ts";
import { ChangeList } from "./change-list.tsx";
import { ActorName } from "./actor-name.tsx";
import type { ItemView } from "#domain/item/item.ts";
import { roleAllows } from "#domain/credential/permissions.ts";
import { Time } from "#html/viewer.tsx";
import { useText } from "#admin/language/index.tsx";
import type { PageContext } from "#admin/layout.tsx";

/** Returns the values before a change, to revert it. Omits computed and removed fields. */
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

/** Returns the keys of the changes whose former value differs from the current one. */
const revertibleKeys = (
  changes: readonly FieldChange[],
  fields: readonly Field[],
  { data }: ItemView,
): string[] =>
  Object.entries(previousData(changes, fields)).flatMap(([key, from]) =>
    JSON.stringify(from ?? null) === JSON.stringify(data[key] ?? null) ? [] : [key],
  );

const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/**
 * Whether an update restored the former values of an earlier change in all fields that it changed. Ignores computed
 * fields, which follow.
 */
function isReversal(
  { action, fields: changes }: HistoryEntry,
  earlier: readonly HistoryEntry[],
  fields: readonly Field[],
): boolean {
  const computedKeys = fields.filter(({ type }) => type === "computed").map(({ key }) => key);
  const changed = (changes ?? []).filter(({ key }) => !computedKeys.includes(key));
  if (!action.endsWith(".update") || changed.length === 0) return false;
  return earlier.some(
    (entry) =>
      entry.action.endsWith(".update") &&
      changed.every((change) =>
        entry.fields?.some(
          ({ key, from, to }) =>
            key === change.key && isSame(from, change.to) && isSame(to, change.from),
        ),
      ),
  );
}

interface HistoryListProps {
  frame: PageContext;
  /** The path to which the revert buttons post. */
  revertPath: string;
  view: ItemView;
  fields: readonly Field[];
  history: ItemHistory;
}

/** Lists the changes of an item, newest first. */
export function HistoryList({ frame, revertPath, view, fields, history }: HistoryListProps) {
  const text = useText().itemPage.history;
  const { entries, hasOlder } = history;
  if (entries.length === 0) return null;
  const canWrite = roleAllows(frame.member.role, "write") && view.status !== "closed";
  return (
    <section class="history" aria-labelledby="history">
      <h2 id="history">{text.title}</h2>
      <ol reversed>
        {entries.map((entry, index) => (
          <li>
            {(isReversal(entry, entries.slice(index + 1), fields)
              ? text.reverted
              : text.entries[entry.action])(
              <ActorName actor={entry.by} frame={frame} />,
              <Time at={entry.at} />,
            )}
            <EntryChanges {...{ entry, fields, revertPath, view, canWrite }} />
          </li>
        ))}
      </ol>
      {hasOlder ? <p class="muted">{text.older}</p> : null}
    </section>
  );
}

interface EntryChangesProps extends Pick<HistoryListProps, "revertPath" | "view" | "fields"> {
  entry: HistoryEntry;
  canWrite: boolean;
}

/** The changes of one entry, with buttons that revert one field or all of them. */
function EntryChanges({ entry, fields, revertPath, view, canWrite }: EntryChangesProps) {
  const text = useText().itemPage.history;
  const changes = entry.fields;
  if (changes === null) return <p class="muted">{text.notStored}</p>;
  if (changes.length === 0) return null;
  const revertible = canWrite ? revertibleKeys(changes, fields, view) : [];
  if (revertible.length === 0) return <ChangeList changes={changes} fields={fields} />;
  return (
    <form method="post" action={revertPath}>
      <input type="hidden" name="$version" value={String(view.version)} />
      <input type="hidden" name="change" value={String(entry.version)} />
      <ChangeList
        changes={changes}
        fields={fields}
        action={({ key, label }) =>
          revertible.includes(key) ? (
            <button
              type="submit"
              class="quiet little"
              name="field"
              value={key}
              aria-label={text.revertField(label)}
            >
              {text.revert}
            </button>
          ) : null
        }
      />
      {revertible.length > 1 ? (
        <p class="revert-all">
          <button type="submit" class="quiet little">
            {text.revertAll}
          </button>
        </p>
      ) : null}
    </form>
  );
}
