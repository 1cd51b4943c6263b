import { computedIds } from "#domain/data/index-entries.ts";
import { fieldNumber } from "#domain/data/values.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { referencedFields, type Condition } from "./tree.ts";

/** Whether conditions name a computed field with one of these ids. */
export function useResults(
  { id: collectionId, definition }: Collection,
  conditions: readonly Condition[],
  ids: readonly number[],
): boolean {
  const computed = computedIds(definition.fields);
  const numbers = new Set(
    ids.filter((id) => computed.has(id)).map((id) => fieldNumber(collectionId, id)),
  );
  if (numbers.size === 0) return false;
  const namedFields = referencedFields({ conditions: [...conditions], sort: [] });
  return namedFields.some(({ number }) => numbers.has(number));
}
