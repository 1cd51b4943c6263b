import { stamp } from "../../domain/time";
import type { AuditEntry } from "../../store/audit/audit-log";

export function entryDocument({ at, requestId, sentRequestId, ...entry }: AuditEntry) {
  const { actor, actorName, session, action, subject, subjectName, collection, version } = entry;
  return {
    at: stamp(at),
    actor,
    actor_name: actorName,
    session,
    action,
    subject,
    subject_name: subjectName,
    collection,
    version,
    request_id: requestId,
    sent_request_id: sentRequestId,
  };
}
