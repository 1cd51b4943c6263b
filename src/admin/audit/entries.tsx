import { Options } from "#html/inputs.tsx";
import type { Child } from "hono/jsx";
import type { AuditEntry } from "#store/home/audit-log.ts";
import type { AuditAction, OutwardAction, OwnAction } from "#domain/audit.ts";

const acts = [
  ["", "Anything"],
  ["record", "Anything with records"],
  ["record.create", "Created a record"],
  ["record.update", "Changed a record"],
  ["submission", "Anything with submissions"],
  ["submission.create", "Created a submission"],
  ["submission.update", "Changed a submission"],
  ["submission.delete", "Deleted a submission"],
  ["submission.close", "Closed a submission"],
  ["submission.reopen", "Reopened a submission"],
  ["definition", "Forms and apps"],
  ["credential", "Credentials"],
  ["member", "Members"],
  ["webhook", "Webhooks"],
].map(([value = "", label = ""]) => ({ value, label }));

export function Filters({ query, filtered }: { query: Record<string, string>; filtered: boolean }) {
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
          <Options options={acts} value={query["action"] ?? ""} />
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
      {filtered ? (
        <a class="button quiet" href="/admin/audit">
          Show all
        </a>
      ) : null}
    </form>
  );
}

export function Who({ entry: { actor, actorName } }: { entry: AuditEntry }): Child {
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

export function What({ entry }: { entry: AuditEntry }): Child {
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
  const named = /^(form|app):/.test(subject) ? addressOf(subject) : null;
  if (named !== null)
    return (
      <a href={named}>
        <bdi>{subjectName ?? subject}</bdi>
      </a>
    );
  if (!/^(rec|sub)_/.test(subject)) return <>{subjectName ?? subject}</>;
  const short = subjectName ?? `…${subject.slice(-8)}`;
  if (collection === null || action === "submission.delete") return <code>{short}</code>;
  return (
    <a class="nowrap" href={`${addressOf(collection)}/items/${subject}`}>
      {short}
    </a>
  );
}

/** `form:KEY` as an address of this area. */
export function addressOf(name: string): string {
  const [kind = "", key = ""] = name.split(":");
  return `/admin/${kind}s/${key}`;
}

/** What was done, between who did it and what it was done to. */
const verbs: Record<OutwardAction, string> = {
  "credential.issue": "issued the credential",
  "credential.edit": "changed the access of",
  "credential.rotate": "made a new secret for",
  "credential.revoke": "revoked",
  "definition.create": "made",
  "definition.change": "changed the definition of",
  "index.check": "checked the search index of",
  "member.invite": "invited",
  "member.withdraw": "withdrew the invitation of",
  "member.change": "changed the role of",
  "member.remove": "removed",
  "webhook.create": "made the webhook",
  "webhook.change": "changed the webhook",
  "webhook.rotate": "made a new secret for the webhook",
  "webhook.delete": "deleted the webhook",
  "webhook.fail": "gave up trying to tell the webhook",
  "webhook.disable": "disabled the webhook",
  "record.create": "created",
  "record.update": "changed",
  "record.recalculate": "recalculated",
  "submission.create": "created",
  "submission.update": "changed",
  "submission.delete": "deleted",
  "submission.close": "closed",
  "submission.reopen": "reopened",
  "submission.recalculate": "recalculated",
};

/** Acts of somebody upon themselves: one name is enough. */
const own: Record<OwnAction, string> = {
  "member.password": "changed their password",
  "member.sign_out_everywhere": "signed out everywhere else",
  "member.join": "joined",
  "member.setup": "set up this service",
};

const isOwn = (action: AuditAction): action is OwnAction => action in own;

/** As in “Shop sync changed ORD-000042 in Orders”. */
export function Sentence({ entry }: { entry: AuditEntry }) {
  const { action, subject, subjectName, collection, collectionName, version } = entry;
  if (isOwn(action)) {
    return (
      <>
        <strong>{subjectName ?? subject}</strong> {own[action]}
      </>
    );
  }
  const isItem = /^(rec|sub)_/.test(subject);
  return (
    <>
      <Who entry={entry} /> {verbs[action]} <What entry={entry} />
      {isItem && collection !== null ? (
        <>
          {" "}
          in{" "}
          <a href={addressOf(collection)}>
            <bdi>{collectionName}</bdi>
          </a>
        </>
      ) : null}
      {version !== null && action.endsWith(".update") ? (
        <span class="muted">{`, version ${version}`}</span>
      ) : null}
    </>
  );
}
