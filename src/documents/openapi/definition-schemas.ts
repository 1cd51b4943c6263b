import { list, ref, text, typeName, type Schema, count, open, stamp, uri, version, schemaOfZod, oneOfTexts } from "./schema.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { documents } from "#domain/definition/document.ts";
import { pageSchema, actor } from "./problem-schemas.ts";
import { named } from "#documents/openapi/paths/definition-paths.ts";
import { webhookBody, webhookChange, webhookStates, webhookTypes } from "#domain/webhook/webhook.ts";

/** One schema for each type of field; line items have columns of the others. */
export function fieldDefinitions(field: Schema): Schema {
  const types = (field["oneOf"] as Schema[]).map((each) => {
    const type = (each["properties"] as Record<string, Schema>)["type"]?.["const"] as string;
    return { type, name: `${typeName(type)}Definition`, schema: ownDefault(each, type) };
  });
  const columns = types.filter(({ type }) => type !== "line_items");
  return {
    FieldDefinition: unionOf(types),
    ColumnDefinition: unionOf(columns),
    ...Object.fromEntries(types.map(({ name, schema }) => [name, schema])),
  };
}

function unionOf(types: readonly { type: string; name: string }[]): Schema {
  const mapping = types.map(({ type, name }) => [type, `#/components/schemas/${name}`] as const);
  return {
    oneOf: types.map(({ name }) => ref("schemas", name)),
    discriminator: { propertyName: "type", mapping: Object.fromEntries(mapping) },
  };
}

/** A default has the type of the field's values; and keys of before are the server's. */
function ownDefault(schema: Schema, type: string): Schema {
  const properties = { ...(schema["properties"] as Record<string, Schema>) };
  if ("default" in properties) properties["default"] = defaultOf(type);
  if (type === "line_items")
    properties["fields"] = { ...properties["fields"], items: ref("schemas", "ColumnDefinition") };
  properties["previous_keys"] = { ...list(text), readOnly: true };
  return { ...schema, properties };
}

function defaultOf(type: string): Schema {
  switch (type) {
    case "number":
    case "boolean":
      return { type: [type, "null"] };
    case "multi_select":
      return { ...list(text), type: ["array", "null"] };
    case "line_items":
      return { ...list({ type: "object", additionalProperties: true }), type: ["array", "null"] };
    default:
      return { type: ["string", "null"] };
  }
}

/** The schemas of apps and forms themselves: in lists, and as they are defined, read and sent alike. */
export function definitionSchemas(kind: CollectionKind): Schema {
  const items = kind === "app" ? "records" : "submissions";
  const names = ["self", "openapi", items, "search"];
  const links = open(Object.fromEntries(names.map((name) => [name, uri])));
  const one = named[kind];
  const told = { key: text, name: text, description: text, time_zone: text };
  const { fields, ...sent } = schemaOfZod(documents[kind])["properties"] as Record<string, Schema>;
  const own = kind === "form" ? { acceptance: ref("schemas", "Acceptance") } : {};
  const servers = {
    schema_version: version,
    indexing,
    pending,
    links: ref("schemas", `${one}Links`),
  };
  return {
    [`${one}Links`]: links,
    [one]: open({ ...told, schema_version: version, links: ref("schemas", `${one}Links`) }),
    [`${one}Page`]: pageSchema(one),
    [`${one}Definition`]: {
      type: "object",
      description: "For both directions: what is the server's own is ignored where it is sent.",
      additionalProperties: false,
      properties: {
        ...sent,
        ...own,
        fields: list(ref("schemas", "FieldDefinition")),
        ...Object.fromEntries(
          Object.entries(servers).map(([name, schema]) => [name, { readOnly: true, ...schema }]),
        ),
      },
      required: ["fields"],
    },
    ...(kind === "form" ? { Acceptance: acceptanceOf(sent["acceptance"] ?? {}) } : {}),
    ...fieldDefinitions(fields?.["items"] as Schema),
  };
}

const moment = { ...stamp, type: ["string", "null"] };

function acceptanceOf(sent: Schema): Schema {
  const accepting = { type: "boolean", readOnly: true };
  const properties = { ...(sent["properties"] as Schema), opens_at: moment, closes_at: moment };
  return { ...sent, properties: { ...properties, accepting } };
}

const progress: Schema = { done: count, total: count };
const indexing = open(progress);
const pending: Schema = {
  ...open(
    {
      schema_version: version,
      ...progress,
      problem: open(
        {
          type: text,
          title: text,
          status: { type: "integer", format: "int32" },
          code: text,
          detail: text,
          field: text,
          fields: list(text),
          items: list(text),
        },
        ["type", "title", "status", "code", "detail"],
      ),
    },
    ["schema_version", "done", "total"],
  ),
  description:
    "A change that waits until all items were looked at; or why it was dropped, as the problem that it would have been.",
};

const or = (schema: Schema): Schema => ({ ...schema, type: [schema["type"], "null"] });

export function webhookSchemas(): Schema {
  const webhook: Schema = {
    id: text,
    name: text,
    url: text,
    types: list(oneOfTexts(webhookTypes)),
    collections: { oneOf: [{ type: "string", const: "all" }, list(text)] },
    include: oneOfTexts(["item", "ids"]),
    state: oneOfTexts(webhookStates),
    reason: { ...or(text), description: "Why it is failing or disabled." },
    maker: actor,
    secrets: list(open({ created_at: stamp, expires_at: or(stamp) })),
    version,
    etag: text,
    created_at: stamp,
    updated_at: stamp,
  };
  const once = { type: "string", pattern: "^whsec_", description: "Shown this once." };
  const delivery: Schema = {
    id: text,
    message: { ...text, description: "The `webhook-id`, the same for each try." },
    type: text,
    collection: or(text),
    item: or(text),
    attempt: { ...count, description: "From 1; 0 where it was sent by hand." },
    at: stamp,
    delivered: { type: "boolean" },
    status: { ...or(count), description: "Of the answer; null where none came." },
    milliseconds: count,
    answer: { ...or(text), description: "The first 1 KiB of it." },
    error: or(text),
  };
  return {
    Webhook: open(webhook),
    WebhookWithSecret: open({ ...webhook, secret: once }, Object.keys(webhook)),
    WebhookPage: pageSchema("Webhook"),
    WebhookCreate: schemaOfZod(webhookBody),
    WebhookChange: schemaOfZod(webhookChange),
    WebhookDelivery: open(delivery),
    WebhookDeliveryPage: pageSchema("WebhookDelivery"),
  };
}
