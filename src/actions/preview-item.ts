import { checkPatch } from "#domain/data/check.ts";
import type { CompiledCollection } from "#domain/data/compile.ts";
import { presentData, type Data } from "#domain/data/values.ts";
import { computeData } from "#domain/formula/compute.ts";
import type { ReadContext } from "./context.ts";

/** Computes an item for display in a form, without its invalid values. Stores nothing. */
export function previewItem(
  ctx: Pick<ReadContext, "now">,
  compiled: CompiledCollection,
  stored: Data,
  input: Record<string, unknown>,
): Record<string, unknown> {
  const { data } = checkPatch(compiled, stored, input, true);
  return presentData(compiled, computeData(compiled, data, ctx.now()).data);
}
