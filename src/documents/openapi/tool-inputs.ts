import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import * as z from "zod/mini";
import { pageLimit } from "#domain/cursor.ts";
import { lazy } from "#domain/lazy.ts";
import { idempotencyKeySchema } from "#domain/preconditions.ts";
import { maxConditions, maxSortKeys } from "#domain/search/tree.ts";
import type { SearchField } from "#domain/search/tree.ts";
import { expansions, maxExpansions } from "#domain/search/expand.ts";
import { operators, searchFields } from "#domain/search/fields.ts";
import {
  groupingOf,
  maxGroupKeys,
  maxGroups,
  maxMetrics,
  metricOps,
  units,
} from "#domain/aggregate/aggregate.ts";
import { itemSchemas } from "./item-schemas.ts";
import { sharedSchemas } from "./problem-schemas.ts";
import { dataSuffix, dataUses, type DataUse } from "./data-uses.ts";
import { resourceNames } from "./names.ts";
import { reachableComponents } from "./versions.ts";
import {
  closedObject,
  listSchema,
  enumSchema,
  ref,
  stringSchema,
  type Schema,
  timestampSchema,
  toJsonSchema,
} from "./schema.ts";

// The input schemas of tools.

/** The parameters of tools, in addition to the bodies of the API. */
export const toolParameters = lazy(() => ({
  kind: z.enum(["app", "form"]),
  key: z.string(),
  app: z.string(),
  form: z.string(),
  id: z.string(),
  if_match: z.optional(z.string().check(z.maxLength(1000))),
  view: z.optional(z.string().check(z.maxLength(100))),
  limit: z.optional(pageLimit()),
  cursor: z.optional(z.string()),
  expand: z.optional(z.array(z.string()).check(z.maxLength(maxExpansions))),
  /** The create itself validates the key. */
  idempotency_key: z.optional(z.unknown()),
}));
export type ToolParameter = keyof ReturnType<typeof toolParameters>;

const descriptions: Record<ToolParameter, string> = {
  kind: "app or form.",
  key: "The key from list_apps or list_forms.",
  app: "The key of the app, from list_apps.",
  form: "The key of the form, from list_forms.",
  id: "The ID. For records, also the receipt number.",
  if_match:
    'The etag of the version to change, with its quotes, as in "3". If another version is stored, nothing is written.',
  view: "The key of a view of the definition. Its conditions apply too, and its sort and fields where you send none.",
  limit: "The maximum number of results.",
  cursor: "The next_cursor of the previous page.",
  expand:
    "The keys of references whose records the result adds in included, like customer, or lines.product for a column.",
  idempotency_key:
    "A unique text for each item to create. Retries with the same text within 24 hours create nothing more.",
};

/** The schemas of these parameters, with descriptions for models. */
export function parameterSchemas(...names: ToolParameter[]): Schema {
  const cursor = z.string().check(z.minLength(1));
  const schemas = { ...toolParameters(), idempotency_key: idempotencyKeySchema(), cursor };
  return Object.fromEntries(
    names.map((name) => [
      name,
      { ...toJsonSchema(schemas[name]), description: descriptions[name] },
    ]),
  );
}

/** Returns a schema that includes all schemas that it refers to. */
function toStandalone(schema: Schema, schemas: Schema): Schema {
  const { schemas: definitions } = reachableComponents(schema, { schemas });
  const text = JSON.stringify(definitions ? { ...schema, $defs: definitions } : schema);
  return JSON.parse(text.replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/$defs/')) as Schema;
}

const anyDataSchema: Schema = {
  type: "object",
  additionalProperties: true,
  description: "Values by field key. read_definition returns the keys and types.",
};

const statusesByAction = {
  create: ["submitted", "draft"],
  validate: ["submitted", "draft"],
  update: ["draft", "submitted", "closed"],
} as const;

/** The input of a tool that sends an item. Drafts may omit required fields. */
export function itemInput(
  action: keyof typeof statusesByAction,
  kind: CollectionKind,
  parameters: Schema,
  collection: Collection | undefined,
): Schema {
  const isUpdate = action === "update";
  const names = resourceNames(kind, collection?.key);
  const updateUse: DataUse = kind === "form" ? "draftChange" : "change";
  const uses = dataUses(kind, collection?.definition.fields.fields ?? []);
  const data = collection
    ? ref("schemas", names.schemaName + dataSuffix(isUpdate ? updateUse : "create", uses))
    : anyDataSchema;
  const status = {
    ...enumSchema(statusesByAction[action]),
    ...(isUpdate ? {} : { default: "submitted" }),
  };
  const input = closedObject({ ...parameters, ...(kind === "form" ? { status } : {}), data }, [
    ...Object.keys(parameters).filter(isRequired),
    ...(isUpdate && kind === "form" ? [] : ["data"]),
  ]);
  return toStandalone(
    input,
    collection ? { ...itemSchemas(names, collection), ...toolSchemas() } : {},
  );
}

/** Assistants write RFC 3339, so schemas of the other formats would only cost tokens. */
const toolSchemas = () => ({ ...sharedSchemas(), DateTimeInput: timestampSchema });

const isRequired = (name: string) => ["app", "form", "id"].includes(name);

/** The input of a tool that has only parameters. */
export function plainInput(parameters: Schema): Schema {
  return closedObject(parameters, Object.keys(parameters).filter(isRequired));
}

const conditionsDescription =
  "Items must match all conditions. Values have the type of the field: a list for in, not_in and has_…, the two ends for between, " +
  "true or false for is_empty, a list of conditions on one row for any and none, and a list of conditions on the record for matches.";

const operandSchema: Schema = { type: ["string", "number", "boolean", "array"] };
const conditionSchema = (field: Schema, ops: readonly string[]) =>
  closedObject({ field, op: enumSchema(ops), value: operandSchema }, ["field", "op", "value"]);

/**
 * Returns the schema of the conditions of a tool. It is flat to save tokens. The service itself validates groups of
 * conditions.
 */
function conditionsInput(
  fields: readonly SearchField[],
  collection: Collection | undefined,
): Schema {
  const groupSchema = listSchema({ type: "object" });
  const groups = {
    ...closedObject({ all: groupSchema, any: groupSchema, not: { type: "object" } }, []),
    description: "A group of conditions in place of a single one.",
  };
  const kinds = Object.entries(Object.groupBy(fields, ({ kind }) => kind));
  const leaves = collection
    ? kinds.map(([kind, kindFields]) =>
        conditionSchema(
          enumSchema(kindFields.map(({ name }) => name)),
          operators[kind as keyof typeof operators],
        ),
      )
    : [conditionSchema(stringSchema, [...new Set(Object.values(operators).flat())])];
  return {
    ...listSchema({ anyOf: [...leaves, groups] }),
    maxItems: maxConditions,
    description: conditionsDescription,
  };
}

const presentFields = (fields: Map<string, SearchField | undefined>): SearchField[] =>
  [...fields.values()].filter((field) => field !== undefined);

/** A member of a body that may be null, like in the API. */
const orNull = (schema: Schema): Schema => ({ ...schema, type: [schema["type"], "null"] });

const directionSchema: Schema = { type: ["string", "null"], enum: ["asc", "desc", null] };

/** The input of a search. */
export function searchInput(parameters: Schema, collection: Collection | undefined): Schema {
  const fields = collection ? presentFields(searchFields(collection)) : [];
  const names = fields.map(({ name }) => name);
  const keys = collection?.definition.fields.fields.map(({ key }) => key);
  const { expand = {}, cursor = {} } = parameterSchemas("expand", "cursor") as Record<
    string,
    Schema
  >;
  return closedObject(
    {
      ...parameters,
      conditions: orNull(conditionsInput(fields, collection)),
      sort: orNull({
        ...listSchema(
          closedObject(
            {
              field: collection ? enumSchema(names) : stringSchema,
              direction: directionSchema,
            },
            ["field"],
          ),
        ),
        maxItems: maxSortKeys,
      }),
      fields: orNull({
        ...listSchema(keys && keys.length > 0 ? enumSchema(keys) : stringSchema),
        description: "The keys of the fields to return. Returns all fields if omitted.",
      }),
      ...(collection && expansions(collection).size === 0 ? {} : { expand: orNull(expand) }),
      limit: orNull(toJsonSchema(pageLimit())),
      cursor: orNull(cursor),
    },
    Object.keys(parameters).filter(isRequired),
  );
}

const unitDescription =
  "For dates and date-times, and required there: 2026-11-22, 2026-W47, 2026-11, 2026-Q4, 2026.";

/** The input of an aggregate. The service itself validates which fields take a unit and which operation. */
export function aggregateInput(parameters: Schema, collection: Collection | undefined): Schema {
  const fields = collection ? presentFields(searchFields(collection)) : [];
  const fieldSchema = (isAllowed: (field: SearchField) => boolean) =>
    collection ? enumSchema(fields.filter(isAllowed).map(({ name }) => name)) : stringSchema;
  const group = {
    field: fieldSchema((field) => groupingOf(field) !== null),
    unit: { ...enumSchema(units), description: unitDescription },
    time_zone: { ...stringSchema, description: "An existing name of IANA, for date-times." },
  };
  const metric = { op: enumSchema(metricOps), field: fieldSchema(() => true) };
  const order = { metric: stringSchema, direction: directionSchema };
  return closedObject(
    {
      ...parameters,
      conditions: orNull({
        ...listSchema({ type: "object" }),
        maxItems: maxConditions,
        description: "What must hold, as the search tool takes it.",
      }),
      group_by: orNull({
        ...listSchema(closedObject(group, ["field"])),
        maxItems: maxGroupKeys,
        description: "Different fields.",
      }),
      metrics: {
        type: "object",
        additionalProperties: closedObject(metric, ["op"]),
        minProperties: 1,
        maxProperties: maxMetrics,
        description: "Figures by a name of your own. Only count works without a field.",
      },
      order_by: orNull({
        ...listSchema(closedObject(order, ["metric"])),
        maxItems: maxMetrics,
        description: "Names of metrics. By the key of the group where it is left out.",
      }),
      limit: orNull({
        type: "integer",
        minimum: 1,
        maximum: maxGroups,
        description: "How many groups at most; 100 where it is left out.",
      }),
    },
    [...Object.keys(parameters).filter(isRequired), "metrics"],
  );
}

/** The input of `read_definition`. Requires neither `app` nor `form`, because models handle alternatives badly. */
export function definitionInput(): Schema {
  return closedObject(parameterSchemas("app", "form"), []);
}
