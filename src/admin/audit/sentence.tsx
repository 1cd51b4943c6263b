import type { AuditAction, OutwardAction, OwnAction } from "../../domain/audit-action";
import type { AuditEntry } from "../../store/audit/audit-log";
import { Who } from "./who";
import { What, addressOf } from "./what";

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
