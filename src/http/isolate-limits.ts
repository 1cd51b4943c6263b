import type { Limits } from "#domain/credential/credential.ts";
import { quotasOf, type Quotas, addRequests, emptyWindow, slide, waitFor, type SlidingWindow } from "#gate/limits.ts";

const most = 1000;

/** Puts an entry last in a map of what this isolate knows of credentials; where there are too many, the first one goes. */
export function keepNewest<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= most && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

/**
 * Credentials that this isolate knows to be refused or limited, until when: their requests ask their object alone, so that
 * whoever goes on all the same costs the database nothing.
 */
const barred = new Map<string, number>();

/** How long a refused credential is taken for one that is refused again; milliseconds. */
const refusedFor = 60_000;

export function isBarred(credentialId: string, now: number): boolean {
  return now < (barred.get(credentialId) ?? 0);
}

/** `seconds`: of the limit; null for who was refused. */
export function bar(credentialId: string, now: number, seconds: number | null): void {
  keepNewest(barred, credentialId, now + (seconds === null ? refusedFor : seconds * 1000));
}

export function unbar(credentialId: string): void {
  barred.delete(credentialId);
}

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
