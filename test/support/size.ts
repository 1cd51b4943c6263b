import { env } from "cloudflare:workers";
import { describe, it } from "vitest";

const { FULL_SIZE, TIER } = env as unknown as { FULL_SIZE: string; TIER: string };

/** Whether random tests run at full size, as in `npm run test:all` (test/vitest.config.ts). */
export const isFullSize = FULL_SIZE === "yes";

/** A number of random cases: small in `npm test`. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small);

const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });

/**
 * `describe` and `it` for tests of sized files that are the same at every size. `npm run test:rest` leaves them out,
 * because `npm test` runs them.
 */
export const unsized =
  TIER === "rest" ? (nothing as { describe: typeof describe; it: typeof it }) : { describe, it };
