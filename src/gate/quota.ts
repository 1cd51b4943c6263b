import type { Grant } from "../domain/credential/grant";
import type { Limits } from "../domain/credential/credential";
import type { Seen } from "./own-writes";
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

/** A write has a ticket, by which it is told what it reached; a read has none. */
export type Admission =
  | { verdict: "refused" }
  | { verdict: "limited"; grant: Grant; retryAfter: number; quotas: Quotas }
  | { verdict: "admitted"; grant: Grant; quotas: Quotas; seen: Seen; ticket: number | null };

/** `writes` for a write, which counts in both. */
export function quotasOf(
  limits: Limits,
  requests: SlidingWindow,
  writes: SlidingWindow | undefined,
  now: number,
): Quotas {
  const quotas = { default: quotaOf(requests, limits.requests, now) };
  return writes ? { ...quotas, write: quotaOf(writes, limits.writes, now) } : quotas;
}

function quotaOf(window: SlidingWindow, limit: number, now: number): Quota {
  return {
    limit,
    remaining: remaining(window, limit),
    reset: Math.ceil(nextRelease(window, now) / 1000),
  };
}
