import type { ChangeView } from "#domain/item/change.ts";
import { formatTimestamp } from "#domain/time.ts";
import { formatDeliveryId, isDelivered, type Delivery } from "#domain/webhook/delivery.ts";
import { formatWebhookEtag, deriveWebhookStatus } from "#domain/webhook/status.ts";
import { findValidWebhookSecrets, type Webhook } from "#domain/webhook/webhook.ts";
import { changeDocument } from "./items.ts";

/** A webhook in an API response. Contains the times of its secrets, but never their values. */
export function webhookDocument(hook: Webhook, now: number) {
  const { id, name, url, types, collections, include, recalculations, version, maker } = hook;
  const changed_fields = hook.changedFields;
  const settings = { id, name, url, types, collections, include, recalculations, changed_fields };
  const { state, reason, lastError, nextAttemptAt } = deriveWebhookStatus(hook, now);
  const status = {
    state,
    reason,
    last_error: lastError,
    next_attempt_at: nextAttemptAt === null ? null : formatTimestamp(nextAttemptAt),
  };
  const secrets = findValidWebhookSecrets(hook, now).map(({ created_at, expires_at }) => ({
    created_at: formatTimestamp(created_at),
    expires_at: expires_at === null ? null : formatTimestamp(expires_at),
  }));
  const times = {
    created_at: formatTimestamp(hook.createdAt),
    updated_at: formatTimestamp(hook.updatedAt),
  };
  // `maker` is the former name of `created_by`.
  const actor = { created_by: maker, maker };
  const etag = formatWebhookEtag(hook, now);
  return { ...settings, ...status, ...actor, secrets, version, etag, ...times };
}

/** Includes the new secret, which no later response contains. `secret` is null when no secret was created. */
export function webhookWithSecretDocument(
  { hook, secret }: { hook: Webhook; secret: string | null },
  now: number,
) {
  const document = webhookDocument(hook, now);
  return secret === null ? document : { ...document, secret };
}

/** One attempt to deliver a message. */
export function deliveryDocument({ number, at, attempt, ...delivery }: Delivery) {
  const { message, type, collection, item, status, milliseconds, answer, error } = delivery;
  return {
    id: formatDeliveryId(number),
    message,
    type,
    collection,
    item,
    attempt,
    at: formatTimestamp(at),
    delivered: isDelivered(delivery),
    status,
    milliseconds,
    answer,
    error,
  };
}

interface Message {
  type: string;
  collection: string;
  change: ChangeView;
  hasEntered: boolean;
}

/** The message to a receiver: the entry of the changes feed and the key of its app or form. */
export function messageDocument({ type, collection, change, hasEntered }: Message, origin: string) {
  const entry = changeDocument(change, origin);
  const data = hasEntered ? { ...entry, entered: true } : entry;
  return { type, timestamp: formatTimestamp(change.at), collection, data };
}

export function testDocument(webhook: string, at: number) {
  return { type: "webhook.test", timestamp: formatTimestamp(at), data: { webhook } };
}
