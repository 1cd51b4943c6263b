import type { Child } from "hono/jsx";
import type { CollectionKind } from "#domain/definition/collection.ts";
import type { DeliveryResult } from "#domain/webhook/delivery.ts";
import type { WebhookStatus } from "#domain/webhook/status.ts";
import type { WebhookType } from "#domain/webhook/webhook.ts";
import { sentence } from "#admin/language/sentence.ts";
import type { Words } from "./words.ts";

const types = (): Record<WebhookType, string> => ({
  "record.created": "Record created",
  "record.updated": "Record updated",
  "record.deleted": "Record deleted",
  "record.left_view": "Record left its view",
  "submission.created": "Submission created",
  "submission.updated": "Submission updated",
  "submission.deleted": "Submission deleted",
  "submission.closed": "Submission closed",
  "submission.left_view": "Submission left its view",
});

interface TypesOfKind {
  kind: CollectionKind;
  chosen: readonly WebhookType[];
}

/** The events of items. */
const events = (): Record<WebhookType, string> => ({
  "record.created": "created",
  "record.updated": "updated",
  "record.deleted": "deleted",
  "record.left_view": "left view",
  "submission.created": "created",
  "submission.updated": "updated",
  "submission.deleted": "deleted",
  "submission.closed": "closed",
  "submission.left_view": "left view",
});

/** Types of events by the kind of items, like “Records: created · Submissions: created, updated”. */
function typeSummary(typesOfKinds: readonly TypesOfKind[]): string {
  const texts = events();
  const items = { app: "Records", form: "Submissions" };
  return typesOfKinds
    .map(({ kind, chosen }) => `${items[kind]}: ${chosen.map((type) => texts[type]).join(", ")}`)
    .join(" · ");
}

const inputs = () => ({
  urlHint:
    "Receives events by POST. Must be an https URL with a host name, like https://shop.example/hooks.",
  payloads: {
    item: { name: "Whole item", hint: "As stored when the event is sent." },
    ids: {
      name: "IDs only",
      hint: "The receiver fetches the rest through the API. For data that must not leave the service.",
    },
  },
  recalculationsHint:
    "A change of a formula can update many stored items at once. For these updates:",
  recalculations: { true: "Send an event for each item", false: "Send no events" },
  changedFieldsHint:
    "Limits “updated” events to changes in the selected fields. Select none to receive all events.",
  searchFields: "Search fields",
  moreFields: "Not all fields are listed. Select others through the API.",
  errors: {
    types: "Choose at least one event.",
    resources: "Choose all forms and apps, or select 1 to 100.",
  },
  newWebhookRule: "Sends only data you can access.",
  changeRule:
    "If you change more than the name, you become the owner. The webhook then sends only data you can access.",
  saved: "Webhook saved",
});

const deliveries = ({ quantity }: Words) => ({
  caption: "Deliveries",
  columns: {
    time: "Time",
    event: "Event",
    status: "Result",
    response: "Response",
    milliseconds: "Duration (ms)",
    attempt: "Attempt",
    actions: "Actions",
  },
  none: "No deliveries yet",
  explanation:
    "Events appear here once they are sent, and are kept for 30 days. You can send them again from here.",
  retrying: (attempts: number, next: Child) =>
    sentence`${quantity(attempts, "attempt")} failed. Later events are queued until the next attempt at ${next}.`,
  retry: "Retry now",
  noResponse: "No response",
  /** The reason why an attempt failed. The stored error is English. */
  error: ({ error }: Pick<DeliveryResult, "status" | "error">): string => error ?? "",
  responseBody: "Response body",
  manual: "Sent again",
  resend: "Send again",
  results: { sent: "Delivered", failed: "Failed" },
  test: "Test event",
  older: "Show older deliveries",
  delivered: (status: number | null, milliseconds: number) =>
    `Event delivered: ${status} in ${milliseconds} ms`,
  failed: (error: string) => `Delivery failed. ${error}`,
});

/** The summary, the actions and the tabs of a webhook. */
const layout = () => ({
  details: "Details",
  created: "Created",
  owner: "Owner",
  you: "You",
  id: "ID",
  test: "Send test event",
  pause: "Pause webhook",
  resume: "Resume webhook",
  takeOwnership: "Take ownership",
  ownershipTitle: (name: string) => `Take ownership of “${name}”?`,
  ownershipWarning: (owner: string | null) =>
    `It becomes active and sends only data you can access, not what ${owner ?? "its owner"} can access.`,
  remove: "Delete webhook",
  removeTitle: (name: string) => `Delete “${name}”?`,
  removeWarning:
    "Queued events won’t be sent. This permanently deletes its deliveries and secrets.",
  removed: "Webhook deleted",
  tabsLabel: "Webhook",
  tabs: { deliveries: "Deliveries", settings: "Settings", secrets: "Secrets" },
  /** The reason why a webhook is not simply active. The stored reasons and errors are English. */
  explanation: ({ reason, lastError }: WebhookStatus, _isOwnerGone: boolean): string | undefined =>
    reason ?? lastError ?? undefined,
  /** The reason why a webhook sends nothing, and how to fix it. */
  stopped: ({ reason }: WebhookStatus, isOwnerGone: boolean) =>
    `${reason} ${isOwnerGone ? "Take ownership" : "Resume the webhook"} to send the queued events.`,
  paused: "Paused. Events are kept, and sent in order when you resume.",
  retrying: (next: Child) =>
    sentence`The endpoint isn’t accepting events. The next attempt is ${next}, and later events wait for it.`,
  states: { active: "Webhook active", paused: "Webhook paused" },
  stillDisabled: ({ reason }: WebhookStatus) => `The webhook is still disabled. ${reason ?? ""}`,
});

export const webhooks = (words: Words) => ({
  title: "Webhooks",
  create: "Create webhook",
  none: "No webhooks yet",
  purpose: "A webhook sends an event to another system when a record or submission changes.",
  columns: { delivered: "Delivered, 24 hours", queue: "Queued events", state: "State" },
  /** A label before the share of delivered events, on phones. */
  deliveredLabel: "Delivered",
  successRate: (percent: string, attempts: number) =>
    `${percent} of ${words.quantity(attempts, "attempt")}`,
  nextAttempt: (time: Child) => sentence`Next attempt ${time}.`,
  labels: {
    name: "Name",
    url: "Endpoint URL",
    types: "Events",
    resources: "Forms and apps",
    include: "Payload",
    recalculations: "Recalculations",
    changed_fields: "Only when these fields change",
  },
  types: types(),
  /** A hint next to the events of items that leave their view. */
  leftViewHint:
    "It no longer meets the conditions of the view. Only for webhooks that follow a view.",
  typeSummary,
  layout: layout(),
  inputs: inputs(),
  deliveries: deliveries(words),
  secrets: {
    newTitle: "Your webhook secret",
    secret: "Secret",
    verify: "Use it in the receiver to verify each event.",
    examples: "See examples",
    signing: "The webhook signs each event with all of these secrets.",
    current: "Current",
    previous: "Previous",
    expiresWithWebhook: "With the webhook",
  },
});
