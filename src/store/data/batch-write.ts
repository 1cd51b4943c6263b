import { type CollectionDatabase, type PreparedStatement } from "#store/db/database.ts";
import * as deleted from "./batch-deleted-items.ts";
import * as batch from "./batch-statements.ts";
import type { SearchEntry, UniqueValue } from "#domain/data/index-entries.ts";
import type { ClosedReason } from "#domain/definition/collection.ts";
import { reportedAction, type AuditedItemAction } from "#domain/item/change.ts";
import type { ChangeMarks } from "#domain/item/view-marks.ts";
import type { ItemAuditRecord } from "./changes.ts";
import { runOnce, classifyError } from "#store/db/retry.ts";
import { byteLength, chunkJsonRows, type CollectionBind } from "#store/db/statement.ts";
import { assignMarks, type OpenChange } from "./assigned-marks.ts";
import {
  changesAfterLast,
  createdRow,
  toJsonRows,
  updatedRow,
  type ItemRef,
  type WrittenItem,
} from "./batch-rows.ts";
import { eraseSameIds } from "./erase-deleted-items.ts";
import { viewGuard, type CreateLimits } from "./view-guard.ts";
import {
  claimKey,
  eraseReplays,
  findReplay,
  type Claim,
  type AssignedValues,
  type Replay,
} from "./replays.ts";
import { attachFiles, releaseFiles, type ItemFiles } from "./attach-files.ts";
import { guardReferences, type GuardedReference } from "./references.ts";
import { rowIdsFree } from "./row-ids.ts";
import type { BatchValues, BatchRowValues } from "./batch-statements.ts";

interface WrittenChange {
  ref: ItemRef;
  id: string;
  action: AuditedItemAction;
  version: number;
  /** Ids of the fields and their former values, JSON. */
  fields: string;
  former: string | null;
  /** The views that the item matches before and after. */
  views: ChangeMarks;
}

/** Everything that a batch of operations stores. Each item appears once, in its final state. */
export interface BatchWrite {
  revision: number;
  definitionVersion: number;
  batchId: string;
  now: number;
  /** Null for submissions. */
  receiptPrefix: string | null;
  /** Whether the form must be open, and the largest number of items that the batch adds at any point. */
  needsOpenForm: boolean;
  maxAddedItems: number;
  /** The versions of existing items, as the request read them. */
  expectedVersions: [number: number, version: number][];
  uniqueValuesToRemove: [ref: ItemRef, ...UniqueValue][];
  uniqueValuesToAdd: [ref: ItemRef, ...UniqueValue][];
  entriesToRemove: [ref: ItemRef, field: number, value: string | number][];
  entriesToAdd: [ref: ItemRef, ...SearchEntry][];
  createdItems: WrittenItem[];
  /** The IDs of new items that the batch creates for rows of a file. */
  importedIds: string[];
  updatedItems: WrittenItem[];
  deletedNumbers: number[];
  /**
   * The time at which the schedule erases the deleted items. They can be restored until then. Null if the batch deletes
   * them permanently.
   */
  keptUntil: number | null;
  /** Deleted items that the batch restores, and their versions as the request read them. */
  restoredItems: WrittenItem[];
  expectedDeleted: [number: number, version: number][];
  /** References that the items do not have yet. */
  references: GuardedReference[];
  files: ItemFiles[];
  mayHaveFiles: boolean;
  /** In the order of the operations. */
  changes: WrittenChange[];
}

export type BatchOutcome =
  /** `hasListeners`: an active webhook listens to the collection. */
  | { outcome: "created"; assigned: AssignedValues; hasListeners: boolean }
  | { outcome: "replayed"; replay: Replay }
  /**
   * An item or the definition changed, or another request created an item with the same value. The caller must read
   * again.
   */
  | { outcome: "stale" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "unknown_reference" }
  | { outcome: "taken" }
  /** A new item would not be in the caller's view. */
  | { outcome: "outside_view" };

interface AssignedRow {
  place: number;
  created_at: number;
  listened: number;
}

/** Stores a batch of operations completely or not at all. */
export async function storeBatch(
  db: CollectionDatabase,
  write: BatchWrite,
  claim: Claim | null,
  auditRecord: ItemAuditRecord,
  limits: CreateLimits,
): Promise<BatchOutcome> {
  const { now, batchId } = write;
  const statements = buildStatements(db, write, claim, auditRecord, limits);
  try {
    const results = await runOnce(db, () => db.batch<AssignedRow>(statements));
    const [row] = results.at(-1)?.results ?? [];
    if (!row) throw new Error(`Collection ${db.collectionId} has no tally.`);
    const assigned = { itemId: batchId, place: row.place, createdAt: row.created_at };
    return { outcome: "created", assigned, hasListeners: row.listened === 1 };
  } catch (error) {
    const failure = classifyError(error);
    // Another request imported the same row. The next read finds it.
    if (failure.kind === "unique" && failure.table === "item") return { outcome: "stale" };
    if (failure.kind === "unique" && failure.table === "deleted_item") {
      // The former version of the service can give an ID of a deleted item to an imported item.
      await eraseSameIds(db, write.deletedNumbers);
      return { outcome: "stale" };
    }
    if (failure.kind !== "guard") throw error;
    const { constraint } = failure;
    if (
      constraint === "taken" ||
      constraint === "unknown_reference" ||
      constraint === "outside_view"
    )
      return { outcome: constraint };
    if (constraint === "closed" || constraint === "not_open_yet" || constraint === "full") {
      return { outcome: "closed", reason: constraint };
    }
    const replay = constraint === "key_used" && claim && (await findReplay(db, claim.key, now));
    return replay ? { outcome: "replayed", replay } : { outcome: "stale" };
  }
}

function buildStatements(
  db: CollectionDatabase,
  write: BatchWrite,
  claim: Claim | null,
  auditRecord: ItemAuditRecord,
  limits: CreateLimits,
): PreparedStatement<"data">[] {
  const { now, createdItems, updatedItems, deletedNumbers, restoredItems } = write;
  const values: BatchValues = {
    ...auditRecord,
    now,
    revision: write.revision,
    definitionVersion: write.definitionVersion,
    key: claim?.key ?? null,
    batchId: write.batchId,
    needsOpenForm: write.needsOpenForm ? 1 : 0,
    maxAddedItems: write.maxAddedItems,
    receiptPrefix: write.receiptPrefix,
    createdCount: createdItems.length,
    keptUntil: write.keptUntil,
  };
  const largestBytes = Math.max(
    0,
    ...[...createdItems, ...updatedItems, ...restoredItems].map(({ data }) => byteLength(data)),
  );
  return [
    ...(claim
      ? [claimKey(db, { ...claim, id: write.batchId, now }), batch.keyOwned(db, values)]
      : []),
    batch.collectionAccepts(db, values),
    ...buildRowStatements(db, values, write),
    ...attachFiles(db, write.files, { actor: auditRecord.actor, now, mayReturn: true }),
    ...(write.mayHaveFiles && write.keptUntil === null ? releaseFiles(db, deletedNumbers) : []),
    ...assignMarks(db, write.changes.map(toOpenChange)),
    ...viewGuard(
      db,
      createdItems.map(({ id }) => id),
      limits,
    ),
    batch.updateTally(db, {
      now,
      createdCount: createdItems.length,
      addedCount: createdItems.length + restoredItems.length - deletedNumbers.length,
      largestBytes,
    }),
    batch.selectAssigned(db, { createdCount: createdItems.length }),
  ];
}

const toOpenChange = (
  { id, views: { assigned: marks } }: WrittenChange,
  index: number,
  { length }: readonly WrittenChange[],
): OpenChange => ({ id, followingCount: length - 1 - index, marks });

/** Builds the statements that take rows, one for each chunk of rows. */
function buildRowStatements(
  db: CollectionDatabase,
  values: BatchValues,
  write: BatchWrite,
): PreparedStatement<"data">[] {
  const { createdItems, updatedItems, deletedNumbers, restoredItems } = write;
  const bindRows = (bind: CollectionBind<BatchRowValues>, rows: readonly string[]) =>
    chunkJsonRows(rows).map((chunk) => bind(db, { ...values, rows: chunk }));
  const numbers = toJsonRows(deletedNumbers.map((number) => [number]));
  const followingChanges = changesAfterLast(write.changes);
  const createdRows = createdItems.map((item) => createdRow(item, followingChanges));
  const updatedRows = updatedItems.map((item) => updatedRow(item, followingChanges));
  const restoredRows = restoredItems.map((item) => updatedRow(item, followingChanges));
  const restoredNumbers = toJsonRows(restoredItems.map(({ ref }) => [ref]));
  const finalNumbers = write.keptUntil === null ? numbers : [];
  const keptRows = deletedNumbers.map((number) => [number, followingChanges.get(number) ?? 0]);
  return [
    ...bindRows(batch.itemsUnchanged, toJsonRows(write.expectedVersions)),
    ...bindRows(deleted.deletedUnchanged, toJsonRows(write.expectedDeleted)),
    ...bindRows(rowIdsFree, toJsonRows(write.importedIds.map((id) => [id]))),
    ...guardReferences(write.references).map((bind) => bind(db, {})),
    ...bindRows(batch.deleteUnique, toJsonRows(write.uniqueValuesToRemove)),
    ...bindRows(batch.insertUnique, toJsonRows(write.uniqueValuesToAdd)),
    ...bindRows(batch.uniqueValuesOwned, toJsonRows(write.uniqueValuesToAdd)),
    ...bindRows(batch.removeEntries, toJsonRows(write.entriesToRemove)),
    ...bindRows(batch.addEntries, toJsonRows(write.entriesToAdd)),
    ...bindRows(batch.addUpdateTimes, toJsonRows(createdItems.map(({ ref }) => [ref]))),
    ...bindRows(batch.eraseFormerValues, finalNumbers),
    ...bindRows(batch.queueErasure, finalNumbers),
    ...buildChangeStatements(db, values, write.changes),
    ...bindRows(batch.insertItems, createdRows),
    ...bindRows(deleted.restoreItems, restoredRows),
    ...bindRows(deleted.forgetDeleted, restoredNumbers),
    ...bindRows(batch.updateItems, updatedRows),
    ...(write.changes.some(({ action }) => action.endsWith(".erase"))
      ? eraseReplays(db, "item", { numbers: JSON.stringify(deletedNumbers), at: write.now })
      : []),
    ...bindRows(batch.rememberRemovals, numbers),
    ...(write.keptUntil === null ? [] : bindRows(deleted.keepDeleted, toJsonRows(keptRows))),
    ...bindRows(batch.deleteItems, numbers),
  ];
}

/** Offsets count from the last stored change, which each chunk's statement moves forward. */
function buildChangeStatements(
  db: CollectionDatabase,
  values: BatchValues,
  changes: readonly WrittenChange[],
): PreparedStatement<"data">[] {
  const lastOffsets = new Map<ItemRef, number>();
  const rows = changes.map(
    ({ ref, id, action, version, fields, former, views: { known: views } }, index) => {
      const previous = lastOffsets.get(ref);
      lastOffsets.set(ref, index + 1);
      return (start: number) =>
        JSON.stringify([
          ref,
          id,
          index + 1 - start,
          reportedAction(action),
          version,
          previous === undefined ? null : previous - start,
          fields,
          former,
          views,
          reportedAction(action) === action ? null : action,
        ]);
    },
  );
  let start = 0;
  return chunkJsonRows(rows.map((row) => row(0))).map((chunk) => {
    const length = (JSON.parse(chunk) as unknown[]).length;
    const chunkRows = rows.slice(start, start + length).map((row) => row(start));
    start += length;
    return batch.insertChanges(db, { ...values, rows: `[${chunkRows.join()}]` });
  });
}
