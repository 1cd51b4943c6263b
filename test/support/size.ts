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

/** Whether this is the part of the full size that `npm test` leaves out. */
export const isRest = tier === "rest";

/** A number of random cases: small in `npm test`. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small);

/** A number of random cases, each run with other ones. `npm run test:rest` counts what `npm test` has tried before. */
export const randomCases = (small: number, full: number): number =>
  isRest ? full - small : sized(small, full);

const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });

/** `it` for tests that `npm test` leaves out. */
export const fullSize = isFullSize ? { it } : (nothing as { it: typeof it });

/**
 * `describe` and `it` for tests of sized files that are the same at every size. `npm run test:rest` leaves them out,
 * because `npm test` runs them.
 */
export const unsized = isRest
  ? (nothing as { describe: typeof describe; it: typeof it })
  : { describe, it };
