import { webhookBody, webhookChange } from "../../domain/webhook/body";
import { webhookStates, webhookTypes } from "../../domain/webhook/webhook";
import { actor, pageOf, parameter } from "./components";
import { asked, body, operation, page, sent, unchanged } from "./operation";
import { answered, json, refusals } from "./responses";
import { count, list, oneOfTexts, open, ref, stamp, text, version, type Schema } from "./schema";
import { schemaOfZod } from "./zod-schema";

/** The routes of webhooks (contract, section 14). */
export function webhookPaths(): Schema {
  const id = ref("parameters", "webhook");
  const within = { parameters: [id] };
  const one = "/webhooks/{id}";
  return {
    "/webhooks": { get: listing(), post: create() },
    [one]: { ...within, get: read(), patch: change(), delete: remove() },
    [`${one}/deliveries`]: { ...within, get: deliveries() },
    [`${one}/test`]: { ...within, post: test() },
    [`${one}/deliveries/{delivery}/redeliver`]: {
      parameters: [id, ref("parameters", "delivery")],
      post: redeliver(),
    },
  };
}

const told = (id: string, summary: string, description: string) =>
  operation({ id, summary, description, permissions: ["webhooks:manage"], tag: "webhooks" });

/** A list of what there may be none of. */
const nowhere = { permitted: true, found: false };

const paging = [ref("parameters", "limit"), ref("parameters", "cursor")];

function listing(): Schema {
  return {
    ...told("listWebhooks", "List webhooks", "Those that the credential may see, oldest first."),
    parameters: paging,
    responses: { "200": page("WebhookPage"), ...refusals(["invalid_input"], nowhere) },
  };
}

const example = {
  name: "Stock",
  url: "https://shop.example/hooks/orders",
  types: ["record.created", "record.updated"],
  collections: "all",
};

function create(): Schema {
  const content = json(ref("schemas", "WebhookWithSecret"));
  return {
    ...told(
      "createWebhook",
      "Create a webhook",
      "It tells of what is changed from now on, as far as this credential may read it at that time. The answer shows the signing secret, this once.",
    ),
    requestBody: body(ref("schemas", "WebhookCreate"), example),
    responses: {
      "201": answered("Created.", content, "ETag", "Location"),
      ...refusals(sent, nowhere),
    },
  };
}

function read(): Schema {
  return {
    ...told("getWebhook", "Read a webhook", "What it tells, where, and its state."),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The webhook.", json(ref("schemas", "Webhook")), "ETag"),
      "304": unchanged,
      ...refusals(asked),
    },
  };
}

function change(): Schema {
  return {
    ...told(
      "updateWebhook",
      "Change, pause, resume or rotate",
      "What is left out stays. Whoever sends `url`, `types`, `collections` or `include` becomes its maker. `state: active` resumes it from its place. With `rotate_secret` the answer shows another secret, this once; the one before signs too, for the hours of the overlap.",
    ),
    parameters: [ref("parameters", "ifMatch")],
    requestBody: body(ref("schemas", "WebhookChange"), { state: "active" }),
    responses: {
      "200": answered("Changed.", json(ref("schemas", "WebhookWithSecret")), "ETag"),
      ...refusals([...sent, "malformed_header", "version_mismatch"]),
    },
  };
}

function remove(): Schema {
  return {
    ...told("deleteWebhook", "Delete a webhook", "With all that is kept of its deliveries."),
    parameters: [ref("parameters", "ifMatch")],
    responses: {
      "204": answered("Deleted."),
      ...refusals(["malformed_header", "version_mismatch", "invalid_input"]),
    },
  };
}

function deliveries(): Schema {
  return {
    ...told(
      "listWebhookDeliveries",
      "List deliveries",
      "Each try of the last 30 days, at most 5,000, newest first.",
    ),
    parameters: paging,
    responses: { "200": page("WebhookDeliveryPage"), ...refusals(["invalid_input"]) },
  };
}

function test(): Schema {
  return {
    ...told("testWebhook", "Send a test", "Sends `webhook.test` now, whatever the state is."),
    responses: {
      "200": answered("How it went.", json(ref("schemas", "WebhookDelivery"))),
      ...refusals(["invalid_input"]),
    },
  };
}

function redeliver(): Schema {
  return {
    ...told(
      "redeliverWebhook",
      "Send again",
      "Sends the message now, with its `webhook-id`, and the item as it is now.",
    ),
    responses: {
      "200": answered("How it went.", json(ref("schemas", "WebhookDelivery"))),
      ...refusals(["invalid_input"]),
    },
  };
}

const or = (schema: Schema): Schema => ({ ...schema, type: [schema["type"], "null"] });

export function webhookSchemas(): Schema {
  const webhook: Schema = {
    id: text,
    name: text,
    url: text,
    types: list(oneOfTexts(webhookTypes)),
    collections: { oneOf: [{ const: "all" }, list(text)] },
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
  const secret = { type: "string", pattern: "^whsec_", description: "Shown this once." };
  const delivery: Schema = {
    id: text,
    message: { type: "string", description: "The `webhook-id`, the same for each try." },
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
    Webhook: open(webhook, Object.keys(webhook)),
    WebhookWithSecret: open({ ...webhook, secret }, Object.keys(webhook)),
    WebhookPage: pageOf("Webhook"),
    WebhookCreate: schemaOfZod(webhookBody),
    WebhookChange: schemaOfZod(webhookChange),
    WebhookDelivery: open(delivery, Object.keys(delivery)),
    WebhookDeliveryPage: pageOf("WebhookDelivery"),
  };
}

export function webhookParameters(): Schema {
  return {
    webhook: parameter("id", "path", "The id of the webhook.", text),
    delivery: parameter("delivery", "path", "The id of a delivery.", text),
  };
}
