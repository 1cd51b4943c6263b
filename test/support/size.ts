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

/** `npm run test:rest` tries one of so many cases of `npm run test:all`, other ones in each run, so that runs add up. */
const casesPerChoice = 3;

/** A number of random cases, each run with other ones. `npm run test:rest` counts what `npm test` has tried before. */
export const randomCases = (small: number, full: number): number =>
  isRest ? Math.ceil((full - small) / casesPerChoice) : sized(small, full);

const firstChoice = Math.floor(Math.random() * casesPerChoice);

/** All cases, or in `npm run test:rest` a third of them, at least one. `turn` lets lists with few cases take turns. */
export function someCases<T>(cases: readonly T[], turn = 0): readonly T[] {
  if (!isRest) return cases;
  const chosen = cases.filter((_, index) => (index + turn + firstChoice) % casesPerChoice === 0);
  return chosen.length > 0 ? chosen : cases.slice(0, 1);
}

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
