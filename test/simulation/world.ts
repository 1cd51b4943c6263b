import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandomSecret, signSecret } from "../../src/domain/credential/keys.ts";
import { createHash } from "node:crypto";
import { exactLength } from "./platform/bucket.ts";
import type { Ports, Service } from "../../src/http/service.ts";
import type { Timeline } from "../../src/domain/timeline.ts";
import type { GateStub } from "../../src/gate/gate.ts";
import type { SenderStub } from "../../src/delivery/sender.ts";
import { homeName } from "../../src/domain/bookmarks.ts";
import { lazy } from "../../src/domain/lazy.ts";
import { root, type Bundle } from "./bundle.ts";
import { allCollections, definitionOf, kinds, origin, retainDays } from "./definitions.ts";
import { SimulatedBucket } from "./platform/bucket.ts";
import { SimulatedDatabase } from "./platform/database.ts";
import { Host, latency } from "./platform/host.ts";
import { Objects } from "./platform/objects.ts";
import { repairDirectory } from "./ownership.ts";
import { Scheduler, settle, type Activity, type CallFault } from "./platform/scheduler.ts";
import {
  SimulatedCache,
  SimulatedKv,
  SimulatedLimiter,
  SimulatedReceivers,
  subtle,
} from "./platform/services.ts";

export const places = 3;
export const startOfTime = Date.UTC(2026, 2, 2, 12);

// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export interface ClientRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  /** Bytes instead of a JSON body. */
  content?: Uint8Array<ArrayBuffer>;
}

export interface Answer {
  status: number;
  headers: Headers;
  body: Json;
  text: string;
  /** Whether the former version of the Worker responded. */
  isFormer: boolean;
}

interface Isolate {
  host: Host;
  service: Service;
  bundle: Bundle;
}

/** The databases at one moment, by binding name. */
export type Images = Readonly<Record<string, Uint8Array>>;

/** The versions of databases at one moment, by binding name. */
export type Versions = ReadonlyMap<string, number>;

/** The initial state of the simulation: a database with accounts, credentials and definitions. */
export interface Template {
  image: Images;
  now: number;
  cookie: string;
  credentials: { id: string; token: string }[];
  /** A credential whose former token expires soon after the start. */
  rotated: { id: string; former: string; token: string; formerEndsAt: number };
}

/** The time for which work may continue after a response, as Workers promise. */
const promisedBackgroundMs = 30_000;

/**
 * A request in an isolate. It ends when its response is sent or its client has left, and its background work is done.
 */
class Invocation {
  readonly activity: Activity;
  readonly #scheduler: Scheduler;
  readonly #backgroundMs: number;
  #pending = 0;
  #isEnding = false;

  constructor(scheduler: Scheduler, activity: Activity, backgroundMs: number) {
    this.activity = scheduler.fork(activity);
    this.#scheduler = scheduler;
    this.#backgroundMs = backgroundMs;
  }

  waitUntil(work: Promise<unknown>): void {
    this.#pending += 1;
    const finish = () => {
      this.#pending -= 1;
      this.#endIfDone();
    };
    void work.then(finish);
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#endIfDone();
    this.#scheduler.after(this.#backgroundMs, () => {
      this.activity.isCancelled = true;
    });
  }

  #endIfDone(): void {
    if (this.#isEnding && this.#pending === 0) this.activity.isCancelled = true;
  }
}

/** A request waits for storage several times, at most 10 s each time. */
const maxAnswerMs = 45_000;

/** The service with its platform: isolates in several places, objects, storage and receivers. */
export class World {
  readonly scheduler: Scheduler;
  /** By binding name. */
  readonly databases: ReadonlyMap<string, SimulatedDatabase>;
  /** The database of credentials, webhooks and the directory. It may also have collections. */
  readonly home: SimulatedDatabase;
  readonly objects: Objects;
  /** The files of databases without a jurisdiction. */
  readonly bucket: SimulatedBucket;
  /** The buckets of jurisdictions. */
  readonly bucketsIn: ReadonlyMap<string, SimulatedBucket>;
  /** The jurisdictions of databases by name. */
  readonly jurisdictions: ReadonlyMap<string, string>;
  readonly receivers: SimulatedReceivers;
  readonly isolates: Isolate[] = [];
  /** Called with each request and its response. */
  onExchange: (request: ClientRequest, answer: Answer) => void = () => undefined;
  /** Errors that the Worker threw instead of responding. */
  readonly thrown: string[] = [];
  /** The milliseconds by which the clocks of the places are ahead. */
  readonly skewsMs: number[] = [0, 900, -900];
  /** The version of the Worker that new isolates and objects run. */
  bundle: Bundle;
  /** The versions that have run. */
  readonly bundles = new Set<Bundle>();
  /** The times at which a plan deploys another version. */
  deployTimes: readonly number[] = [];
  timeline: Timeline = { epoch: "", restores: 0 };
  readonly #present: Bundle;
  readonly #kv: SimulatedKv;
  readonly #limiters: Record<keyof Ports["limiters"], SimulatedLimiter>;
  readonly #cache = new SimulatedCache();
  #isolateCount = 0;

  constructor(
    bundle: Bundle,
    images: Images,
    now: number,
    keepsTrace = false,
    jurisdictions: World["jurisdictions"] = new Map(),
  ) {
    this.bundle = bundle;
    this.#present = bundle;
    this.jurisdictions = jurisdictions;
    this.scheduler = new Scheduler(now, keepsTrace);
    this.databases = new Map(
      Object.entries(images).map(([name, image]) => [
        name,
        new SimulatedDatabase(name, image, () => this.scheduler.now),
      ]),
    );
    this.home = this.database(homeName);
    this.#kv = new SimulatedKv(this.scheduler);
    this.bucket = new SimulatedBucket(this.scheduler);
    this.bucketsIn = new Map(
      [...jurisdictions.values()].map((name) => [name, new SimulatedBucket(this.scheduler)]),
    );
    this.receivers = new SimulatedReceivers(this.scheduler);
    const limits = {
      failures: 300,
      failuresWide: 3000,
      signIns: 30,
      signInsWide: 300,
      changes: 100_000,
      fallback: 600,
    };
    this.#limiters = Object.fromEntries(
      Object.entries(limits).map(([name, limit]) => [name, new SimulatedLimiter(name, limit)]),
    ) as Record<keyof Ports["limiters"], SimulatedLimiter>;
    this.objects = new Objects(
      this.scheduler,
      (host, className, ctx) => {
        const Class = this.bundle.objects[className];
        if (!Class) throw new Error(`No class ${className}.`);
        return new Class(ctx, { service: this.#service(host, this.bundle) });
      },
      (place) => this.skewsMs[place] ?? 0,
    );
    for (let place = 0; place <= places; place += 1) this.startIsolate(place, place % places);
  }

  #service(host: Host, bundle: Bundle): Service {
    return bundle.createService(this.#ports(host), {
      tokenSecret: "a secret of the simulation",
      setupSecret: "a set-up secret",
      origin,
      contactEmail: "forms@example.com",
      access: { team: "", audience: "" },
      isPaused: false,
      allowsLocalReceivers: false,
      timeline: this.timeline,
      jurisdictions: this.jurisdictions,
    });
  }

  #ports(host: Host): Ports {
    const limiters = Object.fromEntries(
      Object.entries(this.#limiters).map(([name, limiter]) => [name, limiter.binding(host)]),
    ) as Ports["limiters"];
    return {
      clock: host.clock,
      random: host.random,
      subtle: subtle as unknown as SubtleCrypto,
      DB: this.home.binding(host),
      DATA: Object.fromEntries(
        [...this.databases]
          .filter(([, db]) => db !== this.home)
          .map(([name, db]) => [name, db.binding(host)]),
      ),
      gates: this.objects.binding(host, "CredentialGate") as { getByName(name: string): GateStub },
      senders: this.objects.binding(host, "WebhookSender") as {
        getByName(name: string): SenderStub;
      },
      replays: this.#kv.binding(host),
      files: this.bucket.binding(host),
      filesIn: Object.fromEntries(
        [...this.bucketsIn].map(([name, bucket]) => [name, bucket.binding(host)]),
      ),
      knownLength: exactLength,
      assets: { fetch: async () => new Response(null, { status: 404 }) },
      limiters,
      cache: this.#cache.binding(host),
      fetch: this.receivers.fetch(host),
      log: (line) => {
        if (this.scheduler.trace && /"outcome":"(exception|error)"|stack/.test(line))
          this.scheduler.note(line);
      },
    };
  }

  /** Replaces an isolate by a new one with empty memory. */
  startIsolate(
    index: number,
    place = this.isolates[index]?.host.place ?? 0,
    bundle = this.bundle,
  ): void {
    this.isolates[index]?.host.kill();
    this.bundles.add(bundle);
    this.#isolateCount += 1;
    const name = `isolate${this.#isolateCount}`;
    const host = new Host(name, place, this.scheduler, this.skewsMs[place] ?? 0);
    this.isolates[index] = { host, service: this.#service(host, bundle), bundle };
    this.scheduler.note(`${name} starts in ${place}`);
  }

  /** Sends a request to an isolate. Returns `lost` if no response arrived while the client waited. */
  request(
    isolateIndex: number,
    request: ClientRequest,
    patienceMs = 100_000,
    backgroundMs = promisedBackgroundMs,
  ): Promise<Answer | "lost"> {
    const { scheduler } = this;
    const { activity } = scheduler;
    const label = () =>
      `${activity.name} ${request.method} ${request.path.replace(origin, "").slice(0, 70)}`;
    const sent = () =>
      request.body === undefined ? "" : ` ${JSON.stringify(request.body).slice(0, 160)}`;
    const { generation } = scheduler;
    const sentAt = scheduler.now;
    return new Promise((resolve) => {
      let isOver = false;
      const finish = (received: Answer | "lost") => {
        if (isOver) return;
        isOver = true;
        giveUp();
        // A restore closes all connections.
        const answer = generation === scheduler.generation ? received : "lost";
        const tookMs = Math.round(scheduler.now - sentAt);
        const isFormer = received !== "lost" && received.isFormer;
        if (tookMs > maxAnswerMs && !isFormer) this.thrown.push(`${label()} took ${tookMs} ms`);
        if (scheduler.trace)
          scheduler.note(`${label()}${sent()} -> ${answer === "lost" ? answer : answer.status}`);
        scheduler.within(activity, () => resolve(answer));
      };
      const invocation = new Invocation(scheduler, activity, backgroundMs);
      const giveUp = scheduler.after(patienceMs, () => {
        finish("lost");
        // The platform may notice that the client has left.
        if (activity.random.chance(0.5)) invocation.end();
      });
      const deliver = () => {
        const isolate = this.isolates[isolateIndex % this.isolates.length] as Isolate;
        const forget = isolate.host.onDeath(() => scheduler.after(5, () => finish("lost")));
        const serve = async () => {
          try {
            const answer = await this.#serve(isolate, request, invocation);
            invocation.end();
            this.onExchange(request, answer);
            if (isolate.host.isAlive)
              scheduler.after(latency(scheduler, activity.random), () => {
                forget();
                finish(answer);
              });
          } catch (error) {
            this.thrown.push(`${label()}: ${error instanceof Error ? error.stack : String(error)}`);
          }
        };
        void scheduler.within(invocation.activity, serve);
      };
      scheduler.after(latency(scheduler, activity.random), deliver);
    });
  }

  async #serve(
    { bundle, service }: Isolate,
    { method, path, headers, body, content }: ClientRequest,
    invocation: Invocation,
  ): Promise<Answer> {
    const request = new Request(path.startsWith("https://") ? path : origin + path, {
      method,
      redirect: "manual",
      headers: {
        Accept: "application/json",
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(content ? { body: content } : {}),
    });
    const ctx = {
      waitUntil: (work: Promise<unknown>) =>
        invocation.waitUntil(
          work.catch((error: unknown) => this.thrown.push(`waitUntil: ${String(error)}`)),
        ),
      passThroughOnException: () => undefined,
      props: {},
    };
    const response = await bundle.worker.fetch(request, { service }, ctx);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
      isFormer: bundle !== this.#present,
    };
  }

  /**
   * Runs the schedule in an isolate. A run may fail only while the object of a webhook is cut off or ends, or if its
   * calls fail. The next run repeats its work.
   */
  schedule(isolateIndex: number, faults: readonly [number, CallFault][] = []): void {
    const { scheduler } = this;
    const minute = Math.floor(scheduler.now / 60_000);
    const name = `schedule${minute % 100_000}`;
    const seed = scheduler.seedFor("schedule", minute);
    const activity = scheduler.startActivity(name, seed, new Map(faults));
    const { bundle, service } = this.isolates[isolateIndex % this.isolates.length] as Isolate;
    const startedAt = scheduler.now;
    void scheduler.within(activity, () =>
      bundle.worker
        .scheduled({ scheduledTime: minute * 60_000 }, { service })
        .catch((error: unknown) => {
          const isExpected = [...this.objects.actors.values()].some(
            ({ className, cutUntil, stoppedAt }) =>
              className === "WebhookSender" && (cutUntil > startedAt || stoppedAt >= startedAt),
          );
          if (isExpected || faults.length > 0) return;
          const why = error instanceof Error ? error.stack : String(error);
          scheduler.note(`${name} failed: ${why}`);
          this.thrown.push(`${name} failed: ${why}`);
        }),
    );
  }

  database(name: string): SimulatedDatabase {
    const db = this.databases.get(name);
    if (!db) throw new Error(`No database ${name}.`);
    return db;
  }

  /** Returns the number of batches that all databases have committed. */
  get moment(): number {
    return [...this.databases.values()].reduce((sum, { version }) => sum + version, 0);
  }

  /** Closes all databases after their last use. */
  close(): void {
    for (const db of this.databases.values()) db.close();
  }

  get images(): Images {
    return Object.fromEntries([...this.databases].map(([name, db]) => [name, db.image()]));
  }

  /** Keeps the current versions of all databases for a restore, and returns them. */
  keep(): Versions {
    return new Map([...this.databases].map(([name, db]) => [name, db.keep()]));
  }

  /** Restores databases to kept versions. All code starts again in a new timeline. */
  restore(versions: Versions): void {
    const restores = this.timeline.restores + 1;
    this.timeline = { epoch: `epoch${restores}`, restores };
    this.scheduler.generation += 1;
    for (const [name, version] of versions) this.database(name).restore(version);
    repairDirectory(this);
    for (const actor of this.objects.actors.values()) actor.stop("restarts for the restore");
    for (const index of this.isolates.keys()) this.startIsolate(index);
  }
}

/** The URLs of the webhooks, which follow all collections, the parcels, and the view of the orders. */
export const hookUrls = [
  "https://one.example/hook",
  "https://two.example/hook",
  "https://three.example/hook",
] as const;

/** The limits of the credentials: two generous ones, and one that clients soon exceed. */
const limits = [
  { requests: 100_000, writes: 100_000 },
  { requests: 100_000, writes: 100_000 },
  { requests: 12, writes: 5 },
];
export const smallLimits = { credential: 2, requests: 12, writes: 5 };
/** The credential that sees the orders through a view. */
export const partner = 4;
/** A credential that few requests use, so that its object rarely has other writes in progress. */
export const quiet = 5;

/** Prepares the database through the service itself, without faults. */
export async function makeTemplate(
  bundle: Bundle,
  names: readonly string[] = [homeName],
): Promise<Template> {
  const images = Object.fromEntries(names.map((name) => [name, makeEmptyImage()]));
  const world = new World(bundle, images, startOfTime);
  const { scheduler } = world;
  const activity = scheduler.startActivity("template", 1);
  const cookie = `__Host-session=${await scheduler.within(activity, () => startSession(world))}`;
  const send: Send = async (method, path, headers, body) => {
    const answer = await world.request(0, { method, path, headers, body });
    if (answer === "lost" || answer.status > 299) {
      const why = answer === "lost" ? answer : answer.text;
      throw new Error(`Preparing failed: ${method} ${path} ${JSON.stringify(body)} ${why}`);
    }
    return answer.body;
  };
  const credentials = await prepare(world, () => prepareData(send, cookie), 90_000);
  const token = credentials[0]?.token ?? "";
  for (let turn = 1; turn < diaryTurns; turn += 1) {
    await scheduler.advance(startOfTime + turn * eraseEveryMs);
    await prepare(world, () => enterDiary(send, token, turn));
  }
  // At the start, the schedule is about to erase the first entries of the diary, and the former token expires soon.
  await scheduler.advance(beginning - rotatedBeforeMs);
  const rotated = await prepare(world, () => rotateOnce(send, cookie, world));
  await scheduler.advance(beginning);
  return { image: world.images, now: scheduler.now, cookie, credentials, rotated };
}

/** Creates a database after all migrations. */
export const makeEmptyImage = lazy((): Uint8Array => {
  const db = new SimulatedDatabase("", new Uint8Array(), () => 0);
  for (const file of globSync("migrations/*.sql", { cwd: root }).toSorted())
    db.exec(readFileSync(join(root, file), "utf8"));
  return db.image();
});

type Send = (
  method: string,
  path: string,
  headers: Record<string, string>,
  body: object,
) => Promise<Json>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** The schedule erases expired data in every fifth minute. */
const eraseEveryMs = 5 * 60_000;
/** The number of erasures that find entries of the diary that have expired since the previous one. */
const diaryTurns = 4;
const entriesPerTurn = 2;
/** A minute before the schedule erases expired data. */
const beginning = startOfTime + retainDays * dayMs + 4 * 60_000;
/** The time before the start at which a token was rotated. The former token stays valid for an hour. */
const rotatedBeforeMs = hourMs - 40_000;

export async function startSession(world: World): Promise<string> {
  const [isolate] = world.isolates;
  if (!isolate) throw new Error("No isolate.");
  const { keys } = isolate.service;
  const session = await signSecret(keys, "session", createRandomSecret(isolate.host.random));
  const hash = createHash("sha256").update(session).digest("base64url");
  world.home.exec(`
    INSERT INTO member (id, email, role, password, created_at) VALUES ('01JMEMBER', 'owner@forms.example', 'owner', '-', 0);
    INSERT INTO session (hash, member_id, created_at, expires_at) VALUES ('${hash}', '01JMEMBER', 0, ${startOfTime * 2});
  `);
  return session;
}

/** Runs work that waits for the service, up to this time. */
export async function prepare<T>(world: World, work: () => Promise<T>, maxMs = 30_000): Promise<T> {
  const { scheduler } = world;
  let done: { result: T } | undefined;
  let failure: unknown;
  const run = async () => {
    done = { result: await work() };
  };
  scheduler
    .within(scheduler.startActivity("template", 1), run)
    .catch((error: unknown) => (failure = error));
  await settle();
  await scheduler.advance(scheduler.now + maxMs);
  if (!done) throw failure ?? new Error("Preparing never ended.");
  return done.result;
}

async function prepareData(send: Send, cookie: string): Promise<Template["credentials"]> {
  const admin = { Cookie: cookie };
  const issue = (body: object) => send("POST", "/admin/integrations", admin, body);
  const issued = [];
  for (const limit of [...limits, limits[0]]) issued.push(await issue(newCredential(limit)));
  const bearer = { Authorization: `Bearer ${issued.at(-1)?.token}` };
  const write = (method: string, path: string, body: object) =>
    send(method, `/api/v1/${path}`, bearer, body);
  for (const { kind, key, settings } of allCollections)
    await write("PUT", `${kind}s/${key}/schema`, definitionOf(key, settings));
  issued.push(await issue(partnerCredential));
  issued.push(await issue(newCredential(limits[0])));
  for (const hook of hooks()) await write("POST", "webhooks", hook);
  for (const [index, kind] of [...kinds, ...kinds].entries())
    await write("POST", "apps/customers/records", { data: { title: `c${index}`, kind } });
  await enterDiary(send, issued[0]?.token, 0);
  return issued.map(({ id, token }: Json) => ({ id, token }));
}

/** Creates entries of the diary, half of which are closed. */
async function enterDiary(send: Send, token: string, turn: number): Promise<void> {
  const bearer = { Authorization: `Bearer ${token}` };
  for (let index = 0; index < entriesPerTurn; index += 1) {
    const body = { data: { title: `d${turn}.${index}` } };
    const { id } = await send("POST", "/api/v1/forms/diary/submissions", bearer, body);
    if (index % 2 === 0)
      await send("PATCH", `/api/v1/submissions/${id}`, bearer, { status: "closed" });
  }
}

function hooks(): object[] {
  const typesOf = (kind: string) =>
    ["created", "updated", "deleted"].map((type) => `${kind}.${type}`);
  const ofSubmissions = typesOf("submission");
  const all = [...typesOf("record"), ...ofSubmissions, "submission.closed"];
  const contents = [
    { types: all, collections: "all" },
    { types: ["record.updated"], collections: ["app:parcels"] },
    { types: [...ofSubmissions, "submission.left_view"], collections: ["form:orders/some"] },
  ];
  return hookUrls.map((url, index) => ({ name: url, url, ...contents[index] }));
}

async function rotateOnce(send: Send, cookie: string, world: World): Promise<Template["rotated"]> {
  const admin = { Cookie: cookie };
  const { id, token: former } = await send("POST", "/admin/integrations", admin, newCredential({}));
  const path = `/admin/integrations/${id}/rotate`;
  const { token } = await send("POST", path, admin, { overlap: "1h" });
  return { id, former, token, formerEndsAt: world.scheduler.now + hourMs };
}

export const newCredential = (limit: object | undefined) => ({
  kind: "token",
  name: "Simulated",
  permissions: [
    "records:read",
    "records:create",
    "records:write",
    "submissions:read",
    "submissions:create",
    "submissions:write",
    "submissions:delete",
    "schema:read",
    "schema:write",
    "webhooks:manage",
  ],
  resources: "all",
  expires: "never",
  ...limit,
});

/** A credential that sees only a view of the orders. */
const partnerCredential = {
  ...newCredential({ requests: 100_000, writes: 100_000 }),
  permissions: ["submissions:read", "submissions:create", "submissions:write"],
  resources: ["form:orders/some"],
};
