import { AsyncLocalStorage } from "node:async_hooks";
import type { Timer } from "../../../src/domain/ports.ts";
import { Random } from "../../soak/random.ts";

/** The data of a plan's step that all calls caused by the step share: its random numbers and its faults. */
export interface Activity {
  name: string;
  random: Random;
  /** The faults of the calls, by the position of the call among all calls of the activity. */
  faults: ReadonlyMap<number, CallFault>;
  calls: { count: number };
  /** Whether the platform has ended the invocation. It then gets no responses and sends nothing. */
  isCancelled: boolean;
}

/**
 * The ways in which a call fails. `late` runs the call after 80 s, and `slow` responds after 80 s. `runs_later` fails,
 * and the call runs a moment later. `twice` runs a call twice if the platform may repeat it. Two faults return other
 * errors: with `overloaded`, the call has not run, and with `reset`, it may have run.
 */
export const callFaults = [
  "fails_before",
  "fails_after",
  "runs_later",
  "late",
  "slow",
  "twice",
  "overloaded",
  "reset",
] as const;
export type CallFault = (typeof callFaults)[number];

interface Entry {
  at: number;
  order: number;
  run: (() => void) | undefined;
}

/**
 * The only source of time and order. Every pending response and timer is an entry. The activity's random numbers decide
 * how long each one takes, so the seed decides which one comes next.
 */
export class Scheduler {
  /** True time, in milliseconds since 1970. Clocks of hosts may differ from it. */
  now: number;
  #order = 0;
  readonly #heap: Entry[] = [];
  readonly #activities = new AsyncLocalStorage<Activity>();
  /** One line per event. Null to keep none. */
  readonly trace: string[] | null;
  /** The number of events so far. */
  events = 0;
  /** Increases with every restore. Calls from before a restore never arrive. */
  generation = 0;
  /** The seed of the plan, for work that no step causes. */
  seed = 0;
  /** The duration of each direction of a call, for measurements. If null, it varies. */
  latencyMs: number | null = null;

  constructor(now: number, keepsTrace: boolean) {
    this.now = now;
    this.trace = keepsTrace ? [] : null;
  }

  note(line: string): void {
    this.trace?.push(`${this.now} ${line}`);
  }

  get activity(): Activity {
    const activity = this.#activities.getStore();
    if (!activity) throw new Error("A call outside of every activity.");
    return activity;
  }

  /** Runs `work` as part of an activity. Everything that it awaits also belongs to the activity. */
  within<T>(activity: Activity, work: () => T): T {
    return this.#activities.run(activity, work);
  }

  startActivity(name: string, seed: number, faults: Activity["faults"] = new Map()): Activity {
    return { name, random: new Random(seed), faults, calls: { count: 0 }, isCancelled: false };
  }

  /** Creates a part of an activity that the platform may end separately. */
  fork(activity: Activity): Activity {
    return Object.assign(Object.create(activity) as Activity, { isCancelled: false });
  }

  /** Returns a seed for work that no step of the plan causes. */
  seedFor(text: string, number: number): number {
    let seed = Math.imul(number, 2_654_435_761) ^ Math.imul(this.seed, 0x9e3779b1);
    for (const character of text)
      seed = Math.imul(seed ^ (character.codePointAt(0) ?? 0), 16_777_619);
    return seed >>> 0;
  }

  /** Runs `run` at a time. Returns a function that cancels it. */
  at(time: number, run: () => void): () => void {
    this.#order += 1;
    const entry: Entry = { at: Math.max(time, this.now), order: this.#order, run };
    push(this.#heap, entry);
    return () => {
      entry.run = undefined;
    };
  }

  after(ms: number, run: () => void): () => void {
    return this.at(this.now + ms, run);
  }

  timer(ms: number, isAlive: () => boolean): Timer {
    let cancel = () => {};
    const done = new Promise<void>((resolve) => {
      cancel = this.after(ms, () => {
        if (isAlive()) resolve();
      });
    });
    return { done, cancel: () => cancel() };
  }

  /** Runs all entries up to `until`, and then sets the time to `until`. */
  async advance(until: number): Promise<void> {
    for (let [next] = this.#heap; next && next.at <= until; [next] = this.#heap) {
      pop(this.#heap);
      const { run } = next;
      if (!run) continue;
      this.now = next.at;
      this.events += 1;
      run();
      await settle();
    }
    this.now = until;
  }
}

/** Runs all reactions that need no entry. */
export const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

const isBefore = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

function push(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex] as Entry;
    if (!isBefore(entry, parent)) break;
    heap[index] = parent;
    index = parentIndex;
  }
  heap[index] = entry;
}

function pop(heap: Entry[]): void {
  const last = heap.pop() as Entry;
  if (heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = index * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) {
      child += 1;
    }
    if (!isBefore(heap[child] as Entry, last)) break;
    heap[index] = heap[child] as Entry;
    index = child;
  }
  heap[index] = last;
}
