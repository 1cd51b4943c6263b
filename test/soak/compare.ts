import { isDeepStrictEqual } from "node:util";
import { matches, sorted } from "../search/reference.ts";
import { explain } from "./chain.ts";
import { settled } from "./defining.ts";
import { computed, rowTypes, valueType } from "./definition.ts";
import type { Values } from "./formulas.ts";
import { Difference, type Collection, type Item, type State } from "./model.ts";
import type { Random } from "./random.ts";
import { randomSearch, searchTypes, type Search } from "./values.ts";
import { placed } from "./walking.ts";
import { pause, unexpected, type World } from "./world.ts";
import { createdBy } from "./writing.ts";

type Json = Values[string];

/** Compares everything that is stored with the model, while no traffic runs. */
export async function compareAll(world: World, thorough: number): Promise<void> {
  // Whoever left before the answer may still have work under way.
  await pause(700);
  await Promise.all(world.collections.map((each) => new Comparison(world, each).items()));
  for (const { what, holds } of world.claims.splice(0)) {
    if (!holds()) throw new Difference(`It was not so: ${what}`);
    world.figures.count("refusals proved");
  }
  await Promise.all(
    world.collections.map(async (each) => {
      const comparison = new Comparison(world, each);
      comparison.begin();
      await comparison.searches(thorough);
      await comparison.uniqueValues();
    }),
  );
}

class Comparison {
  readonly #world: World;
  readonly #collection: Collection;
  readonly #random: Random;

  constructor(world: World, collection: Collection) {
    this.#world = world;
    this.#collection = collection;
    this.#random = world.random.fork();
  }

  get #by() {
    return this.#random.pick(this.#world.credentials);
  }

  /** Lost answers are resolved, every item is read, and each is explained. */
  async items(): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    await settled(collection, this.#by, async (kind, options) => world.ask(kind, options));
    await this.#repeatCreates();
    const listed = await this.#listed();
    this.#resolveDeletes(new Set(listed));
    for (const create of collection.creates.values()) {
      if (!create.item && !create.over) world.figures.count("lost creates that were not stored");
    }
    collection.creates.clear();
    for (const item of collection.items.values()) this.#explain(item);
    this.#inStoredOrder(listed);
    this.#unique(listed);
    world.figures.count("items compared", listed.length);
  }

  async #repeatCreates(): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    for (const create of collection.creates.values()) {
      if (create.item || create.over || create.key === undefined) continue;
      const by = world.credentials.find(({ actor }) => actor === create.write.by);
      if (!by) throw new Error(`Nobody is ${create.write.by}.`);
      const began = world.now();
      const answer = await world.ask("create again", {
        method: "POST",
        path: collection.path,
        body: create.body,
        headers: { "Idempotency-Key": create.key },
        by,
      });
      if (answer === "lost") throw new Difference("A create was lost while nothing was killed");
      if (answer.status === 201) {
        createdBy(collection, create, answer, began, world.now());
        const stored = answer.headers.has("Idempotent-Replayed");
        world.figures.count(
          `lost creates ${stored ? "that were stored" : "made by repeating them"}`,
        );
      } else if ([409, 422].includes(answer.status)) {
        create.over = true;
        world.figures.count("lost creates that were not stored");
      } else {
        throw unexpected(`Repeating ${JSON.stringify(create.body)}`, answer);
      }
    }
  }

  async #pages(path: string, body?: object): Promise<Json[]> {
    const items: Json[] = [];
    for (let next: string | null = path; next !== null;) {
      const answer = await this.#world.ask("compare", {
        method: body ? "POST" : "GET",
        path: next,
        body,
        by: this.#by,
      });
      if (answer === "lost" || answer.status !== 200) {
        throw answer === "lost"
          ? new Difference(path)
          : unexpected(`${path} ${JSON.stringify(body)}`, answer);
      }
      items.push(...answer.body.items);
      next = answer.body.links.next as string | null;
    }
    return items;
  }

  async #listed(): Promise<Item[]> {
    const [world, collection] = [this.#world, this.#collection];
    const { index } = collection.epoch;
    const began = world.now();
    const listed = (await this.#pages(`${collection.path}?limit=200`)).map((document) => {
      const item = collection.observe(document, began, { from: index, to: index }, world.now());
      if (document.version !== item.known)
        throw item.wrong(`is listed at version ${document.version}, not ${item.known}`);
      return item;
    });
    if (new Set(listed).size < listed.length)
      throw new Difference(`${collection.key} lists an item twice`);
    listed.forEach((item, place) => (item.place = place + 1));
    return listed;
  }

  #resolveDeletes(listed: ReadonlySet<Item>): void {
    const [world, collection] = [this.#world, this.#collection];
    for (const item of collection.items.values()) {
      if (listed.has(item)) {
        if (item.deletes.size > 0) world.figures.count("lost deletes that were not done");
        item.deletes.clear();
      } else if (item.gone === Infinity) {
        if (item.deletes.size === 0) throw item.wrong("is gone, and nobody deleted it");
        world.figures.count("lost deletes that were done");
        item.gone = world.now();
      }
    }
  }

  #explain(item: Item): void {
    const [{ figures }, collection] = [this.#world, this.#collection];
    const lost = item.writes.filter(
      ({ version, kind }) => version === null && kind === "patch",
    ).length;
    const there = item.gone === Infinity;
    const isRight = ({ values }: State) =>
      !there || isDeepStrictEqual(computed(collection.definition, values), values);
    const ways = explain(collection, item, item.known, isRight);
    const undone = Math.min(...ways.map((way) => way.lost.length));
    figures.count("lost changes that were stored", lost - Math.min(undone, lost));
    figures.count("lost changes that were not stored", Math.min(undone, lost));
  }

  #inStoredOrder(listed: readonly Item[]): void {
    const { kind, prefix, key } = this.#collection;
    if (kind === "form") return;
    const receipts = listed.map(({ receipt }) => receipt);
    const expected = listed.map((_, index) => prefix + String(index + 1).padStart(6, "0"));
    if (!isDeepStrictEqual(receipts, expected)) {
      const index = receipts.findIndex((receipt, at) => receipt !== expected[at]);
      throw new Difference(
        `${key}: the receipt number ${receipts[index]} stands where ${expected[index]} should`,
      );
    }
  }

  #unique(listed: readonly Item[]): void {
    for (const { name, unique } of this.#collection.definition.fields) {
      const holders = new Map<string, Item>();
      for (const item of unique ? listed : []) {
        const value = item.values[name] ?? null;
        if (value === null || item.status === "draft") continue;
        const other = holders.get(JSON.stringify(value));
        if (other) throw item.wrong(`has the unique ${name} ${value} of ${other.id}`);
        holders.set(JSON.stringify(value), item);
      }
    }
  }

  /** What was compared is where the next traffic begins. */
  begin(): void {
    const [world, collection] = [this.#world, this.#collection];
    const now = world.now();
    for (const item of collection.items.values()) {
      const states = item.states.get(item.known);
      const [state] = states ?? [];
      const seen = item.seen.get(item.known);
      if (item.gone !== Infinity) {
        collection.items.delete(item.id);
        collection.gone.set(item.id, item);
      } else if (states && state && seen) {
        item.base = { version: item.known, states, epoch: collection.epoch.index };
        item.values = { ...state.values };
        item.seen = new Map([[item.known, seen]]);
        item.acks = [{ at: now, version: item.known }];
        item.observed = now;
      }
      item.writes = [];
      item.states.clear();
      item.uncertain = false;
    }
    collection.changing = false;
    collection.indexing = false;
    collection.recalculating = false;
    collection.recalculated = now - 1;
  }

  /** Every search finds exactly what the reference finds, in its order. */
  async searches(thorough: number): Promise<void> {
    const collection = this.#collection;
    const random = this.#random;
    const items = [...collection.items.values()].toSorted(
      (a, b) => (a.place ?? 0) - (b.place ?? 0),
    );
    const documents = items.map((item) => collection.document(item));
    const values = (name: string) => items.map((item) => item.values[name] ?? null);
    const searches: Search[] = [];
    const seek = (conditions: Json[], ...sort: Search["sort"]) =>
      searches.push({ conditions, sort });
    for (const field of collection.definition.fields) {
      if (!field.searchable) continue;
      const { key, name } = field;
      const type = valueType(field);
      seek([{ field: key, op: "is_empty", value: true }]);
      if (type === "multi_select") {
        for (const value of ["red", "green", "blue"])
          seek([{ field: key, op: "has_any", value: [value] }]);
        continue;
      }
      if (type === "line_items") {
        for (const condition of this.#ofRows(values(name).flat())) {
          seek([{ field: key, op: "any", value: [condition] }]);
        }
        continue;
      }
      const has = [...new Set(values(name).filter((value) => value !== null))];
      const sort = { field: key, direction: random.pick(["asc", "desc"]) };
      seek([], sort);
      if (has.length === 0) continue;
      if (type !== "boolean") seek([{ field: key, op: "in", value: has.slice(0, 100) }], sort);
      for (const value of random.some(has, thorough)) seek([{ field: key, op: "eq", value }]);
    }
    for (let left = thorough * 4; left > 0; left -= 1) {
      const known = ({ name }: { name: string }) => random.some(values(name), 6, 0);
      searches.push(randomSearch(random, collection.kind, collection.definition, known));
    }
    for (const search of searches) await this.#search(search, documents);
  }

  #ofRows(rows: readonly Json[]): Json[] {
    return Object.entries(rowTypes).flatMap(([name, type]) => {
      const has = rows.map((row) => row?.[name] ?? null).filter((value) => value !== null);
      if (has.length === 0) return [];
      const value = this.#random.pick(has);
      if (type !== "multi_select") return [{ field: name, op: "eq", value }];
      return value.length > 0 ? [{ field: name, op: "has_all", value }] : [];
    });
  }

  async #search(search: Search, documents: readonly Json[]): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    const types = searchTypes(collection.definition);
    const limit = this.#random.chance(0.2) ? this.#random.int(11, 40) : 200;
    const found = await this.#pages(`${collection.path}/search?limit=${limit}`, search);
    const expected = sorted(
      documents.filter((document) => matches(document, search.conditions, types)),
      placed(search.sort),
      types,
    );
    const [has, should] = [found, expected].map((each) => each.map(({ id }) => id as string));
    if (!isDeepStrictEqual(has, should))
      throw otherFound(collection, search, limit, has ?? [], should ?? []);
    const now = world.now();
    const { index } = collection.epoch;
    for (const document of found)
      collection.observe(document, now - 1, { from: index, to: index }, now);
    world.figures.count("searches compared with everything");
  }

  /** A value that is held is refused to others, who are told who has it. */
  async uniqueValues(): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    for (const { key, name, unique } of collection.definition.fields) {
      if (!unique) continue;
      const holders = [...collection.items.values()].filter(
        (item) => item.status !== "draft" && (item.values[name] ?? null) !== null,
      );
      for (const item of this.#random.some(holders, 2, 0)) {
        const title = collection.field("title")?.key ?? "title";
        const answer = await world.ask("create with a taken value", {
          method: "POST",
          path: collection.path,
          body: { data: { ref: "taken", [title]: "x", [key]: item.values[name] } },
          by: this.#by,
        });
        if (answer === "lost") throw new Difference("A create was lost while nothing was killed");
        const { code, field, id } = answer.body;
        if (code !== "duplicate" || field !== key || id !== item.id) {
          throw item.wrong(
            `has ${key} ${item.values[name]}, and another that wants it is told ${answer.text}`,
          );
        }
      }
    }
  }
}

function otherFound(
  collection: Collection,
  search: Search,
  limit: number,
  has: readonly string[],
  should: readonly string[],
): Difference {
  const at = should.findIndex((id, index) => id !== has[index]);
  const place = at === -1 ? should.length : at;
  const what = `${collection.key}: ${JSON.stringify(search)} by ${limit} finds ${has.length}, not ${should.length}`;
  const wrong = [has[place], should[place]].map((id) => {
    const item = id === undefined ? undefined : collection.items.get(id);
    return item ? item.wrong(JSON.stringify(collection.document(item))).message : id;
  });
  return new Difference(`${what}; at ${place} it has\n${wrong[0]}\nand should have\n${wrong[1]}`);
}
