import { listing, plural } from "./words.ts";
import type { Operator } from "#domain/search/tree.ts";

type Comparison = Exclude<Operator, "is_empty" | "any" | "none" | "matches">;
type Compare = (field: string, values: readonly string[]) => string;

const compare =
  (operator: string, conjunction = "and"): Compare =>
  (field, values) =>
    `${field} ${operator} ${listing(values, conjunction)}`;

const comparisons = (): Record<Comparison, Compare> => ({
  eq: compare("is"),
  ne: compare("is not"),
  gt: compare("is more than"),
  gte: compare("is at least"),
  lt: compare("is less than"),
  lte: compare("is at most"),
  between: compare("is between"),
  in: compare("is", "or"),
  not_in: compare("is neither", "nor"),
  contains: compare("contains"),
  starts_with: compare("starts with"),
  has_any: compare("has any of", "or"),
  has_all: compare("has all of"),
  has_none: compare("has none of", "or"),
});

/** The items and fields of a view. Each condition is a clause about an item. */
export const viewDescription = () => ({
  shows: (items: string, fields: string) => `${items}, ${fields}`,
  allItems: (items: string) => `All ${items}`,
  items: (conditions: string, items: string) => `Only ${items} whose ${conditions}`,
  allFields: "all fields",
  allFieldsExcept: (labels: readonly string[]) => `all fields except ${listing(labels)}`,
  fields: (keys: readonly string[]) => `only ${listing(keys)}`,
  all: (conditions: readonly string[]) => conditions.join(" and "),
  any: (conditions: readonly string[]) => conditions.join(" or "),
  group: (conditions: string) => `(${conditions})`,
  not: (condition: string) => `not (${condition})`,
  isEmpty: (field: string) => `${field} is empty`,
  isNotEmpty: (field: string) => `${field} is not empty`,
  hasRow: (field: string, conditions: string) => `${field} has a row whose ${conditions}`,
  hasNoRow: (field: string, conditions: string) => `${field} has no row whose ${conditions}`,
  comparisons: comparisons(),
  systemFields: {
    $created_by: "creator",
    $updated_by: "last editor",
    $created_at: "time of creation",
    $updated_at: "time of change",
    $status: "status",
    $id: "ID",
    $receipt_number: "receipt number",
  },
  /** The operands or fields that are not listed. */
  more: (count: number) => `${count} more`,
  moreConditions: (count: number) => `${count} more ${plural(count, "condition")}`,
  quote: (value: string) => `“${value}”`,
  caller: "the credential itself",
  unknown: "…",
});
