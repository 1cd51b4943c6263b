import { runBackfill } from "#actions/backfill.ts";
import { sweep } from "#actions/sweep.ts";
import type { BackgroundContext, CollectionReference } from "#actions/context.ts";
import {
  wakeOverdueWebhooks,
  wakeListeners,
  type ListenerContext,
} from "#actions/wake-listeners.ts";
import { sweepWebhooks } from "#actions/webhooks.ts";
import { pushHasListeners } from "#store/home/webhooks.ts";
import { webhookObjects } from "#delivery/senders.ts";
import type { Service } from "#http/service.ts";

const minuteMs = 60_000;

/**
 * Runs each minute. Wakes webhooks with lost wake-ups and sweeps deleted webhooks.
 * Every fifth run also sweeps storage; the others run the backfill, because D1 allows 1,000 queries per run.
 */
export async function onSchedule(service: Service, now: number): Promise<void> {
  if (service.settings.isPaused) return;
  const { clock, random, memory, databases } = service;
  const objects = webhookObjects(service);
  const ctx = { databases, objects, memory, random, now: () => clock.now() };
  const results = await Promise.allSettled([
    wakeOverdueWebhooks(databases, objects, now),
    sweepWebhooks(ctx),
    pushHasListeners(databases),
  ]);
  if (Math.floor(now / minuteMs) % 5 === 0) {
    await sweep(ctx, now);
  } else {
    await backfillAndWake(ctx);
  }
  const rejection = results.find((result) => result.status === "rejected");
  if (rejection) throw rejection.reason;
}

/** Runs the backfill and wakes the webhooks of recalculated collections, even after an error. */
async function backfillAndWake(ctx: BackgroundContext & ListenerContext): Promise<void> {
  const changed = new Map<number, CollectionReference>();
  try {
    await runBackfill(ctx, (collection) => changed.set(collection.id, collection));
  } finally {
    for (const collection of changed.values()) await wakeListeners(ctx, collection);
  }
}
