import { later, sleep } from "./retry.ts";

type Lane = "read" | "write";

/**
 * What all calls of a client share: how many are on their way at once, and until when the service asked to wait. A
 * limit of writes holds up writes alone.
 */
export class Lanes {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  readonly #openAt: Record<Lane, number> = { read: 0, write: 0 };
  #running = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Milliseconds until the lane is open. */
  held(lane: Lane): number {
    return Math.max(0, this.#openAt[lane] - Date.now());
  }

  hold(lane: Lane, milliseconds: number): void {
    this.#openAt[lane] = Math.max(this.#openAt[lane], Date.now() + milliseconds);
  }

  /** Runs once there is room; the waits between tries are spent outside. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#running < this.#most) this.#running += 1;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // A place that is handed on stays taken.
      if (next) next();
      else this.#running -= 1;
    }
  }

  /** Waits, with jitter, for as long as the lane is held. */
  async open(lane: Lane, signal?: AbortSignal): Promise<void> {
    for (let wait = this.held(lane); wait > 0; wait = this.held(lane)) {
      await sleep(later(wait), signal);
    }
  }

  async #turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const waiting = this.#waiting;
      const leave = () => {
        waiting.splice(waiting.indexOf(enter), 1);
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- an abort throws its own reason
        reject(signal?.reason);
      };
      const enter = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      signal?.addEventListener("abort", leave);
      waiting.push(enter);
    });
  }
}

export type { Lane };
