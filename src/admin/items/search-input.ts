import { isObject } from "../../domain/json";
import { valueType, type Field } from "../../domain/definition/field";
import { problem } from "../../domain/problem/problem";

/** What the address of a list of items says. */
export type Query = Record<string, string>;

export const operators = [
  "eq",
  "ne",
  "contains",
  "starts_with",
  "gt",
  "gte",
  "lt",
  "lte",
  "between",
  "in",
  "not_in",
  "has_any",
  "has_all",
  "has_none",
  "is_empty",
];
const many = ["between", "in", "not_in", "has_any", "has_all", "has_none"];

/** The search of the API that an address stands for: the same one decides what it means. */
export function searchOf(fields: readonly Field[], query: Partial<Query>) {
  const { field, op = "eq", value = "", sort, direction = "asc", conditions } = query;
  const simple = field ? [{ field, op, value: operandOf(fields, field, op, value) }] : [];
  return {
    conditions: [...simple, ...written(conditions)],
    ...(sort ? { sort: [{ field: sort, direction }] } : {}),
    limit: 50,
  };
}

function operandOf(fields: readonly Field[], key: string, op: string, text: string): unknown {
  const field = fields.find((each) => each.key === key);
  const type = field ? valueType(field) : "text";
  const one = (value: string): unknown => {
    if (type === "number") return value.trim() === "" ? value : Number(value);
    return type === "boolean" ? value === "true" : value;
  };
  if (op === "is_empty") return text !== "false";
  return many.includes(op) ? text.split(",").map((part) => one(part.trim())) : one(text);
}

/** Conditions written as JSON, for what the inputs cannot say. */
function written(text: string | undefined): unknown[] {
  if (!text) return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
    if (isObject(parsed)) return [parsed];
  } catch {
    // Told below, like anything else that is no list.
  }
  throw problem.malformedJson("The conditions are a JSON list, as the API takes it.");
}
