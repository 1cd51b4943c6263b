import { runBackfill } from "#actions/backfill.ts";
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
import type { DataDatabase } from "#store/db/database.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import { sweepErasures, sweepHistory } from "#store/data/feed.ts";
import { eraseDeleted } from "#store/data/erase-deleted.ts";
import { eraseExpiredValues } from "#store/data/erase-expired-values.ts";
import { sweepFormerEntries, sweepFormerUnique } from "#store/data/index-check.ts";
import { sweepErasedReplays } from "#store/data/replays.ts";
import { sweepExpired } from "#store/home/maintenance.ts";

type SweepContext = Pick<BackgroundContext, "databases" | "memory" | "random"> &
  Pick<Service, "replays">;

/** Limits the steps of one run. The next run continues. */
const stepsPerRun = 50;

export async function sweep(
  { databases, memory, random, replays }: SweepContext,
  now: number,
): Promise<void> {
  await sweepExpired(databases, now, stepsPerRun);
  for (const [index, db] of databases.all().entries()) {
    await runSteps(() => sweepFormerUnique(db));
    await runSteps(() => sweepFormerEntries(db));
    await runSteps(() => sweepErasures(db));
    await runSteps(() => eraseExpiredValues(db, now));
    await runSteps(() => sweepErasedReplays(db, replays, now));
    await runSteps(() => eraseDeleted(databases, db, random.uuid(), now));
    await sweepChanges(memory, db, index, now);
  }
}

/** Repeats the step, up to the limit, while it returns that more work may remain. */
async function runSteps(step: () => Promise<boolean>): Promise<void> {
  for (let steps = 0; steps < stepsPerRun; steps += 1) if (!(await step())) return;
}

/** For each database, the collection at which the next sweep of changes starts. A new isolate starts with the first. */
const nextCollectionsIn = memoryPart((): number[] => []);

async function sweepChanges(
  memory: Memory,
  db: DataDatabase,
  index: number,
  now: number,
): Promise<void> {
  const nextCollections = nextCollectionsIn(memory);
  await runSteps(async () => {
    const { nextId, hasMore } = await sweepHistory(db, now, nextCollections[index] ?? 0);
    if (hasMore) return true;
    nextCollections[index] = nextId ?? 0;
    return nextId !== null;
  });
}

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
    await sweep(service, now);
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
