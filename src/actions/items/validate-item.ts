import type { Compiled } from "../../domain/data/compile";
import { showData } from "../../domain/data/show";
import { problem } from "../../domain/problem/problem";
import { takenValues } from "../../store/items/unique-values";
import type { ActionContext } from "../context";
import { newItem } from "./create-item";
import { readCurrent, draftOf, duplicateProblem, refuseClosed, refuseEmptied } from "./draft";
import type { ItemView } from "../../domain/item/item-view";

/** Everything that a create would check, with nothing written: refuses as the create would. */
export async function validateItem(
  ctx: ActionContext,
  known: Compiled,
  body: unknown,
): Promise<Pick<ItemView, "key" | "status" | "data" | "warnings">> {
  const now = await readCurrent(ctx, known);
  refuseClosed(now, ctx.now());
  const { compiled } = now;
  const draft = draftOf(compiled, body, ctx.now());
  if (draft.errors.length > 0) throw problem.invalidInput(draft.errors);
  const { status, data, warnings } = draft;
  refuseEmptied(compiled.collection, data);
  const { unique } = newItem(ctx, compiled, draft).item;
  const taken = unique.length > 0 ? await takenValues(ctx.db, unique, null) : [];
  if (taken.length > 0) throw duplicateProblem(ctx, compiled, taken);
  return { key: compiled.collection.key, status, data: showData(compiled, data), warnings };
}
