import type { Collection } from "../../../../domain/definition/collection";
import { valueType, type Field } from "../../../../domain/definition/field";
import { isObject } from "../../../../domain/json";
import { problem } from "../../../../domain/problem/problem";
import type { Filter, Query } from "../query";
import type { Clock } from "./clock";
import type { Condition, Kind } from "./condition";
import { leaf } from "./leaf";

/** The search of the API that a query stands for, apart from its text: the same one decides what it means. */
export function searchBody(collection: Collection, query: Query, clock: Clock) {
  const { fields } = collection.definition.fields;
  return {
    conditions: [
      ...query.filters.map((filter) => conditionOf(fields, filter, clock)),
      ...written(query.conditions),
    ],
    ...(query.sort ? { sort: [{ field: query.sort.key, direction: query.sort.direction }] } : {}),
    limit: 50,
  };
}

function conditionOf(
  fields: readonly Field[],
  { path, op, values }: Filter,
  clock: Clock,
): Condition {
  const [key = "", column] = path.split(".");
  const field = fields.find((each) => each.key === key);
  if (column === undefined || field?.type !== "line_items") {
    return leaf(path, kindOf(field, path), op, values, clock);
  }
  const inner = field.fields.find((each) => each.key === column);
  return { field: key, op: "any", value: [leaf(column, kindOf(inner, path), op, values, clock)] };
}

function kindOf(field: Field | undefined, path: string): Kind {
  if (field) return valueType(field);
  return path === "$created_at" || path === "$updated_at" ? "datetime" : "text";
}

/** Conditions written as JSON, for what the inputs cannot say. */
function written(text: string): unknown[] {
  if (text === "") return [];
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
    if (isObject(parsed)) return [parsed];
  } catch {
    // Told below, like anything else that is no list.
  }
  throw problem.malformedJson("The conditions are a JSON list, as the API takes it.");
}
