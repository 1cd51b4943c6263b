import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  slide,
  waitFor,
  windowMilliseconds,
  type SlidingWindow,
} from "../../src/gate/sliding-window";

/** Takes a request at `now` if it fits; gives the wait otherwise. */
function take(window: SlidingWindow, limit: number, now: number): number {
  slide(window, now);
  const wait = waitFor(window, limit, now);
  if (wait === 0) window.times.push(now);
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
        const window: SlidingWindow = { times: [] };
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
        const window: SlidingWindow = { times: [] };
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
        const window: SlidingWindow = { times: [] };
        for (const now of times) {
          const wait = take(window, limit, now);
          if (wait === 0) continue;
          expect(take({ times: [...window.times] }, limit, now + wait - 1)).toBeGreaterThan(0);
          expect(take({ times: [...window.times] }, limit, now + wait)).toBe(0);
        }
      }),
    );
  });

  it("waits for as many to leave as a lowered limit asks", () => {
    const window = { times: [0, 10, 20, 30] };
    expect(waitFor(window, 2, 40)).toBe(20 + windowMilliseconds - 40);
  });
});
