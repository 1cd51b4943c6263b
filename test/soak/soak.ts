import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { Server } from "../dev/server.ts";
import { compareAll } from "./compare.ts";
import { documentOf } from "./definition.ts";
import { memoryOf } from "./figures.ts";
import { Listener, Reader } from "./following.ts";
import { Collection, Difference } from "./model.ts";
import { actor, Traffic } from "./traffic.ts";
import { pause, unexpected, World } from "./world.ts";

/**
 * `npm run test:soak -- --minutes 10 --seed 7`: random writes, searches and walks of many at once, while the server is
 * killed now and then; all of it held to a model, and so is what a reader of the changes feeds and a listener by webhook
 * made of what they were told. It ends at the first difference.
 */

export interface Soak {
  seed: number;
  /** How long traffic runs, without what starts and comparisons take. */
  seconds: number;
  kills: number;
  actors: number;
  port: number;
  /** How many values of each field are searched for in each comparison. */
  thorough: number;
  say: (line: string) => void;
}

const wide = ["--requests", "100000", "--writes", "100000"];

export async function soak(options: Soak): Promise<World> {
  const { seed, seconds, kills, actors, say, thorough } = options;
  const server = new Server(options.port);
  const world = new World(server.url, seed, [
    new Collection("form", "requests", "UTC"),
    new Collection("form", "visits", "Asia/Tokyo"),
    new Collection("app", "orders2", "UTC"),
    new Collection("app", "assets", "Asia/Tokyo"),
  ]);
  const followed = world.collections.slice(0, 3);
  const reader = new Reader(world, world.random.fork(), followed);
  const listener = new Listener(world, followed);
  const followers = [reader, listener];
  let runs = false;
  // Nobody else would end the server.
  const interrupted = () => {
    void Promise.race([server.remove(), pause(3000)]).finally(() => process.exit(130));
  };
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    await server.start();
    runs = true;
    await begin(world, server);
    await listener.open(world.random.fork());
    const acting = Array.from({ length: actors }, (_, index) => actor(world, `a${index}`));
    const following = followers.map((each) => async () => each.once());
    const traffic = new Traffic(world, [...acting, ...following]);
    for (let kill = 0; kill <= kills; kill += 1) {
      const last = kill === kills;
      const length = (seconds / (kills + 1)) * (last ? 1 : 0.7 + world.random.next() * 0.6);
      await traffic.run(length * 1000);
      const memory = memoryOf(server.folder);
      if (memory !== undefined) world.figures.memory.push(memory);
      world.stopping = true;
      if (!last) {
        world.killing = true;
        runs = false;
        await server.kill();
      }
      await traffic.stopped();
      if (!last) {
        await server.start();
        runs = true;
        world.killing = false;
        world.figures.count("kills");
      }
      await traffic.unlessFailed(compareAll(world, thorough));
      for (const each of followers) await traffic.unlessFailed(each.compare());
      say(`${kill + 1} of ${kills + 1}: ${sizes(world)}; all as the model says`);
      world.resume();
    }
    return world;
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    world.ended = true;
    world.killing = true;
    world.resume();
    listener.close();
    if (runs) await server.remove();
    else rmSync(server.folder, { recursive: true, force: true });
  }
}

const sizes = ({ collections }: World) =>
  collections.map(({ key, items, epoch }) => `${key} ${items.size} (v${epoch.version})`).join(", ");

async function begin(world: World, server: Server): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const { id, token } = await server.credential(...wide);
    world.credentials.push({ token, actor: `credential:${id}` });
  }
  for (const collection of world.collections) {
    const [by] = world.credentials;
    const [epoch] = collection.epochs;
    if (!by || !epoch) throw new Error("Nothing is there to begin with.");
    const prefix = collection.kind === "app" ? { receipt_prefix: collection.prefix } : {};
    const body = { ...documentOf(epoch.definition), ...prefix };
    const answer = await world.ask("definition", {
      method: "PUT",
      path: collection.definitionPath,
      body,
      by,
    });
    if (answer === "lost" || answer.status !== 201) {
      throw answer === "lost"
        ? new Error("No answer.")
        : unexpected("The first definition", answer);
    }
    epoch.state = "holds";
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: process.env["SOAK_MINUTES"] ?? "10" },
      seed: { type: "string", default: process.env["SOAK_SEED"] ?? String(Date.now() % 1_000_000) },
      actors: { type: "string", default: "12" },
      kills: { type: "string" },
      port: { type: "string", default: "8796" },
    },
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
      port: Number(values.port),
      thorough: 4,
      say,
    });
    say(world.figures.toString());
  } catch (error) {
    say(`\nThe first difference, with the seed ${seed}:\n`);
    say(error instanceof Difference ? error.message : error);
    process.exitCode = 1;
  }
}
