import { etagOf, matches, type Precondition } from "../../domain/etag";
import { problem } from "../../domain/problem/problem";
import type { ActionContext } from "../context";
import type { ItemView } from "../../domain/item/item-view";
import { viewOf } from "../../domain/item/item-view";
import { untilSettled } from "../until-settled";
import { writeItem } from "./update-item";
import { readAgain, type Found } from "../visible";

/** A closed submission becomes a submitted one again: the administration area alone can do this. */
export async function reopenSubmission(
  ctx: ActionContext,
  found: Found,
  ifMatch: Precondition | null,
): Promise<ItemView> {
  let current = found;
  return untilSettled(async () => {
    const { item, compiled } = current;
    const etag = etagOf(item.version);
    if (ifMatch && !matches(ifMatch, etag)) throw problem.versionMismatch(etag);
    if (item.status !== "closed") throw problem.conflict("This submission is not closed.");
    const next = { data: item.data, status: "submitted" as const };
    const written = await writeItem(ctx, current, next, "submission.reopen");
    if (written) return viewOf(written, compiled);
    current = await readAgain(ctx, current);
    return undefined;
  });
}
