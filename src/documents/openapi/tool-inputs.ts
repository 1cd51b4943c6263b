import type { Collection, CollectionKind } from "#domain/definition/collection.ts";
import * as z from "zod/mini";
import { pageLimit } from "#domain/cursor.ts";
import { lazy } from "#domain/lazy.ts";
import { idempotencyKey } from "#domain/preconditions.ts";
import { maxConditions, maxSortKeys } from "#domain/search/tree.ts";
import { expansions, maxExpansions } from "#domain/search/expand.ts";
import { operators, searchFields } from "#domain/search/fields.ts";
import { itemSchemas } from "./item-schemas.ts";
import { sharedSchemas } from "./problem-schemas.ts";
import { dataName, dataUses, type DataUse } from "./field-schemas.ts";
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

/** The input schemas of tools. */

/** The parameters of tools, in addition to the bodies of the API. */
export const toolParameters = lazy(() => ({
  kind: z.enum(["app", "form"]),
  key: z.string(),
  app: z.string(),
  form: z.string(),
  id: z.string(),
  if_match: z.optional(z.string().check(z.maxLength(1000))),
  limit: z.optional(pageLimit()),
  cursor: z.optional(z.string()),
  expand: z.optional(z.array(z.string()).check(z.maxLength(maxExpansions))),
  /** The create itself validates it. */
  idempotency_key: z.optional(z.unknown()),
}));
export type ToolParameter = keyof ReturnType<typeof toolParameters>;

const descriptions: Record<ToolParameter, string> = {
  kind: "Whether it is an app or a form.",
  key: "Its key, as list_apps and list_forms tell it.",
  app: "The key of the app, as list_apps tells it.",
  form: "The key of the form, as list_forms tells it.",
  id: "The id; of records, the receipt number too.",
  if_match:
    'The etag of the version that the change is meant for, with its quotes, as in "3". If it was changed since, nothing is written.',
  limit: "How many at most.",
  cursor: "The next_cursor of the page before.",
  expand:
    "The keys of references whose records come in included, like customer, or lines.product for a column.",
  idempotency_key:
    "A new text for each item that is to be created. Sent again with the same text within 24 hours, it creates nothing more.",
};

/** The schemas of these parameters, with descriptions for models. */
export function parameterSchemas(...names: ToolParameter[]): Schema {
  const schemas = { ...toolParameters(), idempotency_key: idempotencyKey() };
  return Object.fromEntries(
    names.map((name) => [
      name,
      { ...toJsonSchema(schemas[name]), description: descriptions[name] },
    ]),
  );
}

/** A schema that includes all schemas to which it refers. */
function toStandalone(schema: Schema, schemas: Schema): Schema {
  const { schemas: definitions } = reachableComponents(schema, { schemas });
  const text = JSON.stringify(definitions ? { ...schema, $defs: definitions } : schema);
  return JSON.parse(text.replaceAll('"$ref":"#/components/schemas/', '"$ref":"#/$defs/')) as Schema;
}

const anyDataSchema: Schema = {
  type: "object",
  additionalProperties: true,
  description: "Values under the keys of the fields, as read_definition tells them.",
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
    ? ref("schemas", names.one + dataName(isUpdate ? updateUse : "create", uses))
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

/** Assistants write RFC 3339, so the other formats would only cost tokens. */
const toolSchemas = () => ({ ...sharedSchemas(), DateTimeInput: timestampSchema });

const isRequired = (name: string) => ["app", "form", "id"].includes(name);

/** The input of a tool that has only parameters. */
export function plainInput(parameters: Schema): Schema {
  return closedObject(parameters, Object.keys(parameters).filter(isRequired));
}

const conditionsDescription =
  "All of them hold. A value is as the field holds it; for in, not_in and has_… a list, for between both ends, for is_empty true or false; " +
  "for any and none a list of conditions that one row meets, for matches a list of conditions that the record of the reference meets.";

const operandSchema: Schema = { type: ["string", "number", "boolean", "array"] };
const conditionSchema = (field: Schema, ops: readonly string[]) =>
  closedObject({ field, op: enumSchema(ops), value: operandSchema }, ["field", "op", "value"]);

const anyGroup = listSchema({ type: "object" });
const groupsSchema = {
  ...closedObject({ all: anyGroup, any: anyGroup, not: { type: "object" } }, []),
  description: "A group of conditions, in place of one.",
};

/** The input of a search. It is flat to save tokens. The search itself validates groups of conditions. */
export function searchInput(parameters: Schema, collection: Collection | undefined): Schema {
  const fields = collection
    ? [...searchFields(collection).values()].filter((field) => field !== undefined)
    : [];
  const kinds = Object.entries(Object.groupBy(fields, ({ kind }) => kind));
  const leaves = collection
    ? kinds.map(([kind, kindFields]) =>
        conditionSchema(
          enumSchema(kindFields.map(({ name }) => name)),
          operators[kind as keyof typeof operators],
        ),
      )
    : [conditionSchema(stringSchema, [...new Set(Object.values(operators).flat())])];
  const names = fields.map(({ name }) => name);
  const keys = collection?.definition.fields.fields.map(({ key }) => key);
  return closedObject(
    {
      ...parameters,
      conditions: {
        ...listSchema({ anyOf: [...leaves, groupsSchema] }),
        maxItems: maxConditions,
        description: conditionsDescription,
      },
      sort: {
        ...listSchema(
          closedObject(
            {
              field: collection ? enumSchema(names) : stringSchema,
              direction: enumSchema(["asc", "desc"]),
            },
            ["field"],
          ),
        ),
        maxItems: maxSortKeys,
      },
      fields: {
        ...listSchema(keys && keys.length > 0 ? enumSchema(keys) : stringSchema),
        description: "The keys of the fields to show; all where it is left out.",
      },
      ...(collection && expansions(collection).size === 0 ? {} : parameterSchemas("expand")),
      limit: toJsonSchema(pageLimit()),
      ...parameterSchemas("cursor"),
    },
    Object.keys(parameters).filter(isRequired),
  );
}

/** Neither is required in the schema, because models handle alternatives there badly. */
export function definitionInput(): Schema {
  return closedObject(parameterSchemas("app", "form"), []);
}
