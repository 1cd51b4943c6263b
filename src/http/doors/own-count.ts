import type { Limits } from "../../domain/credential/credential";
import { quotasOf, type Quotas } from "../../gate/quota";
import {
  addRequests,
  emptyWindow,
  slide,
  waitFor,
  type SlidingWindow,
} from "../../gate/sliding-window";
import { keepNewest } from "./keep-newest";

/**
 * What this isolate has let through while objects could not be reached: nobody gets more than his limit from one isolate
 * by making his own object fail.
 */
const counted = new Map<string, { requests: SlidingWindow; writes: SlidingWindow }>();

/** Counts a request by the credential's own limits; `wait` is the milliseconds until it fits, 0 where it did. */
export function countHere(
  credentialId: string,
  limits: Limits,
  write: boolean,
  now: number,
): { wait: number; quotas: Quotas } {
  const { requests, writes } = windowsOf(credentialId);
  for (const window of [requests, writes]) slide(window, now);
  const waitOfWrites = write ? waitFor(writes, limits.writes, now) : 0;
  const wait = Math.max(waitFor(requests, limits.requests, now), waitOfWrites);
  if (wait === 0) {
    addRequests(requests, limits.requests, now);
    if (write) addRequests(writes, limits.writes, now);
  }
  return { wait, quotas: quotasOf(limits, requests, write ? writes : undefined, now) };
}

function windowsOf(credentialId: string) {
  const windows = counted.get(credentialId) ?? { requests: emptyWindow(), writes: emptyWindow() };
  keepNewest(counted, credentialId, windows);
  return windows;
}
