import { isStoredOrder } from "#domain/search/parse.ts";
import type { Comparable, Condition, Leaf, Search, SearchField } from "#domain/search/tree.ts";
import type { Values } from "./conditions.ts";

/** Entries of one field, in a range of its values or at some of them: where a search can start from. */
export interface EntryDriver {
  field: SearchField;
  range: Range;
  /** Whether an item has at most one entry here: then the entries of one value are in the order of items. */
  single: boolean;
}

export type Range = { at: Comparable } | { among: Comparable[] } | Ends;

export interface Ends {
  low?: Bound | undefined;
  high?: Bound | undefined;
}

export interface Bound {
  value: Comparable;
  inclusive: boolean;
}

const mostDrivers = 8;

/** Entries that a search can start from: one for each required condition that they answer. */
export function findDrivers(search: Search): EntryDriver[] {
  return requiredConditions(search.conditions)
    .flatMap((each) => conditionDrivers(each))
    .slice(0, mostDrivers);
}

function conditionDrivers(condition: Condition, single = true): EntryDriver[] {
  if (!("op" in condition)) return [];
  const { field, op, value } = condition;
  if (op === "any") {
    return requiredConditions([value]).flatMap((each) => conditionDrivers(each, false));
  }
  const range = isStoredOrder(field) ? null : rangeOf(condition);
  if (!range) return [];
  const alone = "at" in range || (single && !("among" in range));
  return [{ field, single: alone, range }];
}

/** The values that a condition asks for, where they are a few or lie side by side. */
export function rangeOf({ op, value }: Leaf): Range | null {
  switch (op) {
    case "eq":
      return { at: value };
    case "gt":
    case "gte":
      return { low: { value, inclusive: op === "gte" } };
    case "lt":
    case "lte":
      return { high: { value, inclusive: op === "lte" } };
    case "between":
      return {
        low: { value: value[0], inclusive: true },
        high: { value: value[1], inclusive: true },
      };
    case "in":
    case "has_any":
      return { among: value };
    case "has_all":
      return { at: value[0] ?? "" };
    case "any":
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

/** The driver whose entries are all that a condition says: then the index alone tells its matches. */
export function onlyDriver(condition: Condition): EntryDriver | undefined {
  if (!("op" in condition) || condition.op === "any") return undefined;
  if (condition.op === "has_all" && condition.value.length > 1) return undefined;
  return conditionDrivers(condition)[0];
}

/** The conditions that hold for every match, groups of `all` opened. */
export function requiredConditions(conditions: readonly Condition[]): Condition[] {
  return conditions.flatMap((each) => ("all" in each ? requiredConditions(each.all) : [each]));
}

/** Whether the entries are those of one value, and so in the order of items. */
export function isValue({ range, single }: EntryDriver): boolean {
  return "at" in range && single;
}

/** That an entry `c` is one of the driver's. */
export function driverSql({ field, range }: EntryDriver, values: Values): string {
  return `c.field = ${field.number}${rangeSql(range, "c.value", values)}`;
}

/** The range of a value, as further conditions on it. */
export function rangeSql(range: Range, at: string, values: Values): string {
  if ("at" in range) return ` and ${at} = ${values.scalar(range.at)}`;
  if ("among" in range) return ` and ${at} in ${values.list(range.among)}`;
  const { low, high } = range;
  const above = low ? ` and ${at} ${low.inclusive ? ">=" : ">"} ${values.scalar(low.value)}` : "";
  const below = high
    ? ` and ${at} ${high.inclusive ? "<=" : "<"} ${values.scalar(high.value)}`
    : "";
  return above + below;
}

/** That the item of an entry `c` is one of the driver's, told by the index alone. */
export function probeSql({ field, range }: EntryDriver, values: Values): string {
  const found = `select 1 from search_entry p where p.field = ${field.number}${rangeSql(range, "p.value", values)} and p.item = c.item`;
  // A scalar, so that it is judged on the entry, before the item is fetched.
  return `(${found}) is not null`;
}
