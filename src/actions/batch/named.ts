import type { Compiled } from "../../domain/data/compile";
import type { Operation } from "../../domain/item/batch-body";
import { receiptPlaces } from "../../domain/item/receipt";
import type { Named } from "../../store/batch/read";
import { upsertedBy } from "./upserted";

/** How operations name the items that they are about. */
export function namedBy(compiled: Compiled, operations: readonly (Operation | null)[]): Named {
  const names = operations.flatMap((each) => (each && "id" in each && each.id ? [each.id] : []));
  const isApp = compiled.collection.kind === "app";
  const isReceipt = (name: string) => isApp && !name.startsWith("rec_");
  return {
    ids: names.filter((name) => !isReceipt(name)),
    receipts: names
      .filter(isReceipt)
      .map((receipt) => ({ receipt, places: receiptPlaces(receipt) })),
    unique: operations.flatMap((each) => {
      if (each?.op !== "upsert") return [];
      try {
        return [upsertedBy(compiled, each.by, each.body)];
      } catch {
        // What is wrong with it is told when it is applied.
        return [];
      }
    }),
  };
}
