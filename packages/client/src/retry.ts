import type { EdgeFormsError } from "./problem.ts";

const firstBackoff = 250;
const mostBackoff = 20_000;

/** Whether the service said that it did nothing: what was sent may be sent again, whatever it was. */
export function didNothing({ code, status }: EdgeFormsError): boolean {
  return status === 429 || code === "indexing";
}

/** Whether nobody knows what became of it: the answer was lost, or it was not the service that gave it. */
export function isDoubtful({ code, status }: EdgeFormsError): boolean {
  return code === "network_error" || code === "timeout" || status === 408 || status >= 500;
}

/**
 * Milliseconds to wait before the next try. Never less than Retry-After says; jitter keeps callers that failed
 * together from coming back together.
 */
export function waitBefore(error: EdgeFormsError, failures: number): number {
  const told = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
  if (didNothing(error)) return later(told ?? 1000);
  const backoff = Math.min(mostBackoff, firstBackoff * 2 ** failures);
  return Math.max(told ?? 0, backoff / 2) + (Math.random() * backoff) / 2;
}

/** A little later than told, so that those who were held up together do not come back together. */
export function later(milliseconds: number): number {
  return milliseconds + Math.random() * Math.min(250, 10 + milliseconds / 10);
}

/** Resolves after some milliseconds; rejects with the signal's reason when it is aborted first. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slept = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(slept, signal).finally(() => clearTimeout(timer));
}

/** A promise that others may share: the signal ends the waiting for it, not the work itself. */
export async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an abort throws its own reason, as fetch does
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop);
  });
  return Promise.race([promise, aborted]).finally(() => {
    if (stop) signal.removeEventListener("abort", stop);
  });
}
