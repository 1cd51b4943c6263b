import { viewMarks } from "#domain/item/view-marks.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { wholeCollection } from "#domain/data/narrow.ts";
import { mayHaveFiles } from "#domain/files/sent-file.ts";
import { buildIndexRowChanges, itemAction, type ItemAction } from "#domain/item/change.ts";
import type { Item } from "#domain/item/item.ts";
import { requireVersion, type Precondition } from "#domain/preconditions.ts";
import { problem } from "#domain/problem/problem.ts";
import { removeItem, type ItemRemoval } from "#store/data/change-item.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { storeBatch } from "#store/data/batch-write.ts";
import { eraseDeletedItem } from "#store/data/erase-deleted-items.ts";
import { type ActionContext, auditRecord as buildAuditRecord, itemAuditRecord } from "./context.ts";
import { buildRemoval, keptUntil } from "./remove-items.ts";
import { assertChangeable, retryOnCurrentItem } from "./update-item.ts";
import type { LoadedItem, StoredItem } from "./visible.ts";

/** Deletes a submission and all data stored for it. Its unique values become available again. */
export async function deleteSubmission(
  ctx: ActionContext,
  loaded: LoadedItem,
  ifMatch: Precondition | null,
): Promise<void> {
  await retryOnCurrentItem(ctx, loaded, async (current) => {
    assertChangeable(current.item, ifMatch);
    if (ctx.queryErrors) throw problem.invalidInput(ctx.queryErrors);
    return deleteItem(ctx, current, "submission.delete");
  });
}

/**
 * Deletes a record or a submission in such a way that members can restore it for some days. Only the administration
 * area offers this.
 */
export async function deleteRestorably(
  ctx: ActionContext,
  loaded: LoadedItem,
  ifMatch: Precondition | null,
): Promise<void> {
  await retryOnCurrentItem(ctx, loaded, async ({ item, compiled: access }) => {
    assertChangeable(item, ifMatch);
    const compiled = wholeCollection(access);
    const action = itemAction(compiled.collection.kind, "delete");
    const at = ctx.now();
    const write = buildRemoval(compiled, [item], { at, action, keptUntil: keptUntil(at) });
    const db = ctx.databases.of(compiled.collection);
    const auditRecord = itemAuditRecord(ctx, action, at);
    const stored = await storeBatch(db, write, null, auditRecord, { shownBy: null });
    if (stored.outcome !== "created") return undefined;
    if (stored.hasListeners) ctx.notifyChange(compiled.collection);
    return true;
  });
}

/** Erases a deleted item early. Throws 404 if the item no longer exists. */
export async function eraseDeleted(
  ctx: ActionContext,
  collection: Collection,
  number: number,
): Promise<void> {
  const action = itemAction(collection.kind, "erase");
  const entry = buildAuditRecord(ctx, action, "", { collectionId: collection.id });
  if (!(await eraseDeletedItem(ctx.databases.of(collection), number, entry)))
    throw problem.notFound();
  ctx.replays.purge();
}

/**
 * Erases a record or a submission, even a closed one, with the responses that are stored for retries. Only the
 * administration area offers this.
 */
export async function eraseItem(
  ctx: ActionContext,
  loaded: LoadedItem,
  ifMatch: Precondition | null,
): Promise<void> {
  await retryOnCurrentItem(ctx, loaded, (current) => {
    requireVersion(current.item.version, ifMatch);
    return deleteItem(ctx, current, itemAction(current.compiled.collection.kind, "erase"));
  });
  ctx.replays.purge();
}

/** Returns undefined, for a retry, when a concurrent request changed the item or its definition. */
async function deleteItem(
  ctx: ActionContext,
  { item, compiled: access }: StoredItem,
  action: ItemAction,
): Promise<true | undefined> {
  const compiled = wholeCollection(access);
  const db = ctx.databases.of(compiled.collection);
  const result = await removeItem(
    db,
    buildItemRemoval(compiled, item),
    itemAuditRecord(ctx, action),
  );
  if (result.outcome !== "changed") return undefined;
  if (result.hasListeners) ctx.notifyChange(compiled.collection);
  return true;
}

/** Builds the removal of an item. It fails if the item or the definition has changed. */
export function buildItemRemoval(compiled: CompiledCollection, item: Item): ItemRemoval {
  const { entries, uniqueValues } = buildIndexRowChanges(compiled, item, null);
  const { version, revision, definition } = compiled.collection;
  return {
    number: item.number,
    itemVersion: item.version,
    definitionVersion: version,
    revision,
    views: viewMarks(compiled, item, null).known,
    entries: entries.toRemove,
    uniqueValues: uniqueValues.toRemove,
    mayHaveFiles: mayHaveFiles(definition.fields),
  };
}
