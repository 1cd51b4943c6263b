import type { Child } from "hono/jsx";
import type { AuditAction, OutwardAction, OwnAction } from "../../domain/audit-action";
import type { AuditEntry } from "../../store/audit/audit-log";

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

function Who({ entry: { actor, actorName } }: { entry: AuditEntry }): Child {
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

function What({ entry }: { entry: AuditEntry }): Child {
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
  return <a href={`${addressOf(collection)}/items/${subject}`}>{short}</a>;
}

/** `form:KEY` as an address of this area. */
function addressOf(name: string): string {
  const [kind = "", key = ""] = name.split(":");
  return `/admin/${kind}s/${key}`;
}
