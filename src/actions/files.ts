import { isVisible } from "#domain/credential/credential.ts";
import { permissionsAllow, readPermission } from "#domain/credential/permissions.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import type { CollectionAccess } from "#domain/data/narrow.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { filesIn } from "#domain/files/file-changes.ts";
import { isFileId, toStoredFile, type File, type StoredFile } from "#domain/files/file.ts";
import { itemCollectionId, type Item } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { deleteRows, startRemoval } from "#store/data/files.ts";
import { findFileWithItem } from "#store/data/file-items.ts";
import { findCachedStamp, loadCollectionOfHead } from "./collection-cache.ts";
import type { ActionContext, FileContext, ReadContext } from "./context.ts";
import { accessCurrentCollection } from "./caller-access.ts";
import { narrowFlag, seesItem } from "./sees-item.ts";
import { errorAt } from "#domain/problem/field-errors.ts";

export const createPermission = {
  app: "records:create",
  form: "submissions:create",
} as const satisfies Record<CollectionKind, string>;

/** A file in a field that the caller sees. */
export interface LoadedFile {
  file: File;
  access: CollectionAccess;
  /** The key of its field. */
  key: string;
  /** The item that has the file. Null until the file is attached. */
  item: Item | null;
  /** Whether the caller sees the item. */
  seesItem: boolean;
}

/** A file with its item, before the access of the caller is checked. */
export interface StoredFileWithItem {
  file: File;
  whole: CompiledCollection;
  item: Item | null;
  outdated: readonly number[];
}

/** Loads a file and its item in one round trip. Throws 404 if there is none. */
export async function readFile(ctx: ReadContext, id: string): Promise<StoredFileWithItem> {
  const collectionId = isFileId(id) ? itemCollectionId(id) : undefined;
  if (collectionId === undefined) throw problem.notFound();
  const db = ctx.databases.of({ id: collectionId });
  const stamps = findCachedStamp(ctx.memory, collectionId);
  const found = await findFileWithItem(db, { id, stamps, isNarrow: narrowFlag(ctx) });
  // A file of a deleted item stays until the item can no longer be restored. No caller sees it in that time.
  if (!found || (found.file.item !== null && found.item === null)) throw problem.notFound();
  const { head, ...rest } = found;
  return { ...rest, whole: await loadCollectionOfHead(ctx, head) };
}

type PermissionOf = Record<
  CollectionKind,
  (typeof readPermission | typeof createPermission)[CollectionKind]
>;

/** Throws 404 unless the caller sees the field of the file and has the permission. */
async function requireAccess(
  ctx: ActionContext,
  { file, whole, item, outdated }: StoredFileWithItem,
  permissionOf: PermissionOf,
): Promise<LoadedFile> {
  const { kind, key } = whole.collection;
  if (
    !isVisible(ctx.resources, kind, key) ||
    !permissionsAllow(ctx.permissions, permissionOf[kind])
  )
    throw problem.notFound();
  const access = await accessCurrentCollection(ctx, whole);
  const field = access.fields.list.find((each) => each.field.id === file.field)?.field;
  if (!field) throw problem.notFound();
  const isSeen = item !== null && seesItem(ctx, access, item, outdated);
  return { file, access, key: field.key, item, seesItem: isSeen };
}

/** Returns a file that the caller uploaded, if it is unattached or its item is visible to the caller. */
export async function getOwnFile(ctx: ActionContext, id: string): Promise<LoadedFile> {
  const loaded = await requireAccess(ctx, await readFile(ctx, id), createPermission);
  const { file, item } = loaded;
  if (file.owner !== ctx.actor || (item && !loaded.seesItem)) throw problem.notFound();
  return loaded;
}

/** A complete file with an item that the caller sees. */
export interface AttachedFile extends LoadedFile {
  stored: StoredFile;
  item: Item;
}

/** Returns a file if the caller sees its item and the item still has the file. Throws 404 otherwise. */
export async function requireAttached(
  ctx: ActionContext,
  found: StoredFileWithItem,
): Promise<AttachedFile> {
  const attached = attachedFrom(await requireAccess(ctx, found, readPermission));
  if (!filesIn(attached.item.data).has(attached.file.id)) throw problem.notFound();
  return attached;
}

function attachedFrom(loaded: LoadedFile): AttachedFile {
  const { item, file } = loaded;
  const stored = toStoredFile(file);
  if (!item || !stored || !loaded.seesItem) throw problem.notFound();
  return { ...loaded, item, stored };
}

/** Loads a file from the primary. Throws 404 unless the caller sees its item and the item still has the file. */
export const getAttachedFile = async (ctx: ActionContext, id: string): Promise<AttachedFile> =>
  requireAttached(ctx, await readFile(ctx, id));

/** Like `getAttachedFile`, but also returns files that only the history of the item still contains. */
export const getFormerFile = async (ctx: ActionContext, id: string): Promise<AttachedFile> =>
  attachedFrom(await requireAccess(ctx, await readFile(ctx, id), readPermission));

/** Returns a file that the caller sees: a file of a visible item, or the caller's own unattached file. */
export async function requireFile(
  ctx: ActionContext,
  found: StoredFileWithItem,
): Promise<LoadedFile> {
  if (found.item || found.file.owner !== ctx.actor) return requireAttached(ctx, found);
  return requireAccess(ctx, found, readPermission);
}

/** Removes an unattached file: first its object, then its row. The schedule finishes an interrupted removal. */
export async function removeFile(
  ctx: FileContext,
  { file: { id }, access }: LoadedFile,
): Promise<void> {
  const db = ctx.databases.of(access.collection);
  if (!(await startRemoval(db, id, ctx.actor))) {
    const { file: current } = await getOwnFile(ctx, id);
    if (current.item === null) throw problem.notFound();
    const reason = "An item has this file. Remove it from the item instead.";
    throw problem.invalidInput([errorAt([], "file_in_use", reason)]);
  }
  ctx.runAfterResponse(async () => {
    await ctx.files.delete([id]);
    await deleteRows(db, [id], ctx.now());
  });
}
