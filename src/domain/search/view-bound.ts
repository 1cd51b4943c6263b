import type { Slots } from "#domain/data/compile.ts";
import type { Data, Value } from "#domain/data/values.ts";
import { utf8Length } from "#domain/item/item.ts";
import {
  itemCost,
  lookUpBytes,
  maxCostPerByte,
  maxStoredBytes,
  rowsByteCost,
} from "./item-cost.ts";
import type { Condition } from "./tree.ts";

/**
 * The rule that an item is outside a view if evaluating the view's conditions on it would cost too much. The fields that
 * the view shows and all others have separate limits, so that a caller cannot measure the others with its own values.
 * Every read and write of a narrow caller follows this rule, in SQL or in TypeScript, and so do the marks of changes.
 * Both must agree exactly.
 */

/**
 * The maximum cost of evaluating a view on each of the two parts of an item. It takes about 10 ms. Two such parts fit the
 * limits of every search, so no single item can make a search fail. Requests can name 100 items, and evaluating all of
 * them must stay cheap: a limit for all of them together would show which ones exist.
 */
const maxViewCost = 10_000_000;

/** The fewest bytes of an entry: `{},`. */
const minEntryBytes = 3;

export interface ViewBound {
  /** The cost per byte of a part. */
  perByte: number;
  /** The cost of these lists per entry. */
  lists: readonly { slot: string; cost: number }[];
  /** The maximum cost of one byte. It includes the entries of lists. */
  maxPerByte: number;
  /** The maximum cost of a part. */
  maxCost: number;
}

/** The limits of views. A request with many items uses the same view for all of them. */
const bounds = new WeakMap<object, { bound: ViewBound | null }>();

/** Returns the limit of a view with these conditions. Null if they are so cheap that every item fits. */
export const findViewBound = (conditions: readonly Condition[]): ViewBound | null =>
  keep(bounds, conditions, () => ({ bound: computeViewBound(conditions) })).bound;

function computeViewBound(conditions: readonly Condition[]): ViewBound | null {
  const cost = itemCost(conditions);
  const perByte = Math.ceil(
    maxCostPerByte({ ...cost, perEntry: [] }) + cost.rowPasses * rowsByteCost,
  );
  const entryCost = cost.perEntry.reduce((sum, entry) => sum + entry.cost, 0);
  const maxPerByte = perByte + Math.ceil(entryCost / minEntryBytes);
  const maxCost = maxViewCost - cost.lookUpCount * lookUpBytes;
  if (maxStoredBytes * maxPerByte <= maxCost) return null;
  return { perByte, lists: cost.perEntry, maxPerByte, maxCost };
}

/** The bytes of a key with its punctuation, in addition to its name and value: `"":,`. */
export const pairBytes = 4;

/** The bytes of lists, and those of each column with its keys. Several states of an item may share a list. */
const listBytes = new WeakMap<object, number>();
const columnBytes = new WeakMap<object, ReadonlyMap<string, number>>();

function keep<V>(known: WeakMap<object, V>, list: object, measure: () => V): V {
  const value = known.get(list) ?? measure();
  known.set(list, value);
  return value;
}

/** Returns the bytes of a value with its key. Zero for a missing value. */
const bytesOfPair = (key: string, value: Value | undefined): number =>
  value === undefined ? 0 : key.length + pairBytes + bytesOf(value);

/** Returns the bytes of a value. Numbers have different texts in SQL, and are short. */
function bytesOf(value: Value): number {
  if (typeof value === "string") return utf8Length(value);
  if (typeof value !== "object" || value === null) return 0;
  return keep(listBytes, value, () => utf8Length(JSON.stringify(value)));
}

function bytesOfColumns(rows: readonly object[]): ReadonlyMap<string, number> {
  return keep(columnBytes, rows, () => {
    const bytes = new Map<string, number>();
    for (const row of rows)
      for (const [column, value] of Object.entries(row) as [string, Value][])
        bytes.set(column, (bytes.get(column) ?? 0) + bytesOfPair(column, value));
    return bytes;
  });
}

/** The bytes of the fields that a view shows, and of all others. */
interface PartBytes {
  shown: number;
  hidden: number;
}

const noData: Data = {};

/** The sizes of an item's values. Many views and states of an item share them, so it computes only what changed. */
export class ItemSizes {
  readonly #data: Data;
  readonly #former: ItemSizes | null;
  /** The bytes of the values that differ from the former state, with their keys. */
  readonly #changed = new Map<string, number>();
  /** The bytes of all values with their keys. */
  readonly #total: number;
  readonly #parts = new WeakMap<Slots, PartBytes>();

  constructor(data: Data, former: ItemSizes | null = null) {
    this.#data = data;
    this.#former = former;
    const before = former ? former.#data : noData;
    let total = former ? former.#total : 0;
    const removed = Object.keys(before).filter((slot) => !(slot in data));
    for (const slot of [...Object.keys(data), ...removed]) {
      if (data[slot] === before[slot]) continue;
      const bytes = bytesOfPair(slot, data[slot]);
      total += bytes - (former ? former.#find(slot) : 0);
      this.#changed.set(slot, bytes);
    }
    this.#total = total;
  }

  #find(slot: string): number {
    return this.#changed.get(slot) ?? (this.#former ? this.#former.#find(slot) : 0);
  }

  /** Whether both parts of the item fit a view that shows these slots. */
  fit({ perByte, lists, maxPerByte, maxCost }: ViewBound, shown: Slots): boolean {
    if (this.#total * maxPerByte <= maxCost) return true;
    const parts = this.#divide(shown);
    return (["shown", "hidden"] as const).every((part) => {
      const entries = lists
        .filter(({ slot }) => shown.has(slot) === (part === "shown"))
        .reduce((sum, { slot, cost }) => sum + cost * countEntries(this.#data[slot]), 0);
      return parts[part] * perByte + entries <= maxCost;
    });
  }

  #divide(slots: Slots): PartBytes {
    const known = this.#parts.get(slots);
    if (known) return known;
    const former = this.#former;
    const parts = former ? { ...former.#divide(slots) } : { shown: 0, hidden: 0 };
    for (const [slot, bytes] of this.#changed) {
      addBytes(parts, slots, slot, this.#data[slot], bytes);
      if (former) addBytes(parts, slots, slot, former.#data[slot], former.#find(slot), -1);
    }
    this.#parts.set(slots, parts);
    return parts;
  }
}

/** Adds the bytes of a value, times `factor`, to the part in which a view with these slots has it. */
function addBytes(
  parts: PartBytes,
  slots: Slots,
  slot: string,
  value: Value | undefined,
  bytes: number,
  factor: 1 | -1 = 1,
): void {
  const columns = slots.get(slot);
  if (columns)
    for (const [column, each] of bytesOfColumns((value ?? []) as object[]))
      parts[columns.includes(column) ? "shown" : "hidden"] += factor * each;
  else parts[columns === null ? "shown" : "hidden"] += factor * bytes;
}

const countEntries = (value: Value | undefined) => (Array.isArray(value) ? value.length : 0);
