import {
  countSchema,
  enumSchema,
  listSchema,
  openObject,
  stringSchema,
  timestampSchema,
  toJsonSchema,
  versionSchema,
  type Schema,
} from "./schema.ts";
import { pageSchema, actorSchema } from "./problem-schemas.ts";
import { webhookCreateSchema, webhookUpdateSchema, webhookTypes } from "#domain/webhook/webhook.ts";
import { effectiveWebhookStates } from "#domain/webhook/status.ts";

const nullable = (schema: Schema): Schema => ({ ...schema, type: [schema["type"], "null"] });

const webhookStatusProperties = (): Schema => ({
  state: enumSchema(effectiveWebhookStates),
  reason: { ...nullable(stringSchema), description: "Why the webhook is failing or disabled." },
  last_error: {
    ...nullable(stringSchema),
    description: "The error of the last attempt while the webhook is retrying.",
  },
  next_attempt_at: {
    ...nullable(timestampSchema),
    description: "The time of the next attempt while the webhook is retrying.",
  },
});

const deliveryProperties = (): Schema => ({
  id: stringSchema,
  message: {
    ...stringSchema,
    description: "The `webhook-id`, which is the same for all attempts.",
  },
  type: stringSchema,
  collection: nullable(stringSchema),
  item: nullable(stringSchema),
  attempt: { ...countSchema, description: "Starts at 1. 0 for manual resends." },
  at: timestampSchema,
  delivered: { type: "boolean" },
  status: {
    ...nullable(countSchema),
    description: "The status of the response, or null without one.",
  },
  milliseconds: countSchema,
  answer: { ...nullable(stringSchema), description: "The first 1 KiB of the response body." },
  error: nullable(stringSchema),
});

export function webhookSchemas(): Schema {
  const webhook: Schema = {
    id: stringSchema,
    name: stringSchema,
    url: stringSchema,
    types: listSchema(enumSchema(webhookTypes)),
    collections: { oneOf: [{ type: "string", const: "all" }, listSchema(stringSchema)] },
    include: enumSchema(["item", "ids"]),
    recalculations: { type: "boolean" },
    changed_fields: nullable(listSchema(stringSchema)),
    ...webhookStatusProperties(),
    created_by: {
      ...actorSchema,
      description:
        "The member or credential that created the webhook. Its rights decide which changes are sent.",
    },
    maker: { ...actorSchema, description: "The former name of `created_by`." },
    secrets: listSchema(
      openObject({ created_at: timestampSchema, expires_at: nullable(timestampSchema) }),
    ),
    version: versionSchema,
    etag: stringSchema,
    created_at: timestampSchema,
    updated_at: timestampSchema,
  };
  const secret = {
    type: "string",
    pattern: "^whsec_",
    description: "Only this response contains the secret.",
  };
  return {
    Webhook: openObject(webhook),
    WebhookWithSecret: openObject({ ...webhook, secret }, Object.keys(webhook)),
    WebhookPage: pageSchema("Webhook"),
    WebhookCreate: toJsonSchema(webhookCreateSchema()),
    WebhookChange: toJsonSchema(webhookUpdateSchema()),
    WebhookDelivery: openObject(deliveryProperties()),
    WebhookDeliveryPage: pageSchema("WebhookDelivery"),
  };
}
