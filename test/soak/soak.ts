import { rmSync } from "node:fs";
import { parseOptions } from "../../src/dev/command.ts";
import { Server } from "../dev/server.ts";
import { compareAll } from "./compare.ts";
import { documentOf } from "./definition.ts";
import { memoryOf } from "./figures.ts";
import { Listener, Reader } from "./following.ts";
import { Collection, Difference } from "./model.ts";
import { actor, Traffic } from "./traffic.ts";
import { pause, unexpected, World } from "./world.ts";

const usage = `
Usage: npm run test:soak -- [options]

Runs random concurrent writes, searches and walks, and kills the server now and then. Compares the service with a
model, and so the copies of a reader of the changes feeds and of a webhook listener. Stops at the first difference.

  --minutes N    duration of the traffic; default: 10
  --seed N       seed of the random traffic; default: a new one
  --actors N     concurrent clients; default: 12
  --kills N      how often the server is killed; default: every 40 seconds
`;

export interface Soak {
  seed: number;
  /** The duration of the traffic, without starts and comparisons. */
  seconds: number;
  kills: number;
  actors: number;
  /** The number of values of each field that each comparison searches for. */
  valuesPerField: number;
  say: (line: string) => void;
}

const highLimits = ["--requests", "100000", "--writes", "100000"];

export async function soak(options: Soak): Promise<World> {
  const { seed, seconds, kills, actors, say, valuesPerField } = options;
  const server = new Server("killable");
  // An interrupted run must stop its server itself.
  const onInterrupt = () => {
    void Promise.race([server.remove(), pause(3000)]).finally(() => process.exit(130));
  };
  process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
  await server.start();
  const world = new World(server.url, seed, [
    new Collection("form", "requests", "UTC"),
    new Collection("form", "visits", "Asia/Tokyo"),
    new Collection("app", "orders2", "UTC"),
    new Collection("app", "assets", "Asia/Tokyo"),
  ]);
  const followedCollections = world.collections.slice(0, 3);
  const reader = new Reader(world, world.random.fork(), followedCollections);
  const listener = new Listener(world, followedCollections);
  const followers = [reader, listener];
  let isRunning = true;
  try {
    await createCollections(world, server);
    await listener.open(world.random.fork());
    const actorActions = Array.from({ length: actors }, (_, index) => actor(world, `a${index}`));
    const followerActions = followers.map((follower) => async () => follower.step());
    const traffic = new Traffic(world, [...actorActions, ...followerActions]);
    for (let kill = 0; kill <= kills; kill += 1) {
      const isLast = kill === kills;
      const trafficSeconds =
        (seconds / (kills + 1)) * (isLast ? 1 : 0.7 + world.random.next() * 0.6);
      await traffic.run(trafficSeconds * 1000);
      const memory = memoryOf(server.folder);
      if (memory !== undefined) world.figures.memory.push(memory);
      world.stopping = true;
      if (!isLast) {
        world.killing = true;
        isRunning = false;
        await server.kill();
      }
      await traffic.waitUntilIdle();
      if (!isLast) {
        await server.start();
        isRunning = true;
        world.killing = false;
        world.figures.count("kills");
      }
      await traffic.unlessFailed(compareAll(world, valuesPerField));
      for (const follower of followers) await traffic.unlessFailed(follower.compare());
      say(`${kill + 1} of ${kills + 1}: ${summarizeCollections(world)}; all as the model says`);
      world.resume();
    }
    return world;
  } finally {
    process.off("SIGINT", onInterrupt).off("SIGTERM", onInterrupt);
    world.ended = true;
    world.killing = true;
    world.resume();
    listener.close();
    if (isRunning) await server.remove();
    else rmSync(server.folder, { recursive: true, force: true });
  }
}

const summarizeCollections = ({ collections }: World) =>
  collections.map(({ key, items, epoch }) => `${key} ${items.size} (v${epoch.version})`).join(", ");

async function createCollections(world: World, server: Server): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const { id, token } = await server.credential(...highLimits);
    world.credentials.push({ token, actor: `credential:${id}` });
  }
  for (const collection of world.collections) {
    const [credential] = world.credentials;
    const [epoch] = collection.epochs;
    if (!credential || !epoch) throw new Error("Nothing is there to begin with.");
    const prefix = collection.kind === "app" ? { receipt_prefix: collection.prefix } : {};
    const body = { ...documentOf(epoch.definition), ...prefix };
    const response = await world.ask("definition", {
      method: "PUT",
      path: collection.definitionPath,
      body,
      by: credential,
    });
    if (response === "lost" || response.status !== 201) {
      throw response === "lost"
        ? new Error("No answer.")
        : unexpected("The first definition", response);
    }
    epoch.state = "holds";
  }
}

if (import.meta.main) {
  const values = parseOptions(usage, {
    minutes: { type: "string", default: process.env["SOAK_MINUTES"] ?? "10" },
    seed: { type: "string", default: process.env["SOAK_SEED"] ?? String(Date.now() % 1_000_000) },
    actors: { type: "string", default: "12" },
    kills: { type: "string" },
  });
  const [seconds, seed] = [Number(values.minutes) * 60, Number(values.seed)];
  const say = console.warn;
  say(`Soak of ${values.minutes} minutes of traffic with the seed ${seed}`);
  try {
    const world = await soak({
      seed,
      seconds,
      kills: Number(values.kills ?? Math.max(1, Math.round(seconds / 40))),
      actors: Number(values.actors),
      valuesPerField: 4,
      say,
    });
    say(world.figures.toString());
  } catch (error) {
    say(`\nThe first difference, with the seed ${seed}:\n`);
    say(error instanceof Difference ? error.message : error);
    process.exitCode = 1;
  }
}
