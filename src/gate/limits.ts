import type { Limits, Grant } from "#domain/credential/credential.ts";
import type { Seen } from "./state.ts";

/**
 * An exact sliding window: when the requests of the last 60 seconds were made. A request at 0 s leaves it at 60.000 s.
 * Limits above 10,000 are kept by tenths of a second, in each of which all count as made at its end.
 */
export interface SlidingWindow {
  /** Oldest first; times in milliseconds since 1970. */
  slots: Slot[];
  /** How many requests there are in all slots. */
  total: number;
}

interface Slot {
  at: number;
  count: number;
}

export const windowMilliseconds = 60_000;
const mostExact = 10_000;
const tenth = 100;

export const emptyWindow = (): SlidingWindow => ({ slots: [], total: 0 });

export function addRequests(window: SlidingWindow, limit: number, now: number, count = 1): void {
  const at = limit > mostExact ? Math.ceil(now / tenth) * tenth : now;
  const last = window.slots.at(-1);
  window.total += count;
  if (last && last.at >= at) last.count += count;
  else window.slots.push({ at, count });
}

/** Forgets what has left the window. */
export function slide(window: SlidingWindow, now: number): void {
  const { slots } = window;
  const kept = slots.findIndex(({ at }) => at > now - windowMilliseconds);
  const gone = slots.splice(0, kept === -1 ? slots.length : kept);
  for (const { count } of gone) window.total -= count;
}

/** Milliseconds until one more request fits; 0 when one fits now. */
export function waitFor({ slots, total }: SlidingWindow, limit: number, now: number): number {
  let tooMany = total - limit + 1;
  if (tooMany <= 0) return 0;
  for (const { at, count } of slots) {
    tooMany -= count;
    // The request that has to leave first: when a limit was lowered, more than one has to.
    if (tooMany <= 0) return at + windowMilliseconds - now;
  }
  return windowMilliseconds;
}

export function remaining({ total }: SlidingWindow, limit: number): number {
  return Math.max(0, limit - total);
}

/** Milliseconds until the oldest request leaves, which is when more quota is given. */
export function nextRelease({ slots }: SlidingWindow, now: number): number {
  const [oldest] = slots;
  return oldest ? oldest.at + windowMilliseconds - now : 0;
}

/** A window as it is stored, in 4 bytes a slot. */
export interface StoredWindow {
  /** The time of the oldest slot, and how much later each one is. */
  from: number;
  offsets: Uint16Array;
  counts: Uint16Array | Uint32Array;
}

export function storedWindow({ slots, total }: SlidingWindow): StoredWindow {
  const from = slots[0]?.at ?? 0;
  const counts = slots.map(({ count }) => count);
  return {
    from,
    offsets: Uint16Array.from(slots, ({ at }) => at - from),
    counts: total < 2 ** 16 ? Uint16Array.from(counts) : Uint32Array.from(counts),
  };
}

export function windowOf({ from, offsets, counts }: StoredWindow): SlidingWindow {
  const slots = Array.from(offsets, (offset, index) => ({
    at: from + offset,
    count: counts[index] ?? 0,
  }));
  return { slots, total: slots.reduce((sum, { count }) => sum + count, 0) };
}

/**
 * The limits of one credential. Not each request is stored: what is stored is exact, or exact and “so many may have
 * followed”, a reservation. Whoever starts anew from a reservation counts all of it as made, so that no limit is exceeded
 * whatever is lost; and from what is exact it counts what was made, so that who was quiet has all of its limit.
 */
export interface Meter {
  requests: SlidingWindow;
  writes: SlidingWindow;
  /** What may still follow without being stored, until this time. */
  reserved: Reserved;
  /** The time never goes back behind this one, whatever the clock does. */
  latest: number;
}

interface Reserved {
  requests: number;
  writes: number;
  until: number;
}

/** A meter as it is stored. */
export interface StoredMeter {
  requests: StoredWindow;
  writes: StoredWindow;
  reserved: Reserved;
  at: number;
}

/** How a request is stored: not at all, or before or behind its answer. */
export type Storing = "none" | "before" | "behind";

const part = 16;
/** After as long a request is not followed by another one at once. */
const quietAfter = 7000;
/** How long a reservation is used: about as long as it lasts at the pace of the last requests. */
const shortest = 1000;
const longest = 30_000;

const nothing = (): Reserved => ({ requests: 0, writes: 0, until: 0 });

export const newMeter = (): Meter => ({
  requests: emptyWindow(),
  writes: emptyWindow(),
  reserved: nothing(),
  latest: 0,
});

/** From now on what is stored is exact: nothing may follow that is not. */
export function endReservation(meter: Meter): void {
  meter.reserved = nothing();
}

export function storedMeter({ requests, writes, reserved, latest }: Meter): StoredMeter {
  return {
    requests: storedWindow(requests),
    writes: storedWindow(writes),
    reserved: { ...reserved },
    at: latest,
  };
}

/** Starts anew from what was stored. Of a reservation all may have been made, and until its end. */
export function meterOf(stored: StoredMeter, clock: number): Meter {
  const { reserved, at } = stored;
  const requests = windowOf(stored.requests);
  const writes = windowOf(stored.writes);
  const latest = Math.max(clock, at);
  const last = Math.min(latest, reserved.until);
  // Their limits are not known here, and exact times are never too few of them.
  if (reserved.requests > 0) addRequests(requests, 0, last, reserved.requests);
  if (reserved.writes > 0) addRequests(writes, 0, last, reserved.writes);
  slide(requests, latest);
  slide(writes, latest);
  return { requests, writes, reserved: nothing(), latest };
}

/** When the last write may have begun that this row does not know of; null where there can be none. */
export function lastReservedWrite({ reserved, at }: StoredMeter, clock: number): number | null {
  return reserved.writes > 0 ? Math.min(Math.max(clock, at), reserved.until) : null;
}

export function timeOf(meter: Meter, clock: number): number {
  meter.latest = Math.max(meter.latest, clock);
  return meter.latest;
}

/** Takes a request at `now` if it fits, and says how it is stored; or gives the milliseconds to wait. */
export function takeRequest(
  meter: Meter,
  limits: Limits,
  write: boolean,
  now: number,
): { wait: number; storing: Storing } {
  const { requests, writes } = meter;
  slide(requests, now);
  slide(writes, now);
  const wait = Math.max(
    waitFor(requests, limits.requests, now),
    write ? waitFor(writes, limits.writes, now) : 0,
  );
  if (wait > 0) return { wait, storing: "none" };
  const before = requests.slots.at(-1)?.at ?? -Infinity;
  addRequests(requests, limits.requests, now);
  if (write) addRequests(writes, limits.writes, now);
  return { wait: 0, storing: reserve(meter, limits, write, now, before) };
}

function reserve(
  meter: Meter,
  limits: Limits,
  write: boolean,
  now: number,
  before: number,
): Storing {
  const { reserved } = meter;
  if (reserved.requests > 0 && (!write || reserved.writes > 0) && now <= reserved.until) {
    reserved.requests -= 1;
    if (write) reserved.writes -= 1;
    return "none";
  }
  if (now - before >= quietAfter) {
    meter.reserved = nothing();
    // Of a write it has to be known that it is under way.
    return write ? "before" : "behind";
  }
  const requests = partOf(limits.requests);
  const writes = meter.writes.total > 0 ? partOf(limits.writes) : 0;
  meter.reserved = { requests, writes, until: now + lifeOf(meter.requests, requests, now) };
  return "before";
}

/** With the request itself, so that small limits are exact whatever happens. */
const partOf = (limit: number) => Math.max(1, Math.floor(limit / part)) - 1;

/** Twice as long as so many requests take at the pace of as many before. */
function lifeOf({ slots }: SlidingWindow, count: number, now: number): number {
  const past = slots.slice(-count - 1);
  const made = past.reduce((sum, slot) => sum + slot.count, 0);
  const pace = (now - (past[0]?.at ?? now)) / Math.max(1, made - 1);
  return Math.min(longest, Math.max(shortest, 2 * count * pace));
}

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
