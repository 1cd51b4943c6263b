import type { Clock, Random as RandomPort } from "../../../src/domain/ports.ts";
import type { Random } from "../../soak/random.ts";
import type { CallFault, Scheduler } from "./scheduler.ts";

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const slowMs = 80_000;

/** A call from a host to storage, an object or a receiver. */
export interface Call<T> {
  kind: "d1" | "kv" | "cache" | "limit" | "object" | "r2" | "receiver";
  /** The text about the call in the trace. */
  label: string | (() => string);
  /** Runs at the destination of the call. */
  run: () => T | Promise<T>;
  /** Whether the platform may run the call twice. It repeats reads, but never a write to D1 or a call of an object. */
  isRepeatable?: boolean;
}

const connectionLost = () => new Error("Network connection lost.");

/** The errors of each kind of call, unless the connection is lost. */
const errors: Partial<Record<Call<unknown>["kind"], Record<"overloaded" | "reset", () => Error>>> =
  {
    d1: {
      overloaded: () => new Error("D1_ERROR: D1 DB is overloaded. Requests queued for too long."),
      reset: () =>
        new Error("D1_ERROR: Internal error in D1 DB storage caused object to be reset."),
    },
    object: {
      overloaded: () =>
        Object.assign(new Error("Durable Object is overloaded. Requests queued for too long."), {
          overloaded: true,
        }),
      reset: () =>
        Object.assign(new Error("Durable Object reset because its code was updated."), {
          retryable: true,
        }),
    },
  };

function errorOf({ kind }: Call<unknown>, fault: CallFault): Error {
  const isOwn = fault === "overloaded" || fault === "reset";
  return ((isOwn && errors[kind]?.[fault]) || connectionLost)();
}

/** Reduces a fault to the time when the call runs, and to whether its caller gets the result. */
function planCall(fault: CallFault | undefined, random: Random, isRepeatable: boolean) {
  const plan = { runs: 1, fails: "never" as "never" | "before" | "after" | "early", lateMs: 0 };
  if (fault === "fails_before" || fault === "overloaded") return { ...plan, fails: "before" };
  if (fault === "fails_after") return { ...plan, fails: "after" };
  if (fault === "reset") return { ...plan, fails: random.chance(0.5) ? "before" : "after" };
  if (fault === "runs_later") return { ...plan, fails: "early", lateMs: random.int(20, 4000) };
  if (fault === "late") return { ...plan, lateMs: slowMs };
  if (fault === "twice" && isRepeatable) return { ...plan, runs: 2 };
  return plan;
}

/**
 * An environment that runs code of the service: an isolate, or the instance of an object. It has a clock that may be
 * wrong, random numbers, and a network with delays and faults. After its death, it gets no responses and its timers do
 * not fire.
 */
export class Host {
  readonly name: string;
  readonly place: number;
  readonly scheduler: Scheduler;
  isAlive = true;
  /** The milliseconds by which the clock is ahead of the true time. */
  skewMs: number;
  /** Delays messages until storage has confirmed the earlier writes. */
  outputGate: () => Promise<void> | undefined = () => undefined;
  readonly #deathRites = new Set<() => void>();
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
    for (const rite of this.#deathRites) rite();
    this.#deathRites.clear();
  }

  /** Runs `rite` when the host dies. Returns a function that forgets it. */
  onDeath(rite: () => void): () => void {
    this.#deathRites.add(rite);
    return () => void this.#deathRites.delete(rite);
  }

  get clock(): Clock {
    const { scheduler } = this;
    const timer = (ms: number) => {
      const { activity } = scheduler;
      return scheduler.timer(ms, () => this.isAlive && !activity.isCancelled);
    };
    return {
      now: () => Math.floor(scheduler.now) + this.skewMs,
      sleep: (ms) => timer(ms).done,
      timer,
    };
  }

  get random(): RandomPort {
    const { scheduler } = this;
    const source = () => scheduler.activity.random;
    const bytes = (length: number) => {
      const values = new Uint8Array(length);
      for (let index = 0; index < length; index += 1) values[index] = source().int(0, 255);
      return values;
    };
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

  /**
   * Sends a call over the network and resolves with its result. Never settles if the host or the invocation ends first.
   */
  async call<T>(call: Call<T>): Promise<T> {
    const { kind, label, run, isRepeatable = false } = call;
    const { scheduler } = this;
    const { activity } = scheduler;
    const { random } = activity;
    if (activity.isCancelled) return new Promise(() => {});
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
    if (fault) note(fault);
    const { runs, fails, lateMs } = planCall(fault, random, isRepeatable);
    return new Promise<T>((resolve, reject) => {
      const answer = (delayMs: number, settleCaller: () => void) => {
        scheduler.after(delayMs, () => {
          if (this.isAlive && !activity.isCancelled) scheduler.within(activity, settleCaller);
        });
      };
      const fail = (problem: unknown) => answer(latency(scheduler, random), () => reject(problem));
      const arrive = () => {
        if (this.#generation !== scheduler.generation) return;
        const succeed = (value: T) => {
          if (fails === "after") fail(errorOf(call, fault ?? "fails_after"));
          else answer(responseMs(scheduler, random, fault), () => resolve(value));
        };
        try {
          const result = run();
          if (result instanceof Promise) result.then(succeed, (problem: unknown) => fail(problem));
          else succeed(result);
          note("arrived");
        } catch (problem) {
          note(`failed: ${String(problem).slice(0, 100)}`);
          fail(problem);
        }
      };
      if (fails === "before" || fails === "early") fail(errorOf(call, fault ?? "fails_before"));
      if (fails === "before") return;
      for (let turn = 0; turn < runs; turn += 1)
        scheduler.after(latency(scheduler, random) + lateMs, () =>
          scheduler.within(activity, arrive),
        );
    });
  }
}

const responseMs = (scheduler: Scheduler, random: Random, fault: CallFault | undefined) =>
  fault === "slow" ? slowMs : latency(scheduler, random);

/** Returns a latency: usually a few milliseconds, sometimes much more, so that calls overtake each other. */
export function latency({ latencyMs }: Scheduler, random: Random): number {
  if (latencyMs !== null) return latencyMs;
  const chance = random.next();
  if (chance < 0.75) return 1 + random.int(0, 9);
  if (chance < 0.95) return 10 + random.int(0, 90);
  return 100 + random.int(0, 1900);
}
