import type { Comparable, Condition, Search, SearchField } from "../../domain/search/tree";
import type { Values } from "./value-sql";

/** Entries of one field, in a range of its values or at some of them: where a search can start from. */
export interface Driver {
  field: SearchField;
  range: Range;
  /** Whether an item has at most one entry here: then the entries of one value are in the order of items. */
  single: boolean;
}

export type Range =
  | { at: Comparable }
  | { among: Comparable[] }
  | { low?: Bound | undefined; high?: Bound | undefined };

interface Bound {
  value: Comparable;
  inclusive: boolean;
}

const mostDrivers = 8;

/** Where a search can start from: one for each required condition that the index answers. */
export function findDrivers(search: Search): Driver[] {
  return requiredConditions(search.conditions)
    .flatMap((each) => conditionDrivers(each))
    .slice(0, mostDrivers);
}

function conditionDrivers(condition: Condition, single = true): Driver[] {
  if (!("op" in condition)) return [];
  const { field, op, value } = condition;
  const range = (low?: Bound, high?: Bound): Driver[] => [{ field, single, range: { low, high } }];
  switch (op) {
    case "eq":
      return [{ field, single: true, range: { at: value } }];
    case "gt":
    case "gte":
      return range({ value, inclusive: op === "gte" });
    case "lt":
    case "lte":
      return range(undefined, { value, inclusive: op === "lte" });
    case "between":
      return range({ value: value[0], inclusive: true }, { value: value[1], inclusive: true });
    case "in":
    case "has_any":
      return [{ field, single: false, range: { among: value } }];
    case "has_all":
      return [{ field, single: true, range: { at: value[0] ?? "" } }];
    case "any":
      return requiredConditions([value]).flatMap((each) => conditionDrivers(each, false));
    case "ne":
    case "not_in":
    case "contains":
    case "starts_with":
    case "is_empty":
    case "has_none":
    case "none":
      return [];
  }
}

/** The driver whose entries are all that a condition says: then the index alone tells its matches. */
export function onlyDriver(condition: Condition): Driver | undefined {
  if (!("op" in condition) || condition.op === "any") return undefined;
  if (condition.op === "has_all" && condition.value.length > 1) return undefined;
  return conditionDrivers(condition)[0];
}

/** The conditions that hold for every match, groups of `all` opened. */
export function requiredConditions(conditions: readonly Condition[]): Condition[] {
  return conditions.flatMap((each) => ("all" in each ? requiredConditions(each.all) : [each]));
}

/** Whether the entries are those of one value, and so in the order of items. */
export function isValue({ range, single }: Driver): boolean {
  return "at" in range && single;
}

/** That an entry `c` is one of the driver's. */
export function driverSql({ field, range }: Driver, values: Values): string {
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
export function probeSql({ field, range }: Driver, values: Values): string {
  const found = `select 1 from search_entry p where p.field = ${field.number}${rangeSql(range, "p.value", values)} and p.item = c.item`;
  // A scalar, so that it is judged on the entry, before the item is fetched.
  return `(${found}) is not null`;
}
