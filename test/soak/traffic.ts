import { Batcher } from "./batching.ts";
import { changeDefinition } from "./defining.ts";
import { Walker } from "./walking.ts";
import { Stopped, pause, type World } from "./world.ts";
import { Writer } from "./writing.ts";

type Action = () => Promise<void>;

/** Runs many actors. Each performs one action after the other. */
export class Traffic {
  readonly #world: World;
  readonly #failure: Promise<never>;
  #active = 0;

  constructor(world: World, actions: readonly Action[]) {
    this.#world = world;
    const loops = actions.map(async (action) => this.#repeat(action));
    this.#failure = new Promise((_, reject) => {
      for (const loop of loops) loop.catch(reject);
    });
    this.#failure.catch(() => undefined);
  }

  /** Waits for the promise. Rejects as soon as an actor finds a difference. */
  async unlessFailed<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([this.#failure, promise]);
  }

  async run(milliseconds: number): Promise<void> {
    await this.unlessFailed(pause(milliseconds));
  }

  async waitUntilIdle(): Promise<void> {
    while (this.#active > 0) await this.unlessFailed(pause(10));
  }

  async #repeat(action: Action): Promise<void> {
    const world = this.#world;
    while (!world.ended) {
      await world.untilResumed();
      if (world.ended) return;
      this.#active += 1;
      try {
        await action();
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      } finally {
        this.#active -= 1;
      }
    }
  }
}

/** Creates an actor that performs random writes, reads, searches and definition changes. */
export function actor(world: World, name: string): Action {
  const random = world.random.fork();
  const writer = new Writer(world, random, name);
  const batcher = new Batcher(world, random, name);
  const walker = new Walker(world, random);
  return async () => {
    const collection = random.pick(world.collections);
    const by = random.pick(world.credentials);
    const kind = random.weighted({
      create: 20,
      change: 34,
      changeStatus: 8,
      batch: 6,
      remove: 6,
      read: 8,
      replay: 2,
      search: 14,
      list: 2,
      download: 1,
      define: 1.5,
    });
    if (kind === "define") return changeDefinition(world, random, collection, by, walker);
    if (kind === "batch") return batcher.batch(collection, by);
    if (kind === "replay") return writer.replay(collection);
    if (kind === "search" || kind === "list" || kind === "download") {
      return walker[kind](collection, by);
    }
    return writer[kind](collection, by);
  };
}
