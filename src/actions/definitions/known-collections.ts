import { compile, type Compiled } from "../../domain/data/compile";
import type { CollectionKind } from "../../domain/definition/collection";
import {
  findCollection,
  findCollectionById,
  type CollectionNow,
} from "../../store/definitions/collections";

/**
 * Collections as this isolate last saw them, compiled. Whoever uses one learns from the database, in the same round
 * trip as its own work, whether the version is still the current one.
 */
const known = new Map<string, Compiled>();
const knownById = new Map<number, Compiled>();
/** Of definitions as they are stored; compiled, they take some ten times as much. */
const mostKnownBytes = 2_000_000;
let knownBytes = 0;

const nameOf = (kind: CollectionKind, key: string) => `${kind}:${key}`;

export function knownCollection(kind: CollectionKind, key: string): Compiled | undefined {
  return known.get(nameOf(kind, key));
}

const sizes = new Map<number, number>();
/** What the smallest of them takes. */
const leastBytes = 2000;

function forget(id: number): void {
  const kept = knownById.get(id);
  if (!kept) return;
  knownById.delete(id);
  known.delete(nameOf(kept.collection.kind, kept.collection.key));
  knownBytes -= sizes.get(id) ?? 0;
  sizes.delete(id);
}

function remember(now: CollectionNow | undefined): Compiled | undefined {
  if (!now) return undefined;
  const { collection } = now;
  const before = knownById.get(collection.id);
  if (before?.collection.revision === collection.revision) return before;
  forget(collection.id);
  const bytes = now.bytes + leastBytes;
  // Oldest first: a map keeps the order in which it was filled.
  for (const [id] of knownById) {
    if (knownBytes + bytes <= mostKnownBytes) break;
    forget(id);
  }
  const compiled = compile(collection);
  sizes.set(collection.id, bytes);
  knownBytes += bytes;
  known.set(nameOf(collection.kind, collection.key), compiled);
  knownById.set(collection.id, compiled);
  return compiled;
}

/** Reads the collection as it is now. */
export async function readCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<(Pick<CollectionNow, "live" | "indexing"> & { compiled: Compiled }) | undefined> {
  const now = await findCollection(db, kind, key);
  const compiled = remember(now);
  return now && compiled && { compiled, live: now.live, indexing: now.indexing };
}

/** The collection as it is now. */
export async function collectionNow(db: D1Database, id: number): Promise<Compiled> {
  const compiled = remember(await findCollectionById(db, id));
  if (!compiled) throw new Error(`Collection ${id} is gone, though collections are never deleted.`);
  return compiled;
}

/** The collection at `revision`, from memory where it is known; at a newer one if it changed since. */
export async function collectionAt(
  db: D1Database,
  id: number,
  revision: number,
): Promise<Compiled> {
  const kept = knownById.get(id);
  return kept?.collection.revision === revision ? kept : collectionNow(db, id);
}
