import { searchFields } from "#domain/search/fields.ts";
import {
  groupingOf,
  maxGroupKeys,
  maxGroups,
  maxMetrics,
  metricNamePattern,
  metricOps,
  metricOpsOf,
  units,
  type Grouping,
} from "#domain/aggregate/aggregate.ts";
import type { Collection } from "#domain/definition/collection.ts";
import { maxConditions, type SearchField } from "#domain/search/tree.ts";
import { storableText } from "./field-schemas.ts";
import {
  closedObject,
  enumSchema,
  listSchema,
  openObject,
  ref,
  stringSchema,
  type Schema,
} from "./schema.ts";

/** The schemas of aggregates in this collection: its fields, their periods and their operations. */
export function aggregateSchemas(schemaName: string, collection: Collection): Schema {
  const fields = [...searchFields(collection).values()].filter((field) => field !== undefined);
  const groupableFields = fields.filter((field) => groupingOf(field) !== null);
  const keys = groupableFields.map((field) => [field.name, keySchema(groupingOf(field))] as const);
  return {
    ...groupSchemas(schemaName, (groupings) => {
      const names = fieldNames(
        groupableFields.filter((field) => groupings.includes(groupingOf(field))),
      );
      return names.length > 0 ? enumSchema(names) : undefined;
    }),
    ...metricSchemas(schemaName, fields),
    ...bodySchemas(schemaName),
    [`${schemaName}AggregateKey`]: openObject(Object.fromEntries(keys), []),
  };
}

/** The schemas of an aggregate in any collection. */
export function anyAggregateSchemas(): Schema {
  const metric = closedObject({ op: enumSchema(metricOps), field: storableText }, ["op"]);
  const key: Schema = { type: ["string", "boolean", "null"] };
  return {
    ...bodySchemas(""),
    AggregateGroupBy: closedObject(
      { field: storableText, unit: enumSchema(units), time_zone: stringSchema },
      ["field"],
    ),
    AggregateMetric: metric,
    AggregateKey: { type: "object", additionalProperties: key },
  };
}

const fieldNames = (fields: readonly SearchField[]) => fields.map(({ name }) => name);

const keySchema = (grouping: Grouping | null): Schema => ({
  type: [grouping === "boolean" ? "boolean" : "string", "null"],
});

/** A field that forms groups by its values, by periods of days, or by periods in a time zone. */
function groupSchemas(
  schemaName: string,
  fieldSchema: (groupings: readonly (Grouping | null)[]) => Schema | undefined,
): Schema {
  const name = `${schemaName}AggregateGroupBy`;
  const unit = { unit: enumSchema(units) };
  const zone = {
    time_zone: {
      ...stringSchema,
      description: "An existing name of IANA; that of the app or form if omitted.",
    },
  };
  const [valueField, dayField, timeField] = [
    fieldSchema(["value", "boolean", "list"]),
    fieldSchema(["date"]),
    fieldSchema(["datetime"]),
  ];
  const variants: Schema = {
    ...(valueField ? { [`${name}Value`]: closedObject({ field: valueField }, ["field"]) } : {}),
    ...(dayField
      ? { [`${name}Day`]: closedObject({ field: dayField, ...unit }, ["field", "unit"]) }
      : {}),
    ...(timeField
      ? { [`${name}Time`]: closedObject({ field: timeField, ...unit, ...zone }, ["field", "unit"]) }
      : {}),
  };
  return { [name]: unionOf(variants), ...variants };
}

/** A metric. Fields with the same operations share a schema. Only the count of items has no field. */
function metricSchemas(schemaName: string, fields: readonly SearchField[]): Schema {
  const name = `${schemaName}AggregateMetric`;
  const fieldsByOps = Map.groupBy(fields, (field) => metricOpsOf(field).join());
  const suffixes = new Map([
    [metricOps.join(), "Number"],
    ["count,count_distinct,min,max", "Time"],
    ["count,count_distinct", "Value"],
    ["count", "List"],
  ]);
  const variants: Schema = {
    [`${name}Items`]: closedObject({ op: enumSchema(["count"]) }, ["op"]),
  };
  for (const [ops, suffix] of suffixes) {
    const names = fieldNames(fieldsByOps.get(ops) ?? []);
    if (names.length === 0) continue;
    const members = { op: enumSchema(ops.split(",")), field: enumSchema(names) };
    variants[name + suffix] = closedObject(members, ["op", "field"]);
  }
  return { [name]: unionOf(variants), ...variants };
}

const unionOf = (variants: Schema): Schema => ({
  oneOf: Object.keys(variants).map((name) => ref("schemas", name)),
});

function bodySchemas(schemaName: string): Schema {
  const name = `${schemaName}Aggregate`;
  const direction = {
    type: ["string", "null"],
    enum: ["asc", "desc", null],
    description: "`asc` if omitted or null.",
  };
  const limit = { type: ["integer", "null"], format: "int64", minimum: 1, maximum: maxGroups };
  const metricValue: Schema = { type: ["number", "string", "null"] };
  return {
    [name]: closedObject(
      {
        conditions: nullableList(`${schemaName}Condition`, maxConditions),
        group_by: {
          ...nullableList(`${name}GroupBy`, maxGroupKeys),
          description: "Different fields.",
        },
        metrics: {
          type: "object",
          additionalProperties: ref("schemas", `${name}Metric`),
          propertyNames: { pattern: metricNamePattern },
          minProperties: 1,
          maxProperties: maxMetrics,
        },
        order_by: {
          ...nullableList(`${name}Order`, maxMetrics),
          description: "By figures of this request: `metric` names one of `metrics`.",
        },
        limit: { ...limit, description: "The number of groups; 100 if omitted or null." },
      },
      ["metrics"],
    ),
    [`${name}Order`]: closedObject({ metric: stringSchema, direction }, ["metric"]),
    [`${name}Group`]: openObject({
      key: ref("schemas", `${name}Key`),
      metrics: { type: "object", additionalProperties: metricValue },
    }),
    [`${name}s`]: openObject({
      groups: listSchema(ref("schemas", `${name}Group`)),
      truncated: { type: "boolean", description: "Whether more groups exist." },
    }),
  };
}

const nullableList = (items: string, maxItems: number): Schema => ({
  type: ["array", "null"],
  items: ref("schemas", items),
  maxItems,
});
