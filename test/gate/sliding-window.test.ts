import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addRequests,
  emptyWindow,
  dropExpired,
  serializeWindow,
  computeWaitMs,
  windowMs,
  restoreWindow,
  type SlidingWindow,
} from "../../src/gate/limits.ts";

/** Takes a request at `now` and returns 0 if it fits. Returns the wait in milliseconds otherwise. */
function take(window: SlidingWindow, limit: number, now: number): number {
  dropExpired(window, now);
  const wait = computeWaitMs(window, limit, now);
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

describe("Sliding window", () => {
  it("never admits more than the limit in any 60 seconds, in bursts of any shape", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        const window = emptyWindow();
        const admitted = times.filter((now) => take(window, limit, now) === 0);
        for (const [index, start] of admitted.entries()) {
          const end = start + windowMs;
          const admittedInWindow = admitted.slice(index).filter((time) => time < end);
          expect(admittedInWindow.length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });

  it("admits every request that fits", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        const window = emptyWindow();
        const admitted: number[] = [];
        for (const now of times) {
          const count = admitted.filter((time) => time > now - windowMs).length;
          const fits = take(window, limit, now) === 0;
          expect(fits).toBe(count < limit);
          if (fits) admitted.push(now);
        }
      }),
    );
  });

  it("computes the wait to the millisecond", () => {
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 20 }), (times, limit) => {
        const window = emptyWindow();
        for (const now of times) {
          const wait = take(window, limit, now);
          if (wait === 0) continue;
          expect(
            take(restoreWindow(serializeWindow(window)), limit, now + wait - 1),
          ).toBeGreaterThan(0);
          expect(take(restoreWindow(serializeWindow(window)), limit, now + wait)).toBe(0);
        }
      }),
    );
  });

  it("waits until the count is below a lowered limit", () => {
    const window = emptyWindow();
    for (const now of [0, 10, 20, 30]) addRequests(window, 4, now);
    expect(computeWaitMs(window, 2, 40)).toBe(20 + windowMs - 40);
  });

  it("counts limits above 10,000 in slots of 100 ms, and does not exceed them", () => {
    const limit = 100_000;
    const window = emptyWindow();
    let admitted = 0;
    for (let now = 1; now <= 30_000; now += 7) {
      for (let index = 0; index < 40; index += 1)
        admitted += take(window, limit, now) === 0 ? 1 : 0;
    }
    expect(admitted).toBe(limit);
    expect(window.slots.length).toBeLessThanOrEqual(601);
    // The first requests arrived at 1 ms. They count until the end of their slot leaves the window.
    expect(take(window, limit, windowMs + 99)).toBe(1);
    expect(take(window, limit, windowMs + 100)).toBe(0);
  });

  it("serializes to at most 40 KB and restores unchanged", () => {
    const window = emptyWindow();
    for (let now = 0; now < 60_000; now += 6) addRequests(window, 10_000, 1e12 + now);
    const stored = serializeWindow(window);
    expect(stored.offsets.byteLength + stored.counts.byteLength).toBeLessThanOrEqual(40_000);
    expect(restoreWindow(stored)).toEqual(window);
    addRequests(window, 100_000, 1e12 + 60_000, 90_000);
    expect(restoreWindow(serializeWindow(window))).toEqual(window);
  });
});
