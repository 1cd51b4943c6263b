import { stamp } from "../time";
import {
  closedReason,
  type Acceptance,
  type Collection,
  type Definition,
  type PendingState,
} from "./collection";
import type { Field } from "./field";

export interface Progress {
  done: number;
  total: number;
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
    ...(indexing ? { indexing: { done: indexing.done, total: indexing.total } } : {}),
    ...(pending ? { pending: pendingDocument(version, pending) } : {}),
    fields: fields.fields.map(fieldDocument),
  };
}

function pendingDocument(version: number, { done, total, problem }: PendingState) {
  const progress = { schema_version: version + 1, done, total };
  return problem === null ? progress : { ...progress, problem };
}

/** What a definition says, whatever numbers its fields have: two that say the same are the same change. */
export function saying(kind: Collection["kind"], { fields, ...rest }: Definition): string {
  return JSON.stringify([kind, rest, fields.fields.map(fieldDocument)]);
}

function acceptanceDocument(acceptance: Acceptance, live: number, now: number) {
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  return {
    state,
    accepting: closedReason(acceptance, live, now) === null,
    opens_at: opens_at === null ? null : stamp(opens_at),
    closes_at: closes_at === null ? null : stamp(closes_at),
    max_submissions,
  };
}

function fieldDocument(field: Field): Record<string, unknown> {
  const { id: _, key, label, type, previous_keys, ...rules } = field;
  const { retired: __, uniqueId: ___, ...shown } = { retired: [], uniqueId: 0, ...rules };
  return {
    key,
    label,
    type,
    ...shown,
    ...(field.type === "computed" ? { required: undefined } : {}),
    ...(field.type === "line_items" ? { fields: field.fields.map(fieldDocument) } : {}),
    ...(previous_keys.length > 0 ? { previous_keys } : {}),
  };
}
