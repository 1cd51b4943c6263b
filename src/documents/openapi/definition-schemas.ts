import {
  listSchema,
  ref,
  stringSchema,
  typeName,
  type Schema,
  countSchema,
  openObject,
  uriSchema,
  versionSchema,
  toJsonSchema,
  enumSchema,
} from "./schema.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { documentSchemas } from "#domain/definition/document.ts";
import { viewsSchema } from "#domain/definition/view.ts";
import { patchSchemas } from "#domain/definition/patch.ts";
import { dateTimeInput } from "./field-schemas.ts";
import { pageSchema } from "./problem-schemas.ts";

export const kindSchemaNames = { app: "App", form: "Form" } as const;

/** Returns one schema for each field type. The columns of line items can have every type except line items. */
function fieldDefinitions(field: Schema): Schema {
  const types = (field["oneOf"] as Schema[]).map((option) => {
    const type = (option["properties"] as Record<string, Schema>)["type"]?.["const"] as string;
    return { type, name: `${typeName(type)}Definition`, schema: withTypedDefault(option, type) };
  });
  const columns = types.filter(({ type }) => type !== "line_items" && type !== "files");
  return {
    FieldDefinition: typeUnion(types),
    ColumnDefinition: typeUnion(columns),
    ...Object.fromEntries(types.map(({ name, schema }) => [name, schema])),
  };
}

function typeUnion(types: readonly { type: string; name: string }[]): Schema {
  const mapping = types.map(({ type, name }) => [type, `#/components/schemas/${name}`] as const);
  return {
    oneOf: types.map(({ name }) => ref("schemas", name)),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
  };
}

/** Gives `default` the type of the field's values. `previous_keys` is read-only, because the server sets it. */
function withTypedDefault(schema: Schema, type: string): Schema {
  const properties = { ...(schema["properties"] as Record<string, Schema>) };
  if ("default" in properties) properties["default"] = defaultSchema(type);
  if (type === "line_items")
    properties["fields"] = { ...properties["fields"], items: ref("schemas", "ColumnDefinition") };
  properties["previous_keys"] = { ...listSchema(stringSchema), readOnly: true };
  if (type !== "computed") return { ...schema, properties };
  // Credentials that see the collection through a view see no formulas.
  const formula = { ...properties["formula"], description: "Required in requests." };
  const required = (schema["required"] as string[]).filter((name) => name !== "formula");
  return { ...schema, properties: { ...properties, formula }, required };
}

function defaultSchema(type: string): Schema {
  switch (type) {
    case "number":
    case "boolean":
      return { type: [type, "null"] };
    case "multi_select":
      return { ...listSchema(stringSchema), type: ["array", "null"] };
    case "line_items":
      return {
        ...listSchema({ type: "object", additionalProperties: true }),
        type: ["array", "null"],
      };
    default:
      return { type: ["string", "null"] };
  }
}

const definitionLists: Schema = {
  views: ref("schemas", "Views"),
  fields: listSchema(ref("schemas", "FieldDefinition")),
};

const serverOwnedMembers = (): Schema => ({
  schema_version: versionSchema,
  indexing: indexingSchema,
  pending: pendingSchema,
  consequences: ref("schemas", "Consequences"),
});

const locationDescription =
  "Where the data is stored: a jurisdiction or a location of a database. Only a new app or form can choose it. Absent: anywhere.";

/** The schemas of apps and forms: in lists, and as definitions in requests and responses. */
export function definitionSchemas(kind: CollectionKind): Schema {
  const items = kind === "app" ? "records" : "submissions";
  const names = ["self", "openapi", items, "search"];
  const links = openObject(Object.fromEntries(names.map((name) => [name, uriSchema])));
  const schemaName = kindSchemaNames[kind];
  const summary = {
    key: stringSchema,
    name: stringSchema,
    description: stringSchema,
    time_zone: stringSchema,
  };
  const { fields, ...inputProperties } = toJsonSchema(documentSchemas[kind]())[
    "properties"
  ] as Record<string, Schema>;
  const location = { ...inputProperties["location"], description: locationDescription };
  const kindMember =
    kind === "form" ? { location, acceptance: ref("schemas", "Acceptance") } : { location };
  const serverMembers = { ...serverOwnedMembers(), links: ref("schemas", `${schemaName}Links`) };
  return {
    [`${schemaName}Links`]: links,
    [schemaName]: openObject({
      ...summary,
      schema_version: versionSchema,
      links: ref("schemas", `${schemaName}Links`),
    }),
    [`${schemaName}Page`]: pageSchema(schemaName),
    [`${schemaName}Definition`]: {
      type: "object",
      description: "Requests and responses share this schema. Requests ignore read-only members.",
      additionalProperties: false,
      properties: {
        ...inputProperties,
        ...kindMember,
        ...definitionLists,
        ...Object.fromEntries(
          Object.entries(serverMembers).map(([key, part]) => [key, { readOnly: true, ...part }]),
        ),
      },
      required: ["fields"],
    },
    ...patchSchemasOf(kind),
    ...(kind === "form"
      ? { Acceptance: acceptanceSchema(inputProperties["acceptance"] ?? {}) }
      : {}),
    ...fieldDefinitions(fields?.["items"] as Schema),
  };
}

const nullableDateTime = { anyOf: [dateTimeInput, { type: "null" }] };

function acceptanceSchema(input: Schema): Schema {
  const accepting = { type: "boolean", readOnly: true };
  const properties = {
    ...(input["properties"] as Schema),
    opens_at: nullableDateTime,
    closes_at: nullableDateTime,
  };
  return { ...input, properties: { ...properties, accepting } };
}

function patchSchemasOf(kind: CollectionKind): Schema {
  return {
    [`${kindSchemaNames[kind]}DefinitionPatch`]: patchSchema(kind),
    Consequences: consequencesSchema,
    Views: viewsComponent(),
  };
}

function patchSchema(kind: CollectionKind): Schema {
  const schema = toJsonSchema(patchSchemas[kind]());
  const { acceptance, ...members } = schema["properties"] as Record<string, Schema>;
  const views = { anyOf: [ref("schemas", "Views"), { type: "null" }] };
  const settings = { ...members, views };
  if (!acceptance) return { ...schema, properties: settings };
  const times = { opens_at: nullableDateTime, closes_at: nullableDateTime };
  const acceptanceMembers = acceptance["properties"] as Schema;
  const patch = { ...acceptance, properties: { ...acceptanceMembers, ...times } };
  return { ...schema, properties: { ...settings, acceptance: patch } };
}

/** Conditions and sort keys have the schemas of a search. The definition itself validates them. */
function viewsComponent(): Schema {
  const objectList = listSchema({ type: "object", additionalProperties: true });
  const schema = toJsonSchema(viewsSchema());
  const view = schema["items"] as Schema;
  const properties = {
    ...(view["properties"] as Schema),
    conditions: objectList,
    sort: objectList,
  };
  return { ...schema, items: { ...view, properties } };
}

const consequencesSchema: Schema = {
  ...openObject({
    outcome: enumSchema(["created", "changed", "unchanged", "pending"]),
    hidden_fields: listSchema(stringSchema),
    recalculated_items: countSchema,
    reindexed_items: countSchema,
    checked_items: countSchema,
    views: listSchema(stringSchema),
    credentials: listSchema(stringSchema),
    webhooks: listSchema(stringSchema),
  }),
  description:
    "Only in a dry run: the effects of the change. `checked_items` are checked before it takes effect.",
};

const progressProperties: Schema = { done: countSchema, total: countSchema };
const indexingSchema = openObject(progressProperties);
const pendingSchema: Schema = {
  ...openObject(
    {
      schema_version: versionSchema,
      ...progressProperties,
      problem: openObject(
        {
          type: stringSchema,
          title: stringSchema,
          status: { type: "integer", format: "int32" },
          code: stringSchema,
          detail: stringSchema,
          field: stringSchema,
          fields: listSchema(stringSchema),
          items: listSchema(stringSchema),
        },
        ["type", "title", "status", "code", "detail"],
      ),
    },
    ["schema_version", "done", "total"],
  ),
  description:
    "A change that takes effect after all items are checked, or the problem for which it was rejected.",
};
