import type { CompiledCollection } from "#domain/data/compile.ts";
import {
  narrowCollection,
  shownCollection,
  type NarrowCollection,
  type CollectionAccess,
} from "#domain/data/narrow.ts";
import { hasWholeAccess, resourceExtent } from "#domain/credential/credential.ts";
import { utf8Length } from "#domain/item/item.ts";
import { problem } from "#domain/problem/problem.ts";
import { findView } from "#domain/search/view.ts";
import type { Collection, View } from "#domain/definition/collection.ts";
import type { CurrentCollection } from "#store/data/collections.ts";
import { findCurrentCollection } from "./collection-cache.ts";
import type { ReadContext } from "./context.ts";

export type Caller = Pick<ReadContext, "resources" | "actor">;

/** Narrow collections by whole collection, then by view and caller. */
const narrowed = new WeakMap<CompiledCollection, Map<string, NarrowCollection>>();
const maxNarrowed = 100;

/** Returns the part of the collection that the caller may see. Throws 404 if the caller cannot see the collection. */
export function accessCollection(caller: Caller, whole: CompiledCollection): CollectionAccess {
  const access = findAccess(caller, whole);
  if (!access) throw problem.notFound();
  return access;
}

/** Like `accessCollection`, but returns undefined if the caller cannot see the collection. */
export function findAccess(
  caller: Caller,
  whole: CompiledCollection,
): CollectionAccess | undefined {
  const view = findCallerView(caller, whole.collection);
  if (!view || view === "whole") return view && whole;
  const { actor } = caller;
  const known = narrowed.get(whole) ?? new Map<string, NarrowCollection>();
  const name = `${view.key} ${actor}`;
  const cached = known.get(name);
  if (cached) return cached;
  if (known.size >= maxNarrowed) known.clear();
  const narrow = narrowCollection(whole, view, actor);
  known.set(name, narrow);
  narrowed.set(whole, known);
  return narrow;
}

/**
 * Returns the view through which the caller sees the collection. Undefined if it cannot see the collection or the view
 * is missing.
 */
function findCallerView(
  { resources }: Pick<Caller, "resources">,
  collection: Collection,
): View | "whole" | undefined {
  const extent = resourceExtent(resources, collection.kind, collection.key);
  if (extent === null || extent === "whole") return extent ?? undefined;
  return findView(collection, extent.view);
}

/** Like `accessCollection`, for a cached definition that may be older than the caller's view. */
export async function accessCurrentCollection(
  ctx: ReadContext,
  cached: CompiledCollection,
): Promise<CollectionAccess> {
  const access = findAccess(ctx, cached);
  if (access) return access;
  const { kind, key } = cached.collection;
  const current = resourceExtent(ctx.resources, kind, key)
    ? await findCurrentCollection(ctx, kind, key)
    : undefined;
  if (!current) throw problem.notFound();
  return accessCollection(ctx, current.compiled);
}

/**
 * Returns the definition as far as the caller may know it. A narrow caller learns neither the number of items nor
 * pending changes.
 */
export function visibleDefinition(caller: Caller, current: CurrentCollection): CurrentCollection {
  const { kind, key } = current.collection;
  if (hasWholeAccess(caller.resources, kind, key)) return current;
  const collection = getVisiblePart(caller, current.collection);
  return { ...current, collection, bytes: shownBytes(collection), indexing: null, pending: null };
}

/** Returns the size of the visible part of a definition. The stored size would reveal the size of the hidden part. */
export const shownBytes = ({ definition }: Collection): number =>
  utf8Length(JSON.stringify(definition.fields));

/** Returns the part of a definition that the caller may see. Undefined if the caller cannot see the collection. */
export function findVisiblePart(
  caller: Pick<Caller, "resources">,
  collection: Collection,
): Collection | undefined {
  const view = findCallerView(caller, collection);
  if (!view || view === "whole") return view && collection;
  return shownCollection(collection, view);
}

/** Like `findVisiblePart`, but throws 404 if the caller cannot see the collection. */
export function getVisiblePart(
  caller: Pick<Caller, "resources">,
  collection: Collection,
): Collection {
  const part = findVisiblePart(caller, collection);
  if (!part) throw problem.notFound();
  return part;
}
