import { isDeepStrictEqual } from "node:util";
import { firstDefinition, type Definition, type Field } from "./definition.ts";
import type { Values } from "./formulas.ts";

type Json = Values[string];

/** The first wrong thing that was seen. */
export class Difference extends Error {}

/** One definition in the course of a collection. It is begun, and then holds or came to nothing. */
export interface Epoch {
  index: number;
  version: number;
  definition: Definition;
  /** The keys of `data` in their order. */
  keys: string;
  state: "begun" | "holds" | "void";
}

/** Which definitions a request can have met. */
export interface Span {
  from: number;
  to: number;
}

/** A create or a PATCH that was stored, or whose answer was lost. */
export interface Write {
  kind: "create" | "patch";
  by: string;
  span: Span;
  /** What was sent, by key. */
  data: Values;
  status: string | undefined;
  /** The version that was answered; null where the answer was lost. */
  version: number | null;
}

export interface State {
  values: Values;
  status: string | null;
}

/** What was seen of one version of an item. */
export interface Seen {
  /** By name; fields that were not defined then are not there, and those that were empty are null. */
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
  /** When its being there was first known. */
  readonly since: number;
  /** What it may have been at the last comparison; null where it was made since. */
  base: { version: number; states: State[]; epoch: number } | null = null;
  seen = new Map<number, Seen>();
  writes: Write[] = [];
  /** The latest version that was seen, and when versions were answered. */
  known = 0;
  acks: { at: number; version: number }[] = [];
  /** Writes under way, and when the last began or ended. */
  busy = 0;
  touched: number;
  /** An answer was lost: what it is now, the next comparison says. */
  uncertain = false;
  /** When deletions that may have been done were asked for, and when one was answered. */
  readonly deletes = new Set<number>();
  gone = Infinity;
  /** Its place in stored order, where that is known. */
  place: number | null = null;
  /** The last known value of each field. */
  values: Values = {};
  status: string | null = null;
  updatedAt = "";
  updatedBy = "";
  /** When all of its fields were last seen. */
  observed = 0;
  /** The states that it may have had since the last comparison, by version. */
  states = new Map<number, State[]>();
  readonly operations: string[] = [];

  constructor(document: Json, at: number) {
    this.id = document.id;
    this.ref = document.data.ref;
    this.receipt = document.receipt_number ?? null;
    this.createdAt = document.created_at;
    this.createdBy = document.created_by;
    this.since = at;
    this.touched = at;
  }

  /** When its deletion was first asked for. */
  get deleting(): number {
    return Math.min(Infinity, ...this.deletes);
  }

  note(operation: string): void {
    this.operations.push(operation);
    if (this.operations.length > 25) this.operations.shift();
  }

  wrong(what: string): Difference {
    const lines = [`${this.id} (${this.ref}): ${what}`, "Its last operations:", ...this.operations];
    return new Difference(lines.join("\n  "));
  }
}

/** A create that was sent. */
export interface Create {
  ref: string;
  key: string | undefined;
  body: Json;
  write: Write;
  item: Item | undefined;
  /** Nothing more can come of it. */
  over: boolean;
}

export class Collection {
  readonly kind: "app" | "form";
  readonly key: string;
  readonly path: string;
  readonly definitionPath: string;
  readonly prefix: string;
  epochs: Epoch[] = [];
  /** The names of fields by every key that they ever had. */
  readonly names = new Map<string, string>();
  readonly items = new Map<string, Item>();
  readonly byReceipt = new Map<string, Item>();
  readonly creates = new Map<string, Create>();
  readonly gone = new Map<string, Item>();
  /** First answers of creates with keys, to be asked for again. */
  readonly replays: { key: string; by: string; body: Json; text: string }[] = [];
  /** Somebody changes the definition. */
  changing = false;
  /** Entries may be unfinished. */
  indexing = false;
  /** Computed values may change by themselves, and when they last could. */
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

  /** The definition that is known to hold. */
  get epoch(): Epoch {
    const holds = this.epochs.findLast(({ state }) => state === "holds");
    if (!holds) throw new Error(`${this.key} is not defined yet.`);
    return holds;
  }

  get definition(): Definition {
    return this.epoch.definition;
  }

  /** Where an item is read, changed and deleted. */
  itemPath(item: Item, byReceipt = false): string {
    if (this.kind === "form") return `/submissions/${item.id}`;
    return `${this.path}/${byReceipt ? item.receipt : item.id}`;
  }

  /** The latest of the definitions that a request may have met by now. */
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
   * Takes in an item as it was shown by a request that began at `began`: nothing that was answered before may be
   * missing, and what is known of this version must be the same.
   */
  observe(document: Json, began: number, span: Span, now: number): Item {
    const item = this.#itemOf(document, now);
    const { version } = document;
    const wrong = (what: string) => item.wrong(`${what}\n  seen: ${JSON.stringify(document)}`);
    if (item.gone < began) throw wrong("is shown, but was deleted");
    if (document.etag !== `"${version}"`) throw wrong("has another etag than its version");
    const least = Math.max(
      0,
      ...item.acks.filter(({ at }) => at < began).map((ack) => ack.version),
    );
    if (version < least) throw wrong(`is shown at version ${version} after ${least} was answered`);
    if (document.created_at !== item.createdAt || document.created_by !== item.createdBy) {
      throw wrong("has another creation");
    }
    const keys = Object.keys(document.data).join();
    if (!this.possible(span).some((epoch) => epoch.keys === keys)) {
      const expected = this.possible(span).map((epoch) => epoch.keys);
      throw wrong(`has fields of no definition that could hold: ${expected.join(" or ")}`);
    }
    const seen = this.#seenOf(document);
    const before = item.seen.get(version);
    if (before) {
      const { values, ...rest } = before;
      const { values: now_, ...others } = seen;
      const differs = Object.keys(now_).find(
        (name) => name in values && !isDeepStrictEqual(values[name], now_[name]),
      );
      if (differs !== undefined || !isDeepStrictEqual(rest, others)) {
        throw wrong(
          `version ${version} is two things (${differs ?? "status or stamps"}), before ${JSON.stringify(before)}`,
        );
      }
      Object.assign(values, now_);
    } else {
      item.seen.set(version, seen);
    }
    if (version >= item.known) {
      if (version > item.known)
        item.note(`#${now} seen at version ${version} by ${seen.updatedBy}`);
      item.known = version;
      item.status = seen.status;
      item.updatedAt = seen.updatedAt;
      item.updatedBy = seen.updatedBy;
      Object.assign(item.values, seen.values);
      item.observed = began;
    }
    item.acks.push({ at: now, version });
    if (item.acks.length > 12) item.acks.splice(0, 4);
    return item;
  }

  #itemOf(document: Json, now: number): Item {
    const known = this.items.get(document.id) ?? this.gone.get(document.id);
    if (known) return known;
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
      const other = this.byReceipt.get(item.receipt);
      if (other) throw item.wrong(`has the receipt number ${item.receipt} of ${other.id}`);
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

  /** An item as the reference of search takes it, by the definition that holds. */
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
