import { foldCase, toComparable } from "#domain/data/index-entries.ts";
import type { LineItemRow, Scalar, SystemField, Value } from "#domain/data/values.ts";
import type { Item } from "#domain/item/item.ts";
import type { Comparable, Condition, LeafCondition, SearchField } from "./tree.ts";

/** The members of an item that conditions name. */
export type MatchedItem = Pick<
  Item,
  "id" | "status" | "receiptNumber" | "createdAt" | "createdBy" | "updatedAt" | "updatedBy" | "data"
>;

/** Returns the stored value of a field: of an item, or of a row of line items. */
type ValueOf = (field: SearchField) => Value | null;

/**
 * Whether an item meets all conditions. Must agree with the SQL of a search. Writes use this function. Their batch
 * guards the versions of the item and of the definition, so both are still the ones that this function read.
 */
export function matchesItem(conditions: readonly Condition[], item: MatchedItem): boolean {
  const valueOf: ValueOf = ({ source }) =>
    source.in === "system" ? systemValue(item, source.name) : (item.data[source.slot] ?? null);
  return conditions.every((condition) => holds(condition, valueOf));
}

/**
 * Evaluates a condition on an item with some unknown system values. Returns whether the item meets it, or a remaining
 * condition that contains only those values.
 */
export function reduceCondition(
  condition: Condition,
  item: MatchedItem,
  unknown: ReadonlySet<SystemField>,
): boolean | Condition {
  const reduce = (each: Condition) => reduceCondition(each, item, unknown);
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
  return matchesItem([condition], item);
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

const systemValue = (item: MatchedItem, name: SystemField): Scalar | null => item[name];

function holds(condition: Condition, valueOf: ValueOf): boolean {
  if ("all" in condition) return condition.all.every((each) => holds(each, valueOf));
  if ("any" in condition) return condition.any.some((each) => holds(each, valueOf));
  if ("not" in condition) return !holds(condition.not, valueOf);
  // Only the search box above the items creates such conditions. A view never contains one.
  if ("anywhere" in condition) return false;
  return leafHolds(condition, valueOf(condition.field));
}

function leafHolds(leaf: LeafCondition, value: Value | null): boolean {
  const { field, op } = leaf;
  if (op === "matches") throw new Error("Only a search reads the records of references.");
  if (op === "is_empty") return (value === null) === leaf.value;
  if (op === "any") return hasRow(leaf.value, value);
  if (op === "none") return !hasRow(leaf.value, value);
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
      return foldCase(String(storedValue)).includes(leaf.value);
    case "starts_with":
      return foldCase(String(storedValue)).startsWith(leaf.value);
  }
}

const listOf = (value: Value | null): readonly Comparable[] =>
  Array.isArray(value) ? (value as string[]) : [];

/** System values are stored in the form that the index compares. */
const comparableOf = ({ type, source }: SearchField, value: Scalar): Comparable =>
  source.in === "system" ? (value as Comparable) : toComparable(type, value);

/** Whether a list has a row that meets a condition. The operations of a batch share lists that they do not change. */
const rowResults = new WeakMap<Condition, WeakMap<object, boolean>>();

function hasRow(condition: Condition, value: Value | null): boolean {
  if (!Array.isArray(value)) return false;
  const results = rowResults.get(condition) ?? new WeakMap<object, boolean>();
  const result = results.get(value) ?? findsRow(condition, value as LineItemRow[]);
  rowResults.set(condition, results.set(value, result));
  return result;
}

const findsRow = (condition: Condition, rows: readonly LineItemRow[]): boolean =>
  rows.some((row) =>
    holds(condition, ({ source }) => (source.in === "system" ? null : (row[source.slot] ?? null))),
  );
