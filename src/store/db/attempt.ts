import { problem } from "../../domain/problem/problem";
import { failureOf } from "./failure";

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
