import type { ItemParts } from "#domain/data/compile.ts";
import type { SystemField } from "#domain/data/values.ts";
import type { Field } from "#domain/definition/field.ts";
import type { FieldError } from "#domain/problem/problem.ts";
import type { Expansion } from "./expand.ts";

/** A field that a condition can name, and the location of its value. */
export interface SearchField {
  /** The name in requests: a key, or `$` and the name of a system field. */
  name: string;
  /** The keys that it had before it was renamed. */
  previousKeys: readonly string[];
  /** The number of its entries in the search index. */
  number: number;
  kind: FieldKind;
  type: Field["type"];
  source: Source;
  /** Only for actors: the actor that the operand `"$me"` stands for. */
  me?: string;
  /** Only for numbers with a maximum number of decimals. */
  decimals?: number;
  /** Only for fields with options. */
  options?: FieldOptions;
  /** Only for references: the key of the app. */
  app?: string;
  /** Only for line items: the searchable columns. */
  rows?: ReadonlyMap<string, SearchField>;
}

export interface FieldOptions {
  current: readonly { value: string }[];
  former: readonly string[];
  /** Whether the definition lists all former options. If not, items may have others. */
  isComplete: boolean;
}

/** Fields of the same kind take the same operators. */
export type FieldKind =
  | "text"
  | "number"
  | "date"
  | "datetime"
  | "boolean"
  | "select"
  | "reference"
  | "multi_select"
  | "line_items"
  | "files"
  | "actor";

/** The location of a value: a slot of the data or of a row, or a system field of the item. */
type Source = { in: "data" | "row"; slot: string } | { in: "system"; name: SystemField };

/** A value in the form that the index compares (`toComparable`). */
export type Comparable = string | number;

export type Operator =
  | "eq"
  | "ne"
  | "in"
  | "not_in"
  | "contains"
  | "starts_with"
  | "is_empty"
  | "gt"
  | "gte"
  | "lt"
  | "lte"
  | "between"
  | "has_any"
  | "has_all"
  | "has_none"
  | "any"
  | "none"
  | "matches";

/** A condition with values in the form that the index compares. */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | AnywhereCondition
  | LeafCondition;

/** Folded text that one of these fields contains. Only the search box above the items creates this condition. */
export interface AnywhereCondition extends TextFields {
  anywhere: string;
  /** A part of `anywhere` that matching texts contain in some ASCII case, unless they use `specialFoldLetters`. */
  plainRun: string;
  /** Whether to ignore spaces in the searched text. */
  ignoresSpaces: boolean;
}

/** All text fields, including columns, and the line items fields with such columns. */
export interface TextFields {
  fields: readonly SearchField[];
  lists: readonly SearchField[];
}

export type LeafCondition =
  | { field: SearchField; op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte"; value: Comparable }
  | { field: SearchField; op: "contains" | "starts_with"; value: string }
  | {
      field: SearchField;
      op: "in" | "not_in" | "has_any" | "has_all" | "has_none";
      value: Comparable[];
    }
  | { field: SearchField; op: "between"; value: [low: Comparable, high: Comparable] }
  | { field: SearchField; op: "is_empty"; value: boolean }
  | { field: SearchField; op: "any" | "none"; value: Condition }
  | MatchesCondition;

/** Conditions that the record of a reference must meet. */
export interface MatchesCondition {
  field: SearchField;
  op: "matches";
  value: Condition;
  /** The id of the app's collection. */
  collectionId: number;
}

export interface SortKey {
  field: SearchField;
  direction: "asc" | "desc";
}

/**
 * The part of a collection that a narrow caller sees: the items that meet these conditions, and a part of each item.
 * The conditions are also among the conditions of the search. Hidden data must not affect a limit that the caller can
 * reach.
 */
export interface ShownBy {
  conditions: readonly Condition[];
  parts: ItemParts;
}

/** A parsed search that is not yet limited to the part that the caller sees. No statement accepts it. */
export type ParsedSearch = Omit<Search, "shownBy" | typeof isOfCaller>;

declare const isOfCaller: unique symbol;

/** A search over the part that its caller sees. Only `searchThrough` creates one. */
export interface Search {
  readonly [isOfCaller]: true;
  /** Items must meet all conditions. */
  conditions: Condition[];
  /** The part that a narrow caller sees. Null for a caller that sees the whole collection. */
  shownBy: ShownBy | null;
  /** Only the last key can follow the stored order. Without sort keys, `order` applies. */
  sort: SortKey[];
  /** The order of items by number, when there are no sort keys. */
  order: "asc" | "desc";
  /** The keys that `data` contains in the response; null for all. */
  fields: string[] | null;
  /** The references whose records the response includes. */
  expand: Expansion[];
  limit: number;
  /** Operands that are neither current nor former options in the definition. Items may still have them. */
  unknownOptions: UnknownOption[];
}

export interface UnknownOption {
  field: SearchField;
  value: string;
  /** The error to report if no item has the value. */
  error: FieldError;
}

/** Every field that the conditions and the sort of a search name. */
export function referencedFields({
  conditions,
  sort,
}: Pick<ParsedSearch, "conditions" | "sort">): SearchField[] {
  return [...conditions.flatMap(fieldsIn), ...sort.map(({ field }) => field)];
}

function fieldsIn(condition: Condition): SearchField[] {
  if ("all" in condition) return condition.all.flatMap(fieldsIn);
  if ("any" in condition) return condition.any.flatMap(fieldsIn);
  if ("not" in condition) return fieldsIn(condition.not);
  if ("anywhere" in condition) return [...condition.fields, ...condition.lists];
  const { field, op, value } = condition;
  return op === "any" || op === "none" || op === "matches" ? [field, ...fieldsIn(value)] : [field];
}

/** A condition with others in place of those on values. */
export function mapLeaves(
  condition: Condition,
  map: (leaf: LeafCondition) => LeafCondition,
): Condition {
  const mapAll = (conditions: readonly Condition[]) =>
    conditions.map((each) => mapLeaves(each, map));
  if ("all" in condition) return { all: mapAll(condition.all) };
  if ("any" in condition) return { any: mapAll(condition.any) };
  if ("not" in condition) return { not: mapLeaves(condition.not, map) };
  return "anywhere" in condition ? condition : map(condition);
}

/** The conditions of which others consist. */
interface Leaves {
  leaves: LeafCondition[];
  anywhere: AnywhereCondition[];
}

/** Gathers the conditions that test something themselves. Does not look into rows and records. */
export function gatherLeaves(conditions: readonly Condition[]): Leaves {
  const result: Leaves = { leaves: [], anywhere: [] };
  const visit = (condition: Condition): void => {
    if ("all" in condition) condition.all.forEach(visit);
    else if ("any" in condition) condition.any.forEach(visit);
    else if ("not" in condition) visit(condition.not);
    else if ("anywhere" in condition) result.anywhere.push(condition);
    else result.leaves.push(condition);
  };
  conditions.forEach(visit);
  return result;
}

/** Gathers the conditions on the rows of a list. */
export function rowLeaves({ op, value }: LeafCondition): LeafCondition[] {
  return op === "any" || op === "none" ? gatherLeaves([value]).leaves : [];
}

/** The operand that stands for the caller. */
export const meOperand = "$me";

/** The limits of a search. */
export const maxConditionDepth = 5;
export const maxConditions = 50;
export const maxSortKeys = 3;
export const maxOperandValues = 100;
/** The maximum length of a text to search for. A search costs the product of both lengths. */
export const maxSearchTextLength = 1000;
/** The maximum length of all conditions in total, as JSON. */
export const maxConditionsLength = 500_000;
/** The maximum number of words in the search box above the items. */
export const maxSearchWords = 5;
