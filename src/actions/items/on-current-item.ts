import type { ActionContext } from "../context";
import { untilSettled } from "../until-settled";
import { readAgain, type Found } from "../visible";

/**
 * Runs `write` on the item as it is. Nothing means that somebody else was first: it runs again on what they made of it,
 * and is a 404 where they deleted it.
 */
export async function onCurrentItem<T>(
  ctx: ActionContext,
  found: Found,
  write: (current: Found) => Promise<T | undefined>,
): Promise<T> {
  let current = found;
  return untilSettled(async () => {
    const written = await write(current);
    if (written === undefined) current = await readAgain(ctx, current);
    return written;
  });
}
