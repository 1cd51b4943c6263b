import { listDeliveries, redeliver, testWebhook } from "#actions/deliveries.ts";
import { createWebhook, deleteWebhook, filterVisible, listAllWebhooks } from "#actions/webhooks.ts";
import { updateWebhook } from "#actions/update-webhook.ts";
import { mergePatchType } from "#documents/openapi/description.ts";
import {
  deliveryExample,
  pageExample,
  webhookExample,
  webhookInputExample,
  webhookWithSecretExample,
} from "#documents/openapi/webhook-examples.ts";
import {
  deliveryDocument,
  webhookDocument,
  webhookWithSecretDocument,
} from "#documents/webhooks.ts";
import { fillPath, webhookPaths } from "#domain/api-paths.ts";
import { defaultPageLimit, pageQuery } from "#domain/cursor.ts";
import { etagOf } from "#domain/preconditions.ts";
import { formatWebhookEtag } from "#domain/webhook/status.ts";
import { noQuery } from "./items.ts";
import { operation } from "./operation.ts";
import { noTarget, storedWebhookTarget, webhookTarget } from "./targets.ts";

// The operations on webhooks.

const sharedDeclaration = { kind: null, tag: "webhooks", permission: "webhooks:manage" } as const;

const listWebhooks = operation({
  ...sharedDeclaration,
  method: "GET",
  path: webhookPaths.list,
  effect: "read",
  target: noTarget,
  query: pageQuery,
  prefetch: (ctx) => listAllWebhooks(ctx),
  async run(ctx, { query, position, prefetched }) {
    const start = await position("webhooks", query.cursor);
    const after = start === null ? "" : String(start[0]);
    const remainingWebhooks = filterVisible(ctx, await prefetched()).filter(({ id }) => id > after);
    const page = remainingWebhooks.slice(0, query.limit ?? defaultPageLimit);
    const lastWebhook = page.length < remainingWebhooks.length ? page.at(-1) : undefined;
    const now = ctx.now();
    return {
      items: page.map((webhook) => ({ document: webhookDocument(webhook, now) })),
      next: lastWebhook ? { binding: "webhooks", position: [lastWebhook.id] } : null,
    };
  },
  summary: "List webhooks",
  description: "Returns the webhooks that the credential can access, oldest first.",
  responses: {
    200: {
      description: "A page.",
      schema: "WebhookPage",
      example: () => pageExample(webhookExample),
    },
  },
});

const createWebhookOperation = operation({
  ...sharedDeclaration,
  method: "POST",
  path: webhookPaths.list,
  effect: "write",
  target: noTarget,
  query: noQuery,
  body: { schema: "WebhookCreate", example: () => webhookInputExample },
  async run(ctx, { body }) {
    const result = await createWebhook(ctx, body);
    return {
      status: 201,
      document: webhookWithSecretDocument(result, ctx.now()),
      etag: etagOf(1),
      location: fillPath(webhookPaths.webhook, { id: result.hook.id }),
    };
  },
  summary: "Create a webhook",
  description:
    "Creates a webhook that receives later changes, as long as this credential can read them. Only this response contains the signing secret.",
  responses: {
    201: {
      description: "Created.",
      schema: "WebhookWithSecret",
      example: () => webhookWithSecretExample,
      headers: ["ETag", "Location"],
    },
  },
});

const getWebhook = operation({
  ...sharedDeclaration,
  method: "GET",
  path: webhookPaths.webhook,
  effect: "read",
  target: webhookTarget,
  query: noQuery,
  precondition: "If-None-Match",
  run(ctx, { target }) {
    const now = ctx.now();
    return { document: webhookDocument(target, now), etag: formatWebhookEtag(target, now) };
  },
  summary: "Get a webhook",
  description: "Returns the events, the endpoint and the state of the webhook.",
  responses: {
    200: {
      description: "The webhook.",
      schema: "Webhook",
      example: () => webhookExample,
      headers: ["ETag"],
    },
  },
});

const updateWebhookOperation = operation({
  ...sharedDeclaration,
  method: "PATCH",
  path: webhookPaths.webhook,
  effect: "write",
  target: storedWebhookTarget,
  query: noQuery,
  body: {
    types: [mergePatchType],
    schema: "WebhookChange",
    example: () => ({ state: "active" }),
  },
  precondition: "If-Match",
  async run(ctx, { target, body, ifMatch }) {
    const result = await updateWebhook(ctx, target, body, ifMatch);
    const now = ctx.now();
    return {
      document: webhookWithSecretDocument(result, now),
      etag: formatWebhookEtag(result.hook, now),
    };
  },
  summary: "Update, pause, resume or rotate a webhook",
  description:
    "Updates the members that you send. Sending `url`, `types`, `collections`, `include`, `recalculations` or `changed_fields` makes this credential its creator, whose rights it has. `state: active` resumes it where it stopped. With `rotate_secret`, only this response contains the new secret, and the previous one signs too during the overlap.",
  responses: {
    200: {
      description: "Changed.",
      schema: "WebhookWithSecret",
      example: () => webhookExample,
      headers: ["ETag"],
    },
  },
});

const deleteWebhookOperation = operation({
  ...sharedDeclaration,
  method: "DELETE",
  path: webhookPaths.webhook,
  effect: "write",
  target: storedWebhookTarget,
  query: noQuery,
  precondition: "If-Match",
  async run(ctx, { target, ifMatch }) {
    await deleteWebhook(ctx, target, ifMatch);
    return null;
  },
  summary: "Delete a webhook",
  description: "Deletes the webhook and its delivery log.",
  responses: { 204: { description: "Deleted." } },
});

const listWebhookDeliveries = operation({
  ...sharedDeclaration,
  method: "GET",
  path: webhookPaths.deliveries,
  effect: "read",
  target: webhookTarget,
  query: pageQuery,
  async run(ctx, { target, query, position }) {
    const binding = `deliveries ${target.id}`;
    const start = await position(binding, query.cursor);
    const before = start && Number(start[0]);
    const limit = query.limit ?? defaultPageLimit;
    const { deliveries, nextPosition } = await listDeliveries(ctx, target, before, limit);
    return {
      items: deliveries.map((delivery) => ({ document: deliveryDocument(delivery) })),
      next: nextPosition === null ? null : { binding, position: [nextPosition] },
    };
  },
  summary: "List deliveries",
  description: "Returns the attempts of the last 30 days, at most 5,000, newest first.",
  responses: {
    200: {
      description: "A page.",
      schema: "WebhookDeliveryPage",
      example: () => pageExample(deliveryExample),
    },
  },
});

const attemptResponses = {
  200: {
    description: "The result of the attempt.",
    schema: "WebhookDelivery",
    example: () => deliveryExample,
  },
};

const testWebhookOperation = operation({
  ...sharedDeclaration,
  method: "POST",
  path: webhookPaths.test,
  effect: "write",
  target: storedWebhookTarget,
  query: noQuery,
  async run(ctx, { target }) {
    return { document: deliveryDocument(await testWebhook(ctx, target)) };
  },
  summary: "Send a test event",
  description: "Sends `webhook.test` now, in any state of the webhook.",
  responses: attemptResponses,
});

const redeliverWebhook = operation({
  ...sharedDeclaration,
  method: "POST",
  path: webhookPaths.redeliver,
  effect: "write",
  target: storedWebhookTarget,
  query: noQuery,
  async run(ctx, { target, path: { delivery } }) {
    return { document: deliveryDocument(await redeliver(ctx, target, delivery)) };
  },
  summary: "Resend a delivery",
  description: "Sends the message again, with the same `webhook-id` and the current item.",
  responses: attemptResponses,
});

export const webhookOperations = {
  listWebhooks,
  createWebhook: createWebhookOperation,
  getWebhook,
  updateWebhook: updateWebhookOperation,
  deleteWebhook: deleteWebhookOperation,
  listWebhookDeliveries,
  testWebhook: testWebhookOperation,
  redeliverWebhook,
};
