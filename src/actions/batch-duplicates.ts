import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { isObject } from "#domain/json.ts";
import { problem } from "#domain/problem/problem.ts";
import type { BatchWrite } from "#store/data/batch-write.ts";
import { findUniqueConflicts } from "#store/data/item-ranges.ts";
import type { OperationProblem } from "./batch-problem.ts";
import type { SimulatedOperation } from "./batch-changes.ts";
import type { ActionContext } from "./context.ts";
import { knowsField, outsideView } from "./narrow-write.ts";
import { duplicateProblem, numberedFields } from "./duplicates.ts";

type Operations = readonly (BatchOperation | null)[];
type Results = readonly (SimulatedOperation | null)[];

/** Reports unique values that two items of the batch have. The later operation gets the error. */
export function findBatchDuplicates(
  access: CollectionAccess,
  { uniqueValuesToAdd }: BatchWrite,
  operations: Operations,
  results: Results,
): OperationProblem[] {
  const { collection } = wholeCollection(access);
  const keys = new Map(numberedFields(collection).map(({ number, key }) => [number, key]));
  const senders = uniqueValuesToAdd.map(([number, field, value]) => {
    const key = keys.get(field) ?? "";
    const index = findSender(operations, results, number, key);
    return { name: JSON.stringify([field, value]), key, index };
  });
  const owners = new Map<string, number>();
  return senders
    .toSorted((a, b) => a.index - b.index)
    .flatMap(({ name, key, index }): OperationProblem[] => {
      const owner = owners.get(name);
      // The batch stores nothing, so no item has the value. Returning an ID would be misleading.
      if (owner !== undefined) {
        const isKnown = knowsField(access, key);
        return [{ index, problem: isKnown ? problem.duplicateInBatch(key, owner) : outsideView() }];
      }
      owners.set(name, index);
      return [];
    });
}

/**
 * Reports unique values that items outside the batch have. Returns undefined if an upsert must run again because it
 * would now find the item that has its value.
 */
export async function findStoredDuplicates(
  ctx: ActionContext,
  access: CollectionAccess,
  { uniqueValuesToAdd, uniqueValuesToRemove }: BatchWrite,
  operations: Operations,
  results: Results,
): Promise<OperationProblem[] | undefined> {
  const { collection } = access;
  const freedValues = new Set(
    uniqueValuesToRemove.map(([, field, value]) => JSON.stringify([field, value])),
  );
  const requestedValues = uniqueValuesToAdd.filter(
    ([, field, value]) => !freedValues.has(JSON.stringify([field, value])),
  );
  const conflicts = await findUniqueConflicts(
    ctx.databases.of(collection),
    requestedValues.map(([number, field, value]) => [field, value, number]),
  );
  const keys = new Map(
    numberedFields(wholeCollection(access).collection).map(({ number, key }) => [number, key]),
  );
  const operationProblems: OperationProblem[] = [];
  for (const number of new Set(conflicts.map(({ wanting }) => wanting))) {
    const itemConflicts = conflicts.filter(({ wanting }) => wanting === number);
    const index = results.findIndex((result) => result?.item.lastState.number === number);
    const [operation, result] = [operations[index], results[index]];
    // Another item now has the value of the upsert. The batch runs again and updates that item.
    const isUpsert = operation?.op === "upsert" && result?.outcome === "created";
    if (isUpsert && itemConflicts.some(({ field }) => keys.get(field) === operation.by))
      return undefined;
    const duplicate = await duplicateProblem(ctx, access, itemConflicts);
    const key = String(duplicate.members["field"]);
    operationProblems.push({
      index: findSender(operations, results, number, key),
      problem: duplicate,
    });
  }
  return operationProblems;
}

/** Finds the operation that sent the value of this field for the item. Falls back to the item's first operation. */
function findSender(
  operations: Operations,
  results: Results,
  number: number | null,
  key: string,
): number {
  const belongsToItem = (index: number) => results[index]?.item.lastState.number === number;
  const sender = operations.findLastIndex(
    (operation, index) => belongsToItem(index) && sendsField(operation, key),
  );
  return sender === -1 ? operations.findIndex((_, index) => belongsToItem(index)) : sender;
}

function sendsField(operation: BatchOperation | null | undefined, key: string): boolean {
  if (!operation || !("body" in operation) || !isObject(operation.body)) return false;
  const { data } = operation.body;
  return isObject(data) && Object.hasOwn(data, key);
}
