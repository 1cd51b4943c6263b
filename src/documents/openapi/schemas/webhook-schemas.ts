import { webhookBody, webhookChange } from "../../../domain/webhook/body";
import { webhookStates, webhookTypes } from "../../../domain/webhook/webhook";
import { actor, pageSchema } from "../shared-schemas";
import { count, list, oneOfTexts, open, stamp, text, version, type Schema } from "./schema";
import { schemaOfZod } from "./zod-schema";

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
