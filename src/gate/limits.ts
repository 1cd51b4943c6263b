import type { RateLimits, Grant } from "#domain/credential/credential.ts";
import type { ReadConstraint } from "./pending-writes.ts";

/**
 * A sliding window with the exact times of the requests in the last 60 seconds. A request at 0 s leaves the window at
 * 60.000 s. Limits above 10,000 use slots of 0.1 s, in which each request counts at the end of its slot.
 */
export interface SlidingWindow {
  /** Oldest first; times in milliseconds since 1970. */
  slots: Slot[];
  /** The number of requests in all slots. */
  total: number;
}

interface Slot {
  at: number;
  count: number;
}

export const windowMs = 60_000;
const maxExactLimit = 10_000;
const coarseSlotMs = 100;

export const emptyWindow = (): SlidingWindow => ({ slots: [], total: 0 });

export function addRequests(window: SlidingWindow, limit: number, now: number, count = 1): void {
  const at = limit > maxExactLimit ? Math.ceil(now / coarseSlotMs) * coarseSlotMs : now;
  const last = window.slots.at(-1);
  window.total += count;
  if (last && last.at >= at) last.count += count;
  else window.slots.push({ at, count });
}

/** Drops the requests that have left the window. */
export function dropExpired(window: SlidingWindow, now: number): void {
  const { slots } = window;
  const firstCounted = slots.findIndex(({ at }) => at > now - windowMs);
  const expiredSlots = slots.splice(0, firstCounted === -1 ? slots.length : firstCounted);
  for (const { count } of expiredSlots) window.total -= count;
}

/** Milliseconds until one more request fits; 0 when one fits now. */
export function computeWaitMs({ slots, total }: SlidingWindow, limit: number, now: number): number {
  let excess = total - limit + 1;
  if (excess <= 0) return 0;
  for (const { at, count } of slots) {
    excess -= count;
    // If the limit was lowered, several requests must leave the window first.
    if (excess <= 0) return at + windowMs - now;
  }
  return windowMs;
}

function remainingQuota({ total }: SlidingWindow, limit: number): number {
  return Math.max(0, limit - total);
}

/** Milliseconds until the oldest request leaves and frees quota. */
function msUntilRelease({ slots }: SlidingWindow, now: number): number {
  const [oldest] = slots;
  return oldest ? oldest.at + windowMs - now : 0;
}

/** The stored form of a window, usually with 4 bytes per slot. */
export interface StoredWindow {
  /** The time of the oldest slot. The times of the other slots are offsets from it. */
  from: number;
  offsets: Uint16Array;
  counts: Uint16Array | Uint32Array;
}

export function serializeWindow({ slots, total }: SlidingWindow): StoredWindow {
  const from = slots[0]?.at ?? 0;
  const counts = slots.map(({ count }) => count);
  return {
    from,
    offsets: Uint16Array.from(slots, ({ at }) => at - from),
    counts: total < 2 ** 16 ? Uint16Array.from(counts) : Uint32Array.from(counts),
  };
}

export function restoreWindow({ from, offsets, counts }: StoredWindow): SlidingWindow {
  const slots = Array.from(offsets, (offset, index) => ({
    at: from + offset,
    count: counts[index] ?? 0,
  }));
  return { slots, total: slots.reduce((sum, { count }) => sum + count, 0) };
}

/**
 * Counts the requests of one credential. The stored state is exact, or exact plus a reservation of requests that may
 * follow without being stored. After a restart, the whole reservation counts as used, so no limit is ever exceeded.
 * Idle credentials have no reservation and keep their full quota.
 */
export interface Meter {
  requests: SlidingWindow;
  writes: SlidingWindow;
  /** Requests that may still follow without being stored. */
  reservation: Reservation;
  /** The latest time seen. The meter's time never goes back, even if the clock does. */
  latestTime: number;
}

interface Reservation {
  requests: number;
  writes: number;
  until: number;
}

/** The stored form of a meter. */
export interface StoredMeter {
  requests: StoredWindow;
  writes: StoredWindow;
  reserved: Reservation;
  at: number;
}

/** When to store the state: never, before the response, or after it. */
export type StoreTiming = "none" | "before" | "after";

const reservationDivisor = 16;
/** A request after such a pause is probably not part of a burst, so it gets no reservation. */
const quietAfterMs = 7000;
/** The bounds for the lifetime of a reservation, which depends on the pace of the last requests. */
const minReservationMs = 1000;
const maxReservationMs = 30_000;

const noReservation = (): Reservation => ({ requests: 0, writes: 0, until: 0 });

export const createMeter = (): Meter => ({
  requests: emptyWindow(),
  writes: emptyWindow(),
  reservation: noReservation(),
  latestTime: 0,
});

/** Ends the reservation, so that the stored state is exact. */
export function endReservation(meter: Meter): void {
  meter.reservation = noReservation();
}

export function serializeMeter({ requests, writes, reservation, latestTime }: Meter): StoredMeter {
  return {
    requests: serializeWindow(requests),
    writes: serializeWindow(writes),
    reserved: { ...reservation },
    at: latestTime,
  };
}

/** Restores a meter. Counts the whole reservation as used at the latest possible time. */
export function restoreMeter(stored: StoredMeter, clockTime: number): Meter {
  const { reserved, at } = stored;
  const requests = restoreWindow(stored.requests);
  const writes = restoreWindow(stored.writes);
  const latestTime = Math.max(clockTime, at);
  const last = Math.min(latestTime, reserved.until);
  // The limits are unknown here. Limit 0 selects exact times, which never undercount.
  if (reserved.requests > 0) addRequests(requests, 0, last, reserved.requests);
  if (reserved.writes > 0) addRequests(writes, 0, last, reserved.writes);
  dropExpired(requests, latestTime);
  dropExpired(writes, latestTime);
  return { requests, writes, reservation: noReservation(), latestTime };
}

/** Returns the latest possible start of a write that this row does not contain; null if there is none. */
export function lastReservedWriteAt(
  { reserved, at }: StoredMeter,
  clockTime: number,
): number | null {
  return reserved.writes > 0 ? Math.min(Math.max(clockTime, at), reserved.until) : null;
}

export function advanceClock(meter: Meter, clockTime: number): number {
  meter.latestTime = Math.max(meter.latestTime, clockTime);
  return meter.latestTime;
}

/** Returns the milliseconds until a request fits; 0 when it fits now. Counts nothing. */
export function requestWaitMs(
  { requests, writes }: Meter,
  limits: RateLimits,
  isWrite: boolean,
  now: number,
): number {
  dropExpired(requests, now);
  dropExpired(writes, now);
  return Math.max(
    computeWaitMs(requests, limits.requests, now),
    isWrite ? computeWaitMs(writes, limits.writes, now) : 0,
  );
}

/** Counts a request at `now` if it fits, and returns when to store the state. Otherwise returns the milliseconds to wait. */
export function takeRequest(
  meter: Meter,
  limits: RateLimits,
  isWrite: boolean,
  now: number,
): { waitMs: number; storeTiming: StoreTiming } {
  const { requests, writes } = meter;
  const waitMs = requestWaitMs(meter, limits, isWrite, now);
  if (waitMs > 0) return { waitMs, storeTiming: "none" };
  const previousAt = requests.slots.at(-1)?.at ?? -Infinity;
  addRequests(requests, limits.requests, now);
  if (isWrite) addRequests(writes, limits.writes, now);
  return { waitMs: 0, storeTiming: useReservation(meter, limits, isWrite, now, previousAt) };
}

/** Takes a request from the reservation, or starts a new one. Returns when to store the state. */
function useReservation(
  meter: Meter,
  limits: RateLimits,
  isWrite: boolean,
  now: number,
  previousAt: number,
): StoreTiming {
  const { reservation } = meter;
  if (
    reservation.requests > 0 &&
    (!isWrite || reservation.writes > 0) &&
    now <= reservation.until
  ) {
    reservation.requests -= 1;
    if (isWrite) reservation.writes -= 1;
    return "none";
  }
  if (now - previousAt >= quietAfterMs) {
    meter.reservation = noReservation();
    // A restarted object must know that a write is in progress.
    return isWrite ? "before" : "after";
  }
  const requests = reservationSize(limits.requests);
  const writes = meter.writes.total > 0 ? reservationSize(limits.writes) : 0;
  meter.reservation = {
    requests,
    writes,
    until: now + reservationMs(meter.requests, requests, now),
  };
  return "before";
}

/** Excludes the current request, so that small limits have no reservation and stay exact. */
const reservationSize = (limit: number) => Math.max(1, Math.floor(limit / reservationDivisor)) - 1;

/** Returns twice the time that the next `count` requests will take at the pace of the last `count` requests. */
function reservationMs({ slots }: SlidingWindow, count: number, now: number): number {
  const recentSlots = slots.slice(-count - 1);
  const recentCount = recentSlots.reduce((sum, slot) => sum + slot.count, 0);
  const msPerRequest = (now - (recentSlots[0]?.at ?? now)) / Math.max(1, recentCount - 1);
  return Math.min(maxReservationMs, Math.max(minReservationMs, 2 * count * msPerRequest));
}

/** A quota for the RateLimit headers. `reset` is the seconds until more becomes available. */
export interface Quota {
  limit: number;
  remaining: number;
  reset: number;
}

export interface Quotas {
  default: Quota;
  /** Only for writes, which count in both quotas. */
  write?: Quota;
}

export type RejectedAdmission =
  | { verdict: "refused" }
  | { verdict: "limited"; grant: Grant; retryAfter: number; quotas: Quotas };

/** An admitted write has a ticket, which identifies the later report of its result. A read has none. */
export type Admission =
  | RejectedAdmission
  | {
      verdict: "admitted";
      grant: Grant;
      quotas: Quotas;
      seen: ReadConstraint;
      ticket: number | null;
    };

/** `writes` is set for a write, which counts in both quotas. */
export function buildQuotas(
  limits: RateLimits,
  requests: SlidingWindow,
  writes: SlidingWindow | undefined,
  now: number,
): Quotas {
  const quotas = { default: buildQuota(requests, limits.requests, now) };
  return writes ? { ...quotas, write: buildQuota(writes, limits.writes, now) } : quotas;
}

function buildQuota(window: SlidingWindow, limit: number, now: number): Quota {
  return {
    limit,
    remaining: remainingQuota(window, limit),
    reset: Math.ceil(msUntilRelease(window, now) / 1000),
  };
}
