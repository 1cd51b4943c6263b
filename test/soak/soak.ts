import { rmSync } from "node:fs";
import { parseArgs } from "node:util";
import { Server } from "../dev/server.ts";
import { compareAll } from "./compare.ts";
import { changeDefinition } from "./defining.ts";
import { documentOf } from "./definition.ts";
import { memoryOf } from "./figures.ts";
import { Collection, Difference } from "./model.ts";
import type { Random } from "./random.ts";
import { Walker } from "./walking.ts";
import { pause, Stopped, unexpected, World } from "./world.ts";
import { Writer } from "./writing.ts";

/**
 * `npm run test:soak -- --minutes 10 --seed 7`: random writes, searches and walks of many at once, while the server is
 * killed now and then; all of it held to a model. It ends at the first difference.
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
    const traffic = new Traffic(world, actors);
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
      say(`${kill + 1} of ${kills + 1}: ${sizes(world)}; all as the model says`);
      world.resume();
    }
    return world;
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
    world.ended = true;
    world.killing = true;
    world.resume();
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

/** Many actors, each with its own choices. */
class Traffic {
  readonly #world: World;
  readonly #failed: Promise<never>;
  #active = 0;

  constructor(world: World, actors: number) {
    this.#world = world;
    const running = Array.from({ length: actors }, async (_, index) =>
      this.#act(`a${index}`, world.random.fork()),
    );
    this.#failed = new Promise((_, reject) => {
      for (const each of running) each.catch(reject);
    });
    this.#failed.catch(() => undefined);
  }

  /** Fails when an actor has found a difference. */
  async unlessFailed<T>(work: Promise<T>): Promise<T> {
    return Promise.race([this.#failed, work]);
  }

  async run(milliseconds: number): Promise<void> {
    await this.unlessFailed(pause(milliseconds));
  }

  async stopped(): Promise<void> {
    while (this.#active > 0) await this.unlessFailed(pause(10));
  }

  async #act(name: string, random: Random): Promise<void> {
    const world = this.#world;
    const writer = new Writer(world, random, name);
    const walker = new Walker(world, random);
    while (!world.ended) {
      await world.untilResumed();
      if (world.ended) return;
      this.#active += 1;
      try {
        await this.#once(random, writer, walker);
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      } finally {
        this.#active -= 1;
      }
    }
  }

  async #once(random: Random, writer: Writer, walker: Walker): Promise<void> {
    const world = this.#world;
    const collection = random.pick(world.collections);
    const by = random.pick(world.credentials);
    const kind = random.weighted({
      create: 20,
      change: 34,
      changeStatus: 8,
      remove: 6,
      read: 8,
      replay: 2,
      search: 14,
      list: 2,
      download: 1,
      define: 1.5,
    });
    if (kind === "define") return changeDefinition(world, random, collection, by, walker);
    if (kind === "replay") return writer.replay(collection);
    if (kind === "search" || kind === "list" || kind === "download") {
      return walker[kind](collection, by);
    }
    return writer[kind](collection, by);
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      minutes: { type: "string", default: process.env["SOAK_MINUTES"] ?? "10" },
      seed: { type: "string", default: process.env["SOAK_SEED"] ?? String(Date.now() % 1_000_000) },
      actors: { type: "string", default: "12" },
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
      kills: Math.max(1, Math.round(seconds / 40)),
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
