import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../support/caller.ts";
import type { Collection, Create, Item, Write } from "./model.ts";
import type { Random } from "./random.ts";
import { newData, someData, storedValue } from "./values.ts";
import { unexpected, type Credential, type World } from "./world.ts";

const leaveProbability = 0.04;
export const mostItems = 220;

/** Returns after how many milliseconds a caller disconnects. Most callers stay. */
export const leaveAfter = (random: Random) =>
  random.chance(leaveProbability) ? random.int(1, 60) : undefined;

/** Picks an item to write to, often one of the newest, so that actors write to the same items. */
export function targetOf(random: Random, collection: Collection): Item | undefined {
  const candidates = [...collection.items.values()].filter(({ deleting }) => deleting === Infinity);
  if (candidates.length === 0) return undefined;
  return random.pick(random.chance(0.5) ? candidates.slice(-4) : candidates);
}

/** Writes to items and records the responses. */
export class Writer {
  readonly #world: World;
  readonly #random: Random;
  #createdCount = 0;
  readonly #name: string;

  constructor(world: World, random: Random, name: string) {
    this.#world = world;
    this.#random = random;
    this.#name = name;
  }

  async create(collection: Collection, by: Credential): Promise<void> {
    if (collection.items.size >= mostItems) return this.change(collection, by);
    const random = this.#random;
    this.#createdCount += 1;
    const ref = `${this.#name}-${this.#createdCount}`;
    const { definition, epoch } = collection;
    const data = newData(random, definition, ref);
    const status =
      collection.kind === "app" ? undefined : random.pick(["draft", "submitted", undefined]);
    const create: Create = {
      ref,
      key: random.chance(0.6) ? `key-${ref}` : undefined,
      body: status === undefined ? { data } : { status, data },
      item: undefined,
      over: false,
      write: {
        kind: "create",
        by: by.actor,
        span: { from: epoch.index, to: Infinity },
        data,
        status: collection.kind === "app" ? undefined : (status ?? "submitted"),
        version: null,
      },
    };
    collection.creates.set(ref, create);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const startedAt = this.#world.now();
      const headers: Record<string, string> = create.key ? { "Idempotency-Key": create.key } : {};
      const response = await this.#world.send(attempt === 0 ? "create" : "create again", {
        method: "POST",
        path: collection.path,
        body: create.body,
        headers,
        by,
        leaveAfter: attempt === 0 ? leaveAfter(this.#random) : undefined,
      });
      if (response !== "lost" && response.status !== 503) {
        this.#recordCreate(collection, create, response, startedAt, attempt > 0);
        return;
      }
      if (create.key === undefined) return;
    }
  }

  #recordCreate(
    collection: Collection,
    create: Create,
    response: Answer,
    startedAt: number,
    isRetry: boolean,
  ): void {
    const now = this.#world.now();
    create.write.span.to = collection.latest;
    if (response.status === 201) {
      if (isRetry) this.#world.figures.count("creates repeated with their key");
      createdBy(collection, create, response, startedAt, now);
      return;
    }
    checkRejected(this.#world, collection, undefined, create.write, response, isRetry);
    // An earlier attempt with a lost response stored nothing, or this retry would have returned its response.
    create.over = true;
  }

  /** Repeats a key. The service must replay the first response, regardless of later changes. */
  async replay(collection: Collection): Promise<void> {
    const random = this.#random;
    if (collection.replays.length === 0) return;
    const original = random.pick(collection.replays);
    const by = this.#world.credentials.find(({ actor }) => actor === original.by);
    if (!by) throw new Error(`Nobody is ${original.by}.`);
    const useOtherBody = random.chance(0.2);
    const response = await this.#world.send("replay", {
      method: "POST",
      path: collection.path,
      body: useOtherBody ? { data: { ref: "another body", title: "x" } } : original.body,
      headers: { "Idempotency-Key": original.key },
      by,
    });
    if (response === "lost" || response.status === 503) return;
    const replayHeaders = ["Idempotent-Replayed", "Idempotency-Key-Mismatch"].map((name) =>
      response.headers.get(name),
    );
    if (response.status !== 201 || response.text !== original.text || replayHeaders[0] !== "true") {
      throw unexpected(
        `The key ${original.key} replays (${replayHeaders[0]}) another answer than ${original.text}`,
        response,
      );
    }
    if (replayHeaders[1] !== (useOtherBody ? "true" : null))
      throw unexpected(`Idempotency-Key-Mismatch: ${replayHeaders[1]}`, response);
  }

  async change(collection: Collection, by: Credential): Promise<void> {
    const random = this.#random;
    const item = targetOf(this.#random, collection);
    if (!item) return;
    const { definition } = collection;
    const data = random.chance(0.05)
      ? unchangedData(collection, item)
      : someData(random, definition);
    await this.#patch(collection, item, by, { data });
  }

  async changeStatus(collection: Collection, by: Credential): Promise<void> {
    const item = targetOf(this.#random, collection);
    if (!item || collection.kind === "app") return;
    if (item.status !== "draft" && !this.#random.chance(0.25)) return;
    const status = item.status === "draft" ? "submitted" : "closed";
    const data = this.#random.chance(0.5) ? someData(this.#random, collection.definition) : {};
    await this.#patch(collection, item, by, { status, data });
  }

  async #patch(
    collection: Collection,
    item: Item,
    by: Credential,
    body: { data: Record<string, unknown>; status?: string },
  ): Promise<void> {
    const world = this.#world;
    const random = this.#random;
    const ifMatch = random.chance(0.3) ? item.known - (random.chance(0.15) ? 1 : 0) : undefined;
    const write: Write = {
      kind: "patch",
      by: by.actor,
      span: { from: collection.epoch.index, to: Infinity },
      data: body.data,
      status: body.status,
      version: null,
    };
    const startedAt = world.now();
    item.note(
      `#${startedAt} ${this.#name} PATCH ${JSON.stringify(body)} If-Match ${ifMatch ?? "none"}`,
    );
    item.busy += 1;
    item.touched = startedAt;
    try {
      const response = await world.send("change", {
        method: "PATCH",
        path: collection.itemPath(item, random.chance(0.3)),
        body,
        headers: ifMatch === undefined ? {} : { "If-Match": `"${ifMatch}"` },
        by,
        leaveAfter: leaveAfter(this.#random),
      });
      const now = world.now();
      if (response === "lost" || response.status === 503) {
        item.note(`#${now} ${this.#name} PATCH of #${startedAt} lost`);
        item.uncertain = true;
        item.writes.push(write);
        return;
      }
      write.span.to = collection.latest;
      item.note(
        `#${now} ${this.#name} PATCH of #${startedAt} → ${response.status} ${response.body.etag ?? response.body.code}`,
      );
      if (response.status !== 200) {
        checkRejectedPatch(world, collection, item, write, response, ifMatch);
        return;
      }
      const { version } = response.body;
      write.version = version;
      item.writes.push(write);
      if (ifMatch !== undefined && version !== ifMatch && version !== ifMatch + 1) {
        throw item.wrong(`was changed to version ${version} with If-Match of ${ifMatch}`);
      }
      if (response.headers.get("ETag") !== response.body.etag)
        throw item.wrong("another ETag than etag");
      collection.observe(response.body, startedAt, write.span, now);
    } finally {
      item.busy -= 1;
      item.touched = world.now();
    }
  }

  async remove(collection: Collection, by: Credential): Promise<void> {
    if (collection.kind === "app") return;
    const world = this.#world;
    const random = this.#random;
    if (collection.items.size < mostItems / 4 && random.chance(0.6)) return;
    const item = targetOf(this.#random, collection);
    if (!item) return;
    const ifMatch = random.chance(0.2) ? item.known : undefined;
    const span = { from: collection.epoch.index, to: Infinity };
    const startedAt = world.now();
    item.deletes.add(startedAt);
    item.note(`#${startedAt} ${this.#name} DELETE If-Match ${ifMatch ?? "none"}`);
    const response = await world.send("delete", {
      method: "DELETE",
      path: collection.itemPath(item),
      headers: ifMatch === undefined ? {} : { "If-Match": `"${ifMatch}"` },
      by,
      leaveAfter: leaveAfter(this.#random),
    });
    const now = world.now();
    item.note(
      `#${now} ${this.#name} DELETE of #${startedAt} → ${response === "lost" ? "lost" : response.status}`,
    );
    if (response === "lost" || response.status === 503) {
      item.uncertain = true;
      return;
    }
    if (response.status === 204) {
      if (item.gone !== Infinity) throw item.wrong("was deleted twice");
      item.gone = now;
      return;
    }
    span.to = collection.latest;
    if (response.status !== 404) item.deletes.delete(startedAt);
    checkRejectedPatch(world, collection, item, undefined, response, ifMatch);
  }

  async read(collection: Collection, by: Credential): Promise<void> {
    const world = this.#world;
    const item = targetOf(this.#random, collection);
    if (!item) return;
    const startedAt = world.now();
    const span = { from: collection.epoch.index, to: Infinity };
    const knownVersion = this.#random.chance(0.3) ? item.known : undefined;
    const response = await world.send("read", {
      method: "GET",
      path: collection.itemPath(item, this.#random.chance(0.3)),
      headers: knownVersion === undefined ? {} : { "If-None-Match": `"${knownVersion}"` },
      by,
    });
    if (response === "lost" || response.status === 503) return;
    span.to = collection.latest;
    if (response.status === 304) {
      const minVersion = Math.max(
        0,
        ...item.acks.filter(({ at }) => at < startedAt).map((ack) => ack.version),
      );
      if (knownVersion === undefined || knownVersion < minVersion)
        throw item.wrong(`304 for version ${knownVersion} after ${minVersion}`);
      return;
    }
    if (response.status === 404) {
      handleNotFound(world, item, response);
      return;
    }
    if (response.status !== 200) throw unexpected(`Reading ${item.id}`, response);
    collection.observe(response.body, startedAt, span, world.now());
  }
}

/** Records the 201 response to a create. */
export function createdBy(
  collection: Collection,
  create: Create,
  response: Answer,
  startedAt: number,
  now: number,
): void {
  const { body } = response;
  if (body.version !== 1)
    throw unexpected("A create answers with another version than 1", response);
  // A replay shows the original item, and newer versions may have been observed since.
  const item = collection.observe(
    body,
    response.headers.has("Idempotent-Replayed") ? 0 : startedAt,
    { from: create.write.span.from, to: collection.latest },
    now,
  );
  if (create.item !== item) throw item.wrong("is the answer to a create of something else");
  create.write.version = 1;
  if (response.headers.get("ETag") !== body.etag) throw item.wrong("another ETag than etag");
  if (create.key !== undefined) {
    const { key, write } = create;
    collection.replays.push({ key, by: write.by, body: create.body, text: response.text });
    if (collection.replays.length > 60) collection.replays.shift();
  }
}

function unchangedData(collection: Collection, item: Item): Record<string, unknown> {
  const fields = collection.definition.fields.filter(
    ({ type, name }) => type !== "computed" && item.values[name] !== undefined,
  );
  return Object.fromEntries(fields.map(({ key, name }) => [key, item.values[name]]));
}

function handleNotFound(world: World, item: Item, response: Answer): void {
  if (item.deleting === Infinity) throw item.wrong(`${response.status}, and nobody deleted it`);
  world.claim(`${item.id} was said to be gone`, item, () => item.gone !== Infinity);
}

function checkRejectedPatch(
  world: World,
  collection: Collection,
  item: Item,
  write: Write | undefined,
  response: Answer,
  ifMatch: number | undefined,
): void {
  const { status, body } = response;
  if (status === 404) {
    handleNotFound(world, item, response);
    return;
  }
  if (status === 412) {
    if (ifMatch === undefined || body.current_etag === `"${ifMatch}"`) {
      throw item.wrong(`412 ${response.text} with If-Match of ${ifMatch}`);
    }
    return;
  }
  if (body.code === "submission_closed") {
    world.claim(
      "was said to be closed",
      item,
      () => item.gone !== Infinity || item.status === "closed",
    );
    return;
  }
  checkRejected(world, collection, item, write, response, false);
}

/** The service may reject a write only for another item's unique value or because of a definition change. */
function checkRejected(
  world: World,
  collection: Collection,
  item: Item | undefined,
  write: Write | undefined,
  response: Answer,
  isRetry: boolean,
): void {
  const { status, body } = response;
  if (
    status === 422 &&
    write &&
    (isRetry || collection.possible({ ...write.span, to: collection.latest }).length > 1)
  )
    return;
  if (status !== 409 || body.code !== "duplicate" || !write) {
    throw (
      item?.wrong(`${status} ${response.text}`) ??
      unexpected(`Writing ${JSON.stringify(write)}`, response)
    );
  }
  const name = collection.names.get(body.field);
  const holder = collection.items.get(body.id);
  if (name === undefined) throw unexpected("A duplicate of no field", response);
  const field = collection.epochs
    .flatMap(({ definition }) => definition.fields)
    .find((candidate) => candidate.name === name);
  const sentValue = write.data[body.field];
  const value =
    sentValue === undefined || !field
      ? undefined
      : storedValue(field, collection.definition.zone, sentValue);
  world.claim(`${body.id} was said to have ${body.field} ${JSON.stringify(value)}`, item, () => {
    const holderItem = holder ?? collection.items.get(body.id) ?? collection.gone.get(body.id);
    if (!holderItem || holderItem === item) return false;
    return (
      value === undefined ||
      [...holderItem.states.values()]
        .flat()
        .some((state) => state.status !== "draft" && isDeepStrictEqual(state.values[name], value))
    );
  });
}
