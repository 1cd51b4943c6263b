import { isVisible } from "#domain/credential/credential.ts";
import { permissionsAllow, readPermission } from "#domain/credential/permissions.ts";
import { conditionsOf, type ReachedCollection } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { filesIn } from "#domain/files/file-changes.ts";
import { isFileId, toStoredFile, type File, type StoredFile } from "#domain/files/file.ts";
import { itemCollectionId, type Item } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { matchesItem } from "#domain/search/matches.ts";
import { deleteRows, startRemoval } from "#store/data/files.ts";
import { findFileWithItem } from "#store/data/file-items.ts";
import { findCachedStamp, loadCollectionOfHead } from "./collection-cache.ts";
import type { ActionContext, FileContext } from "./context.ts";
import { reachCurrent } from "./reach.ts";
import { errorAt } from "#domain/problem/field-errors.ts";

export const createPermission = {
  app: "records:create",
  form: "submissions:create",
} as const satisfies Record<CollectionKind, string>;

/** A file in a field that the caller sees. */
export interface LoadedFile {
  file: File;
  reached: ReachedCollection;
  /** The key of its field. */
  key: string;
  /** Null until it is attached. */
  item: Item | null;
}

/** Loads a file from the primary. Throws 404 unless the caller sees its field and has the permission. */
async function loadFile(
  ctx: ActionContext,
  id: string,
  permissionOf: Record<
    CollectionKind,
    (typeof readPermission | typeof createPermission)[CollectionKind]
  >,
): Promise<LoadedFile> {
  const collectionId = isFileId(id) ? itemCollectionId(id) : undefined;
  if (collectionId === undefined) throw problem.notFound();
  const db = ctx.databases.of({ id: collectionId });
  const stamps = findCachedStamp(ctx.memory, collectionId);
  const found = await findFileWithItem(db, { id, stamps });
  if (!found) throw problem.notFound();
  const { file, head, item } = found;
  const whole = await loadCollectionOfHead(ctx, head);
  const { kind, key } = whole.collection;
  if (
    !isVisible(ctx.resources, kind, key) ||
    !permissionsAllow(ctx.permissions, permissionOf[kind])
  )
    throw problem.notFound();
  const reached = await reachCurrent(ctx, whole);
  const field = reached.fields.list.find((each) => each.field.id === file.field)?.field;
  if (!field) throw problem.notFound();
  return { file, reached, key: field.key, item };
}

/** A file that the caller uploaded and may still attach, or that is attached already. */
export async function getOwnFile(ctx: ActionContext, id: string): Promise<LoadedFile> {
  const loaded = await loadFile(ctx, id, createPermission);
  if (loaded.file.owner !== ctx.actor) throw problem.notFound();
  return loaded;
}

/** A complete file with its item, which the caller sees. */
export interface AttachedFile extends LoadedFile {
  stored: StoredFile;
  item: Item;
}

/**
 * Returns a file of an item that the caller sees. Only the administration area shows files that the item no longer has,
 * with its history.
 */
export async function getAttachedFile(
  ctx: ActionContext,
  id: string,
  includesFormer = false,
): Promise<AttachedFile> {
  const loaded = await loadFile(ctx, id, readPermission);
  const { item, reached, file } = loaded;
  const stored = toStoredFile(file);
  if (!item || !stored || !matchesItem(conditionsOf(reached), item)) throw problem.notFound();
  if (!includesFormer && !filesIn(item.data).has(id)) throw problem.notFound();
  return { ...loaded, item, stored };
}

/** Returns a file that the caller sees: one of a visible item, or its own that is not attached yet. */
export async function getFile(ctx: ActionContext, id: string): Promise<LoadedFile> {
  const loaded = await loadFile(ctx, id, readPermission);
  if (!loaded.item && loaded.file.owner === ctx.actor) return loaded;
  return getAttachedFile(ctx, id);
}

/** Removes a file that is not attached: first its object, then its row. The schedule finishes what a failure leaves. */
export async function removeFile(
  ctx: FileContext,
  { file: { id }, reached }: LoadedFile,
): Promise<void> {
  const db = ctx.databases.of(reached.collection);
  if (!(await startRemoval(db, id, ctx.actor))) {
    const { file: current } = await getOwnFile(ctx, id);
    if (current.item === null) throw problem.notFound();
    const reason = "An item has this file. Remove it from the item instead.";
    throw problem.invalidInput([errorAt([], "file_in_use", reason)]);
  }
  ctx.runAfterResponse(async () => {
    await ctx.files.delete(id);
    await deleteRows(db, [id]);
  });
}
