import type { CollectionKey } from "../definitions.ts";
import { momentsBetween, turnsOf, type History, type Item, type State } from "../history.ts";
import type { Json } from "../world.ts";

/** A response that shows a list at one moment, which is at least as new as `oldest`. */
export interface Claim {
  what: string;
  key: CollectionKey;
  documents: Json[];
  oldest: number;
  newest: number;
  /** Whether the list contains an item with this state. */
  matches: (state: State, number: number, moment: number) => boolean;
  /** An additional condition on the moment, and the moments at which it may have changed. */
  holds?: (moment: number) => boolean;
  turns?: readonly number[];
}

/** Finds one moment at which exactly these items matched. */
export function explain(history: History, claim: Claim): number {
  const { what, key, documents, newest, matches, holds = () => true, turns = [] } = claim;
  let from = claim.oldest;
  let until = newest;
  const shown = new Map<string, State>();
  for (const document of documents) {
    const state = history.match(document, what);
    if (!state) return from;
    from = Math.max(from, state.from);
    until = Math.min(until, state.until - 1);
    shown.set(document.id, state);
  }
  if (from > until) {
    history.wrong(`${what} shows items of different moments, or older ones than its own writes`);
    return from;
  }
  // Looks at each moment at which something about the missing items changes.
  const all = history.itemsOf(key);
  const others = all.filter(({ id }) => !shown.has(id));
  const isMissing = (state: State, { number }: Item, moment: number) =>
    state.from <= moment &&
    state.until > moment &&
    !state.isDeleted &&
    matches(state, number, moment);
  const isExact = (moment: number) =>
    holds(moment) &&
    !others.some((item) => item.states.some((state) => isMissing(state, item, moment))) &&
    all.every(({ id, number }) => {
      const state = shown.get(id);
      return !state || matches(state, number, moment);
    });
  const moments = momentsBetween(from, until, [...turnsOf(others), ...turns]);
  const moment = moments.find((candidate) => isExact(candidate));
  if (moment === undefined) {
    const missing = others.filter((item) =>
      moments.some((each) => item.states.some((state) => isMissing(state, item, each))),
    );
    const names = missing.map(({ id }) => id).join();
    history.wrong(
      missing.length > 0
        ? `${what} lacks ${names} at every moment from ${from} to ${until}`
        : `${what} is not what was stored at any moment from ${from} to ${until}`,
    );
  }
  return moment ?? from;
}
