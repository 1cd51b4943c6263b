import { etagOf, matches, type Precondition } from "../../domain/etag";
import { problem } from "../../domain/problem/problem";
import type { ActionContext } from "../context";
import type { ItemView } from "../../domain/item/item-view";
import { viewOf } from "../../domain/item/item-view";
import { writeItem } from "./update-item";
import type { Found } from "../visible";
import { onCurrentItem } from "./on-current-item";

/** A closed submission becomes a submitted one again: the administration area alone can do this. */
export function reopenSubmission(
  ctx: ActionContext,
  found: Found,
  ifMatch: Precondition | null,
): Promise<ItemView> {
  return onCurrentItem(ctx, found, async (current) => {
    const { item, compiled } = current;
    const etag = etagOf(item.version);
    if (ifMatch && !matches(ifMatch, etag)) throw problem.versionMismatch(etag);
    if (item.status !== "closed") throw problem.conflict("This submission is not closed.");
    const next = { data: item.data, status: "submitted" as const };
    const written = await writeItem(ctx, current, next, "submission.reopen");
    return written && viewOf(written, compiled);
  });
}
