import type { Scheduler } from "./scheduler.ts";

/**
 * A resource that does one thing at a time, such as the writer of a database. Used for measurements. Plans have no
 * queues.
 */
export class Queue {
  readonly #scheduler: Scheduler;
  #freeAt = 0;
  /** The time for which the resource has worked. */
  busyMs = 0;
  /** The number of finished tasks. */
  count = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Runs work with this duration after all earlier work. */
  enter<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
    const scheduler = this.#scheduler;
    const { activity, now } = scheduler;
    this.#freeAt = Math.max(this.#freeAt, now) + ms;
    this.busyMs += ms;
    this.count += 1;
    return new Promise((resolve, reject) => {
      const finish = async () => resolve(await work());
      scheduler.at(this.#freeAt, () => void scheduler.within(activity, finish).catch(reject));
    });
  }
}
