import type { Clock, Random as RandomPort } from "../../../src/domain/ports.ts";
import type { Random } from "../../soak/random.ts";
import type { CallFault, Scheduler } from "./scheduler.ts";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const slowMs = 80_000;

/** A call from a host to storage, an object or a receiver. */
export interface Call<T> {
  /** `d1`, `kv`, `object` and so on. */
  kind: string;
  /** What the trace says of it. */
  label: string | (() => string);
  /** Runs where the call arrives. `settled` says that the result is there without waiting. */
  run: () => T | Promise<T>;
  error?: () => Error;
}

const connectionLost = () => new Error("Network connection lost.");

/**
 * Where code of the service runs: an isolate, or the instance of an object. It has a clock that may be wrong, random
 * numbers, and a network with delays and faults. Once it has died, nothing answers it and its timers never ring.
 */
export class Host {
  readonly name: string;
  readonly place: number;
  readonly scheduler: Scheduler;
  isAlive = true;
  /** How far the clock is ahead of the true time. */
  skewMs: number;
  /** Holds messages back until storage has confirmed what was written before. */
  outputGate: () => Promise<void> | undefined = () => undefined;
  readonly #deathRites: (() => void)[] = [];
  readonly #generation: number;

  constructor(name: string, place: number, scheduler: Scheduler, skewMs: number) {
    this.name = name;
    this.place = place;
    this.scheduler = scheduler;
    this.skewMs = skewMs;
    this.#generation = scheduler.generation;
  }

  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    for (const rite of this.#deathRites.splice(0)) rite();
  }

  onDeath(rite: () => void): void {
    this.#deathRites.push(rite);
  }

  get clock(): Clock {
    const { scheduler } = this;
    const isAlive = () => this.isAlive;
    return {
      now: () => Math.floor(scheduler.now) + this.skewMs,
      sleep: (ms) => scheduler.timer(ms, isAlive).done,
      timer: (ms) => scheduler.timer(ms, isAlive),
    };
  }

  get random(): RandomPort {
    const { scheduler } = this;
    const source = () => scheduler.activity.random;
    const bytes = (length: number) => Uint8Array.from({ length }, () => source().int(0, 255));
    return {
      bytes,
      number: () => source().next(),
      uuid: () => {
        const hex = bytes(16).toHex();
        return [
          hex.slice(0, 8),
          hex.slice(8, 12),
          hex.slice(12, 16),
          hex.slice(16, 20),
          hex.slice(20),
        ].join("-");
      },
      ulid: (now) => {
        let time = "";
        for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) {
          time = `${alphabet[rest % 32]}${time}`;
        }
        return time + Array.from({ length: 16 }, () => alphabet[source().int(0, 31)]).join("");
      },
    };
  }

  /** Sends a call over the network and resolves with its result, unless the host has died by then. */
  async call<T>({ kind, label, run, error = connectionLost }: Call<T>): Promise<T> {
    const { scheduler } = this;
    const { activity } = scheduler;
    const { random } = activity;
    activity.calls.count += 1;
    const number = activity.calls.count;
    const fault = activity.faults.get(number);
    const note = (what: string) => {
      if (!scheduler.trace) return;
      const text = typeof label === "string" ? label : label();
      scheduler.note(`${activity.name} ${this.name} ${kind}#${number} ${text} ${what}`);
    };
    const gate = this.outputGate();
    if (gate) await gate;
    return new Promise<T>((resolve, reject) => {
      const answer = (delayMs: number, settleCaller: () => void) => {
        scheduler.after(delayMs, () => {
          if (this.isAlive) scheduler.within(activity, settleCaller);
        });
      };
      const fail = (problem: unknown, delayMs = latency(scheduler, random)) =>
        answer(delayMs, () => reject(problem));
      if (fault) note(fault);
      if (fault === "fails_before") {
        fail(error());
        return;
      }
      scheduler.after(latency(scheduler, random) + (fault === "late" ? slowMs : 0), () => {
        if (this.#generation !== scheduler.generation) return;
        scheduler.within(activity, () => {
          const succeed = (value: T) => {
            if (fault === "fails_after") fail(error());
            else answer(responseMs(scheduler, random, fault), () => resolve(value));
          };
          try {
            const result = run();
            if (result instanceof Promise)
              result.then(succeed, (problem: unknown) => fail(problem));
            else succeed(result);
            note("arrived");
          } catch (problem) {
            note(`failed: ${String(problem).slice(0, 100)}`);
            fail(problem);
          }
        });
      });
    });
  }
}

const responseMs = (scheduler: Scheduler, random: Random, fault: CallFault | undefined) =>
  fault === "slow" ? slowMs : latency(scheduler, random);

/** Usually a few milliseconds, sometimes much more, so that calls overtake each other. */
export function latency({ latencyMs }: Scheduler, random: Random): number {
  if (latencyMs !== null) return latencyMs;
  const chance = random.next();
  if (chance < 0.75) return 1 + random.int(0, 9);
  if (chance < 0.95) return 10 + random.int(0, 90);
  return 100 + random.int(0, 1900);
}
