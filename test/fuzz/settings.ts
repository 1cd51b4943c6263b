import { env } from "cloudflare:workers";
import type fc from "fast-check";

const { FUZZ, FUZZ_SEED } = env as unknown as { FUZZ: string; FUZZ_SEED: string };

/** The number of cases in each test. */
const caseCount = Number(FUZZ);

/** A failing test reports its seed and the smallest failing case. FUZZ_SEED repeats the same cases. */
export const settings = {
  numRuns: caseCount,
  includeErrorInReport: true,
  ...(FUZZ_SEED === "" ? {} : { seed: Number(FUZZ_SEED) }),
} satisfies fc.Parameters<unknown>;

/** Test timeout, with time to shrink a failing case. */
export const timeoutMs = 60_000 + caseCount * 100;
