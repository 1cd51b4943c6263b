import { AsyncLocalStorage } from "node:async_hooks";
import { now } from "./clock";
import type { Metered } from "./counts";

/** Whose work runs, where it is the work of an object. */
export const working = new AsyncLocalStorage<Held>();

/** How long an object is held in memory: while any call, timer or `waitUntil` is under way in it. */
export class Held {
  #underWay = 0;
  #since = 0;
  /** When it was last held. */
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

  /** Counts the time until now, also where it is held for longer. */
  count(): void {
    if (this.#underWay === 0) return;
    this.#counts.heldMilliseconds += now() - this.#since;
    this.#since = now();
  }

  /** Holds until the work has ended, however it does. */
  async during<T>(work: PromiseLike<T>): Promise<T> {
    this.begin();
    try {
      return await work;
    } finally {
      this.end();
    }
  }
}
