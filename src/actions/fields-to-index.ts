import { computedIds, searchableIds } from "#domain/data/index-entries.ts";
import { computedFields, type ComputedField, type FieldSet } from "#domain/definition/field.ts";
import type { MergedDefinition } from "#domain/definition/merge.ts";
import type { CurrentCollection, PendingChange } from "#store/data/collections.ts";

/**
 * Lists the fields whose entries are built once this definition is saved. A new field has no values and needs none.
 * When any formula is new or changed, all computed fields are listed, because they use each other. Those that were
 * searchable before keep their entries until an item is recalculated.
 */
export function fieldsToIndex(
  current: CurrentCollection,
  { definition }: MergedDefinition,
): Required<Pick<PendingChange, "unindexed" | "newlySearchable">> {
  const before = current.collection.definition.fields;
  const searchableBefore = searchableIds(before);
  const searchable = searchableIds(definition.fields);
  const addedIds = [...searchable].filter((id) => !searchableBefore.has(id) && id < before.next);
  const recalculatedIds = findRecalculatedFields(before, definition.fields);
  const currentIds = new Set([...searchable, ...computedIds(definition.fields)]);
  const waitingIds = (current.indexing?.fields ?? []).filter((id) => currentIds.has(id));
  return {
    unindexed: [...new Set([...waitingIds, ...addedIds, ...recalculatedIds])],
    newlySearchable: [
      ...new Set([...addedIds, ...recalculatedIds.filter((id) => !searchableBefore.has(id))]),
    ],
  };
}

const formulaFingerprint = ({ formula, result, decimals }: ComputedField) =>
  JSON.stringify([formula, result, decimals]);

function findRecalculatedFields(before: FieldSet, after: FieldSet): number[] {
  const previousFingerprints = new Map(
    computedFields(before).map((field) => [field.id, formulaFingerprint(field)]),
  );
  const computed = computedFields(after);
  return computed.some((field) => previousFingerprints.get(field.id) !== formulaFingerprint(field))
    ? computed.map(({ id }) => id)
    : [];
}
