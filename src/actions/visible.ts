import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { type Item, parseReceiptSequences } from "#domain/item/item.ts";
import { isVisible, visibleKeys } from "#domain/credential/credential.ts";
import { Problem, problem } from "#domain/problem/problem.ts";
import type { HistoryLimits } from "#store/data/changes.ts";
import { findItemWithHistory, type ItemWithHistory } from "#store/data/item-history.ts";
import { findItem, type ItemName, type CurrentItem } from "#store/data/items.ts";
import type { ActionContext, ReadContext } from "./context.ts";
import { accessCurrentCollection } from "./caller-access.ts";
import { narrowFlag, seesItem } from "./sees-item.ts";
import {
  findCachedStampsOfKind,
  collectionRef,
  loadCollectionOfHead,
  findCollectionInMemory,
  findCachedStamp,
  findCurrentCollection,
} from "./collection-cache.ts";

/** A stored item with the collection that it belongs to. */
export interface StoredItem {
  item: Item;
  /** The part of the collection that the caller may see. */
  compiled: CollectionAccess;
}

/** An item with its origin. */
export interface LoadedItem extends StoredItem {
  /** Whether the item comes from the primary. A replica's item may be old. */
  isFromPrimary: boolean;
}

/**
 * Returns the app or form, from the cache if possible. A cached one may have been deleted, which every batch checks.
 */
export async function getCollection(
  ctx: ActionContext,
  kind: CollectionKind,
  key: string,
): Promise<CompiledCollection> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  return findCollectionInMemory(ctx.memory, kind, key) ?? loadCollection(ctx, kind, key);
}

/** Loads the current app or form without checking whether the caller can see it. */
export async function loadCollection(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<CompiledCollection> {
  const current = await findCurrentCollection(ctx, kind, key);
  if (!current) throw problem.notFound();
  return current.compiled;
}

/** Returns the record with this id or receipt number. */
export async function getRecord(
  ctx: ActionContext,
  appKey: string,
  id: string,
): Promise<LoadedItem> {
  if (!isVisible(ctx.resources, "app", appKey)) throw problem.notFound();
  return loadRecord(ctx, appKey, id);
}

/** Loads the record without checking whether the caller can see it. */
export async function loadRecord(
  ctx: ReadContext,
  appKey: string,
  id: string,
): Promise<LoadedItem> {
  const record = await toLoadedItem(
    ctx,
    await findItem(ctx.databases, buildRecordName(ctx, appKey, id)),
  );
  if (record.compiled.collection.key !== appKey) throw problem.notFound();
  return record;
}

function buildRecordName(ctx: ReadContext, appKey: string, id: string): ItemName {
  const { stamps, ...name } = collectionRef(ctx.memory, "app", appKey);
  const isNarrow = narrowFlag(ctx);
  if (id.startsWith("rec_")) return { kind: "app", id, stamps, isNarrow };
  const sequences = parseReceiptSequences(id);
  if (sequences.length === 0) throw problem.notFound();
  return { ...name, receipt: id, sequences: JSON.stringify(sequences), stamps, isNarrow };
}

export async function getSubmission(ctx: ActionContext, id: string): Promise<LoadedItem> {
  requireVisibleForms(ctx);
  return requireVisible(ctx, await loadSubmission(ctx, id));
}

/** Throws 404 for callers that can see no form, without a read. */
export function requireVisibleForms({ resources }: ActionContext): void {
  const keys = visibleKeys(resources, "form");
  if (keys !== "all" && keys.length === 0) throw problem.notFound();
}

/**
 * Returns a prefetched submission if the caller can see it. Reads a hidden one again from the primary, exactly like a
 * missing one, so that the time of a 404 does not reveal which case it is.
 */
export async function requireVisibleSubmission(
  ctx: ActionContext,
  loaded: LoadedItem,
): Promise<LoadedItem> {
  const { kind, key } = loaded.compiled.collection;
  if (loaded.isFromPrimary || isVisible(ctx.resources, kind, key))
    return requireVisible(ctx, loaded);
  return getSubmission(ctx, loaded.item.id);
}

/** Loads the submission without checking whether the caller can see it. */
export async function loadSubmission(ctx: ReadContext, id: string): Promise<LoadedItem> {
  return toLoadedItem(ctx, await findItem(ctx.databases, nameById(ctx, "form", id)));
}

const nameById = (ctx: ReadContext, kind: CollectionKind, id: string): ItemName => ({
  kind,
  id,
  stamps: findCachedStampsOfKind(ctx.memory, kind),
  isNarrow: narrowFlag(ctx),
});

/** Returns a record or submission of this app or form with its changes, newest first, in one round trip. */
export async function getItemWithChanges(
  ctx: ActionContext,
  { kind, key, id }: { kind: CollectionKind; key: string; id: string },
  limits: HistoryLimits,
): Promise<{ loaded: LoadedItem } & Omit<ItemWithHistory, "current">> {
  if (!isVisible(ctx.resources, kind, key)) throw problem.notFound();
  const name = kind === "app" ? buildRecordName(ctx, key, id) : nameById(ctx, "form", id);
  const result = await findItemWithHistory(ctx.databases, name, limits);
  const item = await toLoadedItem(ctx, result?.current);
  if (item.compiled.collection.key !== key) throw problem.notFound();
  const { changes = [], titles = [], referrers = [] } = result ?? {};
  return { loaded: item, changes, titles, referrers };
}

/** Returns the stored item if the caller sees it. */
export async function findVisibleItem(
  ctx: ActionContext,
  { kind, id }: { kind: CollectionKind; id: string },
): Promise<LoadedItem | undefined> {
  const current = await findItem(ctx.databases, nameById(ctx, kind, id));
  return toLoadedItem(ctx, current).catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return undefined;
    throw error;
  });
}

async function toLoadedItem(
  ctx: ReadContext,
  current: CurrentItem | undefined,
): Promise<LoadedItem> {
  if (!current) throw problem.notFound();
  const { item, outdated } = current;
  const access = await accessCurrentCollection(ctx, await loadCollectionOfHead(ctx, current.head));
  // An item outside the caller's view looks like one that does not exist.
  if (!seesItem(ctx, access, item, outdated)) throw problem.notFound();
  return { item, compiled: access, isFromPrimary: ctx.versions.isFromPrimary() };
}

/** Throws 404 for an item of a collection that the caller cannot see. */
function requireVisible({ resources }: ActionContext, loaded: LoadedItem): LoadedItem {
  const { kind, key } = loaded.compiled.collection;
  if (!isVisible(resources, kind, key)) throw problem.notFound();
  return loaded;
}

/** Loads the item again after a concurrent change. */
export async function reloadItem(
  ctx: ActionContext,
  { item, compiled: access }: LoadedItem,
): Promise<LoadedItem> {
  const { id, kind } = access.collection;
  const stamps = findCachedStamp(ctx.memory, id);
  const name = { kind, id: item.id, stamps, isNarrow: narrowFlag(ctx) };
  return requireVisible(ctx, await toLoadedItem(ctx, await findItem(ctx.databases, name)));
}
