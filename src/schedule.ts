import { catchUp } from "#actions/backfill.ts";
import { sweep } from "#actions/sweep.ts";
import type { WebhookObjects } from "#actions/context.ts";
import { wakeDue, wakeListeners } from "#actions/wake-listeners.ts";
import { sweepWebhooks } from "#actions/webhooks.ts";
import { webhookObjects } from "#delivery/senders.ts";

const minute = 60_000;

/**
 * Each minute, webhooks whose wake-up was lost; beside it each fifth one sweeps, and the others catch up with what
 * definitions asked for: D1 takes 1,000 queries of one run.
 */
export async function onSchedule(env: Bindings, now: number): Promise<void> {
  const objects = webhookObjects(env);
  const woken = await Promise.allSettled([
    wakeDue(env.DB, objects, now),
    sweepWebhooks({ db: env.DB, objects }),
  ]);
  if (Math.floor(now / minute) % 5 === 0) {
    await sweep(env.DB, now);
  } else {
    await caughtUp(env.DB, objects);
  }
  const failed = woken.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}

/** Webhooks are told of what was recalculated, whatever else failed. */
async function caughtUp(db: D1Database, objects: WebhookObjects): Promise<void> {
  const changed = new Set<number>();
  try {
    await catchUp(db, (collectionId) => changed.add(collectionId));
  } finally {
    for (const each of changed) await wakeListeners(db, objects, each, () => Date.now());
  }
}
