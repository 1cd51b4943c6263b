import type { CollectionKind } from "../../domain/definition/collection";
import type { StoredCollection } from "./collection-now";

/**
 * Definitions as other isolates near by last saw them: where the SQL of a read needs one, its isolate need not ask the
 * database first. Whoever uses one learns from the read itself whether it still holds.
 */
export interface DefinitionCache {
  recall(kind: CollectionKind, key: string): Promise<StoredCollection | undefined>;
  /** Behind the answer. */
  keep(stored: StoredCollection): void;
}

const seconds = 24 * 60 * 60;

/** In a cache of HTTP answers, by addresses of this service that nobody can call. */
export function recallDefinition(
  cache: Cache,
  origin: string,
  kind: CollectionKind,
  key: string,
): Promise<StoredCollection | undefined> {
  return cache.match(addressOf(origin, kind, key)).then((kept) => kept?.json<StoredCollection>());
}

export async function keepDefinition(
  cache: Cache,
  origin: string,
  { collection, bytes }: StoredCollection,
): Promise<void> {
  const headers = { "Cache-Control": `max-age=${seconds}` };
  const kept = Response.json({ collection, bytes }, { headers });
  await cache.put(addressOf(origin, collection.kind, collection.key), kept);
}

const addressOf = (origin: string, kind: CollectionKind, key: string) =>
  `${origin}/.definitions/${kind}/${key}`;
