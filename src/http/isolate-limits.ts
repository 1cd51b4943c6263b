import type { Grant } from "#domain/credential/credential.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import {
  buildQuotas,
  type Quotas,
  addRequests,
  emptyWindow,
  dropExpired,
  computeWaitMs,
  type SlidingWindow,
} from "#gate/limits.ts";

const maxEntries = 1000;

/** Adds an entry as the newest. Drops the oldest entry when the map is full. */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= maxEntries && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

/**
 * Rejected and limited credentials, with the time until which they are blocked. Their requests call only their object
 * and prefetch nothing, so that persistent callers cost the database nothing.
 */
const blockedUntilIn = memoryPart(() => new Map<string, number>());

/** The time for which a rejected credential stays blocked. */
const blockMs = 60_000;

export function isBlocked(memory: Memory, credentialId: string, now: number): boolean {
  return now < (blockedUntilIn(memory).get(credentialId) ?? 0);
}

/** Blocks a credential. `retryAfterSeconds` is null for a rejected credential, which stays blocked for one minute. */
export function blockCredential(
  memory: Memory,
  credentialId: string,
  now: number,
  retryAfterSeconds: number | null,
): void {
  keepNewest(
    blockedUntilIn(memory),
    credentialId,
    now + (retryAfterSeconds === null ? blockMs : retryAfterSeconds * 1000),
  );
}

/** Records that its object has admitted the credential, which also ends a block. */
export function recordAdmission(memory: Memory, credentialId: string, now: number): void {
  blockedUntilIn(memory).delete(credentialId);
  keepNewest(admittedAtIn(memory), credentialId, now);
}

/** The time when this isolate last saw each credential admitted. */
const admittedAtIn = memoryPart(() => new Map<string, number>());
const recentAdmissionMs = 60_000;

/** Whether this isolate has admitted the credential within the last minute and not rejected it since. */
export function isRecentlyAdmitted(memory: Memory, credentialId: string, now: number): boolean {
  const admittedAt = admittedAtIn(memory).get(credentialId) ?? -Infinity;
  return now - admittedAt < recentAdmissionMs && !isBlocked(memory, credentialId, now);
}

/**
 * Requests that this isolate admitted while objects were unreachable. A caller that makes its own object fail gets no
 * more than its limit from one isolate.
 */
const localWindowsIn = memoryPart(
  () => new Map<string, { requests: SlidingWindow; writes: SlidingWindow }>(),
);

/** Counts a request against the credential's limits. `waitMs` is the time until it fits; 0 if it fits now. */
export function countLocally(
  memory: Memory,
  { credentialId, limits }: Pick<Grant, "credentialId" | "limits">,
  isWrite: boolean,
  now: number,
): { waitMs: number; quotas: Quotas } {
  const { requests, writes } = getWindows(memory, credentialId);
  for (const window of [requests, writes]) dropExpired(window, now);
  const writeWaitMs = isWrite ? computeWaitMs(writes, limits.writes, now) : 0;
  const waitMs = Math.max(computeWaitMs(requests, limits.requests, now), writeWaitMs);
  if (waitMs === 0) {
    addRequests(requests, limits.requests, now);
    if (isWrite) addRequests(writes, limits.writes, now);
  }
  return { waitMs, quotas: buildQuotas(limits, requests, isWrite ? writes : undefined, now) };
}

function getWindows(memory: Memory, credentialId: string) {
  const localWindows = localWindowsIn(memory);
  const windows = localWindows.get(credentialId) ?? {
    requests: emptyWindow(),
    writes: emptyWindow(),
  };
  keepNewest(localWindows, credentialId, windows);
  return windows;
}
