import { searchThrough, type CollectionAccess } from "#domain/data/narrow.ts";
import { fieldNumber } from "#domain/data/values.ts";
import { problem } from "#domain/problem/problem.ts";
import type { ParsedSearch, Search, SearchField } from "#domain/search/tree.ts";
import type { UnindexedFields } from "#store/data/search/batch.ts";
import { resumeBackfill } from "./backfill.ts";
import type { ReadContext } from "./context.ts";
import { dependsOnOutdated } from "./sees-item.ts";

/**
 * Rejects a search or an aggregate over fields that have just become searchable, because it would miss items. A
 * recalculation does not stop searches, because it replaces the values and the entries of an item together. Only
 * callers whose view depends on the results have to wait. The fields may belong to another collection that references
 * point to.
 */
export function assertIndexed(
  ctx: ReadContext,
  access: CollectionAccess,
  searched: readonly SearchField[],
  { ids, outdated, ...progress }: UnindexedFields,
  collectionId = access.collection.id,
): void {
  const { collection, fields } = access;
  const numbers = new Set(ids.map((id) => fieldNumber(collectionId, id)));
  const unindexedFields = searched.filter(({ number }) => numbers.has(number));
  if (unindexedFields.length === 0) {
    if (collectionId === collection.id) assertCalculated(ctx, access, outdated);
    return;
  }
  resumeBackfill(ctx);
  const names = [...new Set(unindexedFields.map(({ name }) => name))];
  // Conditions can name fields of other apps only if the caller sees the whole app.
  if (access.extent === "whole" || collectionId !== collection.id)
    throw problem.indexing(names, progress);
  // The progress would count hidden items, and the conditions of the view may name hidden fields.
  const shownNames = names.filter((name) => fields.byKey.has(name));
  throw shownNames.length === 0
    ? problem.tryAgain()
    : problem.indexing(shownNames, { done: 0, total: 0 });
}

/** Throws 503 if the caller's view depends on results that are being recalculated. */
export function assertCalculated(
  ctx: ReadContext,
  access: CollectionAccess,
  outdated: readonly number[],
): void {
  if (!dependsOnOutdated(access, outdated)) return;
  resumeBackfill(ctx);
  throw problem.tryAgain();
}

/** Rejects operands that no item has and that are neither current nor former options of their fields. */
export function assertOptions(
  { unknownOptions }: Pick<Search, "unknownOptions">,
  missingValues: readonly number[],
): void {
  const errors = missingValues.flatMap((index) => unknownOptions[index]?.error ?? []);
  if (errors.length > 0) throw problem.invalidInput(errors);
}

/**
 * Returns the search over the items that the caller sees. For a view, only the definition decides which options exist.
 */
export function searchOfCaller(access: CollectionAccess, search: ParsedSearch): Search {
  const errors = search.unknownOptions.filter(({ field }) => field.options?.isComplete);
  if (access.extent === "narrow" && errors.length > 0)
    throw problem.invalidInput(errors.map(({ error }) => error));
  return searchThrough(access, search);
}

/** The operands to look up. A narrow caller must not learn whether hidden items have a value. */
export const askableOptions = (
  access: CollectionAccess,
  { unknownOptions }: Pick<Search, "unknownOptions">,
) =>
  access.extent === "narrow"
    ? []
    : unknownOptions.map(({ field, value }) => [field.number, value] as const);
