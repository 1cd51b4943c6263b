import { formatTimestamp } from "#domain/time.ts";
import {
  closedReason,
  type Acceptance,
  defaultHistoryDays,
  type Collection,
  type Definition,
  type RetentionRule,
  type PendingState,
  type Progress,
} from "#domain/definition/collection.ts";
import { titleField } from "#domain/definition/field.ts";
import { fieldDocument } from "#domain/definition/document.ts";

/** The members of an app or form in lists. */
export interface CollectionInfo {
  key: string;
  name: string;
  description: string;
  timeZone: string;
  version: number;
}

/** An app or form in a list, without `links`. */
export function summaryDocument({ key, name, description, timeZone, version }: CollectionInfo) {
  return { key, name, description, time_zone: timeZone, schema_version: version };
}

/** The schema document, without `links`. `itemCount` is the number of stored items. */
export function schemaDocument(
  collection: Collection,
  itemCount: number,
  indexing: Progress | null,
  pending: PendingState | null,
  now: number,
  serviceUrl: string,
) {
  const { kind, key, version, definition } = collection;
  const { name, description, time_zone, receipt_prefix, acceptance, fields } = definition;
  return {
    key,
    name,
    description,
    time_zone,
    ...(kind === "app" ? { receipt_prefix, title_field: titleField(fields)?.key ?? null } : {}),
    schema_version: version,
    ...(kind === "form" ? { acceptance: acceptanceDocument(acceptance, itemCount, now) } : {}),
    history_days: definition.history_days ?? defaultHistoryDays,
    ...(kind === "form" ? { retain: retainDocument(definition.retain) } : {}),
    ...(indexing ? { indexing: { done: indexing.done, total: indexing.total } } : {}),
    ...(pending ? { pending: pendingDocument(pending, serviceUrl) } : {}),
    ...(definition.location === undefined ? {} : { location: definition.location }),
    ...viewsMember(definition),
    fields: fields.fields.map(fieldDocument),
  };
}

/** Returns the member `views` of a definition. Empty if the caller may not know the views, which are then null. */
export const viewsMember = ({ views = [] }: Pick<Definition, "views">) =>
  views === null ? {} : { views };

export function retainDocument(retain: Definition["retain"]): RetentionRule | null {
  return retain ? { days: retain.days, only: retain.only } : null;
}

function pendingDocument({ version, done, total, problem }: PendingState, serviceUrl: string) {
  const progress = { schema_version: version, done, total };
  if (problem === null) return progress;
  // The stored problem belongs to no request, so its type is relative.
  return {
    ...progress,
    problem: { ...problem, type: new URL(String(problem["type"]), serviceUrl).href },
  };
}

export function acceptanceDocument(acceptance: Acceptance, submissionCount: number, now: number) {
  const { state, opens_at, closes_at, max_submissions } = acceptance;
  return {
    state,
    accepting: closedReason(acceptance, submissionCount, now) === null,
    opens_at: opens_at === null ? null : formatTimestamp(opens_at),
    closes_at: closes_at === null ? null : formatTimestamp(closes_at),
    max_submissions,
  };
}

/** The effects of a change. */
export function consequencesDocument(consequences: {
  outcome: "created" | "changed" | "unchanged" | "pending";
  hiddenFields: readonly string[];
  recalculatedCount: number;
  reindexedCount: number;
  checkedCount: number;
  viewEffects: {
    views: readonly string[];
    users: readonly { id: string }[];
    webhooks: readonly { id: string }[];
  };
}) {
  const { outcome, hiddenFields, recalculatedCount, reindexedCount, checkedCount, viewEffects } =
    consequences;
  return {
    outcome,
    hidden_fields: hiddenFields,
    recalculated_items: recalculatedCount,
    reindexed_items: reindexedCount,
    checked_items: checkedCount,
    views: viewEffects.views,
    credentials: viewEffects.users.map(({ id }) => id),
    webhooks: viewEffects.webhooks.map(({ id }) => id),
  };
}
