/** What a read has to see at least, so that a credential sees its own writes at any replica. */
export interface Seen {
  /** The version of the database that the last of its writes reached; null where none was told. */
  bookmark: string | null;
  /** Another of its writes is under way, or has not told what it reached: only the primary is sure to have it. */
  untold: boolean;
  /** Untold writes that began until then are over: whoever reads the primary tells what it saw. Null: there are none. */
  overdue: number | null;
}

/**
 * What became of a write, by the ticket that it was admitted with: the version that it reached, null where it is certain
 * that nothing was written. What is not certain is not told. Or what a read of the primary saw, by its `Seen.overdue`.
 */
export type Told =
  | { ticket: number; bookmark: string | null }
  | { overdue: number; bookmark: string };

/** The writes of one credential, as far as its object knows. */
export interface OwnWrites {
  /** The greatest that was told: bookmarks sort as text. */
  bookmark: string | null;
  /** When those that are under way began, by their tickets, oldest first. */
  open: Map<number, number>;
  /** When the last one began whose ticket is not known any more; null where there is none. */
  lost: number | null;
}

/** How a row tells of them. */
export interface StoredWrites {
  bookmark: string | null;
  /** When the last write began that had not told what it reached. */
  untoldAt: number | null;
}

/** A write that is not told after this is over all the same; milliseconds. */
export const overdueAfter = 60_000;

/** Of a write that was admitted without the object. */
export const noTicket = -1;

export function storedWrites({ bookmark, open, lost }: OwnWrites): StoredWrites {
  const newest = Math.max(lost ?? 0, ...[...open.values()].slice(-1));
  return { bookmark, untoldAt: newest === 0 ? null : newest };
}

export function writesOf({ bookmark, untoldAt }: StoredWrites): OwnWrites {
  return { bookmark, open: new Map(), lost: untoldAt };
}

/** Admits a write, and gives its ticket: a random number, as an object that starts anew knows none that it gave. */
export function beginWrite({ open }: OwnWrites, now: number): number {
  const ticket = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
  open.set(ticket, now);
  return ticket;
}

export function tell(writes: OwnWrites, told: Told): void {
  const { bookmark } = told;
  if (bookmark !== null && bookmark > (writes.bookmark ?? "")) writes.bookmark = bookmark;
  if ("ticket" in told) {
    writes.open.delete(told.ticket);
    return;
  }
  forgetTickets(writes, told.overdue);
  if (writes.lost !== null && writes.lost <= told.overdue) writes.lost = null;
}

export function seenOf(writes: OwnWrites, now: number): Seen {
  const overdue = now - overdueAfter;
  forgetTickets(writes, overdue);
  const { bookmark, open, lost } = writes;
  return {
    bookmark,
    untold: open.size > 0 || lost !== null,
    overdue: lost !== null && lost <= overdue ? overdue : null,
  };
}

/** Keeps of the writes that began until then only that there were some: what is kept is bounded by a minute's writes. */
function forgetTickets(writes: OwnWrites, until: number): void {
  for (const [ticket, began] of writes.open) {
    if (began > until) return;
    writes.open.delete(ticket);
    writes.lost = Math.max(began, writes.lost ?? 0);
  }
}
