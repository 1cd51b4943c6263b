import type { Slots } from "#domain/data/compile.ts";
import { foldCase, toComparable } from "#domain/data/index-entries.ts";
import {
  isSameValue,
  type LineItemRow,
  type Scalar,
  type SystemField,
  type Value,
} from "#domain/data/values.ts";
import type { Item } from "#domain/item/item.ts";
import { lazy } from "#domain/lazy.ts";
import { ItemSizes, type ViewBound } from "./view-bound.ts";
import type { Comparable, Condition, LeafCondition, SearchField } from "./tree.ts";

/** The members of an item that conditions name. */
export type MatchedItem = Pick<
  Item,
  "id" | "status" | "receiptNumber" | "createdAt" | "createdBy" | "updatedAt" | "updatedBy" | "data"
>;

/**
 * Whether an item meets all conditions. Must agree with the SQL of a search. Writes use this function. Their batch
 * guards the versions of the item and of the definition, so both are still the ones that this function read.
 */
export const matchesItem = (conditions: readonly Condition[], item: MatchedItem): boolean =>
  new ItemMatcher(item).matches(conditions);

/**
 * Decides which conditions an item meets. All conditions share folded texts. A condition keeps its result, also for the next
 * state of the item if the value of its field is the same there.
 */
export class ItemMatcher {
  readonly #item: MatchedItem;
  readonly #former: ItemMatcher | null;
  readonly #results = new Map<LeafCondition, boolean>();
  readonly #folded: Map<string, string>;
  readonly #sizes: () => ItemSizes;
  /** Whether fields have the same values as in the former state, by field number. */
  readonly #isSame = new Map<number, boolean>();

  constructor(item: MatchedItem, former: ItemMatcher | null = null) {
    this.#item = item;
    this.#former = former;
    this.#folded = former ? former.#folded : new Map();
    this.#sizes = lazy(() => new ItemSizes(item.data, former && former.#sizes()));
  }

  matches(conditions: readonly Condition[]): boolean {
    return conditions.every((condition) => this.#holds(condition));
  }

  /** Whether the item is small enough for a view with this limit that shows these slots. */
  fits(bound: ViewBound | null, shown: Slots): boolean {
    return bound === null || this.#sizes().fit(bound, shown);
  }

  /**
   * Evaluates a condition on an item with some unknown system values. Returns whether the item meets it, or a remaining
   * condition that contains only those values.
   */
  reduce(condition: Condition, unknown: ReadonlySet<SystemField>): boolean | Condition {
    const reduce = (each: Condition) => this.reduce(each, unknown);
    if (unknown.size === 0) return this.#holds(condition);
    if ("all" in condition) return reduceGroup("all", condition.all.map(reduce));
    if ("any" in condition) return reduceGroup("any", condition.any.map(reduce));
    if ("not" in condition) {
      const inner = reduce(condition.not);
      return typeof inner === "boolean" ? !inner : { not: inner };
    }
    if ("op" in condition) {
      const { source } = condition.field;
      if (source.in === "system" && unknown.has(source.name)) return condition;
    }
    return this.#holds(condition);
  }

  #holds(condition: Condition): boolean {
    if ("all" in condition) return condition.all.every((each) => this.#holds(each));
    if ("any" in condition) return condition.any.some((each) => this.#holds(each));
    if ("not" in condition) return !this.#holds(condition.not);
    // Only the search box above the items creates such conditions. A view never contains one.
    if ("anywhere" in condition) return false;
    const result = this.#findResult(condition) ?? this.#test(condition);
    this.#results.set(condition, result);
    return result;
  }

  #findResult(leaf: LeafCondition): boolean | undefined {
    const known = this.#results.get(leaf);
    if (known !== undefined || !this.hasFormerValue(leaf.field)) return known;
    return this.#former === null ? undefined : this.#former.#findResult(leaf);
  }

  /** Whether a field has the same value as in the former state. */
  hasFormerValue(field: SearchField): boolean {
    const former = this.#former;
    if (!former) return false;
    const known = this.#isSame.get(field.number);
    const isSame = known ?? isSameValue(this.valueOf(field), former.valueOf(field));
    this.#isSame.set(field.number, isSame);
    return isSame;
  }

  valueOf({ source }: SearchField): Value | null {
    if (source.in === "system") return this.#item[source.name];
    return this.#item.data[source.slot] ?? null;
  }

  #test(leaf: LeafCondition): boolean {
    return leafHolds(leaf, this.valueOf(leaf.field), this.#fold);
  }

  readonly #fold = (text: string): string => {
    const folded = this.#folded.get(text) ?? foldCase(text);
    this.#folded.set(text, folded);
    return folded;
  };
}

function reduceGroup(
  kind: "all" | "any",
  parts: readonly (boolean | Condition)[],
): boolean | Condition {
  const decides = kind === "any";
  if (parts.includes(decides)) return decides;
  const open = parts.filter((part) => typeof part !== "boolean");
  if (open.length === 0) return !decides;
  return kind === "any" ? { any: open } : { all: open };
}

type Fold = typeof foldCase;

function leafHolds(leaf: LeafCondition, value: Value | null, fold: Fold): boolean {
  const { field, op } = leaf;
  if (op === "matches") throw new Error("Only a search reads the records of references.");
  if (op === "is_empty") return (value === null) === leaf.value;
  if (op === "any") return hasRow(leaf.value, value, fold);
  if (op === "none") return !hasRow(leaf.value, value, fold);
  if (op === "has_any") return leaf.value.some((each) => listOf(value).includes(each));
  if (op === "has_none") return !leaf.value.some((each) => listOf(value).includes(each));
  if (op === "has_all") return leaf.value.every((each) => listOf(value).includes(each));
  const storedValue = value === null || Array.isArray(value) ? null : comparableOf(field, value);
  if (op === "ne") return storedValue !== leaf.value;
  if (op === "not_in") return storedValue === null || !leaf.value.includes(storedValue);
  if (storedValue === null) return false;
  switch (op) {
    case "eq":
      return storedValue === leaf.value;
    case "in":
      return leaf.value.includes(storedValue);
    case "gt":
      return storedValue > leaf.value;
    case "gte":
      return storedValue >= leaf.value;
    case "lt":
      return storedValue < leaf.value;
    case "lte":
      return storedValue <= leaf.value;
    case "between":
      return storedValue >= leaf.value[0] && storedValue <= leaf.value[1];
    case "contains":
      return fold(String(storedValue)).includes(leaf.value);
    case "starts_with":
      return fold(String(storedValue)).startsWith(leaf.value);
  }
}

const listOf = (value: Value | null): readonly Comparable[] =>
  Array.isArray(value) ? (value as string[]) : [];

/** System values are stored in the form that the index compares. */
const comparableOf = ({ type, source }: SearchField, value: Scalar): Comparable =>
  source.in === "system" ? (value as Comparable) : toComparable(type, value);

/** Whether a list has a row that meets a condition. The operations of a batch share lists that they do not change. */
const rowResults = new WeakMap<Condition, WeakMap<object, boolean>>();

function hasRow(condition: Condition, value: Value | null, fold: Fold): boolean {
  if (!Array.isArray(value)) return false;
  const results = rowResults.get(condition) ?? new WeakMap<object, boolean>();
  const rows = value as LineItemRow[];
  const result = results.get(value) ?? rows.some((row) => rowHolds(condition, row, fold));
  rowResults.set(condition, results.set(value, result));
  return result;
}

function rowHolds(condition: Condition, row: LineItemRow, fold: Fold): boolean {
  if ("all" in condition) return condition.all.every((each) => rowHolds(each, row, fold));
  if ("any" in condition) return condition.any.some((each) => rowHolds(each, row, fold));
  if ("not" in condition) return !rowHolds(condition.not, row, fold);
  if ("anywhere" in condition) return false;
  const { source } = condition.field;
  const value = source.in === "system" ? null : (row[source.slot] ?? null);
  return leafHolds(condition, value, fold);
}
