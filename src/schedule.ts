import { runBackfill } from "#actions/backfill.ts";
import type { NotifyChange } from "#actions/index-items.ts";
import { runPersonSearches } from "#actions/person-search.ts";
import { runMoves } from "#actions/run-moves.ts";
import { repeatErasures } from "#actions/repeat-erasures.ts";
import { eraseExpired, inTurn, maxErasingSteps } from "#actions/retention.ts";
import type { BackgroundContext, CollectionReference } from "#actions/context.ts";
import {
  wakeListenersOfRecentChanges,
  wakeListeners,
  type ListenerContext,
} from "#actions/wake-listeners.ts";
import { sweepWebhooks } from "#actions/webhooks.ts";
import { updateListenedColumns } from "#store/home/listened.ts";
import { logDatabaseSize, logMissingDatabase } from "#domain/events.ts";
import { webhookObjects } from "#delivery/senders.ts";
import type { Service } from "#http/service.ts";
import { countingDatabase, type DataDatabase } from "#store/db/database.ts";
import { memoryPart, type Memory } from "#domain/memory.ts";
import { sweepErasures, sweepHistory } from "#store/data/feed.ts";
import { eraseDeleted } from "#store/data/erase-deleted.ts";
import { eraseDueItems } from "#store/data/erase-deleted-items.ts";
import { eraseExpiredValues } from "#store/data/erase-expired-values.ts";
import { sweepFormerEntries, sweepFormerUnique } from "#store/data/index-check.ts";
import { forgetErasures } from "#store/data/owed-erasures.ts";
import {
  releaseFormerFiles,
  sweepFiles,
  sweepObjects,
  sweepRemovedFiles,
} from "#store/data/sweep-files.ts";
import { forgetRemovals } from "#store/data/removed-items.ts";
import { sweepErasedReplays, sweepReplays } from "#store/data/replays.ts";
import { reportDatabases } from "#store/home/database-reports.ts";
import { sweepExpired } from "#store/home/maintenance.ts";
import { sweepPersonSearches } from "#store/home/person-searches.ts";
import { loadReach } from "#store/home/placements.ts";

type SweepContext = Pick<BackgroundContext, "databases" | "memory"> &
  Pick<Service, "replays" | "files">;

/** The maximum number of queries and of KV calls in one run. D1 allows 1,000 of each. The next run continues. */
const maxSweepCalls = 600;
/** The maximum number of pages of objects. A page has 1,000 objects. R2 charges for listing as for writing. */
const maxObjectPages = 40;

/** Sweeps all databases in bounded steps. They take turns, so that no backlog delays another kind of work. */
export async function sweepStorage(
  { databases, memory, replays, files }: SweepContext,
  now: number,
): Promise<void> {
  await sweepPersonSearches(databases.home, now);
  const counted = databases.dataDatabases().map(countingDatabase);
  const dbs = counted.map(({ db }) => db);
  let calls = 0;
  const kv = {
    delete(key: string) {
      calls += 1;
      return replays.delete(key);
    },
  };
  const steps = inTurn(dbs, now).flatMap((db) => [
    () => sweepReplays(db, now),
    () => sweepFormerUnique(db),
    () => sweepFormerEntries(db),
    () => sweepErasures(db),
    () => eraseExpiredValues(db, now),
    () => eraseDueItems(db, now),
    () => sweepErasedReplays(db, kv, now),
    () => forgetErasures(db, now),
    () => forgetRemovals(db, now),
    () => sweepChanges(memory, db, now),
    () => releaseFormerFiles(db),
    () => sweepFiles(db, files, now),
    () => sweepRemovedFiles(db, files, now),
  ]);
  const mayContinue = () =>
    counted.reduce((sum, { counts }) => sum + counts.queries, calls) < maxSweepCalls;
  let pages = 0;
  const isOneBucket = files.buckets.length === 1;
  const sweepPages = files.buckets.map((bucket) => async () => {
    pages += 1;
    // Reads the directory at most twice. With several buckets, reads it twice more and moves up to 20 objects.
    calls += isOneBucket ? 2 : 64;
    return (await sweepObjects(databases, dbs, files, bucket, now)) && pages < maxObjectPages;
  });
  const sweepSessions = () => {
    calls += 2;
    return sweepExpired(databases.home, now);
  };
  await runInTurns([sweepSessions, ...sweepPages, ...steps], mayContinue);
}

type Step = () => Promise<boolean>;

/** Repeats each step while it returns that more work may remain. An error ends only its own step. */
async function runInTurns(steps: readonly Step[], mayContinue: () => boolean): Promise<void> {
  const failures: unknown[] = [];
  let active = steps;
  while (active.length > 0 && mayContinue()) {
    const remaining: Step[] = [];
    for (const step of active) {
      if (!mayContinue()) break;
      try {
        if (await step()) remaining.push(step);
      } catch (error) {
        failures.push(error);
      }
    }
    active = remaining;
  }
  if (failures.length > 0) throw failures[0];
}

/** Repeats the step, up to the limit, while it returns that more work may remain. Returns the number of steps. */
async function runSteps(step: Step, maxSteps: number): Promise<number> {
  let steps = 0;
  let mayRemain = true;
  while (mayRemain && steps < maxSteps) {
    steps += 1;
    mayRemain = await step();
  }
  return steps;
}

/** For each database, the collection at which the next sweep of changes starts. A new isolate starts with the first. */
const nextCollectionsIn = memoryPart(() => new Map<string, number>());

async function sweepChanges(memory: Memory, db: DataDatabase, now: number): Promise<boolean> {
  const nextCollections = nextCollectionsIn(memory);
  const { nextId, hasMore } = await sweepHistory(db, now, nextCollections.get(db.name) ?? 0);
  if (hasMore) return true;
  nextCollections.set(db.name, nextId ?? 0);
  return nextId !== null;
}

const minuteMs = 60_000;

/** The number of queries for moves in runs that are not reserved for them. */
const fewQueries = 100;

/**
 * Runs every minute. Wakes webhooks with lost wake-ups, sweeps deleted webhooks, updates `listened` in the data
 * databases, repeats erasures after a restore, and reports the sizes of the databases. One of five runs also sweeps
 * storage, one erases expired data, and three run the backfill and searches for people, because all of this in one run
 * would exceed the 1,000 queries that D1 allows. While a collection moves, two of these three work on the move instead,
 * and the other runs continue the work that must not wait.
 */
export async function onSchedule(service: Service, scheduledAt: number): Promise<void> {
  if (service.settings.isPaused) return;
  const { clock, random, memory, databases } = service;
  const webhookStubs = webhookObjects(service);
  const { files } = service;
  const ctx = { databases, objects: webhookStubs, memory, random, files, now: () => clock.now() };
  const results = await Promise.allSettled([
    wakeListenersOfRecentChanges(databases, webhookStubs, scheduledAt),
    sweepWebhooks(ctx),
    updateListenedColumns(databases),
    repeatErasures(ctx),
    report(service, scheduledAt),
  ]);
  const turn = Math.floor(scheduledAt / minuteMs) % 5;
  const isForMoves = turn === 1 || turn === 3;
  const [move] = await Promise.allSettled([runMoves(ctx, isForMoves ? undefined : fewQueries)]);
  const hasMoved = move.status === "fulfilled" && move.value;
  if (turn === 0) await sweepStorage(service, scheduledAt);
  else if (turn === 2) await erase(ctx);
  else if (!hasMoved || !isForMoves) {
    try {
      await runAndWake(ctx, (notifyChange) => runBackfill(ctx, notifyChange));
    } finally {
      await runPersonSearches(ctx);
    }
  }
  const rejection = [...results, move].find((result) => result.status === "rejected");
  if (rejection) throw rejection.reason;
}

/** Stores and logs the size of each database, and logs databases that are not bound. */
async function report({ databases, log }: Service, scheduledAt: number): Promise<void> {
  for (const database of (await loadReach(databases)).missing)
    logMissingDatabase({ log }, { database });
  for (const { name, bytes, collections } of await reportDatabases(databases, scheduledAt))
    logDatabaseSize({ log }, { database: name, bytes, collections });
}

/** Erases deleted apps and forms that can no longer be restored, and expired submissions. */
export async function erase(
  ctx: BackgroundContext & ListenerContext & Pick<Service, "files">,
): Promise<void> {
  const { databases, random, files, now } = ctx;
  let remainingSteps = maxErasingSteps;
  for (const db of inTurn(databases.dataDatabases(), now())) {
    // A collection is erased only after its files.
    const step = async () =>
      (await eraseDeleted(databases, db, random.uuid(), now())) ||
      (await sweepFiles(db, files, now()));
    remainingSteps -= await runSteps(step, remainingSteps);
  }
  await runAndWake(ctx, (notifyChange) => eraseExpired(ctx, notifyChange));
}

/** Does the work, then wakes the webhooks of changed collections, even after an error. */
async function runAndWake(
  ctx: ListenerContext,
  work: (notifyChange: NotifyChange) => Promise<void>,
): Promise<void> {
  const changedCollections = new Map<number, CollectionReference>();
  try {
    await work((collection) => changedCollections.set(collection.id, collection));
  } finally {
    for (const collection of changedCollections.values()) await wakeListeners(ctx, collection);
  }
}
