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

/** Narrow collections by their whole one, by view and caller. */
const narrowed = new WeakMap<CompiledCollection, Map<string, NarrowCollection>>();
const maxNarrowed = 100;

/** The part of the collection that the caller may see. Throws 404 for one that it cannot see. */
export function accessCollection(caller: Caller, whole: CompiledCollection): CollectionAccess {
  const access = findAccess(caller, whole);
  if (!access) throw problem.notFound();
  return access;
}

/** The same. Returns undefined for one that the caller cannot see. */
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

/** The view through which the caller sees the collection. Undefined if it cannot see the collection, or the view is missing. */
function findCallerView(
  { resources }: Pick<Caller, "resources">,
  collection: Collection,
): View | "whole" | undefined {
  const extent = resourceExtent(resources, collection.kind, collection.key);
  if (extent === null || extent === "whole") return extent ?? undefined;
  return findView(collection, extent.view);
}

/** The part of the collection that the caller may see, if the cached definition may be older than the view that the caller has. */
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

/** The definition as far as the caller may know it: a narrow one neither learns how many items there are nor of changes. */
export function visibleDefinition(caller: Caller, current: CurrentCollection): CurrentCollection {
  const { kind, key } = current.collection;
  if (hasWholeAccess(caller.resources, kind, key)) return current;
  const collection = getVisiblePart(caller, current.collection);
  return { ...current, collection, bytes: shownBytes(collection), indexing: null, pending: null };
}

/** The size of what a caller sees of a definition. The stored size would tell how large the hidden part is. */
export const shownBytes = ({ definition }: Collection): number =>
  utf8Length(JSON.stringify(definition.fields));

/** The part of a definition that the caller may see. Undefined for one that it cannot see. */
export function findVisiblePart(
  caller: Pick<Caller, "resources">,
  collection: Collection,
): Collection | undefined {
  const view = findCallerView(caller, collection);
  if (!view || view === "whole") return view && collection;
  return shownCollection(collection, view);
}

/** The same. Throws 404 for one that it cannot see. */
export function getVisiblePart(
  caller: Pick<Caller, "resources">,
  collection: Collection,
): Collection {
  const part = findVisiblePart(caller, collection);
  if (!part) throw problem.notFound();
  return part;
}
