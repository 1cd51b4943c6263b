import type { Collection, Create, Item, Write } from "./model.ts";
import type { Random } from "./random.ts";
import { newData, someData } from "./values.ts";
import { unexpected, type Credential, type World } from "./world.ts";
import { leaveAfter, mostItems, targetOf } from "./writing.ts";

type Json = Create["body"];

/** An operation of a batch: it creates a new item or changes an existing one. */
type Operation = { write: Write; body: Json } & (
  | { create: Create; item?: never }
  | { create?: never; item: Item }
);

/** Sends batches of creates and changes, which the service must store completely or not at all. */
export class Batcher {
  readonly #world: World;
  readonly #random: Random;
  readonly #name: string;
  #created = 0;

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
    this.#created += 1;
    const key = random.chance(0.6) ? `batch-${this.#name}-${this.#created}` : undefined;
    const startedAt = world.now();
    for (const item of items) {
      item.note(
        `#${startedAt} ${this.#name} in a batch of ${operations.length}, key ${key ?? "none"}`,
      );
      item.busy += 1;
      item.touched = startedAt;
    }
    try {
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const response = await world.send(attempt === 0 ? "batch" : "batch again", {
          method: "POST",
          path: `${collection.path}/batch?return=representation`,
          body: { operations: operations.map(({ body }) => body) },
          headers: key === undefined ? {} : { "Idempotency-Key": key },
          by,
          leaveAfter: attempt === 0 ? leaveAfter(random) : undefined,
        });
        if (response !== "lost" && response.status !== 503) {
          for (const { write } of operations) write.span.to = collection.latest;
          if (response.status === 200)
            this.#recordStored(collection, operations, response.body, startedAt);
          else this.#recordRejected(collection, operations, response, attempt > 0);
          return;
        }
        if (key === undefined) break;
      }
      this.#recordLost(operations);
    } catch (error) {
      // The traffic stops before the result is known.
      this.#recordLost(operations);
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
    const changedItems = new Set<Item>();
    const operations: Operation[] = [];
    for (let remaining = random.int(1, 6); remaining > 0; remaining -= 1) {
      const span = { from: collection.epoch.index, to: Infinity };
      const common = { by: by.actor, span, status: undefined, version: null };
      if (random.chance(0.5) && collection.items.size < mostItems) {
        this.#created += 1;
        const ref = `${this.#name}-${this.#created}`;
        const data = newData(random, collection.definition, ref);
        const status = collection.kind === "app" ? undefined : "submitted";
        const write: Write = { ...common, kind: "create", data, status };
        const body = { op: "create", data };
        const create: Create = {
          ref,
          key: undefined,
          body,
          item: undefined,
          over: false,
          write,
        };
        collection.creates.set(ref, create);
        operations.push({ write, body, create });
        continue;
      }
      const item = targetOf(random, collection);
      if (!item || changedItems.has(item)) continue;
      changedItems.add(item);
      const data = someData(random, collection.definition);
      const write: Write = { ...common, kind: "patch", data };
      operations.push({ write, body: { op: "update", id: item.id, data }, item });
    }
    return operations;
  }

  #recordStored(
    collection: Collection,
    operations: readonly Operation[],
    body: Json,
    startedAt: number,
  ) {
    const { results } = body;
    const now = this.#world.now();
    for (const [index, { write, create, item }] of operations.entries()) {
      const { id, etag, item: document, outcome } = results[index];
      write.version = Number(etag.slice(1, -1));
      item?.note(`#${now} ${this.#name} batch of #${startedAt} → ${outcome} ${etag}`);
      item?.writes.push(write);
      if (item && item.id !== id) throw item.wrong(`is not what a batch changed: ${id}`);
      // A replay contains no items. The next comparison finds the item's state.
      if (item && !document) item.uncertain = true;
      if (document) {
        const observed = collection.observe(document, startedAt, write.span, now);
        if (create && create.item !== observed) throw observed.wrong("is not what a batch created");
      } else if (create) {
        this.#world.claim(`${id} was made by a batch`, undefined, () => create.item?.id === id);
      }
    }
  }

  /** The service stored nothing of the batch. */
  #recordRejected(
    collection: Collection,
    operations: readonly Operation[],
    response: Exclude<Awaited<ReturnType<World["send"]>>, "lost">,
    isRetry: boolean,
  ): void {
    for (const { create } of operations) if (create) create.over = true;
    const { status, body } = response;
    const from = Math.min(...operations.map(({ write }) => write.span.from));
    const isChanged = collection.possible({ from, to: collection.latest }).length > 1;
    const isGone = operations.some(({ item }) => item && item.deleting < Infinity);
    const isAllowed =
      (status === 409 && ["duplicate", "submission_closed"].includes(body.code)) ||
      (status === 422 && (isRetry || isChanged || isGone)) ||
      (status === 404 && isGone);
    if (!isAllowed) throw unexpected(`A batch of ${JSON.stringify(operations)}`, response);
  }

  /** The service stored the batch completely or not at all. */
  #recordLost(operations: readonly Operation[]): void {
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
