import { itemAction } from "#domain/item/change.ts";
import { loadListenerIdsOfRecentChanges, loadListenerIds } from "#store/home/listeners.ts";
import type { Databases } from "#store/db/database.ts";
import { memoryPart } from "#domain/memory.ts";
import type { CollectionKind } from "#domain/definition/collection.ts";
import { listReportedActions } from "#domain/webhook/events.ts";
import { listensTo, type Webhook } from "#domain/webhook/webhook.ts";
import { listWebhooks } from "#store/home/webhooks.ts";
import type {
  BackgroundContext,
  CollectionReference,
  ReadContext,
  WebhookObjects,
} from "./context.ts";

/** The maximum time for which this isolate skips wake calls, so that a new webhook wakes within five seconds. */
const maxQuietMs = 4000;

/** For each collection, the time until which its listeners have a pending run, which will include new changes. */
const awakeUntilIn = memoryPart(() => new Map<number, number>());
const maxAwakeCollections = 1000;

export interface ListenerContext extends Pick<BackgroundContext, "databases" | "memory" | "now"> {
  objects: Pick<WebhookObjects, "wake">;
}

/** Wakes the webhooks that listen to a collection, unless this isolate woke them and their run is still pending. */
export async function wakeListeners(
  { databases, memory, now, objects }: ListenerContext,
  collection: CollectionReference,
): Promise<void> {
  const awakeUntil = awakeUntilIn(memory);
  const startedAt = now();
  if (startedAt < (awakeUntil.get(collection.id) ?? 0)) return;
  const ids = await loadListenerIds(databases.home, collection);
  const delaysMs = await Promise.all(ids.map((id) => objects.wake(id)));
  // Each webhook runs no earlier than its wait after the call, which was made after `startedAt`.
  if (awakeUntil.size >= maxAwakeCollections) awakeUntil.clear();
  awakeUntil.set(collection.id, startedAt + Math.min(maxQuietMs, ...delaysMs));
}

const recentChangeMs = 10 * 60 * 1000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Recovers from lost calls and alarms. Every minute, it wakes the webhooks that listen to recently changed collections.
 * Every hour, it wakes the webhooks of all collections. A webhook that fails to wake does not block the others.
 */
export async function wakeListenersOfRecentChanges(
  databases: Databases,
  objects: Pick<WebhookObjects, "wake">,
  now: number,
): Promise<void> {
  const isHourlyRun = now % hourMs < minuteMs;
  const listenerIds = await loadListenerIdsOfRecentChanges(
    databases,
    isHourlyRun ? 0 : now - recentChangeMs,
  );
  const results = await Promise.allSettled(listenerIds.map((id) => objects.wake(id)));
  const failure = results.find((result) => result.status === "rejected");
  if (failure) throw failure.reason;
}

/** Lists the active webhooks that send events for recalculated items of a collection. */
export async function listRecalculationListeners(
  { databases }: Pick<ReadContext, "databases">,
  kind: CollectionKind,
  key: string,
): Promise<Webhook[]> {
  const action = itemAction(kind, "recalculate");
  const webhooks = await listWebhooks(databases.home);
  return webhooks.filter(
    (hook) =>
      hook.state === "active" &&
      listensTo(hook, `${kind}:${key}`) &&
      listReportedActions(hook).includes(action),
  );
}
