import type { AuditGroup } from "#actions/audit.ts";
import type { ChangeDescription } from "#actions/describe-changes.ts";
import { ChangeList } from "#admin/items/change-list.tsx";
import { useText } from "#admin/language/index.tsx";
import type { AuditedItemAction } from "#domain/item/change.ts";
import { Actor, collectionLink } from "./entries.tsx";

/** Renders a sentence like “Anna created 120 and updated 3 submissions in “Orders””, with a link to each of them. */
export function GroupSentence({ group }: { group: AuditGroup }) {
  const { entry, count, actions } = group;
  const { audit: text, terms } = useText();
  const counts = Object.entries(actions) as [AuditedItemAction, number][];
  const { items } = terms.collections[entry.action.startsWith("record.") ? "app" : "form"];
  return (
    <>
      {text.group(<Actor entry={entry} />, counts, items, collectionLink(entry, terms))}
      {" · "}
      <a href={groupPath(group)}>{text.showGroup(count)}</a>
    </>
  );
}

/** Returns the path of the audit log with each entry of a group. */
function groupPath({ entry, actions, oldest }: AuditGroup): string {
  const [action = "", ...others] = Object.keys(actions);
  const params = new URLSearchParams({
    each: "true",
    actor: entry.actor,
    ...(entry.collection === null ? {} : { collection: entry.collection }),
    ...(others.length === 0 ? { action } : {}),
    before: `${entry.at}.${entry.number + 1}`,
    since: `${oldest.at}.${oldest.number}`,
  });
  return `/admin/audit?${params.toString()}`;
}

const maxListedFields = 20;

/** The changed fields of an item with their values before and after. */
export function ChangedFields({ description }: { description: ChangeDescription | undefined }) {
  if (!description?.fields || description.fields.length === 0) return null;
  const { fields } = description.compiled.collection.definition.fields;
  return <ChangeList changes={description.fields.slice(0, maxListedFields)} fields={fields} />;
}
