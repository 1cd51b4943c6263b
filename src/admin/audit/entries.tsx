import { type Catalogue, useText } from "#admin/language/index.tsx";
import { ShortId } from "#html/parts.tsx";
import type { Child } from "hono/jsx";
import type { AuditEntry } from "#store/home/audit-log.ts";
import { isDeletion } from "#domain/item/change.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { ChangeDescription } from "#actions/describe-changes.ts";
import { itemName } from "#admin/items/value.tsx";
import type { AccountAction, AuditAction } from "#domain/audit.ts";

const NameLink = ({ href, name }: { href: string; name: string }) => (
  <a href={href}>
    <bdi>{name}</bdi>
  </a>
);

export function Actor({ entry: { actor, actorName } }: { entry: AuditEntry }): Child {
  const { audit: text, terms } = useText();
  if (actor === "system") return <strong>{text.service}</strong>;
  if (actor === "nobody") return <strong>{text.visitor}</strong>;
  const credential = /^credential:(\w+)$/.exec(actor)?.[1];
  if (credential) {
    const path = `/admin/integrations/${credential}`;
    return actorName === null ? (
      <a href={path}>{text.credential}</a>
    ) : (
      terms.quote(<NameLink href={path} name={actorName} />)
    );
  }
  return <strong>{actorName ?? text.unnamed.member}</strong>;
}

interface SentenceProps {
  entry: AuditEntry;
  /** The stored values of a change of an item. Undefined if there are none. */
  description: ChangeDescription | undefined;
}

/** Returns the first text of the item, which identifies it for people. */
function titleOf(description: ChangeDescription | undefined): string | undefined {
  if (!description) return undefined;
  const { compiled, data } = description;
  return itemName(data, compiled.collection.definition.fields.fields);
}

function Subject({ entry, description }: SentenceProps): Child {
  const text = useText().audit;
  const { subject, subjectName, collection, action } = entry;
  const credential = /^credential:(\w+)$/.exec(subject)?.[1];
  if (credential) {
    const path = `/admin/integrations/${credential}`;
    return subjectName === null ? (
      <a href={path}>{text.credential}</a>
    ) : (
      text.subjects.credential(<NameLink href={path} name={subjectName} />)
    );
  }
  const search = /^search:(\w+)$/.exec(subject)?.[1];
  if (search) return <a href={`/admin/people/${search}`}>{text.personSearch(search.slice(-8))}</a>;
  const webhook = /^webhook:(\w+)$/.exec(subject)?.[1];
  if (webhook && subjectName)
    return text.subjects.webhook(
      <NameLink href={`/admin/webhooks/${webhook}`} name={subjectName} />,
    );
  const database = /^database:(\w+)$/.exec(subject)?.[1];
  if (database) return <a href="/admin/settings/databases">{text.database(database)}</a>;
  const kind = /^(form|app):/.exec(subject)?.[1] as CollectionKind | undefined;
  if (kind && subjectName !== null)
    return text.subjects[kind](<NameLink href={collectionPath(subject)} name={subjectName} />);
  if (kind) return <a href={collectionPath(subject)}>{unnamed(subject, text)}</a>;
  if (!/^(rec|sub)_/.test(subject)) return <bdi>{subjectName ?? unnamed(subject, text)}</bdi>;
  const hasPage = collection !== null && !isDeletion(action);
  return (
    <ItemSubject
      kind={subject.startsWith("rec_") ? "record" : "submission"}
      id={subject}
      title={subjectName ?? titleOf(description) ?? null}
      href={hasPage ? `${collectionPath(collection)}/items/${subject}` : null}
    />
  );
}

interface ItemSubjectProps {
  kind: "record" | "submission";
  id: string;
  title: string | null;
  /** Null if the item no longer has a page. */
  href: string | null;
}

/** Renders an item within a sentence of the audit log. */
export function ItemSubject({ kind, id, title, href }: ItemSubjectProps): Child {
  const text = useText().audit;
  const name = <bdi>{title ?? text.untitled[kind](id.slice(-8))}</bdi>;
  const link = href === null ? name : <a href={href}>{name}</a>;
  return title === null ? link : text.subjects[kind](link);
}

/** Returns the text for a subject without a stored name: the address of an invitation, or the kind of the subject. */
function unnamed(subject: string, { unnamed: names }: Catalogue["audit"]): string {
  const [kind = "", id] = subject.split(":");
  if (id === undefined) return subject;
  return (names as Record<string, string>)[kind] ?? names.other;
}

/** Returns the admin path of `form:KEY` or `app:KEY`. */
function collectionPath(name: string): string {
  const [kind = "", key = ""] = name.split(":");
  return `/admin/${kind}s/${key}`;
}

/** Returns a link to the app or form of an item. Null for other subjects. */
export const collectionLink = (
  { collection, collectionName }: AuditEntry,
  { quote }: Catalogue["terms"],
): Child =>
  collection === null
    ? null
    : quote(<NameLink href={collectionPath(collection)} name={collectionName ?? ""} />);

const isAccountAction = (
  action: AuditAction,
  { accountEvents }: Catalogue["audit"],
): action is AccountAction => action in accountEvents;

/** Renders a sentence like ““Shop sync” updated “ORD-000042” in “Orders””. */
export function AuditSentence({ entry, description }: SentenceProps) {
  const { audit: text, terms } = useText();
  const { action, subject, subjectName, version, detail } = entry;
  if (isAccountAction(action, text)) {
    return <>{text.accountEvents[action](<strong>{subjectName ?? subject}</strong>, detail)}</>;
  }
  const isItem = /^(rec|sub)_/.test(subject);
  const actor = <Actor entry={entry} />;
  const subjectElement = <Subject entry={entry} description={description} />;
  return (
    <>
      {detail?.views
        ? text.viewChanges(actor, detail.views, subjectElement)
        : text.event(actor, action, subjectElement, isItem ? collectionLink(entry, terms) : null)}
      {version !== null && action === "definition.change" ? (
        <>
          {" · "}
          <a href={`${collectionPath(subject)}/changes/${version}`}>{text.compareVersions}</a>
        </>
      ) : null}
    </>
  );
}

/** Shows the session of the member and the ID of the request, with which people find the entry in logs. */
export function EntryDetails({ entry: { session, requestId } }: { entry: AuditEntry }) {
  const text = useText().audit.details;
  return (
    <details>
      <summary>{text.show}</summary>
      {session === null ? null : (
        <p>
          {text.session} <code>{session}</code> <small class="muted">{text.sessionHint}</small>
        </p>
      )}
      <p>
        {text.request} <ShortId of={requestId} shown={requestId} />{" "}
        <small class="muted">{text.requestHint}</small>
      </p>
    </details>
  );
}
