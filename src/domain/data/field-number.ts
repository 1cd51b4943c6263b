/**
 * The numbers of fields in the search index and among unique values: the collection's id and the field's, in one integer.
 * Room for 4 billion ids in each collection; definitions give those below 2^31, and the product stays below 2^53 for 2
 * million collections.
 */
export const fieldsPerCollection = 2 ** 32;

/** Ids that definitions give are at most this; more are refused where a definition is judged. */
export const lastFieldId = 2 ** 31;

/** System fields have ids of their own, above those that definitions give. */
export const systemFieldIds = {
  id: lastFieldId + 1,
  status: lastFieldId + 2,
  receiptNumber: lastFieldId + 3,
  createdAt: lastFieldId + 4,
  updatedAt: lastFieldId + 5,
} as const;

export type SystemField = keyof typeof systemFieldIds;

/** Those that the items themselves are the index of, in stored order: they have no search entries. */
export const storedOrder: readonly SystemField[] = ["id", "receiptNumber", "createdAt"];

export function fieldNumber(collectionId: number, fieldId: number): number {
  return collectionId * fieldsPerCollection + fieldId;
}
