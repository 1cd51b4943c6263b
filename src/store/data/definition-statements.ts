import { lazySql } from "#store/db/lazy.ts";
import type { CollectionDatabase, PreparedStatement } from "#store/db/database.ts";
import { sql, eq } from "drizzle-orm";
import { fieldNumber } from "#domain/data/values.ts";
import { nextVersion } from "#domain/timeline.ts";
import { nextViewVersions } from "#domain/search/view.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { guardCode, collectionGuard, dataGuard } from "#store/db/guard.ts";
import {
  formerUnique,
  uniqueValue,
  auditEntry,
  collection,
  indexing,
  owner,
  pendingChange,
  tally,
} from "#store/db/schema.ts";
import {
  collectionStatement,
  dataStatement,
  jointStatement,
  lowestVersionSql,
  placeholders,
  pick,
} from "#store/db/statement.ts";
import type { PendingChange, PendingDefinition } from "./collections.ts";
import { keepFormerDefinition } from "./former-definitions.ts";
import { isAnyFilledSql, buildSlotValues, type SlotValues } from "./definition-checks.ts";
import {
  defaultHistoryDays,
  type Collection,
  type Definition,
} from "#domain/definition/collection.ts";
import { auditTimeSql, insertAuditEntry, type AuditRecord } from "#store/home/audit.ts";
import { nextIdSql } from "#store/home/placements.ts";

// Statements that check or move stored values when fields change. Each statement accepts any number of fields.

const guardFieldsEmptyStatement = dataGuard<SlotValues>(
  (v) => sql`select ${guardCode("values_exist")} as code where ${isAnyFilledSql(v)}`,
);

/** Aborts the batch if an item has a value in one of the fields. */
export function guardFieldsEmpty(
  db: CollectionDatabase,
  fields: PendingChange["emptied"],
): PreparedStatement<"data">[] {
  return fields.length === 0
    ? []
    : [guardFieldsEmptyStatement(db, buildSlotValues(db.collectionId, fields))];
}

const insertFormerUnique = dataStatement<{ fields: string }>((db, v) =>
  db
    .insert(formerUnique)
    .select(sql`select value from json_each(${v.fields}) where true`)
    .onConflictDoNothing(),
);

/** Ends the uniqueness of these fields. A sweep deletes their values in steps. */
export function endUniqueness(
  db: CollectionDatabase,
  uniqueIds: readonly number[],
): PreparedStatement<"data">[] {
  if (uniqueIds.length === 0) return [];
  const fields = uniqueIds.map((uniqueId) => fieldNumber(db.collectionId, uniqueId));
  return [insertFormerUnique(db, { fields: JSON.stringify(fields) })];
}

/** `uniqueNumber` identifies the field in `unique_value`. `dataKey` identifies its value in an item's data. */
type UniqueField = [uniqueNumber: number, dataKey: string, isDate: 0 | 1];

/** Dates on the same calendar day count as equal. Drafts have no unique values. */
const insertUniqueValues = dataStatement<{ above: number; below: number; fields: string }>(
  (db, v) =>
    db.insert(uniqueValue).select(
      sql`select f.value ->> 0,
          case when f.value ->> 2 then substr(data ->> (f.value ->> 1), 1, 10)
            else data ->> (f.value ->> 1) end, number
        from item cross join json_each(${v.fields}) f
        where number > ${v.above} and number < ${v.below}
          and data ->> (f.value ->> 1) is not null and status is not 'draft'`,
    ),
);

/** Inserts the values of newly unique fields from all items except drafts. Fails if two items share a value. */
export function buildUniqueInserts(
  db: CollectionDatabase,
  gained: PendingChange["gained"],
): PreparedStatement<"data">[] {
  if (gained.length === 0) return [];
  const fields = gained.map(({ id, type, uniqueId }): UniqueField => [
    fieldNumber(db.collectionId, uniqueId),
    String(id),
    type === "date" ? 1 : 0,
  ]);
  return [
    insertUniqueValues(db, { ...itemNumberRange(db.collectionId), fields: JSON.stringify(fields) }),
  ];
}

// Statements that save definitions.

export type SaveResult =
  | { outcome: "saved" }
  /** Another request created or changed the collection. The caller must reload and retry. */
  | { outcome: "stale" }
  /** The key belongs to a deleted collection. */
  | { outcome: "reserved" }
  | { outcome: "values_exist" }
  | { outcome: "unknown_app" }
  | { outcome: "duplicates_exist" };

/** The columns that a change of the definition sets. */
const mutableColumns = [
  "version",
  "revision",
  "name",
  "description",
  "timeZone",
  "receiptPrefix",
  "state",
  "opensAt",
  "closesAt",
  "maxSubmissions",
  "fields",
  "fieldsVersion",
  "updatedAt",
  "historyDays",
  "views",
  "viewVersions",
  "retain",
] as const;
const insertedColumns = ["kind", "key", "createdAt", "location", ...mutableColumns] as const;

type MutableColumn = (typeof mutableColumns)[number];
type InsertedColumns = Pick<typeof collection.$inferSelect, (typeof insertedColumns)[number]>;

/** True when an active webhook listens to all collections, including future ones. */
const hasGlobalListenerSql = sql`exists (select 1 from webhook where state = 'active' and collections = '"all"')`;

export const insertCollection = jointStatement<InsertedColumns>((db, v) =>
  db
    .insert(collection)
    .values({ id: nextIdSql, ...pick(v, insertedColumns), listened: hasGlobalListenerSql }),
);

/** Inserts a collection whose id the directory assigned. Used when webhooks are in another database. */
export const insertPlacedCollection = collectionStatement<InsertedColumns & { listened: number }>(
  (db, v) =>
    db
      .insert(collection)
      .values({ id: v.collectionId, ...pick(v, insertedColumns), listened: v.listened }),
);

/** Makes this database the owner of a new collection. */
export const insertOwner = collectionStatement<{ epoch: number }>((db, v) =>
  db.insert(owner).values({ collectionId: v.collectionId, epoch: v.epoch, state: "owned" }),
);

type CollectionKey = Pick<InsertedColumns, "kind" | "key">;

const keyValues = placeholders<CollectionKey>();
const collectionCondition = lazySql(() => sql`kind = ${keyValues.kind} and key = ${keyValues.key}`);

export const insertTally = dataStatement<CollectionKey>((db) =>
  db.insert(tally).select(sql`select id, 0, 0, 0, 0 from collection where ${collectionCondition}`),
);

export const auditCreation = dataStatement<CollectionKey & AuditRecord>((db, v) =>
  db.insert(auditEntry).select(
    sql`select null, ${auditTimeSql(v.at)}, ${v.actor}, ${v.action}, id,
        ${v.subject}, ${lowestVersionSql}, ${v.session}, ${v.requestId},
        ${v.sentRequestId}, null from collection where ${collectionCondition}`,
  ),
);

/** Aborts the batch when the definition was changed or deleted. */
export const guardRevision = collectionGuard<{ revision: number }>(
  (v) => sql`select ${guardCode("definition_changed")} as code
    where not exists (select 1 from collection where id = ${v.collectionId} and revision = ${v.revision})`,
);

const updateCollection = collectionStatement<Pick<InsertedColumns, MutableColumn>>((db, v) =>
  db.update(collection).set(pick(v, mutableColumns)).where(eq(collection.id, v.collectionId)),
);

export function definitionToRow(definition: Definition, fieldsVersion: number, now: number) {
  const { acceptance, fields } = definition;
  return {
    name: definition.name,
    description: definition.description,
    timeZone: definition.time_zone,
    receiptPrefix: definition.receipt_prefix,
    state: acceptance.state,
    opensAt: acceptance.opens_at,
    closesAt: acceptance.closes_at,
    maxSubmissions: acceptance.max_submissions,
    fields: JSON.stringify(fields),
    fieldsVersion,
    updatedAt: now,
    // Pending changes that were stored before histories existed lack `history_days`.
    historyDays: definition.history_days ?? defaultHistoryDays,
    views: JSON.stringify(definition.views ?? []),
    viewVersions: "{}",
    retain: definition.retain ? JSON.stringify(definition.retain) : null,
  };
}

interface IndexingStart {
  above: number;
  unindexed: string;
  newlySearchable: string;
}

/**
 * Starts indexing the current items from the beginning. Fields that already wait for indexing stay in the list.
 * Searches wait only for the newly searchable fields.
 */
export const startIndexing = collectionStatement<IndexingStart>((db, v) =>
  db
    .insert(indexing)
    .select(
      sql`select t.collection_id, ${v.unindexed}, ${v.above} + 1,
        ${v.above} + t.last_place, 0, t.live, ${v.newlySearchable}
        from tally t where t.collection_id = ${v.collectionId} and t.live > 0`,
    )
    .onConflictDoUpdate({
      target: indexing.collectionId,
      set: {
        fields: sql`(select json_group_array(value) from (
          select value from json_each(indexing.fields) union select value from json_each(excluded.fields)))`,
        newlySearchable: sql`(select json_group_array(value) from (
          select value from json_each(coalesce(indexing.newly_searchable, indexing.fields))
          union select value from json_each(excluded.newly_searchable)))`,
        next: sql`excluded.next`,
        last: sql`excluded.last`,
        done: sql`excluded.done`,
        total: sql`excluded.total`,
      },
    }),
);

/**
 * Builds the statements of a change that takes effect after its items were checked. `outdated` are the fields whose
 * results are not yet recalculated in all items.
 */
export function buildApplyStatements(
  db: CollectionDatabase,
  current: Collection,
  change: Omit<PendingChange, "emptied" | "gained">,
  auditRecord: AuditRecord,
  outdated: readonly number[] = change.unindexed,
): PreparedStatement<"data">[] {
  const { id: collectionId, version, revision } = current;
  const { definition, lost, unindexed, newlySearchable = unindexed } = change;
  const newVersion = nextVersion(version, db.timeline);
  const fields = [current.definition, definition].map((state) => JSON.stringify(state.fields));
  const fieldsVersion = fields[0] === fields[1] ? current.fieldsVersion : newVersion;
  const { above } = itemNumberRange(collectionId);
  return [
    ...endUniqueness(db, lost),
    ...(unindexed.length > 0
      ? [
          startIndexing(db, {
            above,
            unindexed: JSON.stringify(unindexed),
            newlySearchable: JSON.stringify(newlySearchable),
          }),
        ]
      : []),
    ...keepFormerDefinition(db, current),
    updateCollection(db, {
      ...definitionToRow(definition, fieldsVersion, auditRecord.at),
      viewVersions: JSON.stringify(nextViewVersions(current, definition, newVersion, outdated)),
      version: newVersion,
      revision: nextVersion(revision, db.timeline),
    }),
    insertAuditEntry(db, { ...auditRecord, collectionId, version: newVersion }),
  ];
}

/** Drops a pending change, and ends the uniqueness of the fields that the change made unique. */
export function buildDropStatements(
  db: CollectionDatabase,
  pending: PendingDefinition | null,
): PreparedStatement<"data">[] {
  if (!pending) return [];
  const gained = pending.problem === null ? pending.change.gained : [];
  const uniqueIds = gained.map(({ uniqueId }) => uniqueId);
  return [deletePendingRow(db, {}), ...endUniqueness(db, uniqueIds)];
}

export const deletePendingRow = collectionStatement<object>((db, v) =>
  db.delete(pendingChange).where(eq(pendingChange.collectionId, v.collectionId)),
);
