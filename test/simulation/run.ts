import { findPlaces, type Places } from "./ownership.ts";
import { createHash } from "node:crypto";
import { Clients } from "./clients/index.ts";
import type { Bundle } from "./bundle.ts";
import { Random } from "../soak/random.ts";
import { allCollections } from "./definitions.ts";
import { History } from "./history.ts";
import { findFinalErrors, watchLimits, watchViewHook } from "./judges.ts";
import {
  expireCopies,
  Moves,
  requestMove,
  requestMoveOf,
  stopMove,
  type MoveCounts,
} from "./moves.ts";
import { clientCount, makeEnd, pickFault, type Happening, type Step } from "./plan.ts";
import { settle, type CallFault } from "./platform/scheduler.ts";
import { places, World, type Template, type Versions } from "./world.ts";

export interface Result {
  errors: string[];
  trace: string[];
  digest: string;
  events: number;
  moves: MoveCounts;
}

export interface Setting {
  bundle: Bundle;
  /** An older version of the Worker that may run at the same time. */
  former?: Bundle;
  template: Template;
  /** Decides everything that no step decides, such as the duration of the calls of alarms. */
  seed?: number;
  keepsTrace?: boolean;
  /** Whether replicas are as new as the primary. */
  withoutLag?: boolean;
  onExchange?: World["onExchange"];
}

/** After the last step, all activity ends within this time. */
const restMs = 200_000;
/** The maximum time until all changes are delivered and all expired entries are erased. */
const maxCalmMinutes = 12;

/** Plays a plan and judges it. The same plan always gives the same trace. */
export async function run(steps: readonly Step[], setting: Setting): Promise<Result> {
  const { bundle, template, keepsTrace = false } = setting;
  const world = new World(bundle, template.image, template.now, keepsTrace);
  for (const db of world.databases.values()) db.lags = setting.withoutLag !== true;
  if (setting.onExchange) world.onExchange = setting.onExchange;
  const history = new History(world);
  watchLimits(world, history);
  watchViewHook(world, history);
  const clients = new Clients(world, history, template);
  const { scheduler } = world;
  scheduler.seed = setting.seed ?? 0;
  const begin = scheduler.now;
  world.deployTimes = steps.filter(({ kind }) => kind === "deploy").map(({ at }) => begin + at);
  for (let client = 0; client < clientCount; client += 1) {
    void playClient(
      world,
      clients,
      steps.filter((step) => step.client === client && !(step.kind in happen)),
      begin,
    );
  }
  const moves = new Moves(world, history);
  const runs: Runs = { skipped: 0, disturbance: null, onKill: () => moves.countKill() };
  const platform: Platform = { world, clients, setting, runs, moves, kept: null };
  for (const step of steps) {
    if (step.kind in happen) {
      scheduler.at(begin + step.at, () => {
        scheduler.note(`step ${step.number} ${step.kind}`);
        happen[step.kind as Happening](platform, new Random(step.seed));
      });
    }
  }
  await settle();
  const end = begin + (steps.at(-1)?.at ?? 0);
  await advanceMinutes(world, end, runs);
  await advanceMinutes(world, scheduler.now + restMs);
  world.receivers.failing = 0;
  for (const actor of world.objects.actors.values())
    Object.assign(actor, { nextAlarm: undefined, nextFaults: [] });
  await playEnd(world, clients, steps);
  if (world.databases.size > 1) await endMoves(world, moves);
  const hasEnded = () => findFinalErrors(world, history).length === 0;
  for (let minutes = 0; minutes < maxCalmMinutes && !hasEnded(); minutes += 1)
    await advanceMinutes(world, scheduler.now + 60_000);
  for (const error of findFinalErrors(world, history)) history.wrong(error);
  world.close();
  // Node collects garbage with finalizers only between its own tasks, and settling never returns to these.
  await new Promise((resolve) => setImmediate(resolve));
  const { trace } = scheduler;
  const digest = createHash("sha256")
    .update((trace ?? []).join("\n"))
    .digest("hex");
  return {
    errors: [...history.errors, ...world.thrown],
    trace: trace ?? [],
    digest,
    events: scheduler.events,
    moves: moves.counts,
  };
}

/** The disturbances of the next runs of the schedule. */
interface Runs {
  skipped: number;
  disturbance: { faults: [number, CallFault][]; killAfterMs: number | null } | null;
  onKill?: () => void;
}

/** Runs the schedule every minute, unless a step skips or disturbs it. */
async function advanceMinutes(
  world: World,
  end: number,
  runs: Runs = { skipped: 0, disturbance: null },
): Promise<void> {
  const { scheduler } = world;
  for (;;) {
    const minute = (Math.floor(scheduler.now / 60_000) + 1) * 60_000;
    if (minute > end) break;
    await scheduler.advance(minute);
    if (runs.skipped > 0) runs.skipped -= 1;
    else {
      const { faults = [], killAfterMs = null } = runs.disturbance ?? {};
      runs.disturbance = null;
      const isolate = Math.floor(minute / 60_000) % world.isolates.length;
      world.schedule(isolate, faults);
      if (killAfterMs !== null)
        scheduler.after(killAfterMs, () => {
          runs.onKill?.();
          world.startIsolate(isolate);
        });
    }
    await settle();
  }
  await scheduler.advance(end);
}

/** The maximum time for moves after the last step, including the erasure of their copies. */
const maxMoveMinutes = 40;

/** Lets all moves end and their copies expire. */
async function endMoves(world: World, moves: Moves): Promise<void> {
  const { scheduler } = world;
  for (let minutes = 0; minutes < maxMoveMinutes && moves.hasUnfinished(); minutes += 1) {
    expireCopies(world);
    await advanceMinutes(world, scheduler.now + 60_000);
  }
  moves.judgeEnd();
}

/** The time for each of the last steps. */
const finalStepMs = 10_000;

/** Shows that the service has recovered: requests succeed, and the feeds contain all changes in order. */
async function playEnd(world: World, clients: Clients, steps: readonly Step[]): Promise<void> {
  for (const step of makeEnd(steps)) {
    void playStep(world, clients, step);
    await advanceMinutes(world, world.scheduler.now + finalStepMs);
  }
}

async function playClient(
  world: World,
  clients: Clients,
  steps: readonly Step[],
  begin: number,
): Promise<void> {
  const { scheduler } = world;
  for (const step of steps) {
    await scheduler.timer(Math.max(0, begin + step.at - scheduler.now), () => true).done;
    await playStep(world, clients, step);
  }
}

function playStep({ scheduler }: World, clients: Clients, step: Step): Promise<void> {
  const activity = scheduler.startActivity(`s${step.number}`, step.seed, new Map(step.faults));
  scheduler.note(`step ${step.number} client ${step.client} ${step.kind}`);
  return scheduler.within(activity, () => clients.play(step));
}

interface Platform {
  world: World;
  clients: Clients;
  setting: Setting;
  runs: Runs;
  moves: Moves;
  /** The state that a restore returns to, and the databases of the collections at that moment. */
  kept: { versions: Versions; commit: number; places: Places } | null;
}

type Happen = (platform: Platform, random: Random) => void;

const pickActor = (world: World, random: Random, className?: string) => {
  const actors = [...world.objects.actors.values()].filter(
    (actor) => !className || actor.className === className,
  );
  return actors.length > 0 ? random.pick(actors) : undefined;
};

const happen: Record<Happening, Happen> = {
  killIsolate: ({ world }, random) => world.startIsolate(random.int(0, world.isolates.length - 1)),
  killObject: ({ world }, random) => pickActor(world, random)?.stop("is killed"),
  moveObject: ({ world }, random) => pickActor(world, random)?.move(random.int(0, places - 1)),
  cutObject: ({ world }, random) => pickActor(world, random)?.cut(random.int(100, 12_000)),
  loseAlarm: ({ world }, random) => setNextAlarm(world, random, "lost"),
  delayAlarm: ({ world }, random) => setNextAlarm(world, random, "late"),
  repeatAlarm: ({ world }, random) => setNextAlarm(world, random, "twice"),
  skipSchedule: ({ runs }, random) => {
    runs.skipped += random.int(1, 2);
  },
  requestMove: ({ world }, random) => requestMove(world, random),
  moveDiary: ({ world }, random) => requestMoveOf(world, random, "form", "diary"),
  stopMove: ({ world }) => stopMove(world),
  expireCopies: ({ world }) => expireCopies(world),
  disturbAlarm: ({ world }, random) => {
    const actor = pickActor(world, random, pickAlarmed(random));
    if (actor) actor.nextFaults = [[random.int(1, 12), pickFault(random)]];
  },
  disturbRun: ({ world, runs }, random) => {
    const isKilled = random.chance(0.5);
    const count = random.int(isKilled ? 0 : 1, 3);
    // A run that moves collections makes many more calls.
    const calls = world.databases.size > 1 ? 150 : 20;
    runs.disturbance = {
      faults: Array.from({ length: count }, () => [random.int(1, calls), pickFault(random)]),
      killAfterMs: isKilled ? random.int(0, 9000) : null,
    };
  },
  skew: ({ world }, random) => {
    for (let place = 0; place < places; place += 1) world.skewsMs[place] = random.int(-1000, 1000);
    for (const { host } of world.isolates) host.skewMs = world.skewsMs[host.place] ?? 0;
  },
  receiverFails: ({ world }, random) => {
    world.receivers.failing = random.pick([0.5, 1]);
    world.scheduler.after(random.int(1000, 40_000), () => {
      world.receivers.failing = 0;
    });
  },
  deploy: ({ world, setting: { bundle, former = bundle } }, random) => {
    world.bundle = random.pick([bundle, former]);
    world.startIsolate(random.int(0, world.isolates.length - 1));
    pickActor(world, random)?.stop("restarts for a new version");
  },
  keepImage: (platform) => {
    const { world } = platform;
    platform.kept = { versions: world.keep(), commit: world.moment, places: findPlaces(world) };
  },
  restore: ({ world, clients, moves, kept }) => {
    if (!kept) return;
    moves.duringRestore(() => world.restore(kept.versions));
    clients.restore(kept.commit, new Set(allCollections.map(({ key }) => key)));
  },
  restoreOne: ({ world, clients, moves, kept }, random) => {
    if (!kept) return;
    const placed = findPlaces(world);
    // Collections that have moved there since would be lost (docs/deployment.md).
    const names = [...kept.versions.keys()].filter((name) =>
      [...placed].every(([key, place]) => place !== name || kept.places.get(key) === name),
    );
    if (names.length === 0) return;
    const name = random.pick(names);
    const restored = [...kept.places].filter(
      ([key, place]) => place === name && (placed.get(key) ?? name) === name,
    );
    const version = kept.versions.get(name) ?? 0;
    moves.duringRestore(() => world.restore(new Map([[name, version]])));
    clients.restore(kept.commit, new Set(restored.map(([key]) => key)));
  },
};

/** Alarms of webhooks deliver changes. Alarms of credentials store counts. */
const pickAlarmed = (random: Random) => (random.chance(0.7) ? "WebhookSender" : "CredentialGate");

function setNextAlarm(world: World, random: Random, fault: "lost" | "late" | "twice"): void {
  const actor = pickActor(world, random, pickAlarmed(random));
  if (actor) actor.nextAlarm = fault;
}
