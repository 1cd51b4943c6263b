import { computedIds, searchableIds } from "#domain/data/index-entries.ts";
import { computedFields, type ComputedField, type FieldSet } from "#domain/definition/field.ts";
import type { MergedDefinition } from "#domain/definition/merge.ts";
import type { CurrentCollection, PendingChange } from "#store/data/collections.ts";

/**
 * Lists the fields whose index entries must be built after this definition is saved. New fields have no values to index.
 * If any formula is new or changed, all computed fields are listed, because they use each other. Each item keeps its old
 * entries of these fields until it is recalculated.
 */
export function fieldsToIndex(
  current: CurrentCollection,
  { definition }: MergedDefinition,
): Required<Pick<PendingChange, "unindexed" | "newlySearchable">> {
  const before = current.collection.definition.fields;
  const searchableBefore = searchableIds(before);
  const searchable = searchableIds(definition.fields);
  const existedBefore = (id: number) => id < before.next;
  const newlySearchableIds = [...searchable].filter(
    (id) => existedBefore(id) && !searchableBefore.has(id),
  );
  const idsToRecalculate = findIdsToRecalculate(before, definition.fields);
  const currentIds = new Set([...searchable, ...computedIds(definition.fields)]);
  const waitingIds = (current.indexing?.fields ?? []).filter((id) => currentIds.has(id));
  return {
    unindexed: [...new Set([...waitingIds, ...newlySearchableIds, ...idsToRecalculate])],
    newlySearchable: [
      ...new Set([
        ...newlySearchableIds,
        ...idsToRecalculate.filter((id) => !searchableBefore.has(id)),
      ]),
    ],
  };
}

const formulaFingerprint = ({ formula, result, decimals }: ComputedField) =>
  JSON.stringify([formula, result, decimals]);

function findIdsToRecalculate(before: FieldSet, after: FieldSet): number[] {
  const previousFingerprints = new Map(
    computedFields(before).map((field) => [field.id, formulaFingerprint(field)]),
  );
  const computed = computedFields(after);
  return computed.some((field) => previousFingerprints.get(field.id) !== formulaFingerprint(field))
    ? computed.map(({ id }) => id)
    : [];
}
