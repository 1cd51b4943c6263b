/**
 * An exact sliding window: the times of the requests of the last 60 seconds. `take` admits a request when fewer
 * than `limit` lie in the window that ends now. A request at 0 s leaves the window at 60.000 s.
 */
export interface SlidingWindow {
  /** Milliseconds since 1970, oldest first. */
  times: number[];
}

export const windowMilliseconds = 60_000;

/** Forgets the times that have left the window. */
export function slide(window: SlidingWindow, now: number): void {
  const { times } = window;
  const kept = times.findIndex((time) => time > now - windowMilliseconds);
  if (kept === -1) times.length = 0;
  if (kept > 0) times.splice(0, kept);
}

/** Milliseconds until one more request fits; 0 when one fits now. */
export function waitFor(window: SlidingWindow, limit: number, now: number): number {
  const { times } = window;
  // The request that has to leave first: when a limit was lowered, more than one has to.
  const leaving = times[times.length - limit];
  if (times.length < limit || leaving === undefined)
    return times.length < limit ? 0 : windowMilliseconds;
  return leaving + windowMilliseconds - now;
}

export function remaining(window: SlidingWindow, limit: number): number {
  return Math.max(0, limit - window.times.length);
}

/** Milliseconds until the oldest request leaves, which is when more quota is given. */
export function nextRelease(window: SlidingWindow, now: number): number {
  const [oldest] = window.times;
  return oldest === undefined ? 0 : oldest + windowMilliseconds - now;
}
