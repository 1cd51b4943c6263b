import { and, eq, sql } from "drizzle-orm";
import { lazy } from "#domain/lazy.ts";
import { maxUnattachedBytes, maxUnattachedFiles, type File } from "#domain/files/file.ts";
import type { Actor } from "#domain/audit.ts";
import type { CollectionDatabase, DataDatabase, Databases } from "#store/db/database.ts";
import { isCopy } from "#store/db/moved-tables.ts";
import { retryTransient, runOnce } from "#store/db/retry.ts";
import { file, removedFile } from "#store/db/schema.ts";
import { collectionStatement, dataStatement, jsonChunks } from "#store/db/statement.ts";

/**
 * Statements on the rows of files. A row is inserted before its object is stored in R2, and deleted after the object.
 */

/** The value of `remove_at` for a file that is being deleted. Such a file cannot be attached again. */
export const removing = 0;

const columns = lazy(() => ({
  id: file.id,
  collectionId: sql<number>`${file.collectionId}`.as("collectionId"),
  field: file.field,
  owner: file.owner,
  name: file.name,
  bytes: file.bytes,
  sha256: file.sha256,
  contentType: sql<string | null>`${file.contentType}`.as("contentType"),
  item: file.item,
  detached: file.detached,
  createdAt: sql<number>`${file.createdAt}`.as("createdAt"),
}));

/** A file with the change that removed it from its item. Null if no change did. */
export interface FileRow extends File {
  detached: number | null;
}

type NewFile = Omit<File, "collectionId" | "contentType" | "item">;

const isUnattached = (owner: unknown) =>
  sql`owner = ${owner} and item is null and remove_at > ${sql.raw(String(removing))}`;

interface AddedFile extends NewFile {
  removeAt: number;
  /** The revision of the definition that has the field. */
  revision: number;
}

/**
 * Inserts the row unless the owner's files would exceed the limits or the definition has changed. One statement
 * decides.
 */
const insertFile = collectionStatement<AddedFile>((db, v) =>
  db
    .insert(file)
    .select(
      sql`select ${v.id}, ${v.collectionId}, ${v.field}, ${v.owner}, ${v.name}, ${v.bytes}, ${v.sha256},
        null, null, null, ${v.createdAt}, ${v.removeAt}
      from (select coalesce(sum(bytes), 0) as used, count(*) as files from file where ${isUnattached(v.owner)})
      where used + ${v.bytes} <= ${sql.raw(String(maxUnattachedBytes))}
        and files < ${sql.raw(String(maxUnattachedFiles))}
        and exists (select 1 from collection where id = ${v.collectionId} and revision = ${v.revision})`,
    )
    .onConflictDoNothing(),
);

/**
 * Returns false if the owner has too many bytes of unattached files, or if the collection is gone or has another
 * definition.
 */
export async function addFile(db: CollectionDatabase, values: AddedFile): Promise<boolean> {
  const { meta } = await retryTransient(db, () => insertFile(db, values).run());
  if (meta.changes > 0) return true;
  // The insert may have run before, in a call whose response was lost.
  return (await findFile(db, values.id)) !== undefined;
}

/** While a collection moves, both databases have the rows of its files. */
const isInCopy = sql.raw(isCopy("file.collection_id"));

const sumUnattached = dataStatement<{ owner: Actor }>((db, v) =>
  db
    .select({
      bytes: sql<number>`coalesce(sum(${file.bytes}), 0)`.as("bytes"),
      files: sql<number>`count(*)`.as("files"),
    })
    .from(file)
    .where(sql`${isUnattached(v.owner)} and not ${isInCopy}`),
);

/**
 * Returns whether the owner's files in all databases exceed the limits. No statement sees all databases, so callers add
 * the file first and count then. Of two simultaneous calls, each counts the other's file.
 */
export async function exceedsLimits(
  { dataDatabases }: Pick<Databases, "dataDatabases">,
  owner: Actor,
): Promise<boolean> {
  const dbs = dataDatabases();
  if (dbs.length === 1) return false;
  const sums = await Promise.all(
    dbs.map((db) =>
      retryTransient(db, () =>
        sumUnattached(db, { owner }).first<{ bytes: number; files: number }>(),
      ),
    ),
  );
  const total = (name: "bytes" | "files") => sums.reduce((sum, row) => sum + (row?.[name] ?? 0), 0);
  return total("bytes") > maxUnattachedBytes || total("files") > maxUnattachedFiles;
}

export const selectFile = dataStatement<{ id: string }>((db, v) =>
  db
    .select(columns())
    .from(file)
    .where(and(eq(file.id, v.id), sql`remove_at is not ${sql.raw(String(removing))}`)),
);

/** Treats files that are being deleted as missing. */
async function findFile(
  db: DataDatabase | CollectionDatabase,
  id: string,
): Promise<FileRow | undefined> {
  return (await retryTransient(db, () => selectFile(db, { id }).first<FileRow>())) ?? undefined;
}

const selectFiles = collectionStatement<{ ids: string; now: number }>((db, v) =>
  db
    .select(columns())
    .from(file)
    .where(
      sql`${file.id} in (select value from json_each(${v.ids})) and ${file.collectionId} = ${v.collectionId}
        and (remove_at is null or remove_at > ${v.now})`,
    ),
);

/** Finds the files with these IDs that items of the collection may have. */
export async function findFiles(
  db: CollectionDatabase,
  ids: readonly string[],
  now: number,
): Promise<Map<string, FileRow>> {
  const statements = jsonChunks(ids).map((chunk) => selectFiles(db, { ids: chunk, now }));
  const results = await retryTransient(db, () => db.batch<FileRow>(statements));
  return new Map(results.flatMap((result) => result.results.map((row) => [row.id, row])));
}

const setContentType = dataStatement<{ id: string; contentType: string }>((db, v) =>
  db
    .update(file)
    .set({ contentType: sql`coalesce(content_type, ${v.contentType})` })
    .where(and(eq(file.id, v.id), sql`remove_at is not ${sql.raw(String(removing))}`)),
);

/** Records that the content is stored. Returns false if the file was removed concurrently. */
export async function completeFile(
  db: CollectionDatabase,
  id: string,
  contentType: string,
): Promise<boolean> {
  const statement = setContentType(db, { id, contentType });
  const { meta } = await retryTransient(db, () => statement.run());
  return meta.changes > 0;
}

const markRemoving = dataStatement<{ id: string; owner: Actor }>((db, v) =>
  db
    .update(file)
    .set({ removeAt: removing })
    .where(and(eq(file.id, v.id), isUnattached(v.owner))),
);

/** Marks an unattached file for removal. Returns false if the file has become attached or is gone. */
export async function startRemoval(
  db: CollectionDatabase,
  id: string,
  owner: Actor,
): Promise<boolean> {
  const { meta } = await runOnce(db, () => markRemoving(db, { id, owner }).run());
  return meta.changes > 0;
}

const isRemoved = (ids: unknown) =>
  sql`id in (select value from json_each(${ids})) and remove_at = ${sql.raw(String(removing))}`;

const rememberRemoved = dataStatement<{ ids: string; now: number }>((db, v) =>
  db.insert(removedFile).select(sql`select ${v.now}, id from file where ${isRemoved(v.ids)}`),
);
const deleteRemoved = dataStatement<{ ids: string }>((db, v) =>
  db.delete(file).where(isRemoved(v.ids)),
);

/** Deletes the rows of files whose objects are gone. Keeps their IDs until no upload can store such an object again. */
export async function deleteRows(
  db: DataDatabase | CollectionDatabase,
  ids: readonly string[],
  now: number,
): Promise<void> {
  const chunk = JSON.stringify(ids);
  await retryTransient(db, () =>
    db.batch([rememberRemoved(db, { ids: chunk, now }), deleteRemoved(db, { ids: chunk })]),
  );
}
