import { copy } from "./copy.ts";
import { Host, latency } from "./host.ts";
import { Disk, ObjectStorage } from "./object-storage.ts";
import { Queue } from "./queue.ts";
import type { Activity, CallFault, Scheduler } from "./scheduler.ts";

/** The methods of an object, as its class defines them. */
type Methods = Record<string, (...args: unknown[]) => unknown>;

/** Starts the service's code for an object: its class with a separate service. */
export type StartObject = (host: Host, className: string, ctx: DurableObjectState) => object;

/** After this time without a request, an object loses its memory. */
const hibernatesAfterMs = 10_000;
const maxAlarmRetries = 6;

/** One run of an object's code. Its storage closes when it dies or when another instance takes over. */
export interface Instance {
  host: Host;
  storage: ObjectStorage;
  object: Methods;
  usedAt: number;
  running: number;
}

/** The facts about each call of an object that a judge receives. */
export type ObserveCall = (
  actor: Actor,
  instance: Instance,
  method: string,
  result: unknown,
) => void;

/** An object: its disk, its place, and the instance that serves it, if one runs. */
export class Actor {
  readonly className: string;
  readonly name: string;
  readonly disk = new Disk();
  place: number;
  instance: Instance | undefined;
  /** The time until which no call reaches the object. */
  cutUntil = 0;
  /** The time when an instance last ended without notice. Its callers get an error. */
  stoppedAt = -Infinity;
  /** The disturbance of the next alarm, and of the calls of its run. */
  nextAlarm: "lost" | "late" | "twice" | undefined;
  nextFaults: readonly [number, CallFault][] = [];
  #alarms = 0;
  readonly queue: Queue | null;
  readonly #world: Objects;
  #generation = 0;
  #cancelAlarm: () => void = () => undefined;

  constructor(world: Objects, className: string, name: string, place: number) {
    this.#world = world;
    this.queue = world.callMs > 0 ? new Queue(world.scheduler) : null;
    this.className = className;
    this.name = name;
    this.place = place;
    this.disk.onAlarm = (time) => this.#schedule(time);
  }

  get label(): string {
    return `${this.className}:${this.name.slice(-4)}`;
  }

  #use(activity: Activity): Instance {
    const { scheduler } = this.#world;
    const { instance } = this;
    const isIdle =
      instance && instance.running === 0 && scheduler.now - instance.usedAt > hibernatesAfterMs;
    if (instance?.host.isAlive && !isIdle) return instance;
    if (isIdle) this.#end(instance, "hibernates");
    return this.#start(activity);
  }

  #start(activity: Activity): Instance {
    const { scheduler, start, skewOf } = this.#world;
    this.#generation += 1;
    const name = `${this.label}.${this.#generation}`;
    const host = new Host(name, this.place, scheduler, skewOf(this.place));
    const storage = new ObjectStorage(
      this.disk,
      scheduler,
      () => 1 + activity.random.int(0, 20),
      () => host.kill(),
    );
    host.outputGate = () => storage.gate();
    host.onDeath(() => storage.close());
    const ctx = {
      storage,
      waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
    };
    const object = start(host, this.className, ctx as unknown as DurableObjectState);
    scheduler.note(`${name} starts`);
    const instance = {
      host,
      storage,
      object: object as Methods,
      usedAt: scheduler.now,
      running: 0,
    };
    this.instance = instance;
    return instance;
  }

  /** Ends the instance. Unwritten data is lost, and its callers get an error. */
  stop(why: string): void {
    if (!this.instance) return;
    this.stoppedAt = this.#world.scheduler.now;
    this.#end(this.instance, why);
  }

  #end({ host }: Instance, why: string): void {
    this.#world.scheduler.note(`${host.name} ${why}`);
    host.kill();
    this.instance = undefined;
  }

  /**
   * Starts a new instance in another place for the next calls, while the old one finishes the calls that it has begun.
   */
  move(place: number): void {
    this.#world.scheduler.note(`${this.label} moves to ${place}`);
    this.place = place;
    this.instance = undefined;
  }

  /** Cuts the object off for a time. */
  cut(ms: number): void {
    this.#world.scheduler.note(`${this.label} is cut off for ${ms} ms`);
    this.cutUntil = this.#world.scheduler.now + ms;
  }

  async #run(method: string, args: unknown[], activity: Activity): Promise<unknown> {
    const instance = this.#use(activity);
    const { host, storage, object } = instance;
    const { scheduler, observe } = this.#world;
    instance.usedAt = scheduler.now;
    instance.running += 1;
    let forget = () => {};
    try {
      return await new Promise((resolve, reject) => {
        forget = host.onDeath(() => reject(new Error("Network connection lost.")));
        const call = async () => {
          if (method === "alarm") storage.takeAlarm();
          const result = await object[method]?.(...copy(args));
          await storage.gate();
          observe(this, instance, method, result);
          return copy(result);
        };
        scheduler.within(activity, call).then(resolve, reject);
      });
    } finally {
      forget();
      instance.running -= 1;
      instance.usedAt = scheduler.now;
    }
  }

  /** Returns the stub of a host. */
  stub(caller: Host): object {
    return new Proxy(
      {},
      {
        get:
          (_, method: string) =>
          (...args: unknown[]) => {
            const { activity } = caller.scheduler;
            return caller.call({
              kind: "object",
              label: () => `${this.label}.${method}`,
              run: () => {
                if (caller.scheduler.now < this.cutUntil)
                  throw new Error("Network connection lost.");
                // The call continues when the invocation that made it ends.
                const call = () => this.#run(method, args, caller.scheduler.fork(activity));
                return this.queue ? this.queue.enter(this.#world.callMs, call) : call();
              },
            });
          },
      },
    );
  }

  #schedule(time: number | null): void {
    this.#cancelAlarm();
    if (time === null) return;
    const { scheduler } = this.#world;
    // The platform uses the true time. The clock of the object may be ahead.
    this.#cancelAlarm = scheduler.at(time, () => this.#ring(time));
  }

  #ring(time: number): void {
    const { scheduler } = this.#world;
    const fault = this.nextAlarm;
    this.nextAlarm = undefined;
    if (fault) scheduler.note(`${this.label} alarm ${fault}`);
    if (fault === "lost") return;
    if (fault === "late") {
      this.#cancelAlarm = scheduler.after(30_000, () => this.#deliver(0));
      return;
    }
    if (fault === "twice") scheduler.after(700, () => this.#deliver(0));
    if (this.disk.alarm === time) this.#deliver(0);
  }

  #deliver(attempt: number): void {
    const { scheduler } = this.#world;
    this.#alarms += 1;
    const activity = scheduler.startActivity(
      `${this.label}!${this.#alarms}`,
      scheduler.seedFor(this.name, this.#alarms),
      new Map(this.nextFaults),
    );
    this.nextFaults = [];
    scheduler.note(`${this.label} alarm rings`);
    this.#run("alarm", [], activity).catch(() => {
      if (attempt < maxAlarmRetries) {
        scheduler.after(2000 * 2 ** attempt + latency(scheduler, activity.random), () =>
          this.#deliver(attempt + 1),
        );
      }
    });
  }
}

/** All objects of a simulation. */
export class Objects {
  readonly scheduler: Scheduler;
  readonly start: StartObject;
  readonly skewOf: (place: number) => number;
  readonly actors = new Map<string, Actor>();
  /** The time for which a call occupies an object. */
  callMs = 0;
  observe: ObserveCall = () => undefined;

  constructor(scheduler: Scheduler, start: StartObject, skewOf: (place: number) => number) {
    this.scheduler = scheduler;
    this.start = start;
    this.skewOf = skewOf;
  }

  /** Returns the binding of a host. The first caller determines the place of an object. */
  binding(host: Host, className: string): { getByName(name: string): object } {
    return {
      getByName: (name) => {
        const key = `${className}:${name}`;
        let actor = this.actors.get(key);
        if (!actor) {
          actor = new Actor(this, className, name, host.place);
          this.actors.set(key, actor);
        }
        return actor.stub(host);
      },
    };
  }
}
