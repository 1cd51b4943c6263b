import { AsyncLocalStorage } from "node:async_hooks";
import { now } from "./clock";
import type { Metered } from "./counts";

/** The object whose work is running, if any. */
export const working = new AsyncLocalStorage<Held>();

/** Measures how long an object stays in memory. Each running call, timer or `waitUntil` keeps it there. */
export class Held {
  #underWay = 0;
  #since = 0;
  /** The time until which work has kept the object in memory. */
  #until = now();
  readonly id: DurableObjectId;
  readonly #counts: Metered;

  constructor(id: DurableObjectId, counts: Metered) {
    this.id = id;
    this.#counts = counts;
  }

  get idleFor(): number {
    return this.#underWay > 0 ? 0 : now() - this.#until;
  }

  begin(): void {
    if (this.#underWay === 0) this.#since = now();
    this.#underWay += 1;
  }

  end(): void {
    this.count();
    this.#underWay -= 1;
    this.#until = now();
  }

  /** Adds the time until now, even if work is still running. */
  count(): void {
    if (this.#underWay === 0) return;
    this.#counts.heldMilliseconds += now() - this.#since;
    this.#since = now();
  }

  /** Keeps the object in memory until the work ends, with or without an error. */
  async during<T>(work: PromiseLike<T>): Promise<T> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }
}
