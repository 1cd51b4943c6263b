import { env } from "cloudflare:workers";
import type fc from "fast-check";

const { FUZZ, FUZZ_SEED } = env as unknown as { FUZZ: string; FUZZ_SEED: string };

/** How many cases each test tries. */
const cases = Number(FUZZ);

/** When a case fails, its seed is told, with the smallest case that fails too: FUZZ_SEED tries the same ones again. */
export const settings = {
  numRuns: cases,
  includeErrorInReport: true,
  ...(FUZZ_SEED === "" ? {} : { seed: Number(FUZZ_SEED) }),
} satisfies fc.Parameters<unknown>;

/** Milliseconds: ample, as a case that fails is made smaller in the same time. */
export const time = 60_000 + cases * 100;
