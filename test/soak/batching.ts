import type { Collection, Create, Item, Write } from "./model.ts";
import type { Random } from "./random.ts";
import { newData, someData } from "./values.ts";
import { unexpected, type Credential, type World } from "./world.ts";
import { leaveAfter, mostItems, targetOf } from "./writing.ts";

type Json = Create["body"];

/** An operation of a batch: of a new item, or of one that is there. */
type Operation = { write: Write; sent: Json } & (
  | { create: Create; item?: never }
  | { create?: never; item: Item }
);

/** Several creates and changes that are stored together, or not at all. */
export class Batcher {
  readonly #world: World;
  readonly #random: Random;
  readonly #name: string;
  #made = 0;

  constructor(world: World, random: Random, name: string) {
    this.#world = world;
    this.#random = random;
    this.#name = `${name}b`;
  }

  async batch(collection: Collection, by: Credential): Promise<void> {
    const world = this.#world;
    const random = this.#random;
    const operations = this.#operations(collection, by);
    if (operations.length === 0) return;
    const items = operations.flatMap(({ item }) => item ?? []);
    this.#made += 1;
    const key = random.chance(0.6) ? `batch-${this.#name}-${this.#made}` : undefined;
    const began = world.now();
    for (const item of items) {
      item.note(`#${began} ${this.#name} in a batch of ${operations.length}, key ${key ?? "none"}`);
      item.busy += 1;
      item.touched = began;
    }
    try {
      for (let tries = 0; tries < 5; tries += 1) {
        const answer = await world.send(tries === 0 ? "batch" : "batch again", {
          method: "POST",
          path: `${collection.path}/batch?return=representation`,
          body: { operations: operations.map(({ sent }) => sent) },
          headers: key === undefined ? {} : { "Idempotency-Key": key },
          by,
          leaveAfter: tries === 0 ? leaveAfter(random) : undefined,
        });
        if (answer !== "lost" && answer.status !== 503) {
          for (const { write } of operations) write.span.to = collection.latest;
          if (answer.status === 200) this.#stored(collection, operations, answer.body, began);
          else this.#refused(collection, operations, answer, tries > 0);
          return;
        }
        if (key === undefined) break;
      }
      this.#lost(operations);
    } catch (error) {
      // The traffic stops before it was known.
      this.#lost(operations);
      throw error;
    } finally {
      for (const item of items) {
        item.busy -= 1;
        item.touched = world.now();
      }
    }
  }

  #operations(collection: Collection, by: Credential): Operation[] {
    const random = this.#random;
    const changed = new Set<Item>();
    const operations: Operation[] = [];
    for (let left = random.int(1, 6); left > 0; left -= 1) {
      const span = { from: collection.epoch.index, to: Infinity };
      const made = { by: by.actor, span, status: undefined, version: null };
      if (random.chance(0.5) && collection.items.size < mostItems) {
        this.#made += 1;
        const ref = `${this.#name}-${this.#made}`;
        const data = newData(random, collection.definition, ref);
        const status = collection.kind === "app" ? undefined : "submitted";
        const write: Write = { ...made, kind: "create", data, status };
        const sent = { op: "create", data };
        const create: Create = {
          ref,
          key: undefined,
          body: sent,
          item: undefined,
          over: false,
          write,
        };
        collection.creates.set(ref, create);
        operations.push({ write, sent, create });
        continue;
      }
      const item = targetOf(random, collection);
      if (!item || changed.has(item)) continue;
      changed.add(item);
      const data = someData(random, collection.definition);
      const write: Write = { ...made, kind: "patch", data };
      operations.push({ write, sent: { op: "update", id: item.id, data }, item });
    }
    return operations;
  }

  #stored(collection: Collection, operations: readonly Operation[], body: Json, began: number) {
    const { results } = body;
    const now = this.#world.now();
    for (const [at, { write, create, item }] of operations.entries()) {
      const { id, etag, item: document, outcome } = results[at];
      write.version = Number(etag.slice(1, -1));
      item?.note(`#${now} ${this.#name} batch of #${began} → ${outcome} ${etag}`);
      item?.writes.push(write);
      if (item && item.id !== id) throw item.wrong(`is not what a batch changed: ${id}`);
      // A replay has no representations: what the item is now, the next comparison says.
      if (item && !document) item.uncertain = true;
      if (document) {
        const shown = collection.observe(document, began, write.span, now);
        if (create && create.item !== shown) throw shown.wrong("is not what a batch created");
      } else if (create) {
        this.#world.claim(`${id} was made by a batch`, undefined, () => create.item?.id === id);
      }
    }
  }

  /** Nothing of it is stored. */
  #refused(
    collection: Collection,
    operations: readonly Operation[],
    answer: Exclude<Awaited<ReturnType<World["send"]>>, "lost">,
    late: boolean,
  ): void {
    for (const { create } of operations) if (create) create.over = true;
    const { status, body } = answer;
    const from = Math.min(...operations.map(({ write }) => write.span.from));
    const isChanged = collection.possible({ from, to: collection.latest }).length > 1;
    const isGone = operations.some(({ item }) => item && item.deleting < Infinity);
    const allowed =
      (status === 409 && ["duplicate", "submission_closed"].includes(body.code)) ||
      (status === 422 && (late || isChanged || isGone)) ||
      (status === 404 && isGone);
    if (!allowed) throw unexpected(`A batch of ${JSON.stringify(operations)}`, answer);
  }

  /** Whole, or not there. */
  #lost(operations: readonly Operation[]): void {
    for (const { item, write } of operations) {
      if (!item) continue;
      item.uncertain = true;
      item.writes.push(write);
    }
    const creates = operations.flatMap(({ create }) => create ?? []);
    this.#world.claim("a batch whose answer was lost is whole, or not there", undefined, () =>
      creates.every(({ item }) => (item === undefined) === (creates[0]?.item === undefined)),
    );
  }
}
