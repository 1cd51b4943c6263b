import { isDeepStrictEqual } from "node:util";
import { firstDefinition, type Definition, type Field } from "./definition.ts";
import type { Values } from "./formulas.ts";

type Json = Values[string];

/** The first difference between the service and the model. */
export class Difference extends Error {}

/** A definition in the history of a collection. It begins, and then takes effect (`holds`) or fails (`void`). */
export interface Epoch {
  index: number;
  version: number;
  definition: Definition;
  /** The keys of `data`, in order. */
  keys: string;
  state: "begun" | "holds" | "void";
}

/** The range of definitions that may have been in effect for a request. */
export interface Span {
  from: number;
  to: number;
}

/** A create or PATCH that was stored, or whose response was lost. */
export interface Write {
  kind: "create" | "patch";
  by: string;
  span: Span;
  /** The sent values by key. */
  data: Values;
  status: string | undefined;
  /** The version in the response, or null if the response was lost. */
  version: number | null;
}

export interface State {
  values: Values;
  status: string | null;
}

/** The observed state of one version of an item. */
export interface Seen {
  /** Values by name. Undefined fields are absent and empty fields are null. */
  values: Values;
  status: string | null;
  updatedAt: string;
  updatedBy: string;
}

export class Item {
  readonly id: string;
  readonly ref: string;
  readonly receipt: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
  /** The time at which the model first knew of the item. */
  readonly since: number;
  /** The possible states at the last comparison. Null for an item that was created since. */
  base: { version: number; states: State[]; epoch: number } | null = null;
  seen = new Map<number, Seen>();
  writes: Write[] = [];
  /** The latest observed version. `acks` holds the times of responses with versions. */
  known = 0;
  acks: { at: number; version: number }[] = [];
  /** The number of running writes. `touched` is the time at which a write last began or ended. */
  busy = 0;
  touched: number;
  /** Whether a response was lost. The next comparison finds the current state. */
  uncertain = false;
  /** The times of deletions that may have succeeded. `gone` is the time of a successful response. */
  readonly deletes = new Set<number>();
  gone = Infinity;
  /** Its position in stored order, if known. */
  place: number | null = null;
  /** The last known value of each field. */
  values: Values = {};
  status: string | null = null;
  updatedAt = "";
  updatedBy = "";
  /** The time at which all of its fields were last observed. */
  observed = 0;
  /** The possible states since the last comparison, by version. */
  states = new Map<number, State[]>();
  readonly operations: string[] = [];

  constructor(document: Json, now: number) {
    this.id = document.id;
    this.ref = document.data.ref;
    this.receipt = document.receipt_number ?? null;
    this.createdAt = document.created_at;
    this.createdBy = document.created_by;
    this.since = now;
    this.touched = now;
  }

  /** The time of the first deletion request. */
  get deleting(): number {
    return Math.min(Infinity, ...this.deletes);
  }

  note(operation: string): void {
    this.operations.push(operation);
    if (this.operations.length > 25) this.operations.shift();
  }

  wrong(problem: string): Difference {
    const lines = [
      `${this.id} (${this.ref}): ${problem}`,
      "Its last operations:",
      ...this.operations,
    ];
    return new Difference(lines.join("\n  "));
  }
}

/** A create request. */
export interface Create {
  ref: string;
  key: string | undefined;
  body: Json;
  write: Write;
  item: Item | undefined;
  /** Whether the create can no longer succeed. */
  over: boolean;
}

export class Collection {
  readonly kind: "app" | "form";
  readonly key: string;
  readonly path: string;
  readonly definitionPath: string;
  readonly prefix: string;
  epochs: Epoch[] = [];
  /** The field names by current and former keys. */
  readonly names = new Map<string, string>();
  readonly items = new Map<string, Item>();
  readonly byReceipt = new Map<string, Item>();
  readonly creates = new Map<string, Create>();
  readonly gone = new Map<string, Item>();
  /** First responses to creates with keys, for later replays. */
  readonly replays: { key: string; by: string; body: Json; text: string }[] = [];
  /** Whether a change of the definition is running. */
  changing = false;
  /** Whether index entries may be incomplete. */
  indexing = false;
  /** Whether a recalculation may run. `recalculated` is the time of the last one. */
  recalculating = false;
  recalculated = 0;

  constructor(kind: "app" | "form", key: string, zone: string) {
    this.kind = kind;
    this.key = key;
    this.path = kind === "app" ? `/apps/${key}/records` : `/forms/${key}/submissions`;
    this.definitionPath = `/${kind}s/${key}/schema`;
    this.prefix = kind === "app" ? `${key.toUpperCase()}-` : "";
    this.begin(firstDefinition(zone), 1);
  }

  begin(definition: Definition, version: number): Epoch {
    for (const { key, name } of definition.fields) this.names.set(key, name);
    const keys = definition.fields.map(({ key }) => key).join();
    const index = this.epochs.length;
    const epoch: Epoch = { index, version, definition, keys, state: "begun" };
    this.epochs.push(epoch);
    return epoch;
  }

  /** The definition that is known to be in effect. */
  get epoch(): Epoch {
    const current = this.epochs.findLast(({ state }) => state === "holds");
    if (!current) throw new Error(`${this.key} is not defined yet.`);
    return current;
  }

  get definition(): Definition {
    return this.epoch.definition;
  }

  /** The path to read, change and delete an item. */
  itemPath(item: Item, byReceipt = false): string {
    if (this.kind === "form") return `/submissions/${item.id}`;
    return `${this.path}/${byReceipt ? item.receipt : item.id}`;
  }

  /** The index of the latest definition that may be in effect. */
  get latest(): number {
    return this.epochs.length - 1;
  }

  possible({ from, to }: Span): Epoch[] {
    return this.epochs
      .slice(from, to === Infinity ? undefined : to + 1)
      .filter(({ state }) => state !== "void");
  }

  field(name: string): Field | undefined {
    return this.definition.fields.find((field) => field.name === name);
  }

  /**
   * Records an item in the response to a request that started at `startedAt`. The item must include all writes that were
   * acknowledged earlier, and must match earlier observations of the same version.
   */
  observe(document: Json, startedAt: number, span: Span, now: number): Item {
    const item = this.#itemOf(document, now);
    const { version } = document;
    const wrongHere = (problem: string) =>
      item.wrong(`${problem}\n  seen: ${JSON.stringify(document)}`);
    if (item.gone < startedAt) throw wrongHere("is shown, but was deleted");
    if (document.etag !== `"${version}"`) throw wrongHere("has another etag than its version");
    const minVersion = Math.max(
      0,
      ...item.acks.filter(({ at }) => at < startedAt).map((ack) => ack.version),
    );
    if (version < minVersion)
      throw wrongHere(`is shown at version ${version} after ${minVersion} was answered`);
    if (document.created_at !== item.createdAt || document.created_by !== item.createdBy) {
      throw wrongHere("has another creation");
    }
    const keys = Object.keys(document.data).join();
    if (!this.possible(span).some((epoch) => epoch.keys === keys)) {
      const expected = this.possible(span).map((epoch) => epoch.keys);
      throw wrongHere(`has fields of no definition that could hold: ${expected.join(" or ")}`);
    }
    const observed = this.#seenOf(document);
    const earlier = item.seen.get(version);
    if (earlier) {
      const { values, ...earlierRest } = earlier;
      const { values: newValues, ...newRest } = observed;
      const differingName = Object.keys(newValues).find(
        (name) => name in values && !isDeepStrictEqual(values[name], newValues[name]),
      );
      if (differingName !== undefined || !isDeepStrictEqual(earlierRest, newRest)) {
        throw wrongHere(
          `version ${version} is two things (${differingName ?? "status or stamps"}), before ${JSON.stringify(earlier)}`,
        );
      }
      Object.assign(values, newValues);
    } else {
      item.seen.set(version, observed);
    }
    if (version >= item.known) {
      if (version > item.known)
        item.note(`#${now} seen at version ${version} by ${observed.updatedBy}`);
      item.known = version;
      item.status = observed.status;
      item.updatedAt = observed.updatedAt;
      item.updatedBy = observed.updatedBy;
      Object.assign(item.values, observed.values);
      item.observed = startedAt;
    }
    item.acks.push({ at: now, version });
    if (item.acks.length > 12) item.acks.splice(0, 4);
    return item;
  }

  #itemOf(document: Json, now: number): Item {
    const existing = this.items.get(document.id) ?? this.gone.get(document.id);
    if (existing) return existing;
    const item = new Item(document, now);
    const create = this.creates.get(item.ref);
    if (!create) throw item.wrong(`nobody made it: ${JSON.stringify(document)}`);
    if (create.item) {
      throw item.wrong(
        `was made twice; the other is ${create.item.id}: ${JSON.stringify(document)}`,
      );
    }
    if (create.over) throw item.wrong("was made by a create that was refused");
    create.item = item;
    item.writes.push(create.write);
    item.note(`created: ${JSON.stringify(create.body)} key ${create.key ?? "none"}`);
    this.items.set(item.id, item);
    if (item.receipt !== null) {
      const holder = this.byReceipt.get(item.receipt);
      if (holder) throw item.wrong(`has the receipt number ${item.receipt} of ${holder.id}`);
      this.byReceipt.set(item.receipt, item);
      item.place = Number(item.receipt.slice(this.prefix.length));
    }
    return item;
  }

  #seenOf(document: Json): Seen {
    const values: Values = {};
    for (const [key, value] of Object.entries(document.data as Values)) {
      const name = this.names.get(key);
      if (name === undefined) throw new Difference(`${document.id} has a field ${key} of nobody`);
      values[name] = Array.isArray(value) && value.length === 0 ? null : value;
    }
    return {
      values,
      status: document.status ?? null,
      updatedAt: document.updated_at,
      updatedBy: document.updated_by,
    };
  }

  /** Returns an item in the form of the search reference, under the current definition. */
  document(item: Item): Json {
    const lists = ["multi_select", "line_items"];
    const data = this.definition.fields.map(({ name, key, type }) => [
      key,
      item.values[name] ?? (lists.includes(type) ? [] : null),
    ]);
    return {
      id: item.id,
      status: item.status,
      receipt_number: item.receipt,
      created_at: item.createdAt,
      updated_at: item.updatedAt,
      place: item.place,
      data: Object.fromEntries(data),
    };
  }
}
