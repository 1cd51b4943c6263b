import { lazySql } from "#store/db/lazy.ts";
import { type CollectionDatabase } from "#store/db/database.ts";
import { and, eq, sql } from "drizzle-orm";
import { fieldsPerCollection, systemFieldIds } from "#domain/data/values.ts";
import { sequencesPerCollection } from "#domain/item/item.ts";
import { guardCode, collectionGuard } from "#store/db/guard.ts";
import {
  changeTimeSql,
  joinLastChangeSql,
  lastChangeSql,
  joinedPrecedingNumberSql,
  hasListenersColumn,
  type ItemAuditRecord,
} from "./changes.ts";
import { change, item, searchEntry, tally, uniqueValue } from "#store/db/schema.ts";
import {
  placeholders,
  collectionStatement,
  jsonChunks,
  lowestVersionSql,
  type CollectionBind,
} from "#store/db/statement.ts";
import { attachFiles, type ItemFiles } from "./attach-files.ts";
import { unknownReferenceSql, type GuardedReference } from "./references.ts";
import {
  type ClaimValues,
  claimKey,
  selectClaimedReplay,
  replayFromRow,
  type Claim,
  type AssignedValues,
  type Replay,
  type ReplayRow,
} from "./replays.ts";
import type { UniqueValue } from "#domain/data/index-entries.ts";
import type { ChangeMarks } from "#domain/item/view-marks.ts";
import type { ClosedReason } from "#domain/definition/collection.ts";
import { retryTransient, classifyError } from "#store/db/retry.ts";
import { findItemConflicts, type UniqueConflict } from "./item-ranges.ts";
import { wasStored } from "./removed-items.ts";
import { assignMarks } from "./assigned-marks.ts";
import { viewGuard, type CreateLimits } from "./view-guard.ts";

/**
 * The statements of a create, in the order of the batch. They do nothing if the item is already stored or another
 * request owns the Idempotency-Key. A batch whose response was lost can therefore be sent again.
 */

/** The values of these statements. */
interface CreateValues extends ItemAuditRecord, ClaimValues {
  version: number;
  revision: number;
  status: string | null;
  receiptPrefix: string | null;
  data: string;
  /** Search entries and unique values, JSON. */
  entries: string;
  uniqueValues: string;
  /** Ids of the fields that have a value, JSON. */
  changedFields: string;
  views: string | null;
}

const v = placeholders<CreateValues & { collectionId: number }>();

/** True until the item is stored, and only for the request that owns the key. Uses only point lookups. */
const isNewItem = lazySql(
  () => sql`not ${wasStored(v.id)}
  and (${v.key} is null or exists (select 1 from replay where key = ${v.key} and item_id = ${v.id}))`,
);
const tallyCondition = lazySql(() => sql`t.collection_id = ${v.collectionId}`);
const itemNumber = sql.raw(`t.collection_id * ${sequencesPerCollection} + t.last_place`);

const collectionAccepts = collectionGuard<CreateValues>(
  () =>
    sql`select case
      when c.revision is not ${v.revision} then ${guardCode("definition_changed")}
      when c.state = 'closed' or c.closes_at <= ${v.now} then ${guardCode("closed")}
      when c.opens_at > ${v.now} then ${guardCode("not_open_yet")}
      when t.live >= c.max_submissions then ${guardCode("full")}
    end as code
    from (select ${v.collectionId} as id) x left join collection c on c.id = x.id
      left join tally t on t.collection_id = c.id
    where c.id is null or ${isNewItem}`,
);

/** A repeated create must find its item even if a record that the item refers to no longer exists. */
const referencesExist = collectionGuard<CreateValues & { references: string }>(
  (values) => sql`select code from (${unknownReferenceSql(values)}) where ${isNewItem}`,
);

/** Assigns the next sequence. Creation times strictly grow with it, even if clocks differ. */
const assignNumber = collectionStatement<CreateValues>((db) =>
  db
    .update(tally)
    .set({
      lastPlace: sql`last_place + 1`,
      live: sql`live + 1`,
      lastCreatedAt: sql`max(last_created_at + 1, ${v.now})`,
      largest: sql`max(largest, octet_length(${v.data}))`,
    })
    .where(and(eq(tally.collectionId, v.collectionId), isNewItem)),
);

const insertUnique = collectionStatement<CreateValues>((db) =>
  db.insert(uniqueValue).select(
    sql`select e.value ->> 0, e.value ->> 1, ${itemNumber}
        from json_each(${v.uniqueValues}) e, tally t where ${tallyCondition} and ${isNewItem}`,
  ),
);

const receipt = lazySql(() => sql`${v.receiptPrefix} || printf('%06d', t.last_place)`);
const updatedAtField = sql.raw(
  `t.collection_id * ${fieldsPerCollection} + ${systemFieldIds.updatedAt}`,
);

/** Inserts the entries of the request, and the entry of the update time, which the database assigns. */
const insertEntries = collectionStatement<CreateValues>((db) =>
  db.insert(searchEntry).select(
    sql`select e.value ->> 0, e.value ->> 1, ${itemNumber}, e.value ->> 2
        from json_each(${v.entries}) e, tally t where ${tallyCondition} and ${isNewItem}
        union all select ${updatedAtField}, t.last_created_at, ${itemNumber}, null
        from tally t where ${tallyCondition} and ${isNewItem}`,
  ),
);

const insertChange = collectionStatement<CreateValues>((db) =>
  db.insert(change).select(
    sql`select ${joinedPrecedingNumberSql("t.collection_id")} + 1, ${changeTimeSql(sql`t.last_created_at`)}, ${v.actor}, ${v.action},
        ${itemNumber}, ${v.id}, ${lowestVersionSql}, null, ${v.changedFields}, null, ${v.session}, ${v.requestId}, ${v.sentRequestId}, ${v.views}, null
        from tally t ${joinLastChangeSql("t.collection_id")} where ${tallyCondition} and ${isNewItem}`,
  ),
);

const insertItem = collectionStatement<CreateValues>((db) =>
  db.insert(item).select(
    sql`select ${itemNumber}, ${v.id}, t.collection_id,
        ${receipt}, ${v.status}, ${lowestVersionSql}, ${v.version},
        t.last_created_at, ${v.actor}, t.last_created_at, ${v.actor},
        ${v.data}, ${lastChangeSql("t.collection_id")}
        from tally t where ${tallyCondition} and ${isNewItem}`,
  ),
);

const selectAssigned = collectionStatement<{ id: string }>((db) =>
  db
    .select({
      number: sql<number>`number`,
      created_at: sql<number>`created_at`,
      listened: hasListenersColumn(v.collectionId),
    })
    .from(
      sql`(select number, created_at from item where id = ${v.id}
        union all select number, created_at from removed_item where id = ${v.id})`,
    ),
);

/** Everything that a create stores. */
export interface NewItem {
  id: string;
  /** The version and the revision of the definition that the data was validated with. */
  version: number;
  revision: number;
  now: number;
  status: string | null;
  /** Null for submissions, which have no receipt number. */
  receiptPrefix: string | null;
  /** Search entries as JSON, except the entry of the update time, which the database assigns. */
  data: string;
  /** Search entries as JSON, except the entry of the update time, which the database assigns. */
  entries: string;
  /** Field numbers and values that no other item may have. */
  uniqueValues: UniqueValue[];
  references: GuardedReference[];
  files: ItemFiles[];
  /** Ids of the fields that have a value. */
  changedFields: number[];
  /** The views that the item matches. */
  views: ChangeMarks;
}

export type CreateResult =
  | { outcome: "created"; assigned: AssignedValues; hasListeners: boolean }
  | { outcome: "replayed"; replay: Replay }
  | { outcome: "definition_changed" }
  | { outcome: "outside_view" }
  /** The create was a trial. Every check passed. */
  | { outcome: "not_stored" }
  | { outcome: "unknown_reference" }
  | { outcome: "unusable_file" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "duplicate"; conflicts: UniqueConflict[] };

/** Stores an item in one batch, completely or not at all. Returns the replay of an earlier create with the same key. */
export async function createItem(
  db: CollectionDatabase,
  create: NewItem,
  claim: Claim | null,
  auditRecord: ItemAuditRecord,
  limits: CreateLimits,
): Promise<CreateResult> {
  const { known: views, assigned } = create.views;
  const values = {
    ...auditRecord,
    ...create,
    views,
    ...(claim ?? { key: null, fingerprint: null, answer: null }),
    uniqueValues: JSON.stringify(create.uniqueValues),
    changedFields: JSON.stringify(create.changedFields),
  };
  const statements = [
    ...(claim ? [claimKey] : []),
    collectionAccepts,
    ...jsonChunks(create.references).map(
      (references): CollectionBind<typeof values> =>
        (target, base) =>
          referencesExist(target, { ...base, references }),
    ),
    assignNumber,
    ...(create.uniqueValues.length > 0 ? [insertUnique] : []),
    insertEntries,
    insertChange,
    insertItem,
  ].map((bind) => bind(db, values));
  const selectResult = claim ? selectClaimedReplay : selectAssigned;
  const { actor } = auditRecord;
  const batch = [
    ...statements,
    ...attachFiles(db, create.files, { actor, now: create.now, mayReturn: false }),
    ...assignMarks(db, [{ id: create.id, followingCount: 0, marks: assigned }]),
    ...viewGuard(db, [create.id], limits),
    selectResult(db, values),
  ];
  try {
    const results = await retryTransient(db, () => db.batch<Record<string, unknown>>(batch));
    return resultFromRow(create, claim, results.at(-1)?.results[0]);
  } catch (error) {
    return resultFromError(db, create, error);
  }
}

function resultFromRow(
  create: NewItem,
  claim: Claim | null,
  row: Record<string, unknown> | undefined,
): CreateResult {
  if (!row) throw new Error("A create left no trace of itself.");
  const hasListeners = row["listened"] === 1;
  if (!claim) {
    const { number, created_at } = row as { number: number; created_at: number };
    const sequence = number % sequencesPerCollection;
    return {
      outcome: "created",
      assigned: { itemId: create.id, place: sequence, createdAt: created_at },
      hasListeners: hasListeners,
    };
  }
  const replay = replayFromRow(row as unknown as ReplayRow);
  if (replay.itemId !== create.id) return { outcome: "replayed", replay };
  const { itemId, place, createdAt } = replay;
  return { outcome: "created", assigned: { itemId, place, createdAt }, hasListeners };
}

async function resultFromError(
  db: CollectionDatabase,
  create: NewItem,
  error: unknown,
): Promise<CreateResult> {
  const failure = classifyError(error);
  if (failure.kind === "unique" && failure.table === "unique_value") {
    return {
      outcome: "duplicate",
      conflicts: await findItemConflicts(db, create.uniqueValues, null),
    };
  }
  if (failure.kind !== "guard") throw error;
  switch (failure.constraint) {
    case "definition_changed":
    case "unknown_reference":
    case "unusable_file":
    case "outside_view":
    case "not_stored":
      return { outcome: failure.constraint };
    case "closed":
    case "full":
    case "not_open_yet":
      return { outcome: "closed", reason: failure.constraint };
    default:
      throw error;
  }
}
