import { later, sleep } from "./retry.ts";

type Lane = "read" | "write";

/**
 * Limits how many requests of a client run at once, and pauses a lane for as long as the service requested. A pause
 * of writes does not delay reads.
 */
export class Lanes {
  readonly #maxRunning: number;
  readonly #queue: (() => void)[] = [];
  readonly #openAt: Record<Lane, number> = { read: 0, write: 0 };
  #running = 0;

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** Milliseconds until the lane is open. */
  held(lane: Lane): number {
    return Math.max(0, this.#openAt[lane] - Date.now());
  }

  hold(lane: Lane, milliseconds: number): void {
    this.#openAt[lane] = Math.max(this.#openAt[lane], Date.now() + milliseconds);
  }

  /** Runs the task once a slot is free. Callers wait between attempts without holding a slot. */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running < this.#maxRunning) this.#running += 1;
    else await this.#waitForSlot(signal);
    try {
      return await task();
    } finally {
      const next = this.#queue.shift();
      // The next task takes over the slot, so the count stays the same.
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits, with jitter, until the lane is no longer paused. */
  async open(lane: Lane, signal?: AbortSignal): Promise<void> {
    for (let wait = this.held(lane); wait > 0; wait = this.held(lane)) {
      await sleep(later(wait), signal);
    }
  }

  async #waitForSlot(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const queue = this.#queue;
      const cancel = () => {
        queue.splice(queue.indexOf(start), 1);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an abort throws its own reason
        reject(signal?.reason);
      };
      const start = () => {
        signal?.removeEventListener("abort", cancel);
        resolve();
      };
      signal?.addEventListener("abort", cancel);
      queue.push(start);
    });
  }
}

export type { Lane };
