import { Problem, problem } from "#domain/problem/problem.ts";
import { shownData } from "#domain/data/parts.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import type { Warning } from "#domain/data/values.ts";
import { fileChanges } from "#domain/files/file-changes.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import {
  type Item,
  buildItemView,
  type ItemView,
  formatReceiptNumber,
  utf8Length,
} from "#domain/item/item.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import type { AssignedValues } from "#store/data/replays.ts";
import type { SimulatedOperation, PlannedChange, TouchedItem } from "./batch-changes.ts";
import type { BatchSimulation } from "./batch-simulation.ts";
import { visibleWarnings } from "./narrow-write.ts";
import { emptyWrite, keptUntil } from "./remove-items.ts";
import { buildIndexRowChanges, serializeData } from "#domain/item/change.ts";
import { countPartEntries } from "#domain/item/part-limits.ts";

/** The result of one operation. */
export interface OperationResult {
  op: BatchOperation["op"];
  outcome: SimulatedOperation["outcome"];
  id: string;
  /** Records only. */
  receiptNumber: string | null;
  version: number;
  warnings: readonly Warning[];
  /** The item after the whole batch. Null if it is deleted, in a replay, and if the response contains no items. */
  view: ItemView | null;
}

/** The response as stored for replays, without the items. */
interface StoredBatchResponse {
  prefix: string | null;
  results: (Omit<OperationResult, "view" | "receiptNumber"> & {
    /** The receipt number, or the position among the items that the batch created. */
    receipt: string | number | null;
  })[];
}

/** The first response, with the items after the whole batch. */
export type BatchResponse = StoredBatchResponse & { items?: (Item | null)[] };

export function buildBatchResponse(
  { receiptPrefix }: BatchWrite,
  results: readonly SimulatedOperation[],
): StoredBatchResponse {
  return {
    prefix: receiptPrefix,
    results: results.map(({ op, outcome, item, version, warnings }) => {
      const { id, number, receiptNumber: receipt } = item.lastState;
      return { op, outcome, id, version, warnings, receipt: number < 0 ? -number : receipt };
    }),
  };
}

export function toOperationResults(
  access: CollectionAccess,
  { prefix, results, items }: BatchResponse,
  { place, createdAt }: AssignedValues,
): OperationResult[] {
  return results.map(({ receipt, ...result }, index) => {
    const createdIndex = typeof receipt === "number" ? receipt - 1 : null;
    const assignedNumber =
      createdIndex === null || prefix === null
        ? null
        : formatReceiptNumber(prefix, place + createdIndex);
    const number = typeof receipt === "string" ? receipt : assignedNumber;
    const item = items?.[index];
    const times =
      createdIndex === null
        ? {}
        : { createdAt: createdAt + createdIndex, updatedAt: createdAt + createdIndex };
    const view = item && buildItemView({ ...item, ...times, receiptNumber: number }, access);
    const warnings = visibleWarnings(access, result.warnings);
    return { ...result, warnings, receiptNumber: number, view: view ?? null };
  });
}

/**
 * The maximum number of index rows that a batch changes. Does not count the first item, because a single write has no
 * limit. For a narrow caller, the rows that it does not see have a separate limit of the same size.
 */
const maxEntries = 60_000;

/**
 * Builds the write of a simulated batch. Calls `rejectItem` with the problem of an oversized item, and with the problem
 * of the item that makes the batch too large.
 */
export function buildBatchWrite(
  access: CollectionAccess,
  simulation: BatchSimulation,
  now: number,
  batchId: string,
  rejectItem: (item: TouchedItem, cause: Problem) => void,
): BatchWrite {
  const { touchedItems, changes, needsOpenForm, maxAddedItems, keepsDeleted } = simulation;
  const whole = wholeCollection(access);
  const { kind, definition } = whole.collection;
  const write: BatchWrite = {
    ...emptyWrite(whole, now),
    batchId,
    receiptPrefix: kind === "app" ? definition.receipt_prefix : null,
    needsOpenForm,
    maxAddedItems,
    keptUntil: keepsDeleted ? keptUntil(now) : null,
    importedIds: simulation.importedRows.newIds,
    files: touchedItems.flatMap(filesOf),
    changes: changes.map((change) => toWrittenChange(change, keepsDeleted)),
  };
  const counts = { shown: 0, hidden: 0 };
  for (const [index, touchedItem] of touchedItems.entries()) {
    try {
      const { shown, hidden } = countPartEntries(access, addItemWrite(write, access, touchedItem));
      counts.shown += shown;
      counts.hidden += hidden;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      rejectItem(touchedItem, error);
    }
    if (index > 0 && Math.max(counts.shown, counts.hidden) > maxEntries) {
      rejectItem(touchedItem, problem.batchTooManyEntries(maxEntries));
      break;
    }
  }
  return write;
}

const toWrittenChange = (
  { item: { lastState, current }, action, version, diff, views }: PlannedChange,
  keepsDeleted: boolean,
): BatchWrite["changes"][number] => ({
  views,
  ref: lastState.number,
  id: lastState.id,
  action,
  version,
  fields: JSON.stringify(diff.fields),
  former:
    (current === null && !keepsDeleted) || action.endsWith(".create")
      ? null
      : JSON.stringify(diff.former),
});

const filesOf = ({ before, lastState, current, states }: TouchedItem): BatchWrite["files"] =>
  current && states.length > 0
    ? [{ item: lastState.id, ...fileChanges(before?.data ?? {}, states) }]
    : [];

/** Adds the rows that one item writes. Returns the field number of each index row that changes. */
function addItemWrite(
  write: BatchWrite,
  access: CollectionAccess,
  { before, current }: TouchedItem,
): number[] {
  if (before) write.expectedVersions.push([before.number, before.version]);
  if (before === current) return [];
  const number = (before ?? current)?.number ?? 0;
  const { entries, uniqueValues } = buildIndexRowChanges(access, before, current);
  const fields = [...entries.toRemove, ...entries.toAdd].map(([field]) => field);
  for (const value of uniqueValues.toRemove) write.uniqueValuesToRemove.push([number, ...value]);
  for (const value of uniqueValues.toAdd) write.uniqueValuesToAdd.push([number, ...value]);
  for (const [field, value] of entries.toRemove) write.entriesToRemove.push([number, field, value]);
  for (const entry of entries.toAdd) write.entriesToAdd.push([number, ...entry]);
  if (!current) {
    write.deletedNumbers.push(number);
    return fields;
  }
  const { number: ref, id, status, version, updatedAt } = current;
  const data = serializeData(access, before, current);
  (before ? write.updatedItems : write.createdItems).push({
    ref,
    id,
    status,
    version,
    updatedAt,
    data,
  });
  return fields;
}

/** The maximum data of all items in a response. */
const maxReturnedBytes = 2_000_000;

/** Throws 413 when the items of a response are too large in total. */
export function assertReturnable(
  access: CollectionAccess,
  results: readonly SimulatedOperation[],
): void {
  let bytes = 0;
  for (const { item } of results) {
    bytes += item.current ? utf8Length(JSON.stringify(shownData(access, item.current.data))) : 0;
    if (bytes > maxReturnedBytes) throw problem.batchReturnsTooMuch(maxReturnedBytes);
  }
}
