import { type ComputeBudget } from "#domain/formula/compute.ts";
import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import { type UniqueValue, uniqueValues } from "#domain/data/index-entries.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import type { StoredFile } from "#domain/files/file.ts";
import { filesIn } from "#domain/files/file-changes.ts";
import type { Data } from "#domain/data/values.ts";
import {
  listCreatedFields,
  type ItemAction,
  nextItemVersion,
  diffItems,
  itemAction,
} from "#domain/item/change.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { newItemMarks, viewMarks } from "#domain/item/view-marks.ts";
import { newItemId, type Item } from "#domain/item/item.ts";
import { lowestVersion } from "#domain/timeline.ts";
import { BatchBytes } from "./batch-bytes.ts";
import type { PlannedChange, SimulatedOperation, TouchedItem } from "./batch-changes.ts";
import type { VisibleItems } from "./batch-lookup.ts";
import type { ActionContext } from "./context.ts";
import { ImportedRows } from "./imported-rows.ts";
import { buildDraft, assertTypeStable } from "./create-item.ts";
import type { UpsertKeyReader } from "./upsert-key.ts";
import { assertInView } from "./narrow-write.ts";
import {
  assertChangeable,
  hasSameData,
  nextState,
  reopenedState,
  updateAction,
  type NextState,
} from "./update-item.ts";

/** The maximum number of visible unique values in the items of a batch. A single item may have 2,000. */
const maxUniqueValues = 10_000;

const uniqueKey = ([field, value]: UniqueValue) => `${field} ${JSON.stringify(value)}`;

/** Whether the batch creates the item. */
const isNew = ({ number }: Item): boolean => number < 0;

/** Applies operations in order to the loaded items and stores nothing. Each operation returns its result or throws. */
export class BatchSimulation {
  readonly touchedItems: TouchedItem[] = [];
  readonly changes: PlannedChange[] = [];
  /** Whether an operation creates or submits an item. */
  needsOpenForm = false;
  /** The largest number of items that the batch adds at any point. */
  maxAddedItems = 0;
  readonly importedRows: ImportedRows;
  /** Whether the items that the batch deletes can be restored. */
  keepsDeleted = false;
  readonly #ctx: ActionContext;
  readonly #access: CollectionAccess;
  readonly #ownerByFile = new Map<string, TouchedItem>();
  readonly #ownerByValue = new Map<string, TouchedItem>();
  /** The values of items that the caller does not see. */
  readonly #hiddenValues = new Set<string>();
  readonly #byName = new Map<string, TouchedItem>();
  readonly #budget: ComputeBudget;
  readonly #bytes: BatchBytes;
  readonly #readUpsertKey: UpsertKeyReader;
  #addedCount = 0;
  #uniqueValueCount = 0;
  #createdCount = 0;

  constructor(
    ctx: ActionContext,
    access: CollectionAccess,
    { items, owners, givenRowIds, bytes }: VisibleItems,
    budget: ComputeBudget,
    readUpsertKey: UpsertKeyReader,
  ) {
    this.#ctx = ctx;
    this.#access = access;
    this.#budget = budget;
    this.#readUpsertKey = readUpsertKey;
    this.#bytes = new BatchBytes(access, bytes.hidden);
    this.importedRows = new ImportedRows(givenRowIds);
    const byNumber = new Map<number, TouchedItem>();
    for (const item of items) {
      const touchedItem = { before: item, current: item, lastState: item, states: [] };
      byNumber.set(item.number, touchedItem);
      this.#byName.set(item.id, touchedItem);
      this.importedRows.addStored(touchedItem);
      if (item.receiptNumber !== null) this.#byName.set(item.receiptNumber, touchedItem);
      this.touchedItems.push(touchedItem);
    }
    for (const { field, value, item } of owners) {
      const owner = byNumber.get(item);
      if (owner) this.#ownerByValue.set(uniqueKey([field, value]), owner);
      else this.#hiddenValues.add(uniqueKey([field, value]));
    }
  }

  apply(operation: BatchOperation): SimulatedOperation {
    switch (operation.op) {
      case "create":
        return this.#create("create", operation.body, operation.rowId, operation.unless);
      case "update":
        operation.assertDefinition?.(this.#access.collection);
        return this.#update("update", this.#find(operation.id), operation.body, operation.ifMatch);
      case "upsert": {
        const value = this.#readUpsertKey(operation);
        if (this.#hiddenValues.has(uniqueKey(value))) throw problem.duplicate(operation.by);
        const owner = this.#findOwner(value);
        if (!owner) return this.#create("upsert", operation.body);
        return this.#update("upsert", owner, operation.body, null);
      }
      case "delete":
        return this.#delete(this.#find(operation.id), operation);
      case "reopen":
        return this.#reopen(this.#find(operation.id), operation.ifMatch);
    }
  }

  #find(name: string): TouchedItem {
    const item = this.#byName.get(name);
    if (!item?.current) throw problem.notFound();
    return item;
  }

  /** Finds the item that has this value after the operations so far. */
  #findOwner(value: UniqueValue): TouchedItem | undefined {
    const owner = this.#ownerByValue.get(uniqueKey(value));
    if (!owner?.current) return undefined;
    return this.#uniqueValuesOf(owner.current).some(
      (heldValue) => uniqueKey(heldValue) === uniqueKey(value),
    )
      ? owner
      : undefined;
  }

  #create(
    op: "create" | "upsert",
    body: unknown,
    rowId?: string,
    existingId?: string,
  ): SimulatedOperation {
    const existingItem = this.importedRows.find(rowId ?? "") ?? this.#byName.get(existingId ?? "");
    if (existingItem) {
      const { version } = existingItem.lastState;
      return { op, outcome: "unchanged", item: existingItem, version, warnings: [] };
    }
    const id = this.#newId(rowId);
    const now = this.#ctx.now();
    const draft = buildDraft(this.#access, body, now, this.#budget);
    if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
    const { collection } = this.#access;
    assertTypeStable(this.#access, draft.data);
    const { data, status } = draft;
    this.#createdCount += 1;
    const { actor, databases } = this.#ctx;
    const version = lowestVersion(databases.timeline);
    const item: Item = {
      number: -this.#createdCount,
      id,
      collectionId: collection.id,
      receiptNumber: null,
      status,
      version,
      definitionVersion: collection.version,
      createdAt: now,
      createdBy: actor,
      updatedAt: now,
      updatedBy: actor,
      data,
      lastChange: null,
    };
    const touchedItem = { before: null, current: item, lastState: item, states: [data] };
    this.#claimFiles(touchedItem, data);
    this.touchedItems.push(touchedItem);
    this.#bytes.add(item.data, true);
    this.needsOpenForm = true;
    this.#addedCount += 1;
    this.maxAddedItems = Math.max(this.maxAddedItems, this.#addedCount);
    const action = itemAction(collection.kind, "create");
    const diff = { fields: listCreatedFields(item), former: {} };
    const views = newItemMarks(this.#access, null, item, this.#budget);
    this.changes.push({ item: touchedItem, action, version, diff, views });
    this.#recordOwner(touchedItem, item);
    return { op, outcome: "created", item: touchedItem, version, warnings: draft.warnings };
  }

  #newId(rowId: string | undefined): string {
    const ulid = this.#ctx.newId();
    const { kind, id } = this.#access.collection;
    return rowId === undefined ? newItemId(kind, id, ulid) : this.importedRows.newId(rowId, ulid);
  }

  #update(
    op: "update" | "upsert",
    touchedItem: TouchedItem,
    body: unknown,
    ifMatch: Parameters<typeof nextState>[3],
  ): SimulatedOperation {
    const item = touchedItem.current;
    if (!item) throw problem.notFound();
    const stored = { item, compiled: this.#access };
    const next = nextState(this.#ctx, stored, body, ifMatch, this.#budget, op === "update");
    const { warnings } = next;
    const { version } = item;
    if (next.status === item.status && hasSameData(next, stored)) {
      return { op, outcome: "unchanged", item: touchedItem, version, warnings };
    }
    const after = this.#store(touchedItem, item, next);
    return { op, outcome: "updated", item: touchedItem, version: after.version, warnings };
  }

  #reopen(touchedItem: TouchedItem, ifMatch: Parameters<typeof nextState>[3]): SimulatedOperation {
    const item = touchedItem.current;
    if (!item) throw problem.notFound();
    const next = reopenedState(item, ifMatch);
    const { version } = this.#store(touchedItem, item, next, "submission.reopen");
    return { op: "reopen", outcome: "updated", item: touchedItem, version, warnings: [] };
  }

  /** Plans the change of an item to its next state. */
  #store(
    touchedItem: TouchedItem,
    item: Item,
    next: Pick<NextState, "data" | "status">,
    action?: ItemAction,
  ): Item {
    const { actor, databases } = this.#ctx;
    const { timeline } = databases;
    const whole = wholeCollection(this.#access);
    const after = nextItemVersion(whole, item, next, actor, this.#ctx.now(), timeline);
    // The batch itself guards new items, because the database assigns their numbers and times.
    if (!isNew(item)) assertInView(this.#access, item, after);
    this.#bytes.add(after.data);
    if (item.status === "draft" && after.status !== "draft") this.needsOpenForm = true;
    this.#claimFiles(touchedItem, after.data);
    touchedItem.current = after;
    touchedItem.lastState = after;
    touchedItem.states.push(after.data);
    const diff = diffItems(whole, item, after);
    const marks = isNew(item) ? newItemMarks : viewMarks;
    this.changes.push({
      item: touchedItem,
      action: action ?? updateAction(item, after),
      version: after.version,
      diff,
      views: marks(this.#access, item, after, this.#budget),
    });
    this.#recordOwner(touchedItem, after);
    return after;
  }

  #delete(
    touchedItem: TouchedItem,
    { ifMatch, isKept = false }: Extract<BatchOperation, { op: "delete" }>,
  ): SimulatedOperation {
    const item = touchedItem.current;
    if (!item) throw problem.notFound();
    assertChangeable(item, ifMatch);
    touchedItem.current = null;
    this.#addedCount -= 1;
    const { version } = item;
    const diff = { fields: [], former: {} };
    const views = viewMarks(this.#access, item, null, this.#budget);
    const action = itemAction(this.#access.collection.kind, "delete");
    this.keepsDeleted ||= isKept;
    this.changes.push({ item: touchedItem, action, version, diff, views });
    return { op: "delete", outcome: "deleted", item: touchedItem, version, warnings: [] };
  }

  /** The values by which an upsert can find the item. They do not include values that the caller cannot see. */
  #uniqueValuesOf({ data, status }: Item): UniqueValue[] {
    return uniqueValues(this.#access.collection, data, status);
  }

  #recordOwner(touched: TouchedItem, item: Item): void {
    const values = this.#uniqueValuesOf(item);
    this.#uniqueValueCount += values.length;
    if (this.#uniqueValueCount > maxUniqueValues)
      throw problem.batchTooManyUniqueValues(maxUniqueValues);
    for (const value of values) this.#ownerByValue.set(uniqueKey(value), touched);
  }

  /** Throws 422 when another item of this batch has one of the files. */
  #claimFiles(touched: TouchedItem, data: Data): void {
    for (const [id, fieldId] of filesIn(data)) {
      const owner = this.#ownerByFile.get(id) ?? touched;
      this.#ownerByFile.set(id, owner);
      if (owner === touched) continue;
      const { list } = this.#access.fields;
      const key = list.find(({ field }) => field.id === fieldId)?.field.key ?? "";
      const index = (data[fieldId] as StoredFile[]).findIndex((file) => file.id === id);
      const reason = "Another operation of this batch attaches this file.";
      throw problem.invalidInput([errorAt(["data", key, index], "file_in_use", reason)]);
    }
  }
}
