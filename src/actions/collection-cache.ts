import {
  compileCollection,
  type CollectionAccess,
  type CompiledCollection,
} from "#domain/data/compile.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { Database, Databases } from "#store/db/database.ts";
import { problem } from "#domain/problem/problem.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import { itemCollectionId } from "#domain/item/item.ts";
import { primaryOnly } from "#store/db/session.ts";
import type { ReadContext } from "./context.ts";
import {
  findCollection,
  findCollectionOf,
  type CurrentCollection,
  type StoredCollection,
} from "#store/data/collections.ts";
import {
  cachedStampsJson,
  type CollectionName,
  type DefinitionHead,
} from "#store/data/definition-head.ts";

/**
 * The compiled collections that this isolate read last. Every query that uses one also checks its stamp, in the same
 * round trip, and returns the current definition when the cached one is outdated.
 */
const cacheIn = memoryPart(() => ({
  byName: new Map<string, CompiledCollection>(),
  byId: new Map<number, CompiledCollection>(),
  /** The bytes of each collection, by its id. */
  sizes: new Map<number, number>(),
  bytes: 0,
}));
type CollectionCache = ReturnType<typeof cacheIn>;

/** The limit for the stored size of cached definitions. Compiled, they take about ten times as much. */
const maxCachedBytes = 2_000_000;
/** Added to the stored size of each definition. */
const minCachedBytes = 2000;

const cacheKey = (kind: CollectionKind, key: string) => `${kind}:${key}`;

export function findCollectionInMemory(
  memory: Memory,
  kind: CollectionKind,
  key: string,
): CompiledCollection | undefined {
  return cacheIn(memory).byName.get(cacheKey(kind, key));
}

/** Drops a deleted collection from the cache. Another collection may get its key later. */
export function forgetCollection(memory: Memory, id: number): void {
  evict(cacheIn(memory), id);
}

function evict(cache: CollectionCache, id: number): void {
  const cached = cache.byId.get(id);
  if (!cached) return;
  cache.byId.delete(id);
  cache.byName.delete(cacheKey(cached.collection.kind, cached.collection.key));
  cache.bytes -= cache.sizes.get(id) ?? 0;
  cache.sizes.delete(id);
}

/** Caches the collection unless the cached revision is newer, because a replica may return an older one. */
function cacheCollection(
  memory: Memory,
  { collection, bytes: storedBytes }: StoredCollection,
  alreadyCompiled?: CompiledCollection,
): CompiledCollection {
  const cache = cacheIn(memory);
  const previous = cache.byId.get(collection.id);
  if (previous?.collection.stamp === collection.stamp) return previous;
  const compiled = alreadyCompiled ?? compileCollection(collection);
  if (previous && previous.collection.revision > collection.revision) return compiled;
  evict(cache, collection.id);
  const bytes = storedBytes + minCachedBytes;
  // A map iterates in insertion order, so this evicts the oldest entries first.
  for (const [id] of cache.byId) {
    if (cache.bytes + bytes <= maxCachedBytes) break;
    evict(cache, id);
  }
  cache.sizes.set(collection.id, bytes);
  cache.bytes += bytes;
  cache.byName.set(cacheKey(collection.kind, collection.key), compiled);
  cache.byId.set(collection.id, compiled);
  return compiled;
}

/**
 * Identifies a collection for a statement. With `stamps`, the statement omits the cached definition from its result.
 */
export function collectionRef(
  memory: Memory,
  kind: CollectionKind,
  key: string,
): CollectionName & { stamps: string } {
  const cached = findCollectionInMemory(memory, kind, key)?.collection;
  return { kind, key, id: cached?.id ?? null, stamps: cachedStampsJson(cached ? [cached] : []) };
}

/** Returns the stamp of the cached collection with this id, as `stamps` of a statement. */
export function findCachedStamp(memory: Memory, id: number): string {
  const cached = cacheIn(memory).byId.get(id)?.collection;
  return cachedStampsJson(cached ? [cached] : []);
}

/** Returns the stamps of all cached collections of a kind, for an item in an unknown collection. */
export function findCachedStampsOfKind(memory: Memory, kind: CollectionKind): string {
  const collections = Array.from(cacheIn(memory).byId.values(), ({ collection }) => collection);
  return cachedStampsJson(collections.filter((collection) => collection.kind === kind));
}

/**
 * Returns the collection for a read whose SQL needs its definition. Looks in memory, then in the shared cache, then in
 * the database. The result may be outdated. The read detects that, and `resolveCollection` then replaces it. `db` is
 * the database of the collection, if the caller knows it.
 */
export async function cachedOrStoredCollection(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
  db: Database<"data"> = ctx.databases.named(kind, key),
): Promise<CompiledCollection | undefined> {
  const compiledInMemory = findCollectionInMemory(ctx.memory, kind, key);
  if (compiledInMemory) return compiledInMemory;
  const cached = await ctx.definitions.find(kind, key);
  if (cached) return compileCollection(cached.collection);
  const current = await findCollection(db, kind, key);
  if (current) ctx.definitions.put(current);
  return current && cacheCollection(ctx.memory, current);
}

/** Like `cachedOrStoredCollection`, but throws 404 if there is no collection. */
export async function requireCachedOrStoredCollection(
  ctx: ReadContext,
  kind: CollectionKind,
  key: string,
): Promise<CompiledCollection> {
  const compiled = await cachedOrStoredCollection(ctx, kind, key);
  if (!compiled) throw problem.notFound();
  return compiled;
}

/** Returns the `assumed` collection if the read found it current. Otherwise returns the current one from the read. */
export function resolveCollection(
  ctx: ReadContext,
  assumed: CompiledCollection,
  { freshCollection }: DefinitionHead,
): CompiledCollection {
  if (freshCollection) {
    ctx.definitions.put(freshCollection);
    return cacheCollection(ctx.memory, freshCollection);
  }
  const { collection } = assumed;
  if (cacheIn(ctx.memory).byId.has(collection.id)) return assumed;
  const bytes = JSON.stringify(collection.definition.fields).length;
  return cacheCollection(ctx.memory, { collection, bytes }, assumed);
}

/** The current collection and its number of items. */
export interface CountedCollection extends Pick<CurrentCollection, "itemCount" | "indexing"> {
  compiled: CompiledCollection;
}

/**
 * Reads the current collection from the database, and forgets a cached one that differs. The key may belong to no
 * collection or to another one. After a restore, a late replica may have returned a newer revision that the database no
 * longer has. Only the primary is authoritative, because a replica may have the older one. Without `versions`, the
 * databases query only the primary.
 */
export async function findCurrentCollection(
  {
    databases,
    memory,
    versions = primaryOnly,
  }: Pick<ReadContext, "databases" | "memory"> & Partial<Pick<ReadContext, "versions">>,
  kind: CollectionKind,
  key: string,
): Promise<CountedCollection | undefined> {
  const current = await findCollection(databases.named(kind, key), kind, key);
  const cached = findCollectionInMemory(memory, kind, key)?.collection;
  const isCurrent =
    cached?.id === current?.collection.id && cached?.stamp === current?.collection.stamp;
  if (cached && !isCurrent && versions.isFromPrimary()) forgetCollection(memory, cached.id);
  if (!current) return undefined;
  const { itemCount, indexing } = current;
  return { compiled: cacheCollection(memory, current), itemCount, indexing };
}

/** Reads the current collection. Throws 404 if it was deleted. */
export async function loadCurrentCollection(
  ctx: ReadContext,
  { collection }: CollectionAccess,
): Promise<CountedCollection> {
  const current = await findCurrentCollection(ctx, collection.kind, collection.key);
  if (!current) throw problem.notFound();
  return current;
}

/** Whether both are the same definition. A read compiles a definition again if the cache has another one. */
export const isSameDefinition = (one: CompiledCollection, other: CompiledCollection): boolean =>
  one.collection.id === other.collection.id && one.collection.stamp === other.collection.stamp;

/** The dependencies of loading a collection by its id. */
export interface CollectionSource {
  databases: Pick<Databases, "of">;
  memory: Memory;
}

/** Loads the current collection from the database. */
export async function loadCollectionById(
  { databases, memory }: CollectionSource,
  id: number,
): Promise<CompiledCollection> {
  const current = await findCollectionOf(databases.of({ id }));
  if (!current) {
    forgetCollection(memory, id);
    throw problem.notFound();
  }
  return cacheCollection(memory, current);
}

/** Returns the cached collection of an item's ID. Undefined for older IDs, which do not contain the collection. */
export function cachedCollectionOfItem(memory: Memory, id: string): CompiledCollection | undefined {
  const collectionId = itemCollectionId(id);
  return collectionId === undefined ? undefined : cacheIn(memory).byId.get(collectionId);
}

/** Returns the collection of a head. Loads it when neither the head nor the cache contains it. */
export async function loadCollectionOfHead(
  source: CollectionSource,
  { id, freshCollection }: DefinitionHead,
): Promise<CompiledCollection> {
  if (freshCollection) return cacheCollection(source.memory, freshCollection);
  return cacheIn(source.memory).byId.get(id) ?? loadCollectionById(source, id);
}
