const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long to wait after each try that failed (contract, section 14). */
const pauses = [
  10 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Milliseconds until the next try, after so many have failed; undefined where it was the last one. */
export function pauseAfter(failed: number): number | undefined {
  return pauses[failed - 1];
}
