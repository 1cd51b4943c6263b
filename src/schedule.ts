import { runBackfill } from "#actions/backfill.ts";
import type { BackgroundContext, CollectionReference } from "#actions/context.ts";
import {
  wakeListenersOfRecentChanges,
  wakeListeners,
  type ListenerContext,
} from "#actions/wake-listeners.ts";
import { sweepWebhooks } from "#actions/webhooks.ts";
import { updateListenedColumns } from "#store/home/webhooks.ts";
import { webhookObjects } from "#delivery/senders.ts";
import type { Service } from "#http/service.ts";
import type { DataDatabase } from "#store/db/database.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import { sweepErasures, sweepHistory } from "#store/data/feed.ts";
import { eraseExpiredValues } from "#store/data/erase-expired-values.ts";
import { sweepFormerEntries, sweepFormerUnique } from "#store/data/index-check.ts";
import { sweepExpired } from "#store/home/maintenance.ts";

type SweepContext = Pick<BackgroundContext, "databases" | "memory">;

/** Limits the steps of one run. The next run continues. */
const stepsPerRun = 50;

export async function sweepStorage(
  { databases, memory }: SweepContext,
  now: number,
): Promise<void> {
  await sweepExpired(databases, now, stepsPerRun);
  for (const [index, db] of databases.dataDatabases().entries()) {
    await runSteps(() => sweepFormerUnique(db));
    await runSteps(() => sweepFormerEntries(db));
    await runSteps(() => sweepErasures(db));
    await runSteps(() => eraseExpiredValues(db, now));
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
 * Runs each minute. Wakes webhooks with lost wake-ups, sweeps deleted webhooks, and updates `listened` in the data
 * databases. Every fifth run sweeps storage and the others run the backfill, because both together would exceed the
 * 1,000 queries that D1 allows per run.
 */
export async function onSchedule(service: Service, scheduledAt: number): Promise<void> {
  if (service.settings.isPaused) return;
  const { clock, random, memory, databases } = service;
  const webhookStubs = webhookObjects(service);
  const ctx = { databases, objects: webhookStubs, memory, random, now: () => clock.now() };
  const results = await Promise.allSettled([
    wakeListenersOfRecentChanges(databases, webhookStubs, scheduledAt),
    sweepWebhooks(ctx),
    updateListenedColumns(databases),
  ]);
  const isSweepRun = Math.floor(scheduledAt / minuteMs) % 5 === 0;
  if (isSweepRun) {
    await sweepStorage(ctx, scheduledAt);
  } else {
    await backfillAndWake(ctx);
  }
  const rejection = results.find((result) => result.status === "rejected");
  if (rejection) throw rejection.reason;
}

/** Runs the backfill and wakes the webhooks of recalculated collections, even after an error. */
async function backfillAndWake(ctx: BackgroundContext & ListenerContext): Promise<void> {
  const changedCollections = new Map<number, CollectionReference>();
  try {
    await runBackfill(ctx, (collection) => changedCollections.set(collection.id, collection));
  } finally {
    for (const collection of changedCollections.values()) await wakeListeners(ctx, collection);
  }
}
