/**
 * An exact sliding window: when the requests of the last 60 seconds were made. A request at 0 s leaves it at 60.000 s.
 * Limits above 10,000 are kept by tenths of a second, in each of which all count as made at its end.
 */
export interface SlidingWindow {
  /** Oldest first; times in milliseconds since 1970. */
  slots: Slot[];
  /** How many requests there are in all slots. */
  total: number;
}

interface Slot {
  at: number;
  count: number;
}

export const windowMilliseconds = 60_000;
const mostExact = 10_000;
const tenth = 100;

export const emptyWindow = (): SlidingWindow => ({ slots: [], total: 0 });

export function addRequests(window: SlidingWindow, limit: number, now: number, count = 1): void {
  const at = limit > mostExact ? Math.ceil(now / tenth) * tenth : now;
  const last = window.slots.at(-1);
  window.total += count;
  if (last && last.at >= at) last.count += count;
  else window.slots.push({ at, count });
}

/** Forgets what has left the window. */
export function slide(window: SlidingWindow, now: number): void {
  const { slots } = window;
  const kept = slots.findIndex(({ at }) => at > now - windowMilliseconds);
  const gone = slots.splice(0, kept === -1 ? slots.length : kept);
  for (const { count } of gone) window.total -= count;
}

/** Milliseconds until one more request fits; 0 when one fits now. */
export function waitFor({ slots, total }: SlidingWindow, limit: number, now: number): number {
  let tooMany = total - limit + 1;
  if (tooMany <= 0) return 0;
  for (const { at, count } of slots) {
    tooMany -= count;
    // The request that has to leave first: when a limit was lowered, more than one has to.
    if (tooMany <= 0) return at + windowMilliseconds - now;
  }
  return windowMilliseconds;
}

export function remaining({ total }: SlidingWindow, limit: number): number {
  return Math.max(0, limit - total);
}

/** Milliseconds until the oldest request leaves, which is when more quota is given. */
export function nextRelease({ slots }: SlidingWindow, now: number): number {
  const [oldest] = slots;
  return oldest ? oldest.at + windowMilliseconds - now : 0;
}

/** A window as it is stored, in 4 bytes a slot. */
export interface StoredWindow {
  /** The time of the oldest slot, and how much later each one is. */
  from: number;
  offsets: Uint16Array;
  counts: Uint16Array | Uint32Array;
}

export function storedWindow({ slots, total }: SlidingWindow): StoredWindow {
  const from = slots[0]?.at ?? 0;
  const counts = slots.map(({ count }) => count);
  return {
    from,
    offsets: Uint16Array.from(slots, ({ at }) => at - from),
    counts: total < 2 ** 16 ? Uint16Array.from(counts) : Uint32Array.from(counts),
  };
}

export function windowOf({ from, offsets, counts }: StoredWindow): SlidingWindow {
  const slots = Array.from(offsets, (offset, index) => ({
    at: from + offset,
    count: counts[index] ?? 0,
  }));
  return { slots, total: slots.reduce((sum, { count }) => sum + count, 0) };
}
