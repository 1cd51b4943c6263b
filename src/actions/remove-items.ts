import type { CompiledCollection } from "#domain/data/compile.ts";
import { mayHaveFiles } from "#domain/files/sent-file.ts";
import { buildIndexRowChanges, type AuditedItemAction } from "#domain/item/change.ts";
import type { Item } from "#domain/item/item.ts";
import { viewMarks } from "#domain/item/view-marks.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";

/** The time during which members can restore a deleted item. After it, the schedule erases the item. */
const restorableMs = 7 * 24 * 60 * 60 * 1000;

/** Returns the time at which the schedule erases an item that a member deletes now. */
export const keptUntil = (now: number): number => now + restorableMs;

/** Returns a batch that writes nothing yet. */
export const emptyWrite = ({ collection }: CompiledCollection, now: number): BatchWrite => ({
  revision: collection.revision,
  definitionVersion: collection.version,
  batchId: "",
  now,
  receiptPrefix: null,
  needsOpenForm: false,
  maxAddedItems: 0,
  expectedVersions: [],
  uniqueValuesToRemove: [],
  uniqueValuesToAdd: [],
  references: [],
  files: [],
  mayHaveFiles: mayHaveFiles(collection.definition.fields),
  entriesToRemove: [],
  entriesToAdd: [],
  createdItems: [],
  importedIds: [],
  updatedItems: [],
  deletedNumbers: [],
  keptUntil: null,
  restoredItems: [],
  expectedDeleted: [],
  changes: [],
});

interface Removal {
  /** Milliseconds since 1970. */
  at: number;
  action: AuditedItemAction;
  /** The time at which the schedule erases the items. Null if the items are deleted permanently. */
  keptUntil: number | null;
}

/** Builds the batch that removes these items. It fails if an item or the definition has changed. */
export function buildRemoval(
  compiled: CompiledCollection,
  items: readonly Item[],
  { at, action, keptUntil: until }: Removal,
): BatchWrite {
  const removals = items.map((item) => ({
    item,
    rows: buildIndexRowChanges(compiled, item, null),
  }));
  return {
    ...emptyWrite(compiled, at),
    keptUntil: until,
    expectedVersions: items.map((item) => [item.number, item.version]),
    uniqueValuesToRemove: removals.flatMap(({ item, rows }) =>
      rows.uniqueValues.toRemove.map((value): [number, ...typeof value] => [item.number, ...value]),
    ),
    entriesToRemove: removals.flatMap(({ item, rows }) =>
      rows.entries.toRemove.map(([field, value]): [number, number, string | number] => [
        item.number,
        field,
        value,
      ]),
    ),
    deletedNumbers: items.map(({ number }) => number),
    changes: items.map((item) => ({
      ref: item.number,
      id: item.id,
      action,
      version: item.version,
      views: viewMarks(compiled, item, null),
      fields: "[]",
      // If the item is restored, its history contains this entry, which changed no field.
      former: until === null ? null : "{}",
    })),
  };
}
