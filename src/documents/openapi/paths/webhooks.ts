import { parameter } from "#documents/openapi/names.ts";
import { asked, body, operation, page, sent, unchanged } from "./operation.ts";
import { answered, json, refusals } from "#documents/openapi/responses.ts";
import { ref, text, type Schema } from "#documents/openapi/schema.ts";

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

const paging = [ref("parameters", "limit"), ref("parameters", "cursor")];

const made = {
  name: "Stock",
  url: "https://shop.example/hooks/orders",
  types: ["record.created", "record.updated"],
  collections: "all",
};
const moment = "2026-11-21T01:23:45.678Z";
const shown = {
  id: "whk_01KAHV3M4E7XQ2R5T8W9YZB6CD",
  ...made,
  include: "item",
  state: "active",
  reason: null,
  maker: "credential:01KAHV3M4E7XQ2R5T8W9YZB6CD",
  secrets: [{ created_at: moment, expires_at: null }],
  version: 1,
  etag: '"1"',
  created_at: moment,
  updated_at: moment,
};
const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
const tried = {
  id: "dlv_000000000001",
  message: "msg_3fUq0m3cU9nY1yqvLQ0cR7Gf2aE",
  type: "record.created",
  collection: "app:orders",
  item: "rec_01KAHV3M4E7XQ2R5T8W9YZB6CD",
  attempt: 1,
  at: moment,
  delivered: true,
  status: 200,
  milliseconds: 84,
  answer: "taken",
  error: null,
};
const links = { self: "https://forms.example/api/v1/webhooks", next: null };

function listing(): Schema {
  return {
    ...told("listWebhooks", "List webhooks", "Those that the credential may see, oldest first."),
    parameters: paging,
    responses: {
      "200": page("WebhookPage", { items: [shown], links }),
      ...refusals(["invalid_input"], { permitted: true, found: false }),
    },
  };
}

function create(): Schema {
  const description =
    "It tells of what is changed from now on, as far as this credential may read it at that time. The answer shows the signing secret, this once.";
  const example = { ...shown, secret };
  return {
    ...told("createWebhook", "Create a webhook", description),
    requestBody: body(ref("schemas", "WebhookCreate"), made),
    responses: {
      "201": answered(
        "Created.",
        json(ref("schemas", "WebhookWithSecret"), example),
        "ETag",
        "Location",
      ),
      ...refusals(sent, { permitted: true, found: false }),
    },
  };
}

function read(): Schema {
  return {
    ...told("getWebhook", "Read a webhook", "What it tells, where, and its state."),
    parameters: [ref("parameters", "ifNoneMatch")],
    responses: {
      "200": answered("The webhook.", json(ref("schemas", "Webhook"), shown), "ETag"),
      "304": unchanged,
      ...refusals(asked),
    },
  };
}

function change(): Schema {
  const description =
    "What is left out stays. Whoever sends `url`, `types`, `collections` or `include` becomes its maker. `state: active` resumes it from its place. With `rotate_secret` the answer shows another secret, this once; the one before signs too, for the hours of the overlap.";
  const schema = ref("schemas", "WebhookChange");
  const content = {
    ...json(schema, { state: "active" }),
    "application/merge-patch+json": { schema },
  };
  return {
    ...told("updateWebhook", "Change, pause, resume or rotate", description),
    parameters: [ref("parameters", "ifMatch")],
    requestBody: { required: true, content },
    responses: {
      "200": answered("Changed.", json(ref("schemas", "WebhookWithSecret"), shown), "ETag"),
      ...refusals([...sent, "malformed_header", "version_mismatch"]),
    },
  };
}

function remove(): Schema {
  return {
    ...told("deleteWebhook", "Delete a webhook", "With all that is kept of its deliveries."),
    parameters: [ref("parameters", "ifMatch")],
    responses: { "204": answered("Deleted."), ...refusals([...asked, "version_mismatch"]) },
  };
}

function deliveries(): Schema {
  const description = "Each try of the last 30 days, at most 5,000, newest first.";
  return {
    ...told("listWebhookDeliveries", "List deliveries", description),
    parameters: paging,
    responses: {
      "200": page("WebhookDeliveryPage", { items: [tried], links }),
      ...refusals(["invalid_input"]),
    },
  };
}

const attempt = () => ({
  responses: {
    "200": answered("How it went.", json(ref("schemas", "WebhookDelivery"), tried)),
    ...refusals(["invalid_input"]),
  },
});

function test(): Schema {
  const description = "Sends `webhook.test` now, whatever the state is.";
  return { ...told("testWebhook", "Send a test", description), ...attempt() };
}

function redeliver(): Schema {
  const description = "Sends the message now, with its `webhook-id`, and the item as it is now.";
  return { ...told("redeliverWebhook", "Send again", description), ...attempt() };
}

export function webhookParameters(): Schema {
  return {
    webhook: parameter("id", "path", "The id of the webhook.", text),
    delivery: parameter("delivery", "path", "The id of a delivery.", text),
  };
}
