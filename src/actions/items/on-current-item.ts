import { Problem } from "../../domain/problem/problem";
import type { ActionContext } from "../context";
import { untilSettled } from "../until-settled";
import { readAgain, type Found } from "../visible";

/**
 * Runs `write` on the item as it is. Nothing means that somebody else was first: it runs again on what they made of it,
 * and is a 404 where they deleted it. What is refused by what a replica says is tried again by what the primary says.
 */
export async function onCurrentItem<T>(
  ctx: ActionContext,
  found: Found,
  write: (current: Found) => Promise<T | undefined>,
): Promise<T> {
  let current = found;
  return untilSettled(async () => {
    const written = await write(current).catch((refusal: unknown) => {
      if (current.sure || !(refusal instanceof Problem) || refusal.status >= 500) throw refusal;
      return undefined;
    });
    if (written === undefined) current = await readAgain(ctx, current);
    return written;
  });
}
