import { hasWholeAccess, isVisible } from "#domain/credential/credential.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { referencedApps } from "#domain/definition/reference-places.ts";
import { loadDefinitions } from "#store/data/definition-head.ts";
import { findVisiblePart, shownBytes } from "./caller-access.ts";
import type { ActionContext } from "./context.ts";

/** The maximum size of the included definitions. More would make a document too large. */
const maxIncludedBytes = 1_000_000;
/**
 * The maximum number of apps that the caller sees through a view. They are loaded one by one, because their hidden
 * parts may be large.
 */
const maxNarrowApps = 20;

type Context = Pick<ActionContext, "databases" | "resources" | "actor">;

/**
 * Loads the apps whose records `expand` can include in responses to the caller: the apps that these collections refer
 * to, as far as the caller sees them. Loads none if their definitions are too large in total.
 */
export async function loadIncludedApps(
  ctx: Context,
  collections: readonly Collection[],
): Promise<readonly Collection[]> {
  const apps = new Set(
    collections.flatMap(({ definition }) => referencedApps(definition.fields.fields)),
  );
  const visible = [...apps].filter((app) => isVisible(ctx.resources, "app", app));
  const known = collections.filter(({ kind, key }) => kind === "app" && visible.includes(key));
  const others = visible.filter((app) => !known.some(({ key }) => key === app));
  const isWhole = (app: string) => hasWholeAccess(ctx.resources, "app", app);
  const [whole, narrow] = await Promise.all([
    loadWholeApps(ctx, others.filter(isWhole)),
    loadNarrowApps(
      ctx,
      others.filter((app) => !isWhole(app)),
    ),
  ]);
  // An incomplete list would suggest that the records of the missing apps cannot be included.
  return whole && narrow ? [...known, ...whole, ...narrow] : [];
}

const appRef = (key: string) => ({ kind: "app" as const, key });

async function loadWholeApps({ databases }: Context, keys: readonly string[]) {
  if (keys.length === 0) return [];
  const { count, collections } = await loadDefinitions(
    databases,
    keys.map(appRef),
    maxIncludedBytes,
  );
  return collections.length === count ? collections : undefined;
}

/** Returns the parts of these apps that the caller sees. The size of the hidden parts does not affect the result. */
async function loadNarrowApps(ctx: Context, keys: readonly string[]) {
  if (keys.length > maxNarrowApps) return undefined;
  const loaded = await Promise.all(
    keys.map((key) => loadDefinitions(ctx.databases, [appRef(key)], Number.MAX_SAFE_INTEGER)),
  );
  const parts = loaded
    .flatMap(({ collections }) => collections)
    .flatMap((app) => findVisiblePart(ctx, app) ?? []);
  const bytes = parts.reduce((sum, part) => sum + shownBytes(part), 0);
  return bytes <= maxIncludedBytes ? parts : undefined;
}
