import type { CallCounts } from "./credential.ts";
import type { FieldErrorCode } from "#domain/problem/field-errors.ts";
import type { ProblemCode } from "#domain/problem/catalogue.ts";

/** A call in a credential's log, with the reason if it failed. Contains no values and no secrets. */
export interface LoggedCall {
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** The requested path, including its IDs. A query is reduced to its parameter names. */
  path: string;
  status: number;
  milliseconds: number;
  requestId: string;
  /** Absent for a successful call. */
  refusal?: CallError;
}

/**
 * The reason why a call failed, with the details that its description needs. Contains only names from the request, no
 * values.
 */
export interface CallError {
  code: ProblemCode;
  /** The missing permission. */
  permission?: string;
  /** The first invalid fields, parameters or headers. */
  wrong?: { field: string; code: FieldErrorCode }[];
  /** The field of a duplicate, or the reason why a form rejects submissions. */
  about?: string;
}

/** The log of a credential's object: the last calls, newest last, and the counts for each hour of 30 days. */
export interface CallLog {
  calls: LoggedCall[];
  /** By hours since 1970: the counts of all calls and of rejected ones. */
  hours: Record<number, CallCounts>;
}

const maxCalls = 200;
/** The maximum bytes of one call in its stored form. */
const maxCallBytes = 350;
const minPathLength = 120;
const hourMs = 60 * 60 * 1000;
const retentionHours = 30 * 24;

export const emptyCallLog = (): CallLog => ({ calls: [], hours: {} });

/** Whether a member probably has to fix the integration. 401, 403 and 429 usually mean that. */
export function isRejected({ status }: Pick<LoggedCall, "status">): boolean {
  return status === 401 || status === 403 || status === 429;
}

export function addCalls(log: CallLog, calls: readonly LoggedCall[], now: number): void {
  log.calls = [...log.calls, ...calls.slice(-maxCalls).map(truncateCall)].slice(-maxCalls);
  for (const call of calls) {
    const counts = (log.hours[Math.floor(call.at / hourMs)] ??= { calls: 0, refused: 0 });
    counts.calls += 1;
    if (isRejected(call)) counts.refused += 1;
  }
  const oldestHour = Math.floor(now / hourMs) - retentionHours;
  for (const hour of Object.keys(log.hours)) {
    if (Number(hour) < oldestHour) delete log.hours[Number(hour)];
  }
}

/** Shortens a call that is too long to store: first its path, then its last field errors. */
function truncateCall(call: LoggedCall): LoggedCall {
  const excess = encodeJson(callToRow(call, 0)).length - maxCallBytes;
  if (excess <= 0) return call;
  const { refusal, path } = call;
  if (path.length > minPathLength) {
    const pathLength = Math.max(minPathLength, path.length - excess - 2) - 1;
    return truncateCall({ ...call, path: `${path.slice(0, pathLength)}…` });
  }
  if (!refusal?.wrong?.length) return call;
  return truncateCall({ ...call, refusal: { ...refusal, wrong: refusal.wrong.slice(0, -1) } });
}

type CallRow = [number, string, string, number, number, string, CallError?];

function callToRow(call: LoggedCall, oldestAt: number): CallRow {
  const { at, method, path, status, milliseconds, requestId, refusal } = call;
  const row = [at - oldestAt, method, path, status, milliseconds, requestId] as const;
  return refusal ? [...row, refusal] : [...row];
}

const encodeJson = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** Serializes up to 200 calls of at most 350 bytes, with times as offsets from the oldest call. */
export function serializeLog({ calls, hours }: CallLog): Uint8Array {
  const from = calls[0]?.at ?? 0;
  return encodeJson({ from, calls: calls.map((call) => callToRow(call, from)), hours });
}

export function restoreLog(stored: Uint8Array): CallLog {
  const { from, calls, hours } = JSON.parse(new TextDecoder().decode(stored)) as {
    from: number;
    calls: CallRow[];
    hours: CallLog["hours"];
  };
  return { calls: calls.map((row) => callFromRow(row, from)), hours };
}

function callFromRow(row: CallRow, from: number): LoggedCall {
  const [offset, method, path, status, milliseconds, requestId, refusal] = row;
  const call = { at: from + offset, method, path, status, milliseconds, requestId };
  return refusal ? { ...call, refusal } : call;
}

/** Returns the calls of the last 30 days, oldest first. Reports of several isolates arrive in any order. */
export function recentCalls({ calls }: CallLog, now: number): LoggedCall[] {
  const oldestAt = now - retentionHours * hourMs;
  return calls.filter(({ at }) => at >= oldestAt).toSorted((a, b) => a.at - b.at);
}
