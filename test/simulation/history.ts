import { isDeepStrictEqual } from "node:util";
import type { Commit } from "./platform/database.ts";
import { collections, seatCount } from "./definitions.ts";
import { type Json, type World } from "./world.ts";

const sequencesPerCollection = 2 ** 32;

export type Values = Record<string, unknown>;
export type CollectionKey = (typeof collections)[number]["key"];

/** An item between two commits. */
export interface State {
  /** The number of the commit that made it, among all commits of the database. */
  from: number;
  /** The number of the commit that replaced it. */
  until: number;
  version: number;
  values: Values;
  status: string | null;
  isDeleted: boolean;
}

export interface Item {
  id: string;
  collection: CollectionKey;
  /** Its place in stored order. */
  number: number;
  states: State[];
}

export interface Change {
  number: number;
  id: string;
  version: number;
  action: string;
  actor: string;
  commit: number;
  at: number;
}

/** What one operation of a request may do to an item. Returns what is wrong with a change. */
export type Effect = (before: State | undefined, after: State, change: Change) => string | null;

/** A write that a client has sent. A commit names it by its request. */
export interface Write {
  request: string;
  description: string;
  actor: string;
  collection: CollectionKey;
  /** One per operation. Each change of the commit must be one of them. */
  effects: Effect[];
  /** Shared by all attempts with one Idempotency-Key, of which only one may be committed. */
  once: { commit: number | null };
  commit: number | null;
  isRefused: boolean;
}

/** The true history of the stored items, taken from each commit, and the judge of all that clients observe. */
export class History {
  readonly errors: string[] = [];
  readonly items = new Map<string, Item>();
  readonly changes = new Map<CollectionKey, Change[]>(collections.map(({ key }) => [key, []]));
  readonly writes = new Map<string, Write>();
  /** How many items a collection has had, by commit. */
  readonly counts = new Map<CollectionKey, { from: number; count: number }[]>(
    collections.map(({ key }) => [key, [{ from: 0, count: 0 }]]),
  );
  readonly #world: World;
  readonly #collections: { id: number; key: CollectionKey; names: Map<string, string> }[];
  readonly #codes = new Map<string, Set<string>>();
  readonly #created = new Map<CollectionKey, number>();
  /** Every version that was ever committed, also in a time that a restore has undone. */
  readonly #everCommitted = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    const rows = world.db.select<{ id: number; key: CollectionKey; fields: string }>(
      "select id, key, fields from collection order by id",
    );
    this.#collections = rows.map(({ id, key, fields }) => ({
      id,
      key,
      names: new Map(JSON.parse(fields).fields.map((field: Json) => [String(field.id), field.key])),
    }));
    world.db.onCommit = (commit) => this.#observe(commit);
  }

  wrong(message: string): void {
    if (this.errors.length > 20) return;
    this.errors.push(message);
    this.#world.scheduler.note(`WRONG ${message}`);
  }

  #observe(commit: Commit): void {
    if (!commit.writes.some(({ sql }) => sql.includes('into "change"'))) return;
    for (const collection of this.#collections) {
      const known = this.changes.get(collection.key) ?? [];
      const last = known.at(-1)?.number ?? collection.id * sequencesPerCollection;
      const rows = this.#world.db.select<Json>(
        `select c.number, c.item_id as id, c.version, c.action, c.actor, c.item, c.sent_request_id as request,
            i.data, i.status, i.version as stored, i.receipt_number as receipt,
            i.definition_version as validated, (select version from collection where id = ${collection.id}) as defined
          from change c left join item i on i.number = c.item where c.number > ? and c.number < ? order by c.number`,
        last,
        (collection.id + 1) * sequencesPerCollection,
      );
      const written = new Map<Write, number>();
      for (const row of rows) this.#observeChange(collection, row, commit, written, known);
    }
  }

  #observeChange(
    { key, names }: { key: CollectionKey; names: Map<string, string> },
    row: Json,
    { version: number, at }: Commit,
    written: Map<Write, number>,
    known: Change[],
  ): void {
    const { id, version, action, actor } = row as Change;
    const change: Change = { number: row.number, id, version, action, actor, commit: number, at };
    known.push(change);
    const item: Item = this.items.get(id) ?? { id, collection: key, number: row.item, states: [] };
    this.items.set(id, item);
    const before = item.states.at(-1);
    const isDeleted = action.endsWith(".delete");
    const after: State = {
      from: number,
      until: Infinity,
      version,
      values: isDeleted ? {} : valuesOf(row.data, names),
      status: row.status ?? null,
      isDeleted,
    };
    if (before) before.until = number;
    item.states.push(after);
    this.#everCommitted.add(`${id} ${version}`);
    this.#count(key, action, number);
    this.#checkRules(item, before, after, row, key);
    const write = this.writes.get(row.request);
    if (!write) {
      if (!action.endsWith(".recalculate"))
        this.wrong(`${id} was changed by nobody: ${action}, request ${row.request}`);
      return;
    }
    this.#attribute(write, change, before, after, written, row.stored === version || isDeleted);
  }

  #count(key: CollectionKey, action: string, from: number): void {
    const counts = this.counts.get(key) ?? [];
    const count = counts.at(-1)?.count ?? 0;
    if (action.endsWith(".create")) counts.push({ from, count: count + 1 });
    if (action.endsWith(".delete")) counts.push({ from, count: count - 1 });
    if (key === "seats" && count >= seatCount && action.endsWith(".create")) {
      this.wrong(`seats has more submissions than max_submissions allows`);
    }
  }

  #checkRules(
    item: Item,
    before: State | undefined,
    after: State,
    row: Json,
    key: CollectionKey,
  ): void {
    const lowest = Math.max(1, this.#world.timeline.restores * 2 ** 20);
    const expected = Math.max((before?.version ?? 0) + 1, lowest);
    if (after.version !== expected && !(after.isDeleted && after.version === before?.version)) {
      this.wrong(`${item.id} went from version ${before?.version ?? 0} to ${after.version}`);
    }
    if (row.stored === after.version && row.validated !== row.defined) {
      this.wrong(
        `${item.id} was checked by definition ${row.validated}, but ${row.defined} was in force`,
      );
    }
    if (!before) {
      const place = (this.#created.get(key) ?? 0) + 1;
      this.#created.set(key, place);
      const receipt = key === "parcels" ? `P-${String(place).padStart(6, "0")}` : null;
      if (
        !after.isDeleted &&
        row.receipt !== undefined &&
        row.stored !== null &&
        row.receipt !== receipt
      ) {
        this.wrong(`${item.id} has the receipt number ${row.receipt}, not ${receipt}`);
      }
    }
    const release = before && codeOf(before);
    if (release) this.#codes.get(`${key} ${release}`)?.delete(item.id);
    const code = codeOf(after);
    if (!code) return;
    const holders = this.#codes.get(`${key} ${code}`) ?? new Set();
    this.#codes.set(`${key} ${code}`, holders.add(item.id));
    if (holders.size > 1)
      this.wrong(`${[...holders].join(" and ")} of ${key} have the same code ${code}`);
  }

  #attribute(
    write: Write,
    change: Change,
    before: State | undefined,
    after: State,
    written: Map<Write, number>,
    isComplete: boolean,
  ): void {
    const what = `${write.request} (${write.description})`;
    if (write.commit !== null && write.commit !== change.commit)
      this.wrong(`${what} was committed twice`);
    if (write.isRefused) this.wrong(`${what} was committed after it had been refused`);
    const { once } = write;
    if (once.commit !== null && once.commit !== change.commit) {
      this.wrong(`${what} was committed again, though its key was used`);
    }
    write.commit = change.commit;
    once.commit = change.commit;
    if (change.actor !== write.actor) this.wrong(`${what} was stored for ${change.actor}`);
    written.set(write, (written.get(write) ?? 0) + 1);
    if (!isComplete) return;
    const problems = write.effects.map((effect) => effect(before, after, change));
    if (!problems.includes(null)) {
      this.wrong(
        `${what} made ${change.id} version ${after.version} wrongly: ${problems.join("; ")}`,
      );
    }
  }

  wasCommitted(id: string, version: number): boolean {
    return this.#everCommitted.has(`${id} ${version}`);
  }

  /** The database goes back to a commit: everything after it never happened. */
  restore(commit: number): void {
    for (const [id, item] of this.items) {
      item.states = item.states.filter(({ from }) => from <= commit);
      const last = item.states.at(-1);
      if (last) last.until = Infinity;
      else this.items.delete(id);
    }
    for (const { key } of collections) {
      const kept = (this.changes.get(key) ?? []).filter((change) => change.commit <= commit);
      this.changes.set(key, kept);
      this.counts.set(
        key,
        (this.counts.get(key) ?? []).filter(({ from }) => from <= commit),
      );
      this.#created.set(key, kept.filter(({ action }) => action.endsWith(".create")).length);
    }
    this.#codes.clear();
    for (const { id, collection, states } of this.items.values()) {
      const state = states.at(-1);
      const code = state && codeOf(state);
      if (code) this.#codes.set(`${collection} ${code}`, new Set([id]));
    }
    for (const write of this.writes.values()) {
      if ((write.commit ?? 0) > commit) write.commit = null;
      if ((write.once.commit ?? 0) > commit) write.once.commit = null;
    }
  }

  /** What clients need to judge a response: the states that an item had between two commits. */
  states(id: string, from: number, until: number): State[] {
    return (this.items.get(id)?.states ?? []).filter(
      (state) => state.from <= until && state.until > from,
    );
  }

  itemsOf(collection: CollectionKey): Item[] {
    return [...this.items.values()].filter((item) => item.collection === collection);
  }

  /** Live items, the newest last. */
  live(collection: CollectionKey): Item[] {
    return this.itemsOf(collection).filter(({ states }) => states.at(-1)?.isDeleted === false);
  }

  /** Whether another item had the code at any time between two commits. */
  hadCode(
    collection: CollectionKey,
    code: unknown,
    from: number,
    until: number,
    except?: string,
  ): boolean {
    return this.itemsOf(collection).some(
      ({ id }) =>
        id !== except && this.states(id, from, until).some((state) => codeOf(state) === code),
    );
  }

  /** Finds the committed state that a representation shows. */
  match(document: Json, what: string): State | undefined {
    const item = this.items.get(document.id);
    const state = item?.states.find(
      ({ version, isDeleted }) => version === document.version && !isDeleted,
    );
    if (!state) {
      this.wrong(
        `${what} shows ${document.id} at version ${document.version}, which was never committed`,
      );
      return undefined;
    }
    if (document.data && !isDeepStrictEqual(normalize(document.data), state.values)) {
      this.wrong(
        `${what} shows ${document.id} with ${JSON.stringify(document.data)}, stored is ${JSON.stringify(state.values)}`,
      );
    }
    if ((document.status ?? null) !== state.status) {
      this.wrong(`${what} shows ${document.id} as ${document.status}, stored is ${state.status}`);
    }
    return state;
  }
}

export const codeOf = ({ values, status, isDeleted }: State): string | undefined =>
  isDeleted || status === "draft" ? undefined : (values["code"] as string | undefined);

function valuesOf(data: string | null, names: Map<string, string>): Values {
  const stored = JSON.parse(data ?? "{}") as Record<string, unknown>;
  const values: Values = {};
  for (const [slot, value] of Object.entries(stored)) values[names.get(slot) ?? slot] = value;
  return normalize(values);
}

/** Values without empty ones, in the order of their keys. */
export function normalize(values: Values): Values {
  const filled = Object.entries(values).filter(([key, value]) => value !== null && key !== "extra");
  return Object.fromEntries(filled.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
