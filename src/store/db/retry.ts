import type { Timing } from "#domain/ports.ts";
import { problem } from "#domain/problem/problem.ts";

/** The reason for the failure of a D1 call. D1 has no error codes, so this depends on the text of the message. */
export type DatabaseFailure =
  /** The guard or a unique constraint rejected the batch, and nothing was stored. */
  | { kind: "guard"; constraint: string }
  | { kind: "unique"; table: string }
  /** It is unknown whether the write was stored. A retry can succeed. */
  | { kind: "transient" }
  /** An immediate retry would increase the load. */
  | { kind: "overloaded" }
  | { kind: "unknown" };

const transientMessages = [
  "Network connection lost",
  "storage caused object to be reset",
  "reset because its code was updated",
  "Cannot resolve D1 DB due to transient issue",
  "Internal error while starting up D1 DB",
  "Failed to parse body as JSON",
  "Isolate Has exceeded",
  "Replica is unavailable",
  "Storage operation exceeded timeout",
  "Durable Object reset",
  "Durable Object storage",
  "Worker exceeded",
  "The script will never generate a response",
  "Internal error",
  "internal error",
  "Server Error",
  "SQLITE_BUSY",
  "database is locked",
];
const overloadMessages = [
  "D1 DB is overloaded",
  "exceeded its CPU time limit",
  "exceeded its memory limit",
  "D1 DB storage operation exceeded timeout",
  "Too many requests queued",
];

export function classifyError(error: unknown): DatabaseFailure {
  const text = errorText(error);
  const guard = /CHECK constraint failed: (\w+)/.exec(text)?.[1];
  if (guard) return { kind: "guard", constraint: guard };
  const table = /UNIQUE constraint failed: (\w+)\./.exec(text)?.[1];
  if (table) return { kind: "unique", table };
  if (overloadMessages.some((part) => text.includes(part))) return { kind: "overloaded" };
  if (transientMessages.some((part) => text.includes(part))) return { kind: "transient" };
  return { kind: "unknown" };
}

/** Whether a query failed because migrations were not applied. */
export function lacksTables(error: unknown): boolean {
  return errorText(error).includes("no such table");
}

/** A single Drizzle query throws D1's error as the `cause`. A batch throws D1's error itself. */
function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n${errorText(error.cause)}`;
}

const maxAttempts = 4;
const firstPauseMs = 25;

/** Distinguishes calls that time out from calls that fail. */
export class TimeoutError extends Error {}

/** Rejects when a call takes longer than `ms`. The call itself continues and may succeed. */
export async function withTimeout<T>(
  { clock, timeouts }: Timing,
  run: () => Promise<T>,
  ms = timeouts.storageMs,
): Promise<T> {
  const call = run();
  return new Promise<T>((resolve, reject) => {
    const timer = clock.timer(ms);
    timer.done.then(() => reject(new TimeoutError("No answer in time.")), reject);
    call.finally(() => timer.cancel()).then(resolve, reject);
  });
}

/** A database handle, or anything else with a clock and timeouts. */
interface HasTiming {
  timing: Timing;
}

/**
 * Runs a call that is safe to repeat, such as a read or an idempotent batch. Retries transient errors with growing,
 * jittered pauses. When it gives up, it throws `try_again`.
 */
export async function retryTransient<T>({ timing }: HasTiming, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withTimeout(timing, run);
    } catch (error) {
      const { kind } = classifyError(error);
      // An immediate retry would probably time out too.
      if (error instanceof TimeoutError) throw problem.tryAgain(2);
      if (kind === "overloaded") throw problem.tryAgain(2);
      if (kind !== "transient") throw error;
      if (attempt === maxAttempts) throw problem.tryAgain(1);
      await sleepWithJitter(timing, firstPauseMs * 2 ** attempt);
    }
  }
}

/** Runs a write without retries, because nothing shows whether a failed attempt was stored. */
export async function runOnce<T>({ timing }: HasTiming, run: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(timing, run);
  } catch (error) {
    const { kind } = classifyError(error);
    if (error instanceof TimeoutError) throw problem.tryAgain(2);
    if (kind === "overloaded" || kind === "transient") throw problem.tryAgain(1);
    throw error;
  }
}

/** Waits a random time between half of `ms` and `ms`. */
export function sleepWithJitter({ clock, random }: Timing, ms: number): Promise<void> {
  return clock.sleep(ms * (0.5 + random.number() / 2));
}
