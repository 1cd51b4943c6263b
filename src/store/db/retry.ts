import { problem } from "#domain/problem/problem.ts";

/** What went wrong in D1, told from the text of its message: it has no codes. */
export type Failure =
  /** The guard or a constraint refused the batch; nothing of it was stored. */
  | { kind: "guard"; constraint: string }
  | { kind: "unique"; table: string }
  /** May have been stored or not; worth another try. */
  | { kind: "transient" }
  /** Trying again at once would make it worse. */
  | { kind: "overloaded" }
  | { kind: "unknown" };

const transient = [
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
const overloaded = [
  "D1 DB is overloaded",
  "exceeded its CPU time limit",
  "exceeded its memory limit",
  "D1 DB storage operation exceeded timeout",
  "Too many requests queued",
];

export function failureOf(error: unknown): Failure {
  const text = messages(error);
  const guard = /CHECK constraint failed: (\w+)/.exec(text)?.[1];
  if (guard) return { kind: "guard", constraint: guard };
  const table = /UNIQUE constraint failed: (\w+)\./.exec(text)?.[1];
  if (table) return { kind: "unique", table };
  if (overloaded.some((part) => text.includes(part))) return { kind: "overloaded" };
  if (transient.some((part) => text.includes(part))) return { kind: "transient" };
  return { kind: "unknown" };
}

/** A lone Drizzle query wraps D1's error in a `cause`; a batch throws it bare. */
function messages(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n${messages(error.cause)}`;
}

const most = 4;
const firstPause = 25;

/** How long storage may take to answer; adjustable for tests. */
export const patience = { milliseconds: 10_000 };

/** What does not answer in time is told from what fails. */
export class TookTooLong extends Error {}

/** Gives up on what does not answer. It may go on, and be done. */
export async function timely<T>(
  run: () => Promise<T>,
  milliseconds = patience.milliseconds,
): Promise<T> {
  const answer = run();
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new TookTooLong("No answer in time.")), milliseconds);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}

/**
 * Runs something that is safe to repeat: a read, or a batch that does nothing the second time. Transient faults
 * are tried again with growing, jittered pauses; then the caller is told to come back.
 */
export async function attempt<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await timely(run);
    } catch (error) {
      const { kind } = failureOf(error);
      // Whoever asks again at once would wait as long again.
      if (error instanceof TookTooLong) throw problem.tryAgain(2);
      if (kind === "overloaded") throw problem.tryAgain(2);
      if (kind !== "transient") throw error;
      if (tries === most) throw problem.tryAgain(1);
      await pause(firstPause * 2 ** tries);
    }
  }
}

/** Runs a write that must not be repeated when it is not known whether it was stored. */
export async function once<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await timely(run);
  } catch (error) {
    const { kind } = failureOf(error);
    if (error instanceof TookTooLong) throw problem.tryAgain(2);
    if (kind === "overloaded" || kind === "transient") throw problem.tryAgain(1);
    throw error;
  }
}

/** Waits between half of `milliseconds` and all of it. */
export function pause(milliseconds: number): Promise<void> {
  const jittered = milliseconds * (0.5 + Math.random() / 2);
  return new Promise((resolve) => setTimeout(resolve, jittered));
}
