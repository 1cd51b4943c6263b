import type { Child } from "hono/jsx";
import type { AuditEntry } from "../../store/audit/audit-log";

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
