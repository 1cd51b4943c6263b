import type { Condition, Leaf, Scalar, Search, SearchField, Sort } from "./tree";

/** Entries of one field, in a range of its values or at some of them: where a search can start from. */
export interface Driver {
  field: SearchField;
  range: Range;
  /** Whether an item has at most one entry here: then the entries of one value are in the order of items. */
  single: boolean;
}

export type Range =
  | { at: Scalar }
  | { among: Scalar[] }
  | { low?: Bound | undefined; high?: Bound | undefined };

interface Bound {
  value: Scalar;
  inclusive: boolean;
}

/** How a page is made. Every plan gives the same items in the same order, so that pages can change it. */
export type Plan =
  /** Few candidates, or a small collection (no driver): read them all, sort them in memory. */
  | { walk: "none"; driver: Driver | null }
  /** The items themselves, newest first. */
  | { walk: "items" }
  /** The entries of one value, newest item first. */
  | { walk: "value"; driver: Driver; probes: Driver[] }
  /** The entries of the sort field, then the items that have no value there. */
  | { walk: "sort"; sort: Sort; range: Range; empties: boolean; probes: Driver[] };

/** Candidates that are sorted in memory; more are walked in order. */
const fewCandidates = 1000;
/** The same where the sort field is bounded, and its walk a good plan already. */
const fewBesideBounds = 100;
/** What a second sort key may have to sort (contract, section 9). */
export const mostSorted = 10_000;
const mostProbes = 8;

/** The conditions that hold for every match, groups of `all` opened. */
function required(conditions: readonly Condition[]): Condition[] {
  return conditions.flatMap((each) => ("all" in each ? required(each.all) : [each]));
}

/** Every field that the conditions and the sort of a search speak of. */
export function fieldsOf({ conditions, sort }: Search): SearchField[] {
  return [...conditions.flatMap(fieldsOfCondition), ...sort.map(({ field }) => field)];
}

function fieldsOfCondition(condition: Condition): SearchField[] {
  if ("all" in condition) return condition.all.flatMap(fieldsOfCondition);
  if ("any" in condition) return condition.any.flatMap(fieldsOfCondition);
  if ("not" in condition) return fieldsOfCondition(condition.not);
  const { field, op, value } = condition;
  return op === "any" || op === "none" ? [field, ...fieldsOfCondition(value)] : [field];
}

/** The places from which a search can start: one for each required condition that the index answers. */
export function driversOf(search: Search): Driver[] {
  return required(search.conditions)
    .flatMap((each) => driverOf(each))
    .slice(0, mostProbes);
}

function driverOf(condition: Condition, single = true): Driver[] {
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
      return required([value]).flatMap((each) => driverOf(each, false));
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

/** The part of the sort field's entries that can match, and whether items without a value there can. */
export function sortWalk(search: Search, sort: Sort): Extract<Plan, { walk: "sort" }> {
  const drivers = driversOf(search);
  const own = drivers.find(
    ({ field, range }) => field.number === sort.field.number && !("among" in range),
  );
  const probes = drivers.filter(
    ({ field, range }) => "at" in range && field.number !== sort.field.number,
  );
  const excluded = required(search.conditions).some(
    (each) => "op" in each && each.field.number === sort.field.number && needsValue(each),
  );
  return { walk: "sort", sort, range: own?.range ?? {}, empties: !excluded, probes };
}

function needsValue(condition: Leaf): boolean {
  switch (condition.op) {
    case "ne":
    case "not_in":
    case "has_none":
    case "none":
      return false;
    case "is_empty":
      return !condition.value;
    case "eq":
    case "gt":
    case "gte":
    case "lt":
    case "lte":
    case "between":
    case "in":
    case "contains":
    case "starts_with":
    case "has_any":
    case "has_all":
    case "any":
      return true;
  }
}

/** The drivers whose sizes decide the plan, and up to which size; null where one plan is good whatever they are. */
export function probesOf(search: Search): { drivers: Driver[]; upTo: number } {
  const drivers = driversOf(search);
  const [sort] = search.sort;
  if (search.sort.length > 1) return { drivers, upTo: mostSorted };
  if (!sort) {
    const [only] = drivers;
    const alone = drivers.length === 1 && only && "at" in only.range && only.single;
    return { drivers: alone ? [] : drivers, upTo: fewCandidates };
  }
  const others = drivers.filter(({ field }) => field.number !== sort.field.number);
  const bounded = others.length < drivers.length;
  return { drivers: others, upTo: bounded ? fewBesideBounds : fewCandidates };
}

/** What a probe tells of a driver. */
export interface Size {
  /** Its entries, counted up to one more than was asked for. */
  count: number;
  /** How far apart its newest items lie: the farther, the rarer they are. */
  span: number;
}

/** What a probe tells of the collection. */
export interface Whole {
  /** Its items, and the bytes that the largest one ever took. */
  live: number;
  largest: number;
}

/** What is read at once to be sorted in memory, where a walk would do as well. */
const mostReadBytes = 16_000_000;

/** The plan, where `sizes` are those of the probed drivers. Undefined: too many to sort. */
export function planOf(
  search: Search,
  sizes: readonly Size[],
  { live, largest }: Whole,
): Plan | undefined {
  const { drivers, upTo } = probesOf(search);
  const probed = drivers.map((driver, index) => ({ driver, size: sizes[index] }));
  const [smallest] = probed.toSorted((a, b) => (a.size?.count ?? 0) - (b.size?.count ?? 0));
  const count = smallest?.size?.count ?? Infinity;
  const [sort, second] = search.sort;
  if (second) {
    if (smallest && count <= upTo) return { walk: "none", driver: smallest.driver };
    return live <= mostSorted ? { walk: "none", driver: null } : undefined;
  }
  if (smallest && count <= upTo && count * largest <= mostReadBytes) {
    return { walk: "none", driver: smallest.driver };
  }
  if (sort) return sortWalk(search, sort);
  const [rarest, ...others] = probed
    .toSorted((a, b) => (b.size?.span ?? 0) - (a.size?.span ?? 0))
    .map(({ driver }) => driver)
    .filter(isValue);
  const driver = rarest ?? driversOf(search).find(isValue);
  return driver ? { walk: "value", driver, probes: others } : { walk: "items" };
}

/** Whether the entries are those of one value, and so in the order of items. */
export function isValue({ range, single }: Driver): boolean {
  return "at" in range && single;
}
