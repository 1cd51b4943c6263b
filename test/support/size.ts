import { describe, inject, it } from "vitest";
import type { Tier } from "../run-options";

declare module "vitest" {
  interface ProvidedContext {
    tier: Tier;
  }
}

const tier = inject("tier");

/** Whether random tests run at full size, as in `npm run test:all`. */
export const isFullSize = tier !== "quick";

/** Whether this runs the part of the full size that `npm test` omits. */
export const isRest = tier === "rest";

/** Returns a number of random cases, which is small in `npm test`. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small);

/**
 * Returns a number of random cases. Each run has other cases. `npm run test:rest` subtracts the cases that `npm test`
 * has tried.
 */
export const randomCases = (small: number, full: number): number =>
  isRest ? full - small : sized(small, full);

const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });

/** `it` for tests that `npm test` omits. */
export const fullSize = isFullSize ? { it } : (nothing as { it: typeof it });

/**
 * `describe` and `it` for tests of sized files that are the same at every size. `npm run test:rest` omits them, because
 * `npm test` runs them.
 */
export const unsized = isRest
  ? (nothing as { describe: typeof describe; it: typeof it })
  : { describe, it };
