import type { CollectionAccess, NarrowCollection } from "#domain/data/narrow.ts";
import { isVisible, resourceExtent } from "#domain/credential/credential.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { errorAt } from "#domain/problem/field-errors.ts";
import { problem } from "#domain/problem/problem.ts";
import { findVisibleVersions, maxRecordCosts, type RecordCosts } from "#store/data/references.ts";
import { findAccess } from "./caller-access.ts";
import { cachedOrStoredCollection, findCurrentCollection } from "./collection-cache.ts";
import type { ReadContext } from "./context.ts";
import { retryOnConflict } from "./idempotent.ts";
import { referencedFields } from "#domain/search/tree.ts";
import { assertIndexed } from "./search-checks.ts";

/** The records that a caller sees through a view, out of some records of an app. */
export interface ViewedRecords {
  access: NarrowCollection;
  /** The versions of the records, by their IDs. */
  versions: ReadonlyMap<string, number>;
}

/** Returns the costs that a lookup of records may have, in all apps together. */
export const recordsBudget = (): RecordCosts => ({ ...maxRecordCosts });

/** Whether the caller sees only a view of the app. */
export const seesView = ({ resources }: Pick<ReadContext, "resources">, app: string): boolean => {
  const extent = resourceExtent(resources, "app", app);
  return extent !== null && extent !== "whole";
};

/**
 * Finds the part of an app that the caller sees, for a collection that refers to the app. Undefined if the caller sees
 * nothing. The definition may be outdated, but is not older than the caller's view.
 */
export async function findAppAccess(
  ctx: ReadContext,
  collection: Pick<Collection, "id">,
  app: string,
): Promise<CollectionAccess | undefined> {
  // Linked collections share a database.
  const db = ctx.databases.of(collection);
  const compiled = await cachedOrStoredCollection(ctx, "app", app, db);
  const access = compiled && findAccess(ctx, compiled);
  return access ?? findCurrentAccess(ctx, app);
}

async function findCurrentAccess(
  ctx: ReadContext,
  app: string,
): Promise<CollectionAccess | undefined> {
  if (!isVisible(ctx.resources, "app", app)) return undefined;
  const current = await findCurrentCollection(ctx, "app", app);
  return current && findAccess(ctx, current.compiled);
}

/** Finds the view of an app that the caller sees. Undefined if the view is missing. */
export async function findViewedApp(
  ...[ctx, collection, app]: Parameters<typeof findAppAccess>
): Promise<NarrowCollection | undefined> {
  const access = await findAppAccess(ctx, collection, app);
  return access?.extent === "narrow" ? access : undefined;
}

/**
 * Finds which of these records of an app the caller currently sees through its view. Undefined if the view is missing.
 * Throws 422 if examining the ones that it sees would exceed the budget.
 */
export async function findViewedRecords(
  ctx: ReadContext,
  collection: Pick<Collection, "id">,
  app: string,
  ids: readonly string[],
  budget: RecordCosts,
): Promise<ViewedRecords | undefined> {
  let access = await findViewedApp(ctx, collection, app);
  const found = await retryOnConflict(ctx, async () => {
    if (!access) return null;
    const { id, revision } = access.whole.collection;
    const db = ctx.databases.of({ id });
    const visible = await findVisibleVersions(db, access, ids, budget);
    if (visible.revision === revision) {
      if (visible.costs.shown > budget.shown) throw referencesTooComplex();
      budget.shown -= visible.costs.shown;
      budget.hidden -= visible.costs.hidden;
      const searched = referencedFields({ conditions: [...access.conditions], sort: [] });
      assertIndexed(ctx, access, searched, visible.unindexed);
      return { access, versions: visible.versions };
    }
    const current = await findCurrentAccess(ctx, app);
    access = current?.extent === "narrow" ? current : undefined;
    return undefined;
  });
  return found ?? undefined;
}

const referencesTooComplex = () =>
  problem.invalidInput([
    errorAt(
      [],
      "too_complex",
      "The records to which this request refers are too large together. Refer to fewer records in one request.",
    ),
  ]);
