import { computedIds } from "#domain/data/index-entries.ts";
import { fieldNumber } from "#domain/data/values.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { referencedFields, type Condition } from "./tree.ts";

/** Whether conditions name a field of the collection with one of these ids. */
export function nameFields(
  { id: collectionId }: Pick<Collection, "id">,
  conditions: readonly Condition[],
  ids: readonly number[],
): boolean {
  if (ids.length === 0) return false;
  const numbers = new Set(ids.map((id) => fieldNumber(collectionId, id)));
  const namedFields = referencedFields({ conditions: [...conditions], sort: [] });
  return namedFields.some(({ number }) => numbers.has(number));
}

/** Whether conditions name a computed field with one of these ids. */
export function useResults(
  collection: Collection,
  conditions: readonly Condition[],
  ids: readonly number[],
): boolean {
  const computed = computedIds(collection.definition.fields);
  return nameFields(
    collection,
    conditions,
    ids.filter((id) => computed.has(id)),
  );
}
