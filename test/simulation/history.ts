import { isDeepStrictEqual } from "node:util";
import type { Commit, SimulatedDatabase } from "./platform/database.ts";
import { findOwners } from "./ownership.ts";
import {
  allCollections,
  kindOf,
  readView,
  retainDays,
  seatCount,
  type CollectionKey,
  type SeenThrough,
} from "./definitions.ts";
import { type Json, type World } from "./world.ts";

const sequencesPerCollection = 2 ** 32;

export type Values = Record<string, unknown>;

/** An item between two commits. */
export interface State {
  /** The number of the commit that created this state, among all commits of the database. */
  from: number;
  /** The number of the commit that replaced this state. */
  until: number;
  version: number;
  values: Values;
  status: string | null;
  isDeleted: boolean;
}

export interface Item {
  id: string;
  collection: CollectionKey;
  /** The position of the item in stored order. */
  number: number;
  createdAt: number;
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
  /** The event that followers of the view of the orders see. Null if they see nothing. */
  seenAs: SeenAs | null;
}

export type SeenAs = "created" | "updated" | "deleted" | "left";

/**
 * The allowed effect of one operation of a request on an item. Returns a description of what is wrong with a change, or
 * null.
 */
export type Effect = (before: State | undefined, after: State, change: Change) => string | null;

/** A write that a client has sent. Commits identify it by its request. */
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

interface ObservedCollection {
  id: number;
  key: CollectionKey;
  names: Map<string, string>;
}

const dayMs = 24 * 60 * 60 * 1000;
/** The maximum difference between the clocks of two places. */
const clockErrorMs = 2000;
/** The state before the first step. */
const beginning: Commit = { version: 0, at: 0, activity: "", writes: [] };

/** The true history of the stored items, recorded from each commit. It judges all observations of clients. */
export class History {
  readonly errors: string[] = [];
  readonly items = new Map<string, Item>();
  readonly changes = new Map<CollectionKey, Change[]>(allCollections.map(({ key }) => [key, []]));
  readonly writes = new Map<string, Write>();
  /** The number of items in a collection, by commit. */
  readonly counts = new Map<CollectionKey, { from: number; count: number }[]>(
    allCollections.map(({ key }) => [key, [{ from: 0, count: 0 }]]),
  );
  /** The orders and fields that the view showed, by commit. */
  views: { from: number; seen: SeenThrough }[] = [];
  /** Whether the polls were deleted, by commit. */
  deletions: { from: number; isDeleted: boolean }[] = [];
  readonly #world: World;
  readonly #collections: ObservedCollection[];
  /** The last change in each database that moves had copied before a restore ended them, by collection. */
  readonly #leftOver = new Map<string, number>();
  readonly #codes = new Map<string, Set<string>>();
  readonly #created = new Map<CollectionKey, number>();
  /** Every version that was ever committed, including times that a restore has undone. */
  readonly #everCommitted = new Set<string>();
  /** The same for changes that followers of the view of the orders saw. */
  readonly #everSeen = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#collections = [...world.databases.values()]
      .flatMap((db) =>
        db.select<{ id: number; key: CollectionKey; fields: string }>(
          "select id, key, fields from collection",
        ),
      )
      .toSorted((a, b) => a.id - b.id)
      .map(({ id, key, fields }) => ({
        id,
        key,
        names: new Map(
          JSON.parse(fields).fields.map((field: Json) => [String(field.id), field.key]),
        ),
      }));
    for (const db of world.databases.values())
      db.onCommit = (commit) => this.#observe(db, { ...commit, version: world.moment });
    this.#observeDefinitions(0);
    const owners = findOwners(world);
    for (const db of world.databases.values())
      for (const [collection, rows] of this.#findChanges(db))
        if (owners.get(collection.id) === db) this.#observeItems(collection, rows, beginning);
  }

  /** Returns the current database of a collection. */
  databaseOf(key: CollectionKey): SimulatedDatabase {
    const id = this.#collections.find((collection) => collection.key === key)?.id ?? 0;
    return findOwners(this.#world).get(id) ?? this.#world.home;
  }

  wrong(message: string): void {
    if (this.errors.length > 20) return;
    this.errors.push(message);
    this.#world.scheduler.note(`WRONG ${message}`);
  }

  #observe(db: SimulatedDatabase, commit: Commit): void {
    if (commit.writes.some(({ sql }) => /(update|into) "collection"/.test(sql.text)))
      this.#observeDefinitions(commit.version);
    if (!commit.writes.some(({ sql }) => sql.text.includes('into "change"'))) return;
    const changed = this.#findChanges(db);
    if (changed.size === 0) return;
    const owners = findOwners(this.#world);
    for (const [collection, rows] of changed) {
      if (owners.get(collection.id) === db) this.#observeItems(collection, rows, commit);
      else if (rows.some((row) => !this.#isLeftOver(db, row)))
        this.wrong(`${commit.activity} changed ${collection.key} in a database that lacks it`);
    }
  }

  #observeDefinitions(from: number): void {
    const [view] = this.databaseOf("orders").select<{ name: string }>(
      "select views ->> '$[0].name' as name from collection where key = 'orders'",
    );
    if (!view) return;
    this.views.push({ from, seen: readView(view.name) });
    const hidden = this.databaseOf("polls").select("select 1 from collection where key = '~polls'");
    this.deletions.push({ from, isDeleted: hidden.length > 0 });
  }

  #observeItems(collection: ObservedCollection, rows: readonly Json[], commit: Commit): void {
    const written = new Map<Write, number>();
    for (const row of rows) this.#observeChange(collection, row, commit, written);
  }

  /** Returns the changes in a database that are newer than all known changes of their collection. */
  #findChanges(db: SimulatedDatabase): Map<ObservedCollection, Json[]> {
    const ranges = this.#collections.map(({ id, key }) => {
      const last = this.changes.get(key)?.at(-1)?.number ?? id * sequencesPerCollection;
      return [id, last, (id + 1) * sequencesPerCollection];
    });
    const rows = db.select<Json>(
      `select c.number, c.item_id as id, c.version, c.action, c.actor, c.item, c.sent_request_id as request,
          i.data, i.status, i.created_at as createdAt, i.version as stored, i.receipt_number as receipt,
          i.definition_version as validated, (select version from collection where id = r.value ->> 0) as defined
        from json_each(?) r cross join change c on c.number > r.value ->> 1 and c.number < r.value ->> 2
          left join item i on i.number = c.item
        order by c.number`,
      JSON.stringify(ranges),
    );
    return Map.groupBy(rows, ({ number }) => {
      const id = Math.floor(number / sequencesPerCollection);
      return this.#collections.find((collection) => collection.id === id) as ObservedCollection;
    });
  }

  /** Records rows that a move had copied. They may be newer than the rows of the restored source. */
  #observeLeftOver(): void {
    for (const db of this.#world.databases.values())
      for (const [{ id }, rows] of this.#findChanges(db))
        this.#leftOver.set(`${db.name} ${id}`, rows.at(-1)?.number);
  }

  #isLeftOver(db: SimulatedDatabase, { number }: Json): boolean {
    const collectionId = Math.floor(number / sequencesPerCollection);
    return number <= (this.#leftOver.get(`${db.name} ${collectionId}`) ?? 0);
  }

  #observeChange(
    { key, names }: ObservedCollection,
    row: Json,
    { version: number, at }: Commit,
    written: Map<Write, number>,
  ): void {
    const { id, version, action, actor } = row as Change;
    const item: Item = this.items.get(id) ?? {
      id,
      collection: key,
      number: row.item,
      createdAt: row.createdAt,
      states: [],
    };
    this.items.set(id, item);
    const before = item.states.at(-1);
    const isDeleted = isDeletion(action);
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
    const seenAs =
      key === "orders" ? seenThrough(this.viewAt(number), action, before, after) : null;
    const known = { number: row.number, id, version, action, actor };
    const change: Change = { ...known, commit: number, at, seenAs };
    this.changes.get(key)?.push(change);
    this.#everCommitted.add(`${id} ${version}`);
    if (seenAs) this.#everSeen.add(`${id} ${version} ${seenAs}`);
    this.#count(key, action, number);
    this.#checkRules(item, before, after, row, key);
    if (number === 0) return;
    const write = this.writes.get(row.request);
    if (!write) {
      if (key === "diary" && action === "submission.erase" && actor === "system")
        this.#judgeExpiry(item, before, at);
      else if (!action.endsWith(".recalculate"))
        this.wrong(`${id} was changed by nobody: ${action}, request ${row.request}`);
      return;
    }
    this.#attribute(write, change, before, after, written, row.stored === version || isDeleted);
  }

  #judgeExpiry({ id, createdAt }: Item, before: State | undefined, at: number): void {
    if (before?.status !== "closed")
      this.wrong(`${id} was erased, though it was ${before?.status}`);
    const early = createdAt + retainDays * dayMs - at;
    if (early > clockErrorMs) this.wrong(`${id} was erased ${early} ms too early`);
  }

  #count(key: CollectionKey, action: string, from: number): void {
    const counts = this.counts.get(key) ?? [];
    const count = counts.at(-1)?.count ?? 0;
    if (action.endsWith(".create")) counts.push({ from, count: count + 1 });
    if (isDeletion(action)) counts.push({ from, count: count - 1 });
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
      const receipt = receiptOf(key, place);
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

  /** Whether followers of the view of the orders ever saw this change. */
  wasSeen(id: string, version: number, type: string): boolean {
    return this.#everSeen.has(`${id} ${version} ${type}`);
  }

  /** Restores the database of these collections to a commit, as if nothing had happened after it. */
  restore(commit: number, keys: ReadonlySet<CollectionKey>): void {
    for (const [id, item] of this.items) {
      if (!keys.has(item.collection)) continue;
      item.states = item.states.filter(({ from }) => from <= commit);
      const last = item.states.at(-1);
      if (last) last.until = Infinity;
      else this.items.delete(id);
    }
    if (keys.has("orders")) this.views = this.views.filter(({ from }) => from <= commit);
    if (keys.has("polls")) this.deletions = this.deletions.filter(({ from }) => from <= commit);
    for (const key of keys) {
      const kept = (this.changes.get(key) ?? []).filter((change) => change.commit <= commit);
      this.changes.set(key, kept);
      this.counts.set(
        key,
        (this.counts.get(key) ?? []).filter(({ from }) => from <= commit),
      );
      this.#created.set(key, kept.filter(({ action }) => action.endsWith(".create")).length);
    }
    this.#observeLeftOver();
    this.#codes.clear();
    for (const { id, collection, states } of this.items.values()) {
      const state = states.at(-1);
      const code = state && codeOf(state);
      if (code) this.#codes.set(`${collection} ${code}`, new Set([id]));
    }
    for (const write of this.writes.values()) {
      if (!keys.has(write.collection)) continue;
      if ((write.commit ?? 0) > commit) write.commit = null;
      if ((write.once.commit ?? 0) > commit) write.once.commit = null;
    }
  }

  /** Returns the states that an item had between two commits, with which clients judge a response. */
  states(id: string, from: number, until: number): State[] {
    return (this.items.get(id)?.states ?? []).filter(
      (state) => state.from <= until && state.until > from,
    );
  }

  viewAt(moment: number): SeenThrough {
    const last = this.views.findLast(({ from }) => from <= moment);
    return last?.seen ?? { kinds: [], fields: [] };
  }

  /** Returns the states of the view of the orders from one moment to another. */
  viewsBetween(from: number, until: number): SeenThrough[] {
    const later = this.views.filter((view) => view.from > from && view.from <= until);
    return [this.viewAt(from), ...later.map(({ seen }) => seen)];
  }

  /** Returns the commits after the first and up to the second one that changed the view of the orders. */
  viewChanges(after: number, until: number, isChange = isOtherView): number[] {
    return this.views.flatMap(({ from, seen }, index) => {
      const former = this.views[index - 1]?.seen;
      const isBetween = from > after && from <= until;
      return former && isBetween && isChange(former, seen) ? [from] : [];
    });
  }

  /** Whether a condition on an item and the view was true at any time between two commits. */
  wasEver(
    id: string,
    from: number,
    until: number,
    condition: (state: State | undefined, seen: SeenThrough) => boolean,
  ): boolean {
    const item = this.items.get(id);
    const turns = [...turnsOf(item ? [item] : []), ...this.views.map((view) => view.from)];
    return momentsBetween(from, until, turns).some((moment) =>
      condition(this.stateAt(id, moment), this.viewAt(moment)),
    );
  }

  /** Whether the polls were deleted, or not deleted, at any time between two commits. */
  hadPolls(isDeleted: boolean, from: number, until: number): boolean {
    return this.deletions.some(
      (deletion, index) =>
        deletion.isDeleted === isDeleted &&
        deletion.from <= until &&
        (this.deletions[index + 1]?.from ?? Infinity) > from,
    );
  }

  /** Returns the state of an item at a commit. Undefined if the item is deleted. */
  stateAt(id: string, moment: number): State | undefined {
    return this.states(id, moment, moment).find(({ isDeleted }) => !isDeleted);
  }

  itemsOf(collection: CollectionKey): Item[] {
    return [...this.items.values()].filter((item) => item.collection === collection);
  }

  /** Returns the items that exist, newest last. */
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

  /** Returns the committed state that a representation shows. Undefined if there is none. */
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
        `${what} shows ${document.id} with ${JSON.stringify(
          document.data,
        )}, stored is ${JSON.stringify(state.values)}`,
      );
    }
    if ((document.status ?? null) !== state.status) {
      this.wrong(`${what} shows ${document.id} as ${document.status}, stored is ${state.status}`);
    }
    return state;
  }
}

/** Returns the moments between two commits at which something may have changed, in order. */
export const momentsBetween = (from: number, until: number, turns: readonly number[]): number[] =>
  [from, ...turns].filter((moment) => moment >= from && moment <= until).toSorted((a, b) => a - b);

export const turnsOf = (items: readonly Item[]): number[] =>
  items.flatMap(({ states }) => states.flatMap(({ from, until }) => [from, until]));

/** Whether the view of the orders shows an order. */
export const isSeen = ({ values, isDeleted }: State, { kinds }: SeenThrough): boolean =>
  !isDeleted && kinds.includes(String(values["kind"]));

/** Returns the part of an order that the view shows. */
export const shownOf = ({ values }: State, { fields }: SeenThrough): Values =>
  normalize(Object.fromEntries(Object.entries(values).filter(([key]) => fields.includes(key))));

const isOtherView = (former: SeenThrough, seen: SeenThrough) => !isDeepStrictEqual(former, seen);

/** Whether another view shows other orders. */
export const hasOtherKinds = (former: SeenThrough, seen: SeenThrough): boolean =>
  !isDeepStrictEqual(former.kinds, seen.kinds);

function seenThrough(
  view: SeenThrough,
  action: string,
  before: State | undefined,
  after: State,
): SeenAs | null {
  const wasSeen = before !== undefined && isSeen(before, view);
  const isStillSeen = isSeen(after, view);
  if (!wasSeen && !isStillSeen) return null;
  if (isDeletion(action)) return "deleted";
  if (!isStillSeen) return "left";
  return action.endsWith(".create") ? "created" : "updated";
}

const isDeletion = (action: string) => action.endsWith(".delete") || action.endsWith(".erase");

export const receiptOf = (key: CollectionKey, place: number): string | null =>
  kindOf(key) === "app"
    ? `${key === "parcels" ? "P" : "C"}-${String(place).padStart(6, "0")}`
    : null;

/** Returns the sequence of an item in its collection, which its receipt number contains. */
export const placeOf = ({ number }: Item): number => number % sequencesPerCollection;

export const codeOf = ({ values, status, isDeleted }: State): string | undefined =>
  isDeleted || status === "draft" ? undefined : (values["code"] as string | undefined);

function valuesOf(data: string | null, names: Map<string, string>): Values {
  const stored = JSON.parse(data ?? "{}") as Record<string, unknown>;
  const values: Values = {};
  for (const [slot, value] of Object.entries(stored)) values[names.get(slot) ?? slot] = value;
  return normalize(values);
}

/** Removes empty values and sorts the others by key. */
export function normalize(values: Values): Values {
  const filled = Object.entries(values).filter(([key, value]) => value !== null && key !== "extra");
  return Object.fromEntries(filled.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
