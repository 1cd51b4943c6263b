import { mergeBookmarks, parseBookmarks } from "#domain/bookmarks.ts";
import type { Random } from "#domain/ports.ts";

/** The minimum version for a read, so that a credential sees its own writes on any replica. */
export interface ReadConstraint {
  /** The database version of the credential's last reported write; null if none was reported. */
  bookmark: string | null;
  /** Whether a write is in progress or unreported. Only the primary is then certain to contain it. */
  untold: boolean;
  /** The databases whose bookmarks include all unreported writes. Replicas of these databases can still serve reads. */
  confirmed: readonly string[];
  /**
   * Unreported writes that began by this time have ended. Null if there are none. A read of the primary reports the
   * version that it saw.
   */
  overdue: number | null;
}

/**
 * Reports the database version of a write by its ticket. The version is null if the write certainly stored nothing. A
 * write with an uncertain result sends no report. With `overdue`, reports the versions that reads of the primaries of
 * one or more databases saw. With several databases, the unreported write may be in another one.
 */
export type WriteReport =
  | { ticket: number; bookmark: string | null }
  | { overdue: number; bookmark: string; isOnly: boolean };

/** The writes of one credential that its object tracks. */
export interface PendingWrites {
  /** The newest reported bookmark of each database. */
  bookmark: string | null;
  /** The start times of writes in progress, by ticket, oldest first. */
  startTimes: Map<number, number>;
  /** The start time of the newest write with a forgotten ticket; null if there is none. */
  lastUntrackedAt: number | null;
  /** The databases whose bookmarks include the writes with forgotten tickets. */
  confirmed: readonly string[];
}

/** The stored form of the writes. */
export interface StoredWrites {
  bookmark: string | null;
  /** The start time of the newest unreported write. */
  untoldAt: number | null;
  /** Absent in rows that were stored before each database was confirmed. */
  confirmed?: readonly string[];
}

/** After this time, an unreported write is certain to have ended. */
export const overdueAfterMs = 60_000;

/** The ticket of a write that was admitted without the credential's object. */
export const noTicket = -1;

export function serializeWrites({
  bookmark,
  startTimes,
  lastUntrackedAt,
  confirmed,
}: PendingWrites): StoredWrites {
  const newest = Math.max(lastUntrackedAt ?? 0, ...[...startTimes.values()].slice(-1));
  const untoldAt = newest === 0 ? null : newest;
  return { bookmark, untoldAt, confirmed: startTimes.size > 0 ? [] : confirmed };
}

export function restoreWrites({ bookmark, untoldAt, confirmed = [] }: StoredWrites): PendingWrites {
  return { bookmark, startTimes: new Map(), lastUntrackedAt: untoldAt, confirmed };
}

/** Registers a write and returns its ticket. Tickets are random, because a restarted object forgets its counter. */
export function beginWrite(
  { startTimes }: PendingWrites,
  now: number,
  random: Pick<Random, "number">,
): number {
  const ticket = Math.floor(random.number() * Number.MAX_SAFE_INTEGER);
  startTimes.set(ticket, now);
  return ticket;
}

export function applyWriteReport(writes: PendingWrites, report: WriteReport): void {
  writes.bookmark = mergeBookmarks(writes.bookmark, report.bookmark);
  if ("ticket" in report) {
    writes.startTimes.delete(report.ticket);
    return;
  }
  forgetTickets(writes, report.overdue);
  if (writes.lastUntrackedAt === null || writes.lastUntrackedAt > report.overdue) return;
  if (report.isOnly) {
    writes.lastUntrackedAt = null;
    writes.confirmed = [];
  } else {
    const names = parseBookmarks(report.bookmark).keys();
    writes.confirmed = [...new Set([...writes.confirmed, ...names])];
  }
}

/** Records that a write that began at this time may have stored something in any database. */
export function addUntracked(writes: PendingWrites, startedAt: number): void {
  if (startedAt <= (writes.lastUntrackedAt ?? 0)) return;
  writes.lastUntrackedAt = startedAt;
  writes.confirmed = [];
}

export function readConstraintOf(writes: PendingWrites, now: number): ReadConstraint {
  const overdue = now - overdueAfterMs;
  forgetTickets(writes, overdue);
  const { bookmark, startTimes, lastUntrackedAt } = writes;
  return {
    bookmark,
    untold: startTimes.size > 0 || lastUntrackedAt !== null,
    confirmed: startTimes.size > 0 ? [] : writes.confirmed,
    overdue: lastUntrackedAt !== null && lastUntrackedAt <= overdue ? overdue : null,
  };
}

/** Drops the tickets of writes that began by `until`, to limit memory. Keeps only the newest start time. */
function forgetTickets(writes: PendingWrites, until: number): void {
  for (const [ticket, startedAt] of writes.startTimes) {
    if (startedAt > until) return;
    writes.startTimes.delete(ticket);
    addUntracked(writes, startedAt);
  }
}
