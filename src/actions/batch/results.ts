import type { Compiled } from "../../domain/data/compile";
import type { Warning } from "../../domain/data/warnings";
import type { Operation } from "../../domain/item/batch-body";
import type { Item } from "../../domain/item/item";
import { viewOf, type ItemView } from "../../domain/item/item-view";
import { receiptNumber } from "../../domain/item/receipt";
import type { BatchWrite } from "../../store/batch/write";
import type { Given } from "../../store/items/replays";
import type { Result } from "./simulation";

/** What became of one operation. */
export interface OperationResult {
  op: Operation["op"];
  outcome: Result["outcome"];
  id: string;
  /** Records only. */
  receiptNumber: string | null;
  version: number;
  warnings: readonly Warning[];
  /** The item as it is when the whole batch is done; null where it is gone, and in a replay. */
  view: ItemView | null;
}

/** What the answer says, as it is remembered for a replay: no representations. */
interface Said {
  prefix: string | null;
  results: (Omit<OperationResult, "view" | "receiptNumber"> & {
    /** The receipt number, or the place among the items that the batch made. */
    receipt: string | number | null;
  })[];
}

/** The same for the first answer: with the items as they are when the batch is done. */
export type Told = Said & { items?: (Item | null)[] };

export function whatIsSaid({ receiptPrefix }: BatchWrite, results: readonly Result[]): Said {
  return {
    prefix: receiptPrefix,
    results: results.map(({ op, outcome, item, version, warnings }) => {
      const { id, number, receiptNumber: receipt } = item.last;
      return { op, outcome, id, version, warnings, receipt: number < 0 ? -number : receipt };
    }),
  };
}

export function batchAnswer(
  compiled: Compiled,
  { prefix, results, items }: Told,
  { place, createdAt }: Given,
): OperationResult[] {
  return results.map(({ receipt, ...result }, index) => {
    const made = typeof receipt === "number" ? receipt - 1 : null;
    const given = made === null || prefix === null ? null : receiptNumber(prefix, place + made);
    const number = typeof receipt === "string" ? receipt : given;
    const item = items?.[index];
    const times = made === null ? {} : { createdAt: createdAt + made, updatedAt: createdAt + made };
    const view = item && viewOf({ ...item, ...times, receiptNumber: number }, compiled);
    return { ...result, receiptNumber: number, view: view ?? null };
  });
}
