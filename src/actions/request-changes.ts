import type { CompiledCollection } from "#domain/data/compile.ts";
import { maxOperations } from "#domain/item/body.ts";
import type { FieldChange } from "#domain/item/change.ts";
import {
  listRequestChanges,
  loadFormerValues,
  type RequestChange,
  type RequestChangeFilter,
} from "#store/data/request-changes.ts";
import { buildFieldChanges } from "./changes.ts";
import type { ActionContext } from "./context.ts";

export type { RequestChange } from "#store/data/request-changes.ts";

/** The former values that one batch loads. A single change may have more. */
const maxFormerBytes = 4_000_000;

/** Lists the changes of one kind that an earlier request of the caller made, newest first. */
export function listOwnChanges(
  { databases, actor }: ActionContext,
  { collection }: CompiledCollection,
  filter: Omit<RequestChangeFilter, "actor">,
): Promise<RequestChange[]> {
  return listRequestChanges(databases.of(collection), { ...filter, actor });
}

/** Divides the changes into batches whose former values fit into memory. */
export function batchChanges(changes: readonly RequestChange[]): RequestChange[][] {
  const batches: RequestChange[][] = [];
  let bytes = 0;
  for (const change of changes) {
    const batch = batches.at(-1);
    bytes += change.formerBytes;
    if (batch && batch.length < maxOperations && bytes <= maxFormerBytes) batch.push(change);
    else {
      batches.push([change]);
      bytes = change.formerBytes;
    }
  }
  return batches;
}

/** Loads the fields that changes have changed, with their former values. Omits changes whose values were erased. */
export async function loadChangedFields(
  { databases }: ActionContext,
  compiled: CompiledCollection,
  changes: readonly RequestChange[],
): Promise<ReadonlyMap<number, FieldChange[]>> {
  const formerValues = await loadFormerValues(databases.of(compiled.collection), changes);
  return new Map(
    [...formerValues].map(([number, former]) => [
      number,
      buildFieldChanges(compiled, former, new Map()),
    ]),
  );
}
