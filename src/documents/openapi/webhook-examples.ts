import { apiRoot, webhookPaths } from "#domain/api-paths.ts";

// The examples of webhooks.

export const webhookInputExample = {
  name: "Stock",
  url: "https://shop.example/hooks/orders",
  types: ["record.created", "record.updated"],
  collections: "all",
};
const exampleTime = "2026-11-21T01:23:45.678Z";
export const webhookExample = {
  id: "whk_01KAHV3M4E7XQ2R5T8W9YZB6CD",
  ...webhookInputExample,
  include: "item",
  recalculations: true,
  changed_fields: null,
  state: "active",
  reason: null,
  last_error: null,
  next_attempt_at: null,
  created_by: "credential:01KAHV3M4E7XQ2R5T8W9YZB6CD",
  maker: "credential:01KAHV3M4E7XQ2R5T8W9YZB6CD",
  secrets: [{ created_at: exampleTime, expires_at: null }],
  version: 1,
  etag: '"1"',
  created_at: exampleTime,
  updated_at: exampleTime,
};
const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
export const deliveryExample = {
  id: "dlv_000000000001",
  message: "msg_3fUq0m3cU9nY1yqvLQ0cR7Gf2aE",
  type: "record.created",
  collection: "app:orders",
  item: "rec_01KAHV3M4E7XQ2R5T8W9YZB6CD",
  attempt: 1,
  at: exampleTime,
  delivered: true,
  status: 200,
  milliseconds: 84,
  answer: "taken",
  error: null,
};

export const webhookWithSecretExample = { ...webhookExample, secret };

/** A page with one item. */
export const pageExample = (item: object) => ({
  items: [item],
  links: { self: `https://forms.example${apiRoot}${webhookPaths.list}`, next: null },
});
