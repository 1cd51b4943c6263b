import type { Compiled } from "../domain/data/compile";
import { showData } from "../domain/data/show";
import { uniqueValues } from "../domain/data/unique-values";
import { problem } from "../domain/problem";
import { takenValues } from "../store/unique-values";
import type { ActionContext } from "./context";
import { currentOf, draftOf, duplicateOf, refuseClosed, refuseEmptied } from "./draft";
import type { ItemView } from "./item-view";

/** Everything that a create would check, with nothing written: refuses as the create would. */
export async function validateItem(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
): Promise<Pick<ItemView, "key" | "status" | "data" | "warnings">> {
  const now = await currentOf(ctx, known);
  refuseClosed(now, ctx.now());
  const { compiled } = now;
  const { status, data, errors, warnings } = draftOf(compiled, body, ctx.now());
  if (errors.length > 0) throw problem.invalidInput(errors);
  refuseEmptied(compiled.collection, data);
  const unique = uniqueValues(compiled.collection, data, status);
  const taken = unique.length > 0 ? await takenValues(ctx.db, unique, null) : [];
  if (taken.length > 0) throw duplicateOf(ctx, compiled, taken);
  return { key: compiled.collection.key, status, data: showData(compiled, data), warnings };
}
