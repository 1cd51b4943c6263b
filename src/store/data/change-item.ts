import { type CollectionDatabase, type PreparedStatement } from "#store/db/database.ts";
import { sql } from "drizzle-orm";
import type { SearchEntry, UniqueValue } from "#domain/data/index-entries.ts";
import type { ClosedReason } from "#domain/definition/collection.ts";
import type { ItemDiff } from "#domain/item/change.ts";
import type { Status } from "#domain/item/item.ts";
import { insertChange, type ItemAuditRecord } from "./changes.ts";
import { eraseFormerValues, queueErasure, maxErasedPerBatch } from "./erasures.ts";
import { eraseReplays } from "./replays.ts";
import { erasedItem } from "#store/db/schema.ts";
import { rememberRemovals } from "./removed-items.ts";
import { runOnce, classifyError } from "#store/db/retry.ts";
import { dataStatement, jsonChunks, type CollectionBind } from "#store/db/statement.ts";
import {
  addEntries,
  decrementItemCount,
  deleteItem,
  updateLargest,
  itemUnchanged,
  uniqueValuesOwned,
  deleteUnique,
  removeEntries,
  insertUnique,
  updateItem,
  type BaseChangeValues,
  type RemovalValues,
} from "./change-item-statements.ts";
import { attachFiles, releaseFiles, type ItemFiles } from "./attach-files.ts";
import { guardReferences, type GuardedReference } from "./references.ts";
import { findItemConflicts, type UniqueConflict } from "./item-ranges.ts";

/** The state that the change is based on. The batch aborts in any other state. */
interface ExpectedState {
  number: number;
  itemVersion: number;
  /** `definitionVersion` is stored with the data. `revision` guards the definition. */
  definitionVersion: number;
  revision: number;
}

interface EntryChanges {
  toRemove: SearchEntry[];
  toAdd: SearchEntry[];
}

interface UniqueChanges {
  toRemove: UniqueValue[];
  toAdd: UniqueValue[];
}

/** The new state of an item. */
export interface ItemChange extends ExpectedState {
  status: Status | null;
  updatedAt: number;
  data: string;
  /** Whether the data takes more bytes than before. */
  hasGrown: boolean;
  entries: EntryChanges;
  uniqueValues: UniqueChanges;
  /** References that the item does not have yet. */
  references: GuardedReference[];
  files: ItemFiles[];
  diff: ItemDiff;
  /** The views that the item matches before and after (`viewMarks`), JSON. */
  views: string | null;
  /** Whether the form must be open, which submitting a draft requires. */
  needsOpenForm: boolean;
}

export interface ItemRemoval extends ExpectedState {
  /** The views that the item matches before the deletion (`viewMarks`), JSON. */
  views: string | null;
  entries: SearchEntry[];
  uniqueValues: UniqueValue[];
  mayHaveFiles: boolean;
}

export type ItemChangeResult =
  /** `hasListeners`: an active webhook listens to the collection. */
  | { outcome: "changed"; hasListeners: boolean }
  /** The item or its definition changed. The caller must read again. */
  | { outcome: "stale" }
  | { outcome: "unknown_reference" }
  | { outcome: "unusable_file" }
  | { outcome: "closed"; reason: ClosedReason }
  | { outcome: "duplicate"; conflicts: UniqueConflict[] };

export async function changeItem(
  db: CollectionDatabase,
  change: ItemChange,
  auditRecord: ItemAuditRecord,
): Promise<ItemChangeResult> {
  const { entries, uniqueValues } = change;
  const values = {
    ...change,
    ...auditRecord,
    needsOpenForm: change.needsOpenForm ? 1 : 0,
    uniqueValuesToRemove: JSON.stringify(uniqueValues.toRemove),
    uniqueValuesToAdd: JSON.stringify(uniqueValues.toAdd),
    versionIncrement: 1,
    changedFields: JSON.stringify(change.diff.fields),
    former: JSON.stringify(change.diff.former),
  };
  const statements = [
    itemUnchanged,
    ...guardReferences(change.references),
    ...buildRemovals(entries.toRemove),
    ...jsonChunks(entries.toAdd).map(
      (entriesToAdd): CollectionBind<BaseChangeValues> =>
        (target, base) =>
          addEntries(target, { ...base, entriesToAdd }),
    ),
    ...(uniqueValues.toRemove.length > 0 ? [deleteUnique] : []),
    ...(uniqueValues.toAdd.length > 0 ? [insertUnique, uniqueValuesOwned] : []),
    insertChange,
    updateItem,
    ...(change.hasGrown ? [updateLargest] : []),
  ].map((bind) => bind(db, values));
  const { actor, at: now } = auditRecord;
  statements.push(...attachFiles(db, change.files, { actor, now, mayReturn: true }));
  return runItemBatch(db, statements, uniqueValues.toAdd, change.number);
}

/** Records the erasure, so that it is repeated after a restore of the database. */
const rememberErasure = dataStatement<{ number: number; at: number }>((db, v) =>
  db
    .insert(erasedItem)
    .select(sql`select id, ${v.at} from item where number = ${v.number}`)
    .onConflictDoNothing(),
);

const rememberRemoval = dataStatement<{ number: number; at: number }>((db, v) =>
  rememberRemovals(db, sql`${v.number}`, sql`${v.at}`),
);

/** Removes an item. An erasure also empties the responses that are stored for retries. */
export async function removeItem(
  db: CollectionDatabase,
  removal: ItemRemoval,
  auditRecord: ItemAuditRecord,
): Promise<ItemChangeResult> {
  const values = {
    ...removal,
    ...auditRecord,
    needsOpenForm: 0,
    uniqueValuesToRemove: JSON.stringify(removal.uniqueValues),
    versionIncrement: 0,
    changedFields: "[]",
    former: null,
  };
  const statements = [
    itemUnchanged,
    ...buildRemovals(removal.entries),
    ...(removal.uniqueValues.length > 0 ? [deleteUnique] : []),
    ...(removal.itemVersion > 1 ? [eraseFormerValues] : []),
    ...(removal.itemVersion > maxErasedPerBatch ? [queueErasure] : []),
    insertChange,
  ].map((bind) => bind(db, values));
  if (auditRecord.action.endsWith(".erase")) {
    const numbers = JSON.stringify([removal.number]);
    statements.push(
      ...eraseReplays(db, "item", { numbers, at: auditRecord.at }),
      rememberErasure(db, values),
    );
  }
  if (removal.mayHaveFiles) statements.push(...releaseFiles(db, [removal.number]));
  statements.push(
    rememberRemoval(db, values),
    deleteItem(db, values),
    decrementItemCount(db, values),
  );
  return runItemBatch(db, statements, [], removal.number);
}

/** A field and a value identify an entry. An item with many entries needs several statements. */
function buildRemovals(
  entries: readonly SearchEntry[],
): CollectionBind<Omit<RemovalValues, "entriesToRemove">>[] {
  return jsonChunks(entries.map(([field, value]) => [field, value])).map(
    (entriesToRemove) => (db, values) => removeEntries(db, { ...values, entriesToRemove }),
  );
}

async function runItemBatch(
  db: CollectionDatabase,
  statements: PreparedStatement<"data">[],
  uniqueValues: UniqueChanges["toAdd"],
  number: number,
): Promise<ItemChangeResult> {
  try {
    const results = await runOnce(db, () => db.batch<{ listened?: number }>(statements));
    return {
      outcome: "changed",
      hasListeners: results.some(({ results: [row] }) => row?.listened === 1),
    };
  } catch (error) {
    const failure = classifyError(error);
    if (failure.kind === "guard" && failure.constraint === "taken") {
      return { outcome: "duplicate", conflicts: await findItemConflicts(db, uniqueValues, number) };
    }
    if (failure.kind !== "guard") throw error;
    const { constraint } = failure;
    if (constraint === "unknown_reference" || constraint === "unusable_file")
      return { outcome: constraint };
    if (constraint === "closed" || constraint === "not_open_yet") {
      return { outcome: "closed", reason: constraint };
    }
    return { outcome: "stale" };
  }
}
