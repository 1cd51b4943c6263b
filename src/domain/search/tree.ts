import type { SystemField } from "#domain/data/values.ts";
import type { Field } from "#domain/definition/field.ts";

/** What a condition speaks of, and where its value is found. */
export interface SearchField {
  /** As it was written: a key, or `$` and the name of a system field. */
  name: string;
  /** The number of its entries in the search index. */
  number: number;
  kind: FieldKind;
  type: Field["type"];
  source: Source;
  /** Line items only: what conditions on a row can speak of. */
  rows?: ReadonlyMap<string, SearchField>;
}

/** Kinds of fields by the operators that they take. */
export type FieldKind =
  | "text"
  | "number"
  | "date"
  | "datetime"
  | "boolean"
  | "select"
  | "multi_select"
  | "line_items";

/** Where a value stands: under a slot of the data (or of a row), or in what the service keeps of the item. */
type Source = { in: "data" | "row"; slot: string } | { in: "system"; name: SystemField };

/** A value in the form in which the index compares (`comparable`). */
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
  | "none";

/** A condition whose values have the form in which the index compares them. */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | Anywhere
  | Leaf;

/** Folded text that one of these fields contains. Requests cannot say it: it comes from the box above the items. */
export interface Anywhere extends TextFields {
  anywhere: string;
  /** A part of it that texts contain as it is, but for ASCII's case, unless they have a letter of `foldsToOthers`. */
  plain: string;
}

/** Fields whose values are text, those of rows included, and the lists that these rows are of. */
export interface TextFields {
  fields: readonly SearchField[];
  lists: readonly SearchField[];
}

export type Leaf =
  | { field: SearchField; op: "eq" | "ne" | "gt" | "gte" | "lt" | "lte"; value: Comparable }
  | { field: SearchField; op: "contains" | "starts_with"; value: string }
  | {
      field: SearchField;
      op: "in" | "not_in" | "has_any" | "has_all" | "has_none";
      value: Comparable[];
    }
  | { field: SearchField; op: "between"; value: [low: Comparable, high: Comparable] }
  | { field: SearchField; op: "is_empty"; value: boolean }
  | { field: SearchField; op: "any" | "none"; value: Condition };

export interface Sort {
  field: SearchField;
  direction: "asc" | "desc";
}

export interface Search {
  /** All of them together. */
  conditions: Condition[];
  /** Keys that are given by the stored order stand at most at the end; where there is none, `order` is all. */
  sort: Sort[];
  /** Of items by their numbers, where no key sorts them. */
  order: "asc" | "desc";
  /** The keys that `data` is to show; null for all. */
  fields: string[] | null;
  limit: number;
}

/** Every field that the conditions and the sort of a search name. */
export function namedFields({ conditions, sort }: Search): SearchField[] {
  return [...conditions.flatMap(fieldsIn), ...sort.map(({ field }) => field)];
}

function fieldsIn(condition: Condition): SearchField[] {
  if ("all" in condition) return condition.all.flatMap(fieldsIn);
  if ("any" in condition) return condition.any.flatMap(fieldsIn);
  if ("not" in condition) return fieldsIn(condition.not);
  if ("anywhere" in condition) return [...condition.fields, ...condition.lists];
  const { field, op, value } = condition;
  return op === "any" || op === "none" ? [field, ...fieldsIn(value)] : [field];
}

/** What a search can say at most (contract, section 9). */
export const deepest = 5;
export const mostConditions = 50;
export const mostSorts = 3;
export const mostValues = 100;
/** Characters to look for within texts: looking takes as long as both are, multiplied. */
export const longestText = 1000;
/** Of all conditions together, as JSON. */
export const longestConditions = 500_000;
/** Words of the box above the items: an item has each of them somewhere. */
export const mostWords = 5;
