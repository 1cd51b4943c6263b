import type { EdgeFormsError } from "./problem.ts";

const initialBackoffMs = 250;
const maxBackoffMs = 20_000;

/** Whether the service reported that it did nothing. The client may then retry any request. */
export function didNothing({ code, status }: EdgeFormsError): boolean {
  return status === 429 || code === "indexing";
}

/** Whether the request may have been carried out: the response was lost, or may come from a proxy. */
export function isDoubtful({ code, status }: EdgeFormsError): boolean {
  return code === "network_error" || code === "timeout" || status === 408 || status >= 500;
}

/**
 * Milliseconds to wait before the next attempt, at least Retry-After. Jitter spreads the retries of callers that
 * failed together.
 */
export function waitBefore(error: EdgeFormsError, failures: number): number {
  const retryAfterMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
  if (didNothing(error)) return later(retryAfterMs ?? 1000);
  const backoff = Math.min(maxBackoffMs, initialBackoffMs * 2 ** failures);
  return Math.max(retryAfterMs ?? 0, backoff / 2) + (Math.random() * backoff) / 2;
}

const initialConflictWaitMs = 40;
const maxConflictWaitMs = 2000;

/**
 * Milliseconds to wait after another writer was faster. The range doubles with each conflict, and the whole of it is
 * random, so that the writers of one item spread out instead of colliding again.
 */
export function conflictWait(conflicts: number): number {
  const range = Math.min(maxConflictWaitMs, initialConflictWaitMs * 2 ** conflicts);
  return range / 4 + Math.random() * range;
}

/** Adds jitter, so that callers that were paused together do not retry together. */
export function later(milliseconds: number): number {
  return milliseconds + Math.random() * Math.min(250, 10 + milliseconds / 10);
}

/** Resolves after the given time, or rejects with the signal's reason if it is aborted first. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await unlessAborted(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Waits for a promise that other callers may share. An abort ends only this wait, not the shared work. */
export async function unlessAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let rejectOnAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an abort throws its own reason, as fetch does
    rejectOnAbort = () => reject(signal.reason);
    signal.addEventListener("abort", rejectOnAbort);
  });
  return Promise.race([promise, aborted]).finally(() => {
    if (rejectOnAbort) signal.removeEventListener("abort", rejectOnAbort);
  });
}
