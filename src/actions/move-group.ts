import { retryTransient } from "#store/db/retry.ts";
import { homeName } from "#domain/bookmarks.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { maxMovedCollections, type MoveRefusal } from "#domain/move.ts";
import { loadGroup } from "#store/data/linked-collections.ts";
import { locationOf, type StoredCollection } from "#store/data/move-sql.ts";
import type { DataDatabase, Databases } from "#store/db/database.ts";

/** A collection with the collections that move with it, and their database. */
export interface MoveGroup {
  /** `form:purchase`. */
  name: string;
  collectionId: number;
  source: DataDatabase;
  collections: StoredCollection[];
  /** The location in which the group must stay. Null if it may be anywhere. */
  location: string | null;
}

/** Finds the group of a collection at the primary. Returns the reason if it cannot move. */
export async function findMoveGroup(
  databases: Databases,
  name: string,
): Promise<MoveGroup | MoveRefusal> {
  // An installation with a single database has no directory.
  const { directory } = databases;
  if (!directory) return "unknown_database";
  const [, kind, key = ""] = /^(app|form):(.+)$/.exec(name) ?? [];
  if (!kind) return "unknown_collection";
  const placement = await retryTransient(databases, () =>
    directory.findCurrent({ kind: kind as CollectionKind, key }),
  );
  if (!placement || placement.isCreating) return "unknown_collection";
  const { collectionId } = placement;
  const source = databases.dataDatabases().find((db) => db.name === placement.database);
  if (!source) return "unknown_database";
  const collections = await loadGroup(source, collectionId);
  if (!collections.some(({ id }) => id === collectionId)) return "unknown_collection";
  if (collections.length > maxMovedCollections) return "too_many_collections";
  return { name, collectionId, source, collections, location: locationOf(collections) };
}

/** The names of the databases that are bound, the home database first. */
export function databaseNames(databases: Databases): string[] {
  const names = databases.dataDatabases().map(({ name }) => name);
  return [homeName, ...names.filter((name) => name !== homeName).toSorted()];
}
