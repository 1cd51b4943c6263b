import { isStoredOrder } from "#domain/search/sort.ts";
import type {
  Comparable,
  Condition,
  LeafCondition,
  Search,
  SearchField,
} from "#domain/search/tree.ts";
import type { SearchValues } from "./search-values.ts";

/** Index entries of one field, in a range or a list of values. A search can start from them. */
export interface EntryDriver {
  field: SearchField;
  range: ValueRange;
  /** Whether an item has at most one of these entries. The entries of one value are then in item order. */
  isSingle: boolean;
}

export type ValueRange = { at: Comparable } | { among: Comparable[] } | Bounds;

export interface Bounds {
  low?: Bound | undefined;
  high?: Bound | undefined;
}

export interface Bound {
  value: Comparable;
  isInclusive: boolean;
}

const maxDrivers = 8;

/** Finds the index entries that a search can start from, for conditions that every match must meet. */
export function findDrivers(search: Search): EntryDriver[] {
  return requiredConditions(search.conditions)
    .flatMap((condition) => conditionDrivers(condition))
    .slice(0, maxDrivers);
}

function conditionDrivers(condition: Condition, isItemField = true): EntryDriver[] {
  if (!("op" in condition)) return [];
  const { field, op, value } = condition;
  if (op === "any") {
    return requiredConditions([value]).flatMap((rowCondition) =>
      conditionDrivers(rowCondition, false),
    );
  }
  const range = isIndexed(field) ? rangeOf(condition) : null;
  if (!range) return [];
  const isSingle = "at" in range || (isItemField && !("among" in range));
  return [{ field, isSingle, range }];
}

const isCreator = ({ source }: SearchField) =>
  source.in === "system" && source.name === "createdBy";

/** Whether the field has an index. The last editor of an item has none, because every change would write an entry. */
const isIndexed = (field: SearchField) =>
  field.kind === "actor" ? isCreator(field) : !isStoredOrder(field);

/** Returns a list or range that contains a value of every match. Returns null if the condition implies none. */
export function rangeOf({ op, value }: LeafCondition): ValueRange | null {
  switch (op) {
    case "eq":
      return { at: value };
    case "gt":
    case "gte":
      return { low: { value, isInclusive: op === "gte" } };
    case "lt":
    case "lte":
      return { high: { value, isInclusive: op === "lte" } };
    case "between":
      return {
        low: { value: value[0], isInclusive: true },
        high: { value: value[1], isInclusive: true },
      };
    case "in":
    case "has_any":
      return { among: value };
    case "has_all":
      return { at: value[0] ?? "" };
    case "any":
    case "matches":
    case "ne":
    case "not_in":
    case "contains":
    case "starts_with":
    case "is_empty":
    case "has_none":
    case "none":
      return null;
  }
}

/** Finds the driver whose entries are exactly the matches of a condition. The index alone can then evaluate it. */
export function findExactDriver(condition: Condition): EntryDriver | undefined {
  if (!("op" in condition) || condition.op === "any") return undefined;
  if (condition.op === "has_all" && condition.value.length > 1) return undefined;
  return conditionDrivers(condition)[0];
}

/** Returns the conditions that every match must meet, with `all` groups flattened. */
export function requiredConditions(conditions: readonly Condition[]): Condition[] {
  return conditions.flatMap((condition) =>
    "all" in condition ? requiredConditions(condition.all) : [condition],
  );
}

/** Whether all entries have one value, which puts them in item order. */
export function isSingleValue({ range, isSingle }: EntryDriver): boolean {
  return "at" in range && isSingle;
}

/** Builds the SQL after `from` for the driver's entries, as a table `c` with `item`. Conditions may follow. */
export function driverSql({ field, range }: EntryDriver, values: SearchValues): string {
  const inRange = rangeSql(range, "c.value", values);
  // The table of items has its own index by creator.
  return isCreator(field)
    ? `(select number as item, created_by as value from item) c where true${inRange}`
    : `search_entry c where c.field = ${field.number}${inRange}`;
}

/** SQL conditions that limit a column to the range. Each one starts with `and`. */
export function rangeSql(range: ValueRange, column: string, values: SearchValues): string {
  if ("at" in range) return ` and ${column} = ${values.scalar(range.at)}`;
  if ("among" in range) return ` and ${column} in ${values.list(range.among)}`;
  const { low, high } = range;
  const lowSql = low
    ? ` and ${column} ${low.isInclusive ? ">=" : ">"} ${values.scalar(low.value)}`
    : "";
  const highSql = high
    ? ` and ${column} ${high.isInclusive ? "<=" : "<"} ${values.scalar(high.value)}`
    : "";
  return lowSql + highSql;
}

/** SQL condition: the item of an entry `c` has one of the driver's entries. Reads only the index. */
export function probeSql({ field, range }: EntryDriver, values: SearchValues): string {
  const entry = isCreator(field)
    ? `item p where p.number = c.item${rangeSql(range, "p.created_by", values)}`
    : `search_entry p where p.field = ${field.number}${rangeSql(range, "p.value", values)} and p.item = c.item`;
  // SQLite evaluates a scalar subquery on the entry, before it fetches the item.
  return `(select 1 from ${entry}) is not null`;
}
