import type { Counted } from "#domain/credential/credential.ts";
import type { FieldErrorCode } from "#domain/problem/problem.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";
import type { Told } from "./state.ts";

/** A call as a credential's log keeps it: what was asked and why it was refused; no value, no secret. */
export interface LoggedCall {
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** The address as it was asked for, ids and all; of a query the names alone. */
  path: string;
  status: number;
  milliseconds: number;
  requestId: string;
  /** Absent where it was answered as asked. */
  refusal?: Refusal;
}

/** Why: enough for a sentence, and nothing of what was sent but names. */
export interface Refusal {
  code: ProblemCode;
  /** The permission that was missing. */
  permission?: string;
  /** The first fields, parameters or headers that were wrong. */
  wrong?: { field: string; code: FieldErrorCode }[];
  /** The field of a duplicate, or why a form takes nothing. */
  about?: string;
}

/** What the object keeps: the last calls, newest last, and how many there were in each hour of 30 days. */
export interface CallLog {
  calls: LoggedCall[];
  /** By hours since 1970: all calls, and those that were refused. */
  hours: Record<number, Counted>;
}

const mostCalls = 200;
/** Of one call as it is stored, in bytes. */
const mostBytes = 350;
const shortPath = 120;
const hour = 60 * 60 * 1000;
const keptHours = 30 * 24;

export const noCalls = (): CallLog => ({ calls: [], hours: {} });

/** 401, 403 and 429: what an integration has to be looked after for. */
export function isRefused({ status }: Pick<LoggedCall, "status">): boolean {
  return status === 401 || status === 403 || status === 429;
}

export function addCalls(log: CallLog, calls: readonly LoggedCall[], now: number): void {
  log.calls = [...log.calls, ...calls.slice(-mostCalls).map(fitting)].slice(-mostCalls);
  for (const call of calls) {
    const counted = (log.hours[Math.floor(call.at / hour)] ??= { calls: 0, refused: 0 });
    counted.calls += 1;
    if (isRefused(call)) counted.refused += 1;
  }
  const oldest = Math.floor(now / hour) - keptHours;
  for (const each of Object.keys(log.hours)) {
    if (Number(each) < oldest) delete log.hours[Number(each)];
  }
}

/** Cuts what makes a call too long to be stored: its path, then what was wrong, from the end. */
function fitting(call: LoggedCall): LoggedCall {
  const excess = bytesOf(rowOf(call, 0)).length - mostBytes;
  if (excess <= 0) return call;
  const { refusal, path } = call;
  if (path.length > shortPath) {
    const kept = Math.max(shortPath, path.length - excess - 2) - 1;
    return fitting({ ...call, path: `${path.slice(0, kept)}…` });
  }
  if (!refusal?.wrong?.length) return call;
  return fitting({ ...call, refusal: { ...refusal, wrong: refusal.wrong.slice(0, -1) } });
}

type CallRow = [number, string, string, number, number, string, Refusal?];

function rowOf(call: LoggedCall, from: number): CallRow {
  const { at, method, path, status, milliseconds, requestId, refusal } = call;
  const row = [at - from, method, path, status, milliseconds, requestId] as const;
  return refusal ? [...row, refusal] : [...row];
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** A log as it is stored: 200 calls of at most 350 bytes, with times as offsets of the oldest. */
export function storedLog({ calls, hours }: CallLog): Uint8Array {
  const from = calls[0]?.at ?? 0;
  return bytesOf({ from, calls: calls.map((call) => rowOf(call, from)), hours });
}

export function logOf(stored: Uint8Array): CallLog {
  const { from, calls, hours } = JSON.parse(new TextDecoder().decode(stored)) as {
    from: number;
    calls: CallRow[];
    hours: CallLog["hours"];
  };
  return { calls: calls.map((row) => callOf(row, from)), hours };
}

function callOf(row: CallRow, from: number): LoggedCall {
  const [after, method, path, status, milliseconds, requestId, refusal] = row;
  const call = { at: from + after, method, path, status, milliseconds, requestId };
  return refusal ? { ...call, refusal } : call;
}

/** The calls of the last 30 days. */
export function recentCalls({ calls }: CallLog, now: number): LoggedCall[] {
  return calls.filter(({ at }) => at >= now - keptHours * hour);
}

/** What a credential's object is told afterwards: how calls were answered, and what writes reached. */
export interface News {
  calls: LoggedCall[];
  told: Told[];
}
