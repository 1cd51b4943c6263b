import { createHash } from "node:crypto";
import { Clients } from "./clients/index.ts";
import type { Bundle } from "./bundle.ts";
import { Random } from "../soak/random.ts";
import { History } from "./history.ts";
import { findFinalErrors, watchLimits } from "./judges.ts";
import { clientCount, type Happening, type Step } from "./plan.ts";
import { settle } from "./platform/scheduler.ts";
import { places, World, type Images, type Template } from "./world.ts";

export interface Result {
  errors: string[];
  trace: string[];
  digest: string;
  events: number;
}

export interface Setting {
  bundle: Bundle;
  /** An older version of the Worker, which may serve at the same time. */
  former?: Bundle;
  template: Template;
  keepsTrace?: boolean;
  /** Replicas are as new as the primary. */
  withoutLag?: boolean;
  onExchange?: World["onExchange"];
}

/** After the last step, everything that is under way ends within this time. */
const restMs = 200_000;
const calmMinutes = 12;

/** Plays a plan and judges it. The same plan always gives the same trace. */
export async function run(steps: readonly Step[], setting: Setting): Promise<Result> {
  const { bundle, template, keepsTrace = false } = setting;
  const world = new World(bundle, template.image, template.now, keepsTrace);
  for (const db of [world.db, world.home]) db.lags = setting.withoutLag !== true;
  if (setting.onExchange) world.onExchange = setting.onExchange;
  const history = new History(world);
  watchLimits(world, history);
  const clients = new Clients(world, history, template);
  const { scheduler } = world;
  const begin = scheduler.now;
  for (let client = 0; client < clientCount; client += 1) {
    void playClient(
      world,
      clients,
      steps.filter((step) => step.client === client && !(step.kind in happen)),
      begin,
    );
  }
  const skips = { count: 0 };
  const platform: Platform = { world, clients, setting, skips, kept: null };
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
  await advanceMinutes(world, end, skips);
  await scheduler.advance(scheduler.now + restMs);
  world.receivers.failing = 0;
  for (const actor of world.objects.actors.values()) actor.nextAlarm = undefined;
  await advanceMinutes(world, scheduler.now + calmMinutes * 60_000, { count: 0 });
  findFinalErrors(world, history);
  const { trace } = scheduler;
  const digest = createHash("sha256")
    .update((trace ?? []).join("\n"))
    .digest("hex");
  return {
    errors: [...history.errors, ...world.thrown],
    trace: trace ?? [],
    digest,
    events: scheduler.events,
  };
}

/** The schedule runs each minute, unless a step skips it. */
async function advanceMinutes(world: World, end: number, skips: { count: number }): Promise<void> {
  const { scheduler } = world;
  for (;;) {
    const minute = (Math.floor(scheduler.now / 60_000) + 1) * 60_000;
    if (minute > end) break;
    await scheduler.advance(minute);
    if (skips.count > 0) skips.count -= 1;
    else world.schedule(Math.floor(minute / 60_000));
    await settle();
  }
  await scheduler.advance(end);
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
    const activity = scheduler.startActivity(`s${step.number}`, step.seed, new Map(step.faults));
    scheduler.note(`step ${step.number} client ${step.client} ${step.kind}`);
    await scheduler.within(activity, () => clients.play(step));
  }
}

interface Platform {
  world: World;
  clients: Clients;
  setting: Setting;
  skips: { count: number };
  /** What a restore goes back to. */
  kept: { image: Images; commit: number } | null;
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
  skipSchedule: ({ skips }, random) => {
    skips.count += random.int(1, 2);
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
    const { db, images } = platform.world;
    platform.kept = { image: images, commit: db.version };
  },
  restore: ({ world, clients, kept }) => {
    if (!kept) return;
    world.restore(kept.image);
    clients.restore(kept.commit);
  },
};

function setNextAlarm(world: World, random: Random, fault: "lost" | "late" | "twice"): void {
  const actor = pickActor(world, random, "WebhookSender");
  if (actor) actor.nextAlarm = fault;
}
