import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addRequests,
  emptyWindow,
  slide,
  storedWindow,
  waitFor,
  windowMilliseconds,
  windowOf,
  type SlidingWindow,
} from "../../src/gate/limits.ts";

/** Takes a request at `now` if it fits; gives the wait otherwise. */
function take(window: SlidingWindow, limit: number, now: number): number {
  slide(window, now);
  const wait = waitFor(window, limit, now);
  if (wait === 0) addRequests(window, limit, now);
  return wait;
}

const arrivals = fc
  .array(fc.integer({ min: 0, max: 9000 }), { minLength: 1, maxLength: 300 })
  .map((gaps) =>
    gaps.map(
      (
        (at) => (gap: number) =>
          (at += gap)
      )(0),
    ),
  );

describe("The sliding window", () => {
  it("never admits more than the limit in any 60 seconds, whatever the burst", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        const window = emptyWindow();
        const admitted = times.filter((now) => take(window, limit, now) === 0);
        for (const [index, start] of admitted.entries()) {
          const end = start + windowMilliseconds;
          const inside = admitted.slice(index).filter((time) => time < end);
          expect(inside.length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("refuses none that fits", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        const window = emptyWindow();
        const admitted: number[] = [];
        for (const now of times) {
          const before = admitted.filter((time) => time > now - windowMilliseconds).length;
          const fits = take(window, limit, now) === 0;
          expect(fits).toBe(before < limit);
          if (fits) admitted.push(now);
        }
      }),
    );
  });

  it("tells the wait exactly: one millisecond before its end is too early, its end is not", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        const window = emptyWindow();
        for (const now of times) {
          const wait = take(window, limit, now);
          if (wait === 0) continue;
          expect(take(windowOf(storedWindow(window)), limit, now + wait - 1)).toBeGreaterThan(0);
          expect(take(windowOf(storedWindow(window)), limit, now + wait)).toBe(0);
        }
      }),
    );
  });

  it("waits for as many to leave as a lowered limit asks", () => {
    const window = emptyWindow();
    for (const now of [0, 10, 20, 30]) addRequests(window, 4, now);
    expect(waitFor(window, 2, 40)).toBe(20 + windowMilliseconds - 40);
  });

  it("keeps limits above 10,000 by tenths of a second, and exceeds them as little", () => {
    const limit = 100_000;
    const window = emptyWindow();
    let admitted = 0;
    for (let now = 1; now <= 30_000; now += 7) {
      for (let each = 0; each < 40; each += 1) admitted += take(window, limit, now) === 0 ? 1 : 0;
    }
    expect(admitted).toBe(limit);
    expect(window.slots.length).toBeLessThanOrEqual(601);
    // The first of them were made at 1 ms, and count until their tenth of a second is over.
    expect(take(window, limit, windowMilliseconds + 99)).toBe(1);
    expect(take(window, limit, windowMilliseconds + 100)).toBe(0);
  });

  it("is stored in 40 KB at most, and reads as it was", () => {
    const window = emptyWindow();
    for (let now = 0; now < 60_000; now += 6) addRequests(window, 10_000, 1e12 + now);
    const stored = storedWindow(window);
    expect(stored.offsets.byteLength + stored.counts.byteLength).toBeLessThanOrEqual(40_000);
    expect(windowOf(stored)).toEqual(window);
    addRequests(window, 100_000, 1e12 + 60_000, 90_000);
    expect(windowOf(storedWindow(window))).toEqual(window);
  });
});
