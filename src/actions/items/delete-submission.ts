import type { Precondition } from "../../domain/etag";
import { rowsBeside } from "../../domain/item/changed-item";
import { removeItem } from "../../store/items/change-item";
import { itemAct, type ActionContext } from "../context";
import { refuseChange } from "./update-item";
import type { Found } from "../visible";
import { onCurrentItem } from "./on-current-item";

/** Deletes a submission with all that was stored for it. The next one with its unique values is no duplicate. */
export async function deleteSubmission(
  ctx: ActionContext,
  found: Found,
  ifMatch: Precondition | null,
): Promise<void> {
  await onCurrentItem(ctx, found, async ({ item, compiled }) => {
    refuseChange(item, ifMatch);
    const { entries, unique } = rowsBeside(compiled, item, null);
    const removal = {
      number: item.number,
      itemVersion: item.version,
      collectionId: item.collectionId,
      definitionVersion: compiled.collection.version,
      revision: compiled.collection.revision,
      entries: entries.removed,
      unique: unique.released,
    };
    const removed = await removeItem(ctx.db, removal, itemAct(ctx, "submission.delete"));
    if (removed.outcome !== "changed") return undefined;
    if (removed.listened) ctx.noteChange(item.collectionId);
    return true;
  });
}
