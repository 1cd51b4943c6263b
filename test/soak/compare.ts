import { isDeepStrictEqual } from "node:util";
import { matches, sorted } from "../search/reference.ts";
import { explain } from "./chain.ts";
import { waitUntilSettled } from "./defining.ts";
import { withComputed, rowTypes, valueType } from "./definition.ts";
import type { Values } from "./formulas.ts";
import { Difference, type Collection, type Item, type State } from "./model.ts";
import type { Random } from "./random.ts";
import { randomSearch, searchTypes, type Search } from "./values.ts";
import { withPlaceSort } from "./walking.ts";
import { pause, unexpected, type World } from "./world.ts";
import { createdBy } from "./writing.ts";

type Json = Values[string];

/** Compares all stored items with the model while no traffic runs. */
export async function compareAll(world: World, valuesPerField: number): Promise<void> {
  // The service may still process requests whose callers disconnected.
  await pause(700);
  await Promise.all(
    world.collections.map((collection) => new Comparison(world, collection).items()),
  );
  for (const { what: description, holds } of world.claims.splice(0)) {
    if (!holds()) throw new Difference(`It was not so: ${description}`);
    world.figures.count("refusals proved");
  }
  await Promise.all(
    world.collections.map(async (collection) => {
      const comparison = new Comparison(world, collection);
      comparison.begin();
      await comparison.searches(valuesPerField);
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

  get #credential() {
    return this.#random.pick(this.#world.credentials);
  }

  /** Resolves lost responses, reads every item and explains its versions. */
  async items(): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    await waitUntilSettled(collection, this.#credential, async (kind, options) =>
      world.ask(kind, options),
    );
    await this.#repeatCreates();
    const listedItems = await this.#listItems();
    this.#resolveDeletes(new Set(listedItems));
    for (const create of collection.creates.values()) {
      if (!create.item && !create.over) world.figures.count("lost creates that were not stored");
    }
    collection.creates.clear();
    for (const item of collection.items.values()) this.#explain(item);
    this.#inStoredOrder(listedItems);
    this.#unique(listedItems);
    world.figures.count("items compared", listedItems.length);
  }

  async #repeatCreates(): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    for (const create of collection.creates.values()) {
      if (create.item || create.over || create.key === undefined) continue;
      const by = world.credentials.find(({ actor }) => actor === create.write.by);
      if (!by) throw new Error(`Nobody is ${create.write.by}.`);
      const startedAt = world.now();
      const response = await world.ask("create again", {
        method: "POST",
        path: collection.path,
        body: create.body,
        headers: { "Idempotency-Key": create.key },
        by,
      });
      if (response === "lost") throw new Difference("A create was lost while nothing was killed");
      if (response.status === 201) {
        createdBy(collection, create, response, startedAt, world.now());
        const stored = response.headers.has("Idempotent-Replayed");
        world.figures.count(
          `lost creates ${stored ? "that were stored" : "made by repeating them"}`,
        );
      } else if ([409, 422].includes(response.status)) {
        create.over = true;
        world.figures.count("lost creates that were not stored");
      } else {
        throw unexpected(`Repeating ${JSON.stringify(create.body)}`, response);
      }
    }
  }

  async #pages(path: string, body?: object): Promise<Json[]> {
    const items: Json[] = [];
    for (let nextPath: string | null = path; nextPath !== null;) {
      const response = await this.#world.ask("compare", {
        method: body ? "POST" : "GET",
        path: nextPath,
        body,
        by: this.#credential,
      });
      if (response === "lost" || response.status !== 200) {
        throw response === "lost"
          ? new Difference(path)
          : unexpected(`${path} ${JSON.stringify(body)}`, response);
      }
      items.push(...response.body.items);
      nextPath = response.body.links.next as string | null;
    }
    return items;
  }

  async #listItems(): Promise<Item[]> {
    const [world, collection] = [this.#world, this.#collection];
    const { index } = collection.epoch;
    const startedAt = world.now();
    const listedItems = (await this.#pages(`${collection.path}?limit=200`)).map((document) => {
      const item = collection.observe(document, startedAt, { from: index, to: index }, world.now());
      if (document.version !== item.known)
        throw item.wrong(`is listed at version ${document.version}, not ${item.known}`);
      return item;
    });
    if (new Set(listedItems).size < listedItems.length)
      throw new Difference(`${collection.key} lists an item twice`);
    listedItems.forEach((item, position) => (item.place = position + 1));
    return listedItems;
  }

  #resolveDeletes(listedItems: ReadonlySet<Item>): void {
    const [world, collection] = [this.#world, this.#collection];
    for (const item of collection.items.values()) {
      if (listedItems.has(item)) {
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
    const lostCount = item.writes.filter(
      ({ version, kind }) => version === null && kind === "patch",
    ).length;
    const isStored = item.gone === Infinity;
    const isRight = ({ values }: State) =>
      !isStored || isDeepStrictEqual(withComputed(collection.definition, values), values);
    const explanations = explain(collection, item, item.known, isRight);
    const unstoredCount = Math.min(...explanations.map((explanation) => explanation.lost.length));
    figures.count("lost changes that were stored", lostCount - Math.min(unstoredCount, lostCount));
    figures.count("lost changes that were not stored", Math.min(unstoredCount, lostCount));
  }

  #inStoredOrder(listedItems: readonly Item[]): void {
    const { kind, prefix, key } = this.#collection;
    if (kind === "form") return;
    const receipts = listedItems.map(({ receipt }) => receipt);
    const expected = listedItems.map((_, index) => prefix + String(index + 1).padStart(6, "0"));
    if (!isDeepStrictEqual(receipts, expected)) {
      const index = receipts.findIndex((receipt, position) => receipt !== expected[position]);
      throw new Difference(
        `${key}: the receipt number ${receipts[index]} stands where ${expected[index]} should`,
      );
    }
  }

  #unique(listedItems: readonly Item[]): void {
    for (const { name, unique } of this.#collection.definition.fields) {
      const holders = new Map<string, Item>();
      for (const item of unique ? listedItems : []) {
        const value = item.values[name] ?? null;
        if (value === null || item.status === "draft") continue;
        const holder = holders.get(JSON.stringify(value));
        if (holder) throw item.wrong(`has the unique ${name} ${value} of ${holder.id}`);
        holders.set(JSON.stringify(value), item);
      }
    }
  }

  /** Makes the compared state the base of the next traffic. */
  begin(): void {
    const [world, collection] = [this.#world, this.#collection];
    const now = world.now();
    for (const item of collection.items.values()) {
      const states = item.states.get(item.known);
      const [state] = states ?? [];
      const observed = item.seen.get(item.known);
      if (item.gone !== Infinity) {
        collection.items.delete(item.id);
        collection.gone.set(item.id, item);
      } else if (states && state && observed) {
        item.base = { version: item.known, states, epoch: collection.epoch.index };
        item.values = { ...state.values };
        item.seen = new Map([[item.known, observed]]);
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

  /** Expects every search to return the same items as the reference, in the same order. */
  async searches(valuesPerField: number): Promise<void> {
    const collection = this.#collection;
    const random = this.#random;
    const items = [...collection.items.values()].toSorted(
      (a, b) => (a.place ?? 0) - (b.place ?? 0),
    );
    const documents = items.map((item) => collection.document(item));
    const values = (name: string) => items.map((item) => item.values[name] ?? null);
    const searches: Search[] = [];
    const addSearch = (conditions: Json[], ...sort: Search["sort"]) =>
      searches.push({ conditions, sort });
    for (const field of collection.definition.fields) {
      if (!field.searchable) continue;
      const { key, name } = field;
      const type = valueType(field);
      addSearch([{ field: key, op: "is_empty", value: true }]);
      if (type === "multi_select") {
        for (const value of ["red", "green", "blue"])
          addSearch([{ field: key, op: "has_any", value: [value] }]);
        continue;
      }
      if (type === "line_items") {
        for (const condition of this.#ofRows(values(name).flat())) {
          addSearch([{ field: key, op: "any", value: [condition] }]);
        }
        continue;
      }
      const existing = [...new Set(values(name).filter((value) => value !== null))];
      const sort = { field: key, direction: random.pick(["asc", "desc"]) };
      addSearch([], sort);
      if (existing.length === 0) continue;
      if (type !== "boolean")
        addSearch([{ field: key, op: "in", value: existing.slice(0, 100) }], sort);
      for (const value of random.some(existing, valuesPerField))
        addSearch([{ field: key, op: "eq", value }]);
    }
    for (let remaining = valuesPerField * 4; remaining > 0; remaining -= 1) {
      const knownValues = ({ name }: { name: string }) => random.some(values(name), 6, 0);
      searches.push(randomSearch(random, collection.kind, collection.definition, knownValues));
    }
    for (const search of searches) await this.#search(search, documents);
  }

  #ofRows(rows: readonly Json[]): Json[] {
    return Object.entries(rowTypes).flatMap(([name, type]) => {
      const existing = rows.map((row) => row?.[name] ?? null).filter((value) => value !== null);
      if (existing.length === 0) return [];
      const value = this.#random.pick(existing);
      if (type !== "multi_select") return [{ field: name, op: "eq", value }];
      return value.length > 0 ? [{ field: name, op: "has_all", value }] : [];
    });
  }

  async #search(search: Search, documents: readonly Json[]): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    const types = searchTypes(collection.definition);
    const limit = this.#random.chance(0.2) ? this.#random.int(11, 40) : 200;
    const results = await this.#pages(`${collection.path}/search?limit=${limit}`, search);
    const expected = sorted(
      documents.filter((document) => matches(document, search.conditions, types)),
      withPlaceSort(search.sort),
      types,
    );
    const [actualIds, expectedIds] = [results, expected].map((list) =>
      list.map(({ id }) => id as string),
    );
    if (!isDeepStrictEqual(actualIds, expectedIds))
      throw searchDifference(collection, search, limit, actualIds ?? [], expectedIds ?? []);
    const now = world.now();
    const { index } = collection.epoch;
    for (const document of results)
      collection.observe(document, now - 1, { from: index, to: index }, now);
    world.figures.count("searches compared with everything");
  }

  /** Expects 409 `duplicate` with the holder's ID for a create with an existing unique value. */
  async uniqueValues(): Promise<void> {
    const [world, collection] = [this.#world, this.#collection];
    for (const { key, name, unique } of collection.definition.fields) {
      if (!unique) continue;
      const holders = [...collection.items.values()].filter(
        (item) => item.status !== "draft" && (item.values[name] ?? null) !== null,
      );
      for (const item of this.#random.some(holders, 2, 0)) {
        const title = collection.field("title")?.key ?? "title";
        const response = await world.ask("create with a taken value", {
          method: "POST",
          path: collection.path,
          body: { data: { ref: "taken", [title]: "x", [key]: item.values[name] } },
          by: this.#credential,
        });
        if (response === "lost") throw new Difference("A create was lost while nothing was killed");
        const { code, field, id } = response.body;
        if (code !== "duplicate" || field !== key || id !== item.id) {
          throw item.wrong(
            `has ${key} ${item.values[name]}, and another that wants it gets ${response.text}`,
          );
        }
      }
    }
  }
}

function searchDifference(
  collection: Collection,
  search: Search,
  limit: number,
  actualIds: readonly string[],
  expectedIds: readonly string[],
): Difference {
  const firstDifference = expectedIds.findIndex((id, index) => id !== actualIds[index]);
  const position = firstDifference === -1 ? expectedIds.length : firstDifference;
  const summary = `${collection.key}: ${JSON.stringify(search)} by ${limit} finds ${actualIds.length}, not ${expectedIds.length}`;
  const descriptions = [actualIds[position], expectedIds[position]].map((id) => {
    const item = id === undefined ? undefined : collection.items.get(id);
    return item ? item.wrong(JSON.stringify(collection.document(item))).message : id;
  });
  return new Difference(
    `${summary}; at ${position} it has\n${descriptions[0]}\nand should have\n${descriptions[1]}`,
  );
}
