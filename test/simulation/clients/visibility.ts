import { isDeepStrictEqual } from "node:util";
import { isSeen, normalize, shownOf, type History } from "../history.ts";
import type { Json } from "../world.ts";

/** Judges that at some moment between two commits, the view hid the item or the item did not exist. */
export function judgeHidden(
  history: History,
  what: string,
  id: string,
  from: number,
  until: number,
): void {
  if (!history.wasEver(id, from, until, (state, seen) => !state || !isSeen(state, seen)))
    history.wrong(`${what} hides ${id}, but the view showed it`);
}

/** Judges that at some moment between two commits, the view showed the item in this state. */
export function judgeShown(
  history: History,
  what: string,
  item: Json,
  from: number,
  until: number,
): void {
  const isShown = history.wasEver(
    item.id,
    from,
    until,
    (state, seen) =>
      state !== undefined &&
      state.version === item.version &&
      isSeen(state, seen) &&
      isDeepStrictEqual(normalize(item.data), shownOf(state, seen)),
  );
  if (!isShown) history.wrong(`${what} shows ${JSON.stringify(item)}, which the view did not`);
}
