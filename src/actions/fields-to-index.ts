import { compileCollection } from "#domain/data/compile.ts";
import { computedIds, searchableIds } from "#domain/data/index-entries.ts";
import type { Collection, Definition } from "#domain/definition/collection.ts";
import type { MergedDefinition } from "#domain/definition/merge.ts";
import { changedResults } from "#domain/formula/changed-results.ts";
import type { CurrentCollection, PendingChange } from "#store/data/collections.ts";

/**
 * Lists the fields whose index entries must be built after this definition is saved, and the computed fields whose results
 * can change. New fields have no values to index. Each item keeps its old results and entries until it is recalculated.
 */
export function fieldsToIndex(
  current: CurrentCollection,
  { definition }: Pick<MergedDefinition, "definition">,
): Required<Pick<PendingChange, "unindexed" | "newlySearchable">> {
  const before = current.collection.definition.fields;
  const searchableBefore = searchableIds(before);
  const searchable = searchableIds(definition.fields);
  const existedBefore = (id: number) => id < before.next;
  const newlySearchableIds = [...searchable].filter(
    (id) => existedBefore(id) && !searchableBefore.has(id),
  );
  const currentIds = new Set([...searchable, ...computedIds(definition.fields)]);
  const waitingIds = (current.indexing?.fields ?? []).filter((id) => currentIds.has(id));
  const indexedIds = [...waitingIds, ...newlySearchableIds];
  const idsToRecalculate = resultsToRecalculate(current.collection, definition, indexedIds);
  return {
    unindexed: [...new Set([...indexedIds, ...idsToRecalculate])],
    newlySearchable: [
      ...new Set([
        ...newlySearchableIds,
        ...idsToRecalculate.filter((id) => !searchableBefore.has(id)),
      ]),
    ],
  };
}

/** Returns the ids of the computed fields whose results can change with this definition. Includes indexed fields. */
export function resultsToRecalculate(
  collection: Collection,
  definition: Definition,
  indexedIds: readonly number[],
): number[] {
  const computed = computedIds(definition.fields);
  const recalculated = indexedIds.filter((id) => computed.has(id));
  const { definition: before } = collection;
  const hasSameRules =
    before.time_zone === definition.time_zone &&
    JSON.stringify(before.fields) === JSON.stringify(definition.fields);
  if (computed.size === 0 || (hasSameRules && recalculated.length === 0)) return [];
  const after = compileCollection({ ...collection, definition });
  return [...changedResults(before, after, recalculated)];
}
