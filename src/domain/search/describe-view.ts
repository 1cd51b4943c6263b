import type { View } from "#domain/definition/collection.ts";
import { isObject } from "#domain/json.ts";
import { meOperand } from "./tree.ts";

/** A view in words, for people who give access to it. Fields have their keys. */

const operatorWords: Record<string, string> = {
  eq: "is",
  ne: "is not",
  gt: "is more than",
  gte: "is at least",
  lt: "is less than",
  lte: "is at most",
  between: "is between",
  in: "is one of",
  not_in: "is none of",
  contains: "contains",
  starts_with: "starts with",
  has_any: "has any of",
  has_all: "has all of",
  has_none: "has none of",
};

const systemWords: Record<string, string> = {
  $created_by: "creator",
  $updated_by: "last editor",
  $created_at: "time of creation",
  $updated_at: "time of change",
  $status: "status",
  $id: "ID",
  $receipt_number: "receipt number",
};

/** What the view matches: “All items”, or “Only items whose …”. */
export function describeItems({ conditions = [] }: View): string {
  if (conditions.length === 0) return "All items";
  return `Only items whose ${describeAll(conditions, " and ")}`;
}

/** What the view shows: “all fields”, or “only the fields …”. */
export const describeFields = ({ fields }: View): string =>
  fields ? `only the fields ${fields.join(", ")}` : "all fields";

const describeAll = (conditions: readonly unknown[], conjunction: string): string =>
  conditions.map(describeCondition).join(conjunction);

function describeCondition(condition: unknown): string {
  if (!isObject(condition)) return "…";
  const { all, any, not, field, op, value } = condition;
  if (Array.isArray(all)) return `(${describeAll(all, " and ")})`;
  if (Array.isArray(any)) return `(${describeAll(any, " or ")})`;
  if (not !== undefined) return `not (${describeCondition(not)})`;
  const name = systemWords[String(field)] ?? String(field);
  if (op === "is_empty") return `${name} is ${value === false ? "not " : ""}empty`;
  if (op === "any" || op === "none") {
    const rows = describeAll(Array.isArray(value) ? value : [], " and ");
    return `${name} has ${op === "any" ? "a row" : "no row"} whose ${rows}`;
  }
  return `${name} ${operatorWords[String(op)] ?? String(op)} ${describeValue(value)}`;
}

function describeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(describeValue).join(", ");
  return value === meOperand ? "the credential itself" : JSON.stringify(value);
}
