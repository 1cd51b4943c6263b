import type { NarrowCollection } from "#domain/data/narrow.ts";
import { resourceExtent } from "#domain/credential/credential.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { findVisibleVersions } from "#store/data/references.ts";
import { findAccess } from "./caller-access.ts";
import { cachedOrStoredCollection, findCurrentCollection } from "./collection-cache.ts";
import type { ReadContext } from "./context.ts";
import { retryOnConflict } from "./idempotent.ts";

/** The records of an app that a caller sees through a view, out of some. */
export interface ViewedRecords {
  access: NarrowCollection;
  /** The versions of the records, by their IDs. */
  versions: ReadonlyMap<string, number>;
}

/** Whether the caller sees only a view of the app. */
export const seesView = ({ resources }: Pick<ReadContext, "resources">, app: string): boolean => {
  const extent = resourceExtent(resources, "app", app);
  return extent !== null && extent !== "whole";
};

/** The view of an app that the caller sees, as far as this isolate knows it. Undefined if the view is missing. */
export async function findViewedApp(
  ctx: ReadContext,
  collection: Pick<Collection, "id">,
  app: string,
): Promise<NarrowCollection | undefined> {
  // Linked collections share a database.
  const db = ctx.databases.of(collection);
  const compiled = await cachedOrStoredCollection(ctx, "app", app, db);
  const access = compiled && findAccess(ctx, compiled);
  return access?.extent === "narrow" ? access : undefined;
}

/** Finds which of these records of an app the caller sees through its view now. Undefined if the view is missing. */
export async function findViewedRecords(
  ctx: ReadContext,
  collection: Pick<Collection, "id">,
  app: string,
  ids: readonly string[],
): Promise<ViewedRecords | undefined> {
  let access = await findViewedApp(ctx, collection, app);
  const found = await retryOnConflict(ctx, async () => {
    if (access) {
      const { id, revision } = access.whole.collection;
      const db = ctx.databases.of({ id });
      const visible = await findVisibleVersions(db, access.conditions, ids);
      if (visible.revision === revision) return { access, versions: visible.versions };
    }
    const current = await findCurrentCollection(ctx, "app", app);
    const currentAccess = current && findAccess(ctx, current.compiled);
    access = currentAccess?.extent === "narrow" ? currentAccess : undefined;
    return access ? undefined : null;
  });
  return found ?? undefined;
}
