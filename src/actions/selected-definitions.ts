import type { Collection, CollectionRef } from "#domain/definition/collection.ts";
import { problem } from "#domain/problem/problem.ts";
import { loadDefinitions, type LoadedDefinitions } from "#store/data/definition-head.ts";
import { getVisiblePart, shownBytes } from "./caller-access.ts";
import type { ActionContext, ReadContext } from "./context.ts";

/** The maximum total size of several definitions. A single definition has no limit here. */
export const maxJoinedBytes = 1_000_000;

/** Loads these definitions in one round trip. If they are too large in total, returns only their number and size. */
export async function loadSelectedDefinitions(
  { databases }: Pick<ReadContext, "databases">,
  refs: readonly CollectionRef[],
): Promise<LoadedDefinitions> {
  if (refs.length === 0) return { count: 0, bytes: 0, collections: [] };
  return loadDefinitions(
    databases,
    refs,
    refs.length > 1 ? maxJoinedBytes : Number.MAX_SAFE_INTEGER,
  );
}

/**
 * Loads the parts of these definitions that the caller may see. Loads one at a time, because hidden parts may be large.
 */
export async function loadVisibleDefinitions(
  ctx: ActionContext,
  refs: readonly CollectionRef[],
): Promise<LoadedDefinitions> {
  const collections: Collection[] = [];
  let bytes = 0;
  for (const ref of refs) {
    const definitions = await loadSelectedDefinitions(ctx, [ref]);
    const [collection] = definitions.collections;
    if (!collection) throw problem.notFound();
    const visiblePart = getVisiblePart(ctx, collection);
    bytes += shownBytes(visiblePart);
    collections.push(visiblePart);
  }
  return { count: collections.length, bytes, collections };
}
