import { etagOf } from "#domain/preconditions.ts";
import type { ChangeView } from "#domain/item/change.ts";
import { stamp } from "#domain/time.ts";
import { deliveryId, isDelivered, type Delivery } from "#domain/webhook/delivery.ts";
import { liveWebhookSecrets, type Webhook } from "#domain/webhook/webhook.ts";
import { changeDocument } from "./items.ts";

/** A webhook as the API shows it (contract, section 14); its secrets by their times alone. */
export function webhookDocument(hook: Webhook, now: number) {
  const { id, name, url, types, collections, include, state, reason, version, maker } = hook;
  const told = { id, name, url, types, collections, include, state, reason };
  const secrets = liveWebhookSecrets(hook, now).map(({ created_at, expires_at }) => ({
    created_at: stamp(created_at),
    expires_at: expires_at === null ? null : stamp(expires_at),
  }));
  const times = { created_at: stamp(hook.createdAt), updated_at: stamp(hook.updatedAt) };
  return { ...told, maker, secrets, version, etag: etagOf(version), ...times };
}

/** With the secret, this once, where one was made. */
export function shownDocument(
  { hook, secret }: { hook: Webhook; secret: string | null },
  now: number,
) {
  const document = webhookDocument(hook, now);
  return secret === null ? document : { ...document, secret };
}

/** One try to send a message. */
export function deliveryDocument({ number, at, attempt, ...delivery }: Delivery) {
  const { message, type, collection, item, status, milliseconds, answer, error } = delivery;
  return {
    id: deliveryId(number),
    message,
    type,
    collection,
    item,
    attempt,
    at: stamp(at),
    delivered: isDelivered(delivery),
    status,
    milliseconds,
    answer,
    error,
  };
}

/** What a receiver is sent: the entry of the changes feed, and which app or form it is of. */
export function messageDocument(type: string, collection: string, change: ChangeView) {
  return { type, timestamp: stamp(change.at), collection, data: changeDocument(change) };
}

export function testDocument(webhook: string, at: number) {
  return { type: "webhook.test", timestamp: stamp(at), data: { webhook } };
}
