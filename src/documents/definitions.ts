import { stamp } from "#domain/time.ts";
import { closedReason, type Acceptance, defaultHistoryDays, type Collection, type PendingState, type Progress } from "#domain/definition/collection.ts";
import { fieldDocument } from "#domain/definition/document.ts";

/** An app or form in few words. */
export interface Summary {
  key: string;
  name: string;
  description: string;
  timeZone: string;
  version: number;
}

/** An app or form as lists show it, without `links`. */
export function summaryDocument({ key, name, description, timeZone, version }: Summary) {
  return { key, name, description, time_zone: timeZone, schema_version: version };
}

/** The schema document (contract, section 7), without `links`. `live` counts the stored submissions. */
export function schemaDocument(
  collection: Collection,
  live: number,
  indexing: Progress | null,
  pending: PendingState | null,
  now: number,
) {
  const { kind, key, version, definition } = collection;
  const { name, description, time_zone, receipt_prefix, acceptance, fields } = definition;
  return {
    key,
    name,
    description,
    time_zone,
    ...(kind === "app" ? { receipt_prefix } : {}),
    schema_version: version,
    ...(kind === "form" ? { acceptance: acceptanceDocument(acceptance, live, now) } : {}),
    history_days: definition.history_days ?? defaultHistoryDays,
    ...(indexing ? { indexing: { done: indexing.done, total: indexing.total } } : {}),
    ...(pending ? { pending: pendingDocument(version, pending) } : {}),
    fields: fields.fields.map(fieldDocument),
  };
}

function pendingDocument(version: number, { done, total, problem }: PendingState) {
  const progress = { schema_version: version + 1, done, total };
  return problem === null ? progress : { ...progress, problem };
}

export function acceptanceDocument(acceptance: Acceptance, live: number, now: number) {
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  return {
    state,
    accepting: closedReason(acceptance, live, now) === null,
    opens_at: opens_at === null ? null : stamp(opens_at),
    closes_at: closes_at === null ? null : stamp(closes_at),
    max_submissions,
  };
}
