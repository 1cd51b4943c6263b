import { matches, sorted } from "../search/reference.ts";
import { recalculates, type Field } from "./definition.ts";
import type { Values } from "./formulas.ts";
import { Difference, type Collection, type Item, type Span } from "./model.ts";
import type { Random } from "./random.ts";
import { randomSearch, searchTypes, type Search } from "./values.ts";
import { unexpected, type Credential, type World } from "./world.ts";

type Json = Values[string];

/** All pages of a list or search. */
interface WalkResult {
  startedAt: number;
  span: Span;
  items: Item[];
  /** The documents of the items, in the same order. */
  documents: Json[];
}

/** Lists and searches while other actors write. Every unchanged item must appear exactly once, at its position. */
export class Walker {
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  async list(
    collection: Collection,
    by: Credential,
    limit = this.#random.int(5, 80),
  ): Promise<void> {
    const walk = await this.#readPages("list", collection, by, `${collection.path}?limit=${limit}`);
    if (walk) this.#checkList(collection, walk, `a list of ${limit} each`);
  }

  async download(collection: Collection, by: Credential): Promise<void> {
    const startedAt = this.#world.now();
    const span = { from: collection.epoch.index, to: Infinity };
    const response = await this.#world.send("download", {
      method: "GET",
      path: collection.path,
      headers: { Accept: "application/x-ndjson" },
      by,
    });
    if (response === "lost" || response.status === 503) return;
    if (response.status !== 200) throw unexpected("A download", response);
    const documents = response.text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
    const items = this.#observe(collection, documents, startedAt, span);
    this.#checkList(collection, { startedAt, span, items, documents }, "a download");
  }

  async search(collection: Collection, by: Credential): Promise<void> {
    const random = this.#random;
    const allItems = [...collection.items.values()];
    const knownValues = ({ name }: Field) =>
      random.some(allItems, 6, 0).map((item) => item.values[name] ?? null);
    const search = randomSearch(random, collection.kind, collection.definition, knownValues);
    // Large limits give few pages, so that the search ends before the definition changes.
    const limit = random.int(8, 100);
    const walk = await this.#readPages(
      "search",
      collection,
      by,
      `${collection.path}/search?limit=${limit}`,
      search,
    );
    if (walk) this.#checkSearch(collection, walk, search, limit);
  }

  async #readPages(
    kind: string,
    collection: Collection,
    by: Credential,
    path: string,
    body?: object,
  ): Promise<WalkResult | undefined> {
    const startedAt = this.#world.now();
    const span = { from: collection.epoch.index, to: Infinity };
    const walk: WalkResult = { startedAt, span, items: [], documents: [] };
    for (let nextPath: string | null = path; nextPath !== null;) {
      const requestedAt = this.#world.now();
      const indexing = collection.indexing;
      const response = await this.#world.send(kind, {
        method: body ? "POST" : "GET",
        path: nextPath,
        body,
        by,
      });
      if (response === "lost" || response.status === 503) return undefined;
      const hasNewDefinition = () =>
        collection.possible({ from: span.from, to: collection.latest }).length > 1;
      if (response.status === 409 && response.body.code === "indexing") {
        if (!(Number(response.headers.get("Retry-After")) > 0))
          throw unexpected("No Retry-After", response);
        if (!indexing && !collection.indexing && !hasNewDefinition())
          throw unexpected("Nothing is indexed", response);
        return undefined;
      }
      if (response.status === 422 && hasNewDefinition()) return undefined;
      if (response.status !== 200) throw unexpected(`${kind} ${JSON.stringify(body)}`, response);
      const documents = response.body.items as Json[];
      walk.items.push(...this.#observe(collection, documents, requestedAt, span));
      walk.documents.push(...documents);
      nextPath = response.body.links.next as string | null;
    }
    return walk;
  }

  #observe(collection: Collection, documents: Json[], startedAt: number, span: Span): Item[] {
    const now = this.#world.now();
    const currentSpan = { from: span.from, to: collection.latest };
    return documents.map((document) => collection.observe(document, startedAt, currentSpan, now));
  }

  #checkList(collection: Collection, { startedAt, items }: WalkResult, description: string): void {
    const listed = new Set(items);
    if (listed.size < items.length) throw repeatedError(items, description);
    for (const item of collection.items.values()) {
      const isStable = item.since < startedAt && item.deleting === Infinity;
      if (isStable && !listed.has(item))
        throw item.wrong(`is missing in ${description} begun at #${startedAt}`);
    }
    const positions = items.flatMap(({ place }) => (place === null ? [] : [place]));
    const wrongIndex = positions.findIndex(
      (position, index) => index > 0 && position <= (positions[index - 1] ?? 0),
    );
    if (wrongIndex > 0)
      throw new Difference(`${description} is not in stored order: ${positions.join()}`);
    this.#world.figures.count("lists compared while others wrote");
  }

  #checkSearch(collection: Collection, walk: WalkResult, search: Search, limit: number): void {
    const { startedAt, span, items } = walk;
    const [firstSort] = search.sort;
    const description = `a search ${JSON.stringify(search)} of ${limit} each, begun at #${startedAt}`;
    const isStableSort =
      firstSort === undefined ||
      ["$id", "$receipt_number", "$created_at"].includes(firstSort.field);
    if (isStableSort && search.sort.length < 2 && new Set(items).size < items.length)
      throw repeatedError(items, description);
    const isRecalculated = collection
      .possible({ from: span.from, to: collection.latest })
      .some((epoch, index, epochs) => {
        const previous = epochs[index - 1];
        return previous !== undefined && recalculates(previous.definition, epoch.definition);
      });
    if (isRecalculated || collection.recalculating || collection.recalculated > startedAt) return;
    const keys = new Set(collection.definition.fields.map(({ key }) => key));
    if (!fieldsOf(search).every((key) => key.startsWith("$") || keys.has(key))) return;
    const types = searchTypes(collection.definition);
    const isUnchanged = (item: Item) =>
      item.since < startedAt &&
      item.deleting === Infinity &&
      item.busy === 0 &&
      item.touched < startedAt &&
      !item.uncertain &&
      item.observed > collection.recalculated;
    const counts = new Map<Item, number>();
    for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
    let compared = 0;
    for (const item of collection.items.values()) {
      if (!isUnchanged(item)) continue;
      const expected = matches(collection.document(item), search.conditions, types) ? 1 : 0;
      const count = counts.get(item) ?? 0;
      compared += 1;
      if (count !== expected) {
        const document = JSON.stringify(collection.document(item));
        throw item.wrong(
          `is ${count} times and not ${expected} in ${description}; it is ${document}`,
        );
      }
    }
    assertOrder(collection, items.filter(isUnchanged), search, types, description);
    this.#world.figures.count("searches compared while others wrote");
    this.#world.figures.count("  items judged in them", compared);
  }
}

function repeatedError(items: readonly Item[], description: string): Difference {
  const repeatedItem = items.find((item, index) => items.indexOf(item) < index);
  return repeatedItem?.wrong(`is repeated in ${description}`) ?? new Difference(description);
}

function fieldsOf(search: Search): string[] {
  const conditionFields = (condition: Json): string[] => {
    if (typeof condition.field === "string") return [condition.field];
    return [condition.all ?? condition.any ?? condition.not].flat().flatMap(conditionFields);
  };
  return [...search.conditions.flatMap(conditionFields), ...search.sort.map(({ field }) => field)];
}

/** Fields that the service must sort in stored order. */
const inStoredOrder = ["$receipt_number", "$id"];

/** Converts a sort for the reference, which sorts by `$place` for stored order. */
export function withPlaceSort(sort: Search["sort"]): Search["sort"] {
  return sort.map(({ field, direction }) => ({
    field: inStoredOrder.includes(field) ? "$place" : field,
    direction,
  }));
}

/** Expects unchanged neighbours in the order of the reference, if their positions are known. */
function assertOrder(
  collection: Collection,
  items: readonly Item[],
  search: Search,
  types: Json,
  description: string,
): void {
  const sort = withPlaceSort(search.sort);
  const byPlace = sort.length === 0 || sort.some(({ field }) => field === "$place");
  for (const [index, item] of items.entries()) {
    const previous = items[index - 1];
    if (!previous) continue;
    const isUnplaced = item.place === null || previous.place === null;
    if (isUnplaced && byPlace) continue;
    const [previousDocument, document] = [collection.document(previous), collection.document(item)];
    const [firstSorted] = sorted([previousDocument, document], sort, types);
    const [firstReversed] = sorted([document, previousDocument], sort, types);
    // Without a tie, the sort keys decide, and the order of the input does not matter.
    const firstStored = (previous.place ?? 0) < (item.place ?? 0) ? previousDocument : document;
    const isTie = firstSorted !== firstReversed;
    if (
      isTie
        ? !isUnplaced && sort.length > 0 && firstStored !== previousDocument
        : firstSorted !== previousDocument
    ) {
      throw item.wrong(
        `stands after ${previous.id} in ${description}\n  ${JSON.stringify(previousDocument)}\n  ${JSON.stringify(document)}`,
      );
    }
    if (sort.length === 0 && !isUnplaced && firstStored === previousDocument) {
      throw item.wrong(`stands after the older ${previous.id} in ${description}`);
    }
  }
}
