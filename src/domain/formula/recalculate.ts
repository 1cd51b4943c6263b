import type { CompiledCollection } from "#domain/data/compile.ts";
import type { Data } from "#domain/data/values.ts";
import { isSmallEnoughToStore } from "#domain/item/item.ts";
import { computeData, withoutComputed } from "./compute.ts";

/** Recalculates the computed values. Drops all of them when the data would be too large to store. */
export function recalculate(
  compiled: CompiledCollection,
  data: Data,
  now: number,
): { after: Data; formulaSteps: number } {
  const { data: computedData, steps: formulaSteps } = computeData(compiled, data, now);
  const isStorable = isSmallEnoughToStore(JSON.stringify(computedData));
  return { after: isStorable ? computedData : withoutComputed(compiled, data), formulaSteps };
}
