import { Batcher } from "./batching.ts";
import { changeDefinition } from "./defining.ts";
import { Walker } from "./walking.ts";
import { Stopped, pause, type World } from "./world.ts";
import { Writer } from "./writing.ts";

type Act = () => Promise<void>;

/** Many actors, each of which does one thing after the other. */
export class Traffic {
  readonly #world: World;
  readonly #failed: Promise<never>;
  #active = 0;

  constructor(world: World, acts: readonly Act[]) {
    this.#world = world;
    const running = acts.map(async (act) => this.#repeat(act));
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

  async #repeat(act: Act): Promise<void> {
    const world = this.#world;
    while (!world.ended) {
      await world.untilResumed();
      if (world.ended) return;
      this.#active += 1;
      try {
        await act();
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      } finally {
        this.#active -= 1;
      }
    }
  }
}

/** Somebody who writes, reads, searches and defines as it comes. */
export function actor(world: World, name: string): Act {
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
