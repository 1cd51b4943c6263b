import { hasWholeAccess } from "#domain/credential/credential.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { referencedApps } from "#domain/definition/reference-places.ts";
import { loadDefinitions } from "#store/data/definition-head.ts";
import type { ActionContext } from "./context.ts";

/** Larger definitions together would make a document too large. */
const maxIncludedBytes = 1_000_000;

/**
 * Loads the apps whose records `expand` can include in responses to the caller: those to which these collections refer, and
 * which it sees as a whole. None if their definitions are too large together.
 */
export async function loadIncludedApps(
  ctx: Pick<ActionContext, "databases" | "resources">,
  collections: readonly Collection[],
): Promise<readonly Collection[]> {
  const apps = new Set(
    collections.flatMap(({ definition }) => referencedApps(definition.fields.fields)),
  );
  const readable = [...apps].filter((app) => hasWholeAccess(ctx.resources, "app", app));
  const known = collections.filter(({ kind, key }) => kind === "app" && readable.includes(key));
  const others = readable.filter((app) => !known.some(({ key }) => key === app));
  if (others.length === 0) return known;
  const names = others.map((key) => ({ kind: "app" as const, key }));
  const loaded = await loadDefinitions(ctx.databases, names, maxIncludedBytes);
  // A list without some of the apps would deny that their records can be included.
  return loaded.collections.length === loaded.count ? [...known, ...loaded.collections] : [];
}
