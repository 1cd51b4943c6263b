/** A call as a credential's log shows it: no values, no secrets. */
export interface LoggedCall {
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** The pattern of the route, not the address. */
  route: string;
  status: number;
  milliseconds: number;
  requestId: string;
}

/** What the object keeps: the last calls, newest last, and how many there were in each hour of 30 days. */
export interface CallLog {
  calls: LoggedCall[];
  /** By hours since 1970: all calls, and those that were refused. */
  hours: Record<number, { calls: number; refused: number }>;
}

const mostCalls = 200;
const hour = 60 * 60 * 1000;
const keptHours = 30 * 24;

export const noCalls = (): CallLog => ({ calls: [], hours: {} });

/** 401, 403 and 429: what an integration has to be looked after for. */
function isRefused({ status }: LoggedCall): boolean {
  return status === 401 || status === 403 || status === 429;
}

export function addCalls(log: CallLog, calls: readonly LoggedCall[], now: number): void {
  log.calls = [...log.calls, ...calls].slice(-mostCalls);
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

/** Calls and refusals of the hours that begin at `from` or later and before `until`; milliseconds since 1970. */
export function countCalls(
  { hours }: CallLog,
  from: number,
  until = Infinity,
): { requests: number; refusals: number } {
  const counted = Object.entries(hours).filter(
    ([each]) => Number(each) * hour >= from && Number(each) * hour < until,
  );
  return {
    requests: counted.reduce((sum, [, { calls }]) => sum + calls, 0),
    refusals: counted.reduce((sum, [, { refused }]) => sum + refused, 0),
  };
}
