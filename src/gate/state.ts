import { type Credential, isLive, liveSecrets, type Secret, type Exchanged, type Grant } from "#domain/credential/credential.ts";
import { logOf, noCalls, storedLog, type CallLog } from "./call-log.ts";
import { lastReservedWrite, meterOf, newMeter, storedMeter, type Meter, type StoredMeter, addRequests } from "./limits.ts";
import { sameText } from "#domain/credential/keys.ts";
import type { Presented } from "#domain/credential/tokens.ts";

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

/** All that an object knows of its credential and keeps over its end. */
export interface State {
  meter: Meter;
  writes: OwnWrites;
  log: CallLog;
  known: Known | undefined;
  usage: Telling;
}

/** What an object knows of its credential; null where there is none. */
export interface Known {
  credential: Credential | null;
  readAt: number;
}

/** What lists are told: when the credential was last used, when that was told, and whether there is more to tell. */
interface Telling {
  usedAt: number | null;
  toldAt: number | null;
  owed: boolean;
  /** Whether counts were told at all, and not only that it was used. */
  counted: boolean;
}

/** The state as it is stored: one row, as a row is what a request costs most. Less than 200 KB. */
interface Row extends Pick<State, "known" | "usage"> {
  meter: StoredMeter;
  writes: StoredWrites;
  log: Uint8Array;
}

const key = "row";

export function stateRow({ meter, writes, log, known, usage }: State): [typeof key, Row] {
  const row = { meter: storedMeter(meter), writes: storedWrites(writes), log: storedLog(log) };
  return [key, { ...row, known, usage }];
}

export function readState(kv: SyncKvStorage, clock: number): State {
  const row = kv.get<Row>(key);
  if (!row) return formerState(kv, clock);
  const { known, usage } = row;
  const writes = writesOf(row.writes);
  const mayFollow = lastReservedWrite(row.meter, clock);
  if (mayFollow !== null) writes.lost = Math.max(mayFollow, writes.lost ?? 0);
  return { meter: meterOf(row.meter, clock), writes, log: logOf(row.log), known, usage };
}

/** What was stored by version 0.1.0, in rows of their own; or nothing. */
function formerState(kv: SyncKvStorage, clock: number): State {
  const meter = newMeter();
  const windows = kv.get<Record<"requests" | "writes", Float64Array>>("windows");
  for (const name of ["requests", "writes"] as const) {
    for (const at of windows?.[name] ?? []) addRequests(meter[name], 0, at);
  }
  // Whether a write is under way was not told.
  const writes = writesOf({ bookmark: null, untoldAt: windows ? clock : null });
  const log = kv.get<CallLog>("log") ?? noCalls();
  const known = kv.get<Known>("known");
  const state = {
    meter,
    writes,
    log,
    known,
    usage: { usedAt: null, toldAt: null, owed: false, counted: false },
  };
  if (windows || known) {
    kv.put(...stateRow(state));
    for (const former of ["windows", "exchanges", "log", "known"]) kv.delete(former);
  }
  return state;
}

/** Whether this state of a credential was before the one that is known: messages overtake each other. */
export function isOlder(credential: Credential | null, known: Known | undefined): boolean {
  const newest = known?.credential?.version ?? 0;
  return newest > 0 && (credential?.version ?? 0) < newest;
}

/** What the credential grants to whoever presents this proof; undefined when it is not good. */
export function grantOf(
  credential: Credential,
  proof: Presented["proof"],
  now: number,
): Grant | undefined {
  if (!isLive(credential, now)) return undefined;
  const { id, kind, name, permissions, resources, limits, expiresAt, origins } = credential;
  const kept = { credentialId: id, kind, name, permissions, resources, limits, expiresAt };
  const grant: Grant = { ...kept, origins: origins ?? [] };
  if ("hash" in proof) return secretByHash(credential, proof.hash, now) && grant;
  const live = liveSecrets(credential, now).some((secret) => secret.id === proof.secretId);
  return live
    ? { ...grant, permissions: permissions.filter((each) => proof.scope.includes(each)) }
    : undefined;
}

export function exchangedFor(
  credential: Credential,
  proof: Presented["proof"],
  now: number,
): Exchanged | undefined {
  const grant = grantOf(credential, proof, now);
  const secret = "hash" in proof ? secretByHash(credential, proof.hash, now) : undefined;
  return grant && secret && { grant, secretId: secret.id };
}

function secretByHash(credential: Credential, hash: string, now: number): Secret | undefined {
  return liveSecrets(credential, now).find((secret) => sameText(secret.hash, hash));
}
