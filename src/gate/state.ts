import type { Credential } from "../domain/credential/credential";
import { logOf, noCalls, storedLog, type CallLog } from "./call-log";
import {
  lastReservedWrite,
  meterOf,
  newMeter,
  storedMeter,
  type Meter,
  type StoredMeter,
} from "./meter";
import { storedWrites, writesOf, type OwnWrites, type StoredWrites } from "./own-writes";
import { addRequests } from "./sliding-window";

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
