import type { Child } from "hono/jsx";
import type { AuditEntry } from "../../store/audit/audit-log";

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
