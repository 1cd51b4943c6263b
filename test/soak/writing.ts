import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../../src/dev/caller.ts";
import type { Collection, Create, Item, Write } from "./model.ts";
import type { Random } from "./random.ts";
import { newData, someData, storedValue } from "./values.ts";
import { unexpected, type Credential, type World } from "./world.ts";

const leaves = 0.04;
export const mostItems = 220;

/** Some callers go away: after how many milliseconds. */
export const leaveAfter = (random: Random) =>
  random.chance(leaves) ? random.int(1, 60) : undefined;

/** An item that may be written to; often one that others write to as well. */
export function targetOf(random: Random, collection: Collection): Item | undefined {
  const all = [...collection.items.values()].filter(({ deleting }) => deleting === Infinity);
  if (all.length === 0) return undefined;
  return random.pick(random.chance(0.5) ? all.slice(-4) : all);
}

/** Writes to items, and what their answers say. */
export class Writer {
  readonly #world: World;
  readonly #random: Random;
  #made = 0;
  readonly #name: string;

  constructor(world: World, random: Random, name: string) {
    this.#world = world;
    this.#random = random;
    this.#name = name;
  }

  async create(collection: Collection, by: Credential): Promise<void> {
    if (collection.items.size >= mostItems) return this.change(collection, by);
    const random = this.#random;
    this.#made += 1;
    const ref = `${this.#name}-${this.#made}`;
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
    for (let tries = 0; tries < 5; tries += 1) {
      const began = this.#world.now();
      const headers: Record<string, string> = create.key ? { "Idempotency-Key": create.key } : {};
      const answer = await this.#world.send(tries === 0 ? "create" : "create again", {
        method: "POST",
        path: collection.path,
        body: create.body,
        headers,
        by,
        leaveAfter: tries === 0 ? leaveAfter(this.#random) : undefined,
      });
      if (answer !== "lost" && answer.status !== 503) {
        this.#created(collection, create, answer, began, tries > 0);
        return;
      }
      if (create.key === undefined) return;
    }
  }

  #created(
    collection: Collection,
    create: Create,
    answer: Answer,
    began: number,
    again: boolean,
  ): void {
    const now = this.#world.now();
    create.write.span.to = collection.latest;
    if (answer.status === 201) {
      if (again) this.#world.figures.count("creates repeated with their key");
      createdBy(collection, create, answer, began, now);
      return;
    }
    refused(this.#world, collection, undefined, create.write, answer, again);
    // A create that was lost before may have been stored even so; one that is refused now was not.
    create.over = true;
  }

  /** The same key again: the first answer, whatever happened since. */
  async replay(collection: Collection): Promise<void> {
    const random = this.#random;
    if (collection.replays.length === 0) return;
    const first = random.pick(collection.replays);
    const by = this.#world.credentials.find(({ actor }) => actor === first.by);
    if (!by) throw new Error(`Nobody is ${first.by}.`);
    const other = random.chance(0.2);
    const answer = await this.#world.send("replay", {
      method: "POST",
      path: collection.path,
      body: other ? { data: { ref: "another body", title: "x" } } : first.body,
      headers: { "Idempotency-Key": first.key },
      by,
    });
    if (answer === "lost" || answer.status === 503) return;
    const said = ["Idempotent-Replayed", "Idempotency-Key-Mismatch"].map((name) =>
      answer.headers.get(name),
    );
    if (answer.status !== 201 || answer.text !== first.text || said[0] !== "true") {
      throw unexpected(
        `The key ${first.key} replays (${said[0]}) another answer than ${first.text}`,
        answer,
      );
    }
    if (said[1] !== (other ? "true" : null))
      throw unexpected(`Idempotency-Key-Mismatch: ${said[1]}`, answer);
  }

  async change(collection: Collection, by: Credential): Promise<void> {
    const random = this.#random;
    const item = targetOf(this.#random, collection);
    if (!item) return;
    const { definition } = collection;
    const data = random.chance(0.05) ? same(collection, item) : someData(random, definition);
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
    const began = world.now();
    item.note(
      `#${began} ${this.#name} PATCH ${JSON.stringify(body)} If-Match ${ifMatch ?? "none"}`,
    );
    item.busy += 1;
    item.touched = began;
    try {
      const answer = await world.send("change", {
        method: "PATCH",
        path: collection.itemPath(item, random.chance(0.3)),
        body,
        headers: ifMatch === undefined ? {} : { "If-Match": `"${ifMatch}"` },
        by,
        leaveAfter: leaveAfter(this.#random),
      });
      const now = world.now();
      if (answer === "lost" || answer.status === 503) {
        item.note(`#${now} ${this.#name} PATCH of #${began} lost`);
        item.uncertain = true;
        item.writes.push(write);
        return;
      }
      write.span.to = collection.latest;
      item.note(
        `#${now} ${this.#name} PATCH of #${began} → ${answer.status} ${answer.body.etag ?? answer.body.code}`,
      );
      if (answer.status !== 200) {
        refusedPatch(world, collection, item, write, answer, ifMatch);
        return;
      }
      const { version } = answer.body;
      write.version = version;
      item.writes.push(write);
      if (ifMatch !== undefined && version !== ifMatch && version !== ifMatch + 1) {
        throw item.wrong(`was changed to version ${version} with If-Match of ${ifMatch}`);
      }
      if (answer.headers.get("ETag") !== answer.body.etag)
        throw item.wrong("another ETag than etag");
      collection.observe(answer.body, began, write.span, now);
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
    const began = world.now();
    item.deletes.add(began);
    item.note(`#${began} ${this.#name} DELETE If-Match ${ifMatch ?? "none"}`);
    const answer = await world.send("delete", {
      method: "DELETE",
      path: collection.itemPath(item),
      headers: ifMatch === undefined ? {} : { "If-Match": `"${ifMatch}"` },
      by,
      leaveAfter: leaveAfter(this.#random),
    });
    const now = world.now();
    item.note(
      `#${now} ${this.#name} DELETE of #${began} → ${answer === "lost" ? "lost" : answer.status}`,
    );
    if (answer === "lost" || answer.status === 503) {
      item.uncertain = true;
      return;
    }
    if (answer.status === 204) {
      if (item.gone !== Infinity) throw item.wrong("was deleted twice");
      item.gone = now;
      return;
    }
    span.to = collection.latest;
    if (answer.status !== 404) item.deletes.delete(began);
    refusedPatch(world, collection, item, undefined, answer, ifMatch);
  }

  async read(collection: Collection, by: Credential): Promise<void> {
    const world = this.#world;
    const item = targetOf(this.#random, collection);
    if (!item) return;
    const began = world.now();
    const span = { from: collection.epoch.index, to: Infinity };
    const tag = this.#random.chance(0.3) ? item.known : undefined;
    const answer = await world.send("read", {
      method: "GET",
      path: collection.itemPath(item, this.#random.chance(0.3)),
      headers: tag === undefined ? {} : { "If-None-Match": `"${tag}"` },
      by,
    });
    if (answer === "lost" || answer.status === 503) return;
    span.to = collection.latest;
    if (answer.status === 304) {
      const least = Math.max(
        0,
        ...item.acks.filter(({ at }) => at < began).map((ack) => ack.version),
      );
      if (tag === undefined || tag < least)
        throw item.wrong(`304 for version ${tag} after ${least}`);
      return;
    }
    if (answer.status === 404) {
      notThere(world, item, answer);
      return;
    }
    if (answer.status !== 200) throw unexpected(`Reading ${item.id}`, answer);
    collection.observe(answer.body, began, span, world.now());
  }
}

/** A create was answered: it is there, under this id. */
export function createdBy(
  collection: Collection,
  create: Create,
  answer: Answer,
  began: number,
  now: number,
): void {
  const { body } = answer;
  if (body.version !== 1) throw unexpected("A create answers with another version than 1", answer);
  // A replay shows what was, and others may have seen more by now.
  const item = collection.observe(
    body,
    answer.headers.has("Idempotent-Replayed") ? 0 : began,
    { from: create.write.span.from, to: collection.latest },
    now,
  );
  if (create.item !== item) throw item.wrong("is the answer to a create of something else");
  create.write.version = 1;
  if (answer.headers.get("ETag") !== body.etag) throw item.wrong("another ETag than etag");
  if (create.key !== undefined) {
    const { key, write } = create;
    collection.replays.push({ key, by: write.by, body: create.body, text: answer.text });
    if (collection.replays.length > 60) collection.replays.shift();
  }
}

function same(collection: Collection, item: Item): Record<string, unknown> {
  const fields = collection.definition.fields.filter(
    ({ type, name }) => type !== "computed" && item.values[name] !== undefined,
  );
  return Object.fromEntries(fields.map(({ key, name }) => [key, item.values[name]]));
}

function notThere(world: World, item: Item, answer: Answer): void {
  if (item.deleting === Infinity) throw item.wrong(`${answer.status}, and nobody deleted it`);
  world.claim(`${item.id} was said to be gone`, item, () => item.gone !== Infinity);
}

function refusedPatch(
  world: World,
  collection: Collection,
  item: Item,
  write: Write | undefined,
  answer: Answer,
  ifMatch: number | undefined,
): void {
  const { status, body } = answer;
  if (status === 404) {
    notThere(world, item, answer);
    return;
  }
  if (status === 412) {
    if (ifMatch === undefined || body.current_etag === `"${ifMatch}"`) {
      throw item.wrong(`412 ${answer.text} with If-Match of ${ifMatch}`);
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
  refused(world, collection, item, write, answer, false);
}

/** Only a value that somebody else has, or a definition that changes, may refuse what was sent. */
function refused(
  world: World,
  collection: Collection,
  item: Item | undefined,
  write: Write | undefined,
  answer: Answer,
  late: boolean,
): void {
  const { status, body } = answer;
  if (
    status === 422 &&
    write &&
    (late || collection.possible({ ...write.span, to: collection.latest }).length > 1)
  )
    return;
  if (status !== 409 || body.code !== "duplicate" || !write) {
    throw (
      item?.wrong(`${status} ${answer.text}`) ??
      unexpected(`Writing ${JSON.stringify(write)}`, answer)
    );
  }
  const name = collection.names.get(body.field);
  const holder = collection.items.get(body.id);
  if (name === undefined) throw unexpected("A duplicate of no field", answer);
  const field = collection.epochs
    .flatMap(({ definition }) => definition.fields)
    .find((each) => each.name === name);
  const sent = write.data[body.field];
  const value =
    sent === undefined || !field ? undefined : storedValue(field, collection.definition.zone, sent);
  world.claim(`${body.id} was said to have ${body.field} ${JSON.stringify(value)}`, item, () => {
    const had = holder ?? collection.items.get(body.id) ?? collection.gone.get(body.id);
    if (!had || had === item) return false;
    return (
      value === undefined ||
      [...had.states.values()]
        .flat()
        .some((state) => state.status !== "draft" && isDeepStrictEqual(state.values[name], value))
    );
  });
}
