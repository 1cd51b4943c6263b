import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import service, { CredentialGate as Gate } from "../../src/index";
import { earliest, now, putTo, reallyWait, watchWaits } from "./clock";
import { noneMetered } from "./counts";
import { Held, working } from "./held";
import { alarms, meterStorage } from "./metered-storage";

export { WebhookSender } from "../../src/index";

interface Staged extends Bindings {
  OBJECT_DB: D1Database;
  D1: Fetcher;
  KV: Fetcher;
}

/** An idle object leaves memory after about this time. */
const evictedAfter = 10_000;
/** The simulated time of a D1 call from an object. */
const objectAsks = 50;

const counts = noneMetered();
const objects = new Set<Held>();
/** Counts the started, ended and running operations that are not timers. */
const activity = { steps: 0, underWay: 0 };

async function active<T>(work: Promise<T>): Promise<T> {
  activity.steps += 1;
  activity.underWay += 1;
  try {
    return await work;
  } finally {
    activity.underWay -= 1;
  }
}

/**
 * Wraps the bundle and meters its cost, including background work. `POST /clock?forward=` stops the clock and advances
 * it. `GET /counts` returns the costs since the previous call.
 */
export default {
  async fetch(request, env, ctx) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/clock") {
      await putForward(Number(searchParams.get("forward")), env);
      return new Response();
    }
    if (pathname === "/counts") {
      for (const held of objects) held.count();
      const told = Response.json(counts);
      Object.assign(counts, noneMetered());
      return told;
    }
    counts.requests += 1;
    return service.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Staged>;

/** Advances the clock. Due timers and alarms run at their own times. */
async function putForward(milliseconds: number, env: Staged): Promise<void> {
  const until = now() + milliseconds;
  putTo(now());
  await settled();
  for (;;) {
    const ringing = [...alarms.values()].toSorted((a, b) => a.at - b.at)[0];
    const next = Math.min(earliest(), ringing?.at ?? Infinity);
    if (next > until) break;
    putTo(Math.max(now(), next));
    if (ringing && ringing.at <= now()) {
      alarms.delete(ringing.id.toString());
      await (env.GATE.get(ringing.id) as unknown as CredentialGate).ring();
    }
    await settled();
  }
  putTo(until);
}

/** Waits until only timers remain. */
async function settled(): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < 2; seen = activity.steps) {
    await reallyWait(1);
    const still = activity.underWay === 0 && activity.steps === seen && earliest() > now();
    quiet = still ? quiet + 1 : 0;
  }
}

/** The credential's object. As on Cloudflare, it leaves memory when it is idle. */
export class CredentialGate extends DurableObject<Staged> {
  readonly #held: Held;
  #gate: Gate | undefined;

  constructor(ctx: DurableObjectState, env: Staged) {
    super(ctx, env);
    meterStorage(ctx, counts);
    this.#held = new Held(ctx.id, counts);
    objects.add(this.#held);
  }

  ring(): Promise<unknown> {
    return this.call("alarm", []);
  }

  call(method: string, args: unknown[]): Promise<unknown> {
    counts.objectCalls += 1;
    if (this.#held.idleFor >= evictedAfter) this.#gate = undefined;
    return active(
      working.run(this.#held, () => {
        this.#gate ??= new Gate(this.ctx, { ...this.env, DB: this.env.OBJECT_DB });
        const asked = this.#gate as unknown as Record<string, (...given: unknown[]) => unknown>;
        return this.#held.during(Promise.resolve(asked[method]?.(...args)));
      }),
    );
  }
}

for (const method of Object.getOwnPropertyNames(Gate.prototype)) {
  if (method === "constructor" || method === "alarm") continue;
  Object.defineProperty(CredentialGate.prototype, method, {
    value(this: CredentialGate, ...args: unknown[]) {
      return this.call(method, args);
    },
  });
}

watchWaits(() => {
  const held = working.getStore();
  held?.begin();
  return () => held?.end();
});

export class Database extends WorkerEntrypoint<Staged> {
  override fetch(request: Request): Promise<Response> {
    return active(answered(request, this.env));
  }
}

export class ObjectDatabase extends WorkerEntrypoint<Staged> {
  override fetch(request: Request): Promise<Response> {
    counts.heldMilliseconds += objectAsks;
    return active(answered(request, this.env));
  }
}

export class Cache extends WorkerEntrypoint<Staged> {
  override fetch(request: Request): Promise<Response> {
    counts[request.method === "GET" ? "kvReads" : "kvWrites"] += 1;
    return active(this.env.KV.fetch(request));
  }
}

async function answered(request: Request, { D1 }: Staged): Promise<Response> {
  const answer = await D1.fetch(request);
  counts.d1 += 1;
  const results: Partial<D1Result> | Partial<D1Result>[] = await answer.clone().json();
  for (const { meta } of [results].flat()) {
    counts.rowsRead += meta?.rows_read ?? 0;
    counts.rowsWritten += meta?.rows_written ?? 0;
  }
  return answer;
}
