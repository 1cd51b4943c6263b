import type { Grant } from "../domain/credential/credential";
import { nextRelease, remaining, type SlidingWindow } from "./sliding-window";

/** One quota as the RateLimit headers tell it: what is left, and seconds until there is more. */
export interface Quota {
  limit: number;
  remaining: number;
  reset: number;
}

export interface Quotas {
  default: Quota;
  /** Only for writes, which count in both. */
  write?: Quota;
}

export type Admission =
  | { verdict: "refused" }
  | { verdict: "limited"; retryAfter: number; quotas: Quotas }
  | { verdict: "admitted"; grant: Grant; quotas: Quotas };

export function quotaOf(window: SlidingWindow, limit: number, now: number): Quota {
  return {
    limit,
    remaining: remaining(window, limit),
    reset: Math.ceil(nextRelease(window, now) / 1000),
  };
}
