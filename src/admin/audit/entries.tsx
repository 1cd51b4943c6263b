import { SelectOptions } from "#html/inputs.tsx";
import type { Child } from "hono/jsx";
import type { AuditEntry } from "#store/home/audit-log.ts";
import { isDeletion } from "#domain/item/change.ts";
import type { ChangeDescription } from "#actions/describe-changes.ts";
import { itemName } from "#admin/items/value.tsx";
import type { AuditAction, ResourceAction, AccountAction } from "#domain/audit.ts";

const actionOptions = [
  ["", "Anything"],
  ["record", "Anything with records"],
  ["record.create", "Created a record"],
  ["record.update", "Changed a record"],
  ["record.erase", "Erased a record"],
  ["submission", "Anything with submissions"],
  ["submission.create", "Created a submission"],
  ["submission.update", "Changed a submission"],
  ["submission.delete", "Deleted a submission"],
  ["submission.erase", "Erased a submission"],
  ["submission.close", "Closed a submission"],
  ["submission.reopen", "Reopened a submission"],
  ["definition", "Forms and apps"],
  ["credential", "Credentials"],
  ["member", "Members"],
  ["webhook", "Webhooks"],
  ["database", "Databases"],
].map(([value = "", label = ""]) => ({ value, label }));

export function AuditFilters({
  query,
  filtered: isFiltered,
}: {
  query: Record<string, string>;
  filtered: boolean;
}) {
  return (
    <form method="get" action="/admin/audit" role="search" class="bar">
      <label class="grow">
        Who
        <input
          type="search"
          name="actor"
          value={query["actor"]}
          placeholder="E-mail, or a credential’s name"
        />
      </label>
      <label>
        Did
        <select name="action">
          <SelectOptions options={actionOptions} value={query["action"] ?? ""} />
        </select>
      </label>
      <label class="grow">
        To
        <input
          type="search"
          name="subject"
          value={query["subject"]}
          placeholder="Receipt number, id or e-mail"
        />
      </label>
      {query["collection"] ? (
        <label>
          In
          <input name="collection" value={query["collection"]} />
        </label>
      ) : null}
      <label>
        From
        <input type="date" name="from" value={query["from"]} />
      </label>
      <label>
        Until
        <input type="date" name="until" value={query["until"]} />
      </label>
      <button type="submit" class="quiet">
        Show
      </button>
      {isFiltered ? (
        <a class="button quiet" href="/admin/audit">
          Show all
        </a>
      ) : null}
    </form>
  );
}

export function Actor({ entry: { actor, actorName } }: { entry: AuditEntry }): Child {
  if (actor === "system") return <strong>The service</strong>;
  if (actor === "nobody") return <strong>Somebody new</strong>;
  const credential = /^credential:(\w+)$/.exec(actor)?.[1];
  if (credential)
    return (
      <a href={`/admin/integrations/${credential}`}>
        <bdi>{actorName ?? "a credential"}</bdi>
      </a>
    );
  return <strong>{actorName ?? actor}</strong>;
}

interface SentenceProps {
  entry: AuditEntry;
  /** The values of a change of an item, as far as they are stored. */
  description: ChangeDescription | undefined;
}

/** The first text of the item, which names it. */
function titleOf(description: ChangeDescription | undefined): string | undefined {
  if (!description) return undefined;
  const { compiled, data } = description;
  return itemName(data, compiled.collection.definition.fields.fields);
}

function Subject({ entry, description }: SentenceProps): Child {
  const { subject, subjectName, collection, action } = entry;
  const credential = /^credential:(\w+)$/.exec(subject)?.[1];
  if (credential)
    return (
      <a href={`/admin/integrations/${credential}`}>
        <bdi>{subjectName ?? "a credential"}</bdi>
      </a>
    );
  const webhook = /^webhook:(\w+)$/.exec(subject)?.[1];
  if (webhook && subjectName)
    return (
      <a href={`/admin/webhooks/${webhook}`}>
        <bdi>{subjectName}</bdi>
      </a>
    );
  const database = /^database:(\w+)$/.exec(subject)?.[1];
  if (database) return <>the database {database}</>;
  const href = /^(form|app):/.test(subject) ? collectionPath(subject) : null;
  if (href !== null)
    return (
      <a href={href}>
        <bdi>{subjectName ?? subject}</bdi>
      </a>
    );
  if (!/^(rec|sub)_/.test(subject)) return <>{subjectName ?? subject}</>;
  const text = subjectName ?? titleOf(description) ?? `…${subject.slice(-8)}`;
  if (collection === null || isDeletion(action)) return <code>{text}</code>;
  return (
    <a class="nowrap" href={`${collectionPath(collection)}/items/${subject}`}>
      {text}
    </a>
  );
}

/** The admin path of `form:KEY` or `app:KEY`. */
function collectionPath(name: string): string {
  const [kind = "", key = ""] = name.split(":");
  return `/admin/${kind}s/${key}`;
}

/** The verb of each action, between its actor and its subject. */
export const actionVerbs: Record<ResourceAction, string> = {
  "credential.issue": "issued the credential",
  "credential.edit": "changed the access of",
  "credential.rotate": "rotated the secret of",
  "credential.revoke": "revoked",
  "definition.create": "created",
  "definition.change": "changed the definition of",
  "definition.delete": "deleted",
  "definition.restore": "restored",
  "definition.erase": "erased",
  "index.check": "checked the search index of",
  "database.restore": "restored",
  "member.invite": "invited",
  "member.withdraw": "withdrew the invitation of",
  "member.change": "changed the role of",
  "member.remove": "removed",
  "member.reset_link": "created a password reset link for",
  "webhook.create": "created the webhook",
  "webhook.change": "changed the webhook",
  "webhook.rotate": "rotated the secret of the webhook",
  "webhook.delete": "deleted the webhook",
  "webhook.fail": "stopped retrying the webhook",
  "webhook.disable": "disabled the webhook",
  "record.create": "created",
  "record.update": "changed",
  "record.recalculate": "recalculated",
  "record.erase": "erased",
  "submission.create": "created",
  "submission.update": "changed",
  "submission.delete": "deleted",
  "submission.erase": "erased",
  "submission.close": "closed",
  "submission.reopen": "reopened",
  "submission.recalculate": "recalculated",
};

/** Actions whose actor is also their subject, so the sentence has only one name. */
const selfActionVerbs: Record<AccountAction, string> = {
  "member.password": "changed their password",
  "member.reset": "reset their password",
  "member.name": "changed their name",
  "member.sign_out_session": "signed out one of their sessions",
  "member.sign_out_everywhere": "signed out everywhere else",
  "member.join": "joined",
  "member.setup": "set up this service",
};

const isSelfAction = (action: AuditAction): action is AccountAction => action in selfActionVerbs;

/** The end of a sentence: the app or form of an item, with a link to it. */
export function InCollection({ entry: { collection, collectionName } }: { entry: AuditEntry }) {
  if (collection === null) return null;
  return (
    <>
      {" "}
      in{" "}
      <a href={collectionPath(collection)}>
        <bdi>{collectionName}</bdi>
      </a>
    </>
  );
}

/** A sentence like “Shop sync changed ORD-000042 in Orders”. */
export function AuditSentence({ entry, description }: SentenceProps) {
  const { action, subject, subjectName, version } = entry;
  if (isSelfAction(action)) {
    return (
      <>
        <strong>{subjectName ?? subject}</strong> {selfActionVerbs[action]}
      </>
    );
  }
  const isItem = /^(rec|sub)_/.test(subject);
  return (
    <>
      <Actor entry={entry} /> {actionVerbs[action]}{" "}
      <Subject entry={entry} description={description} />
      {isItem ? <InCollection entry={entry} /> : null}
      {version !== null && action === "definition.change" ? (
        <>
          {" · "}
          <a href={`${collectionPath(subject)}/changes/${version}`}>Compare versions</a>
        </>
      ) : null}
    </>
  );
}
