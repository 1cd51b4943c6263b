import { wholeCollection, type CollectionAccess } from "#domain/data/narrow.ts";
import type { PlacedReference } from "#domain/data/references.ts";
import type { BatchOperation } from "#domain/item/body.ts";
import { problem } from "#domain/problem/problem.ts";
import type { OperationProblem } from "./batch-problem.ts";
import type { SimulatedOperation } from "./batch-changes.ts";
import type { BatchSimulation } from "./batch-simulation.ts";
import type { ActionContext } from "./context.ts";
import { visibleErrors } from "./narrow-write.ts";
import { resolveReferences, unknownReferenceErrors } from "./references.ts";
import { checkedReferences } from "./update-item.ts";

/** Replaces the names of records in the operations by their IDs. */
export async function resolveOperations(
  ctx: ActionContext,
  access: CollectionAccess,
  operations: readonly (BatchOperation | null)[],
  checksIds: boolean,
): Promise<(BatchOperation | null)[]> {
  const bodies = operations.map((operation) =>
    operation && "body" in operation ? operation.body : null,
  );
  const resolvedBodies = await resolveReferences(ctx, access, bodies, checksIds);
  return operations.map((operation, index) =>
    operation && "body" in operation ? { ...operation, body: resolvedBodies[index] } : operation,
  );
}

/** A reference that a batch stores, with the index of the operation that writes its item. */
export type BatchReference = PlacedReference & { index: number };

/** Returns the references except those to items that the batch itself creates. */
export function batchReferences(
  access: CollectionAccess,
  { touchedItems }: BatchSimulation,
  results: readonly (SimulatedOperation | null)[],
): BatchReference[] {
  const compiled = wholeCollection(access);
  if (!compiled.fields.hasReferences) return [];
  const { kind, key } = compiled.collection;
  const created = new Set(
    touchedItems.flatMap(({ before, lastState }) => (before ? [] : lastState.id)),
  );
  const isOwn = ({ app, id }: PlacedReference) => kind === "app" && app === key && created.has(id);
  return touchedItems.flatMap((item) => {
    const { before, current } = item;
    if (!current || before === current) return [];
    const index = results.findLastIndex((result) => result?.item === item);
    return checkedReferences(compiled, before, current)
      .filter((reference) => !isOwn(reference))
      .map((reference) => ({ ...reference, index }));
  });
}

/** Returns the problems of the operations whose references have no record. */
export async function findUnknownReferences(
  ctx: ActionContext,
  access: CollectionAccess,
  references: readonly BatchReference[],
): Promise<OperationProblem[]> {
  const errors = await unknownReferenceErrors(ctx, access, references);
  const byIndex = Map.groupBy(errors, ({ reference }) => reference.index);
  return Array.from(byIndex, ([index, ownErrors]) => ({
    index,
    problem: problem.invalidInput(
      visibleErrors(
        access,
        ownErrors.map(({ error }) => error),
      ),
    ),
  }));
}
