import { compile, type Compiled } from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { ReadContext } from "./context.ts";
import { findCollection, findCollectionById, type CollectionNow, type StoredCollection } from "#store/data/collections.ts";
import { knownStamps, type CollectionName, type Head } from "#store/data/definition-head.ts";

/**
 * Collections as this isolate last saw them, compiled. Whoever uses one learns from the database, in the same round
 * trip as its own work, whether it is still the current one, and is given that which is.
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

/** Keeps the newest: what a replica tells may be older. */
function remember({ collection, bytes: stored }: StoredCollection, made?: Compiled): Compiled {
  const before = knownById.get(collection.id);
  if (before?.collection.stamp === collection.stamp) return before;
  const compiled = made ?? compile(collection);
  if (before && before.collection.revision > collection.revision) return compiled;
  forget(collection.id);
  const bytes = stored + leastBytes;
  // Oldest first: a map keeps the order in which it was filled.
  for (const [id] of knownById) {
    if (knownBytes + bytes <= mostKnownBytes) break;
    forget(id);
  }
  sizes.set(collection.id, bytes);
  knownBytes += bytes;
  known.set(nameOf(collection.kind, collection.key), compiled);
  knownById.set(collection.id, compiled);
  return compiled;
}

/** How statements name a collection, and which definition of it need not come along. */
export function nameWithKnown(
  kind: CollectionKind,
  key: string,
): CollectionName & { known: string } {
  const kept = knownCollection(kind, key)?.collection;
  return { kind, key, id: kept?.id ?? null, known: knownStamps(kept ? [kept] : []) };
}

/** Which definition of the collection with this id need not come along. */
export function knownStamp(id: number): string {
  const kept = knownById.get(id)?.collection;
  return knownStamps(kept ? [kept] : []);
}

/** The same of an item whose collection is not told: all that is known of its kind. */
export function allKnown(kind: CollectionKind): string {
  const all = Array.from(knownById.values(), ({ collection }) => collection);
  return knownStamps(all.filter((each) => each.kind === kind));
}

/**
 * The collection for a read whose SQL needs its definition: from memory, from what is cached near by, or as the database
 * has it. Whether it holds is learnt from the read (`settle`).
 */
export async function likelyCollection(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<Compiled | undefined> {
  const kept = knownCollection(kind, key);
  if (kept) return kept;
  const cached = await ctx.definitions.recall(kind, key);
  if (cached) return compile(cached.collection);
  const now = await findCollection(ctx.db, kind, key);
  if (now) ctx.definitions.keep(now);
  return now && remember(now);
}

/** The collection that was said to be known where it was confirmed, and the other one that holds in place of it. */
export function settle(ctx: ReadContext, likely: Compiled, { fresh }: Head): Compiled {
  if (fresh) {
    ctx.definitions.keep(fresh);
    return remember(fresh);
  }
  const { collection } = likely;
  if (knownById.has(collection.id)) return likely;
  const bytes = JSON.stringify(collection.definition.fields).length;
  return remember({ collection, bytes }, likely);
}

/** Reads the collection as it is now. */
export async function readCollection(
  db: D1Database,
  kind: CollectionKind,
  key: string,
): Promise<(Pick<CollectionNow, "live" | "indexing"> & { compiled: Compiled }) | undefined> {
  const now = await findCollection(db, kind, key);
  return now && { compiled: remember(now), live: now.live, indexing: now.indexing };
}

/** The collection as it is now. */
export async function collectionNow(db: D1Database, id: number): Promise<Compiled> {
  const now = await findCollectionById(db, id);
  if (!now) throw new Error(`Collection ${id} is gone, though collections are never deleted.`);
  return remember(now);
}

/** The collection that a head tells of. Where it did not come along and is known no more, it is read again. */
export async function collectionAt(db: D1Database, { id, fresh }: Head): Promise<Compiled> {
  return fresh ? remember(fresh) : (knownById.get(id) ?? collectionNow(db, id));
}
