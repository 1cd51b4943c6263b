import { dueSince, listenersOf } from "#store/home/listeners.ts";
import type { WebhookObjects } from "./context.ts";

/** At most, so that a webhook that is made meanwhile is woken within five seconds. */
const longestQuiet = 4000;

/** Collections whose listeners are awake, until this moment of this isolate's clock: they will see what comes now. */
const awake = new Map<number, number>();
const mostAwake = 1000;

/** Wakes the webhooks that listen to a collection, unless those that this isolate woke before have not looked yet. */
export async function wakeListeners(
  db: D1Database,
  objects: Pick<WebhookObjects, "wake">,
  collectionId: number,
  now: () => number,
): Promise<void> {
  const started = now();
  if (started < (awake.get(collectionId) ?? 0)) return;
  const ids = await listenersOf(db, collectionId);
  const waits = await Promise.all(ids.map((id) => objects.wake(id)));
  // They look no earlier than this long after they were asked, which was after `started`.
  if (awake.size >= mostAwake) awake.clear();
  awake.set(collectionId, started + Math.min(longestQuiet, ...waits));
}

const lately = 10 * 60 * 1000;
const minute = 60_000;
const hour = 60 * minute;

/**
 * What a lost call or alarm left: each minute the webhooks whose collections changed lately, and each hour all of them.
 * One that cannot be woken keeps none of the others.
 */
export async function wakeDue(
  db: D1Database,
  objects: Pick<WebhookObjects, "wake">,
  now: number,
): Promise<void> {
  const isHour = now % hour < minute;
  const due = await dueSince(db, isHour ? 0 : now - lately);
  const woken = await Promise.allSettled(due.map((id) => objects.wake(id)));
  const failed = woken.find((each) => each.status === "rejected");
  if (failed) throw failed.reason;
}
