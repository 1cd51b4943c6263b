import type { CollectionReference } from "#actions/context.ts";
import { canDeliver, findMakerRights, findWebhookAndRights } from "#actions/deliveries.ts";
import { loadNextMessage, type WebhookMessage } from "#actions/webhook-messages.ts";
import { itemNumberRange } from "#domain/item/item.ts";
import { isDelivered, type DeliveryResult, retryDelayMs } from "#domain/webhook/delivery.ts";
import { listensTo, type Webhook, type WebhookState } from "#domain/webhook/webhook.ts";
import {
  filterRangesWithChanges,
  loadFeedHeads,
  loadStartPositions,
} from "#store/home/listeners.ts";
import { problem } from "#domain/problem/problem.ts";
import { nextVersion } from "#domain/timeline.ts";
import type { Databases } from "#store/db/database.ts";
import { loadReach } from "#store/home/placements.ts";
import { findWebhook, updateWebhookRow } from "#store/home/webhooks.ts";
import { makerEndedReason } from "#domain/webhook/status.ts";
import { type Ledger, publishRetry } from "./ledger.ts";
import { sendMessage, type SenderService } from "./send.ts";

/** The number of collections that are delivered in parallel. The changes of one collection are delivered in order. */
const maxParallelCollections = 4;
/** The limits of one run. The next run continues at once. A step needs six of the 1,000 queries that D1 allows. */
const maxRunMs = 20_000;
const maxStepsPerRun = 150;
/** After this many changes, a collection yields to the others. */
const maxChangesPerTurn = 10;
/** The delay after a run that could not advance. */
const retryWithoutProgressMs = 10_000;

interface RunState {
  service: SenderService;
  ledger: Ledger;
  id: string;
  endsAt: number;
  stepsLeft: number;
  /** Stops all sending after a failed attempt, or when the webhook is no longer active. */
  isStopped: boolean;
  hasMore: boolean;
  hasProgress: boolean;
  /** The time of the next attempt that the database stores for readers. */
  storedRetryAt: number | null;
}

interface LaggingCollection extends CollectionReference {
  position: number;
}

export type DeliveryRun = "gone" | { nextRunAt: number | null };

/** Delivers all pending changes. `nextRunAt` is null if nothing is pending or the webhook is inactive. */
export async function deliverAll(
  service: SenderService,
  ledger: Ledger,
  id: string,
): Promise<DeliveryRun> {
  const { databases, clock } = service;
  const now = clock.now();
  await adaptToTimeline(databases, ledger);
  const { failure } = ledger;
  const hook = await findWebhook(databases.home, id);
  if (!hook) return "gone";
  if (hook.state !== "active") return { nextRunAt: null };
  const run = { service, ledger, id, endsAt: now + maxRunMs, stepsLeft: maxStepsPerRun };
  const state: RunState = {
    ...run,
    isStopped: false,
    hasMore: false,
    hasProgress: false,
    storedRetryAt: hook.retryAt,
  };
  if (failure && failure.nextAt > now) {
    await publishRetry(state);
    return { nextRunAt: failure.nextAt };
  }
  const [rights, laggingCollections] = await Promise.all([
    findMakerRights(databases.home, hook.maker, now),
    findLaggingCollections(service, ledger, hook),
  ]);
  if (rights) {
    // Keeps the positions of unreadable collections, in case the maker regains access.
    const readable = laggingCollections.filter(({ kind, key }) => canDeliver(rights, kind, key));
    await deliverCollections(state, hook, readable);
  } else if (laggingCollections.length > 0) {
    await disableWithoutRights(state, hook);
  }
  await publishRetry(state);
  if (ledger.failure) return { nextRunAt: ledger.failure.nextAt };
  const delayMs = state.hasProgress ? 0 : retryWithoutProgressMs;
  return { nextRunAt: state.hasMore ? clock.now() + delayMs : null };
}

/**
 * Adapts the positions to a restored database, once. The database may lack delivered changes and contain undelivered
 * ones.
 */
async function adaptToTimeline(databases: Databases, ledger: Ledger): Promise<void> {
  const { timeline } = databases;
  if (ledger.epoch === timeline.epoch) return;
  // Changes in a database that is not bound would otherwise count as delivered.
  if ((await loadReach(databases)).missing.length > 0) throw problem.tryAgain(10);
  const positions = ledger.formerPositions(timeline);
  const undeliveredRanges = await filterRangesWithChanges(databases, positions);
  // If several timelines have undelivered changes, the oldest comes first.
  const startPositions = new Map(
    undeliveredRanges.toReversed().map(({ collection, number }) => [collection, number]),
  );
  ledger.beginTimeline(timeline, positions, startPositions);
}

/** Delivers the changes of these collections in turn, until the limits of the run. */
async function deliverCollections(
  run: RunState,
  hook: Webhook,
  laggingCollections: readonly LaggingCollection[],
): Promise<void> {
  const { ledger } = run;
  const { failure, nextCollection } = ledger;
  // After a failure, retries only the failed message first, to test the receiver.
  if (failure) {
    const failedCollection =
      laggingCollections.find((source) => source.id === failure.collection) ??
      laggingCollections[0];
    if (failedCollection) await deliverCollection(run, hook, failedCollection, 1);
    // There is nothing to retry, because the maker can no longer read the collection or its changes were deleted.
    else ledger.failure = null;
  }
  const isLater = ({ id }: LaggingCollection) => id >= nextCollection;
  const queue = [
    ...laggingCollections.filter((source) => isLater(source)),
    ...laggingCollections.filter((source) => !isLater(source)),
  ];
  const deliverQueue = async () => {
    for (let collection = queue.shift(); collection && !run.isStopped; collection = queue.shift()) {
      const hasMore = await deliverCollection(run, hook, collection, maxChangesPerTurn);
      if (hasMore) queue.push(collection);
      if (run.hasMore) return;
    }
  };
  await Promise.all(Array.from({ length: maxParallelCollections }, deliverQueue));
  if (run.hasMore && queue[0]) ledger.nextCollection = queue[0].id;
}

/** Returns the collections with changes after the last delivered one. */
/** The collections of the webhook with changes after its positions. */
export async function findLaggingCollections(
  { databases }: SenderService,
  ledger: Ledger,
  hook: Webhook,
): Promise<LaggingCollection[]> {
  const [feedHeads, startPositions] = await Promise.all([
    loadFeedHeads(databases, hook),
    loadStartPositions(databases.home, hook.id),
  ]);
  const positions = ledger.positions();
  return feedHeads.flatMap(({ last, ...head }) => {
    const start = startPositions[head.id] ?? itemNumberRange(head.id).above;
    const position = Math.max(start, positions.get(head.id) ?? 0);
    return last > position ? [{ ...head, position }] : [];
  });
}

/**
 * Delivers up to `maxMessages` changes of a collection in order. Returns whether it may have more.
 * Reads the webhook and its maker's rights again for each change, in parallel with the change.
 */
async function deliverCollection(
  run: RunState,
  initialHook: Webhook,
  collection: LaggingCollection,
  maxMessages: number,
): Promise<boolean> {
  const { service, ledger } = run;
  const { databases, clock } = service;
  const name = `${collection.kind}:${collection.key}`;
  let hook = initialHook;
  for (let deliveredCount = 0; deliveredCount < maxMessages && !run.isStopped;) {
    if (run.stepsLeft <= 0 || clock.now() >= run.endsAt) {
      run.hasMore = true;
      return true;
    }
    run.stepsLeft -= 1;
    const [{ hook: currentHook, rights }, nextMessage] = await Promise.all([
      findWebhookAndRights(databases.home, run.id, hook.maker, clock.now()),
      loadNextMessage(service, hook, { id: collection.id, name }, collection.position),
    ]);
    if (currentHook?.state !== "active") {
      run.isStopped = true;
      return false;
    }
    if (currentHook.version !== hook.version) {
      hook = currentHook;
      continue;
    }
    if (!rights) {
      await disableWithoutRights(run, hook);
      return false;
    }
    if (!listensTo(hook, name)) return false;
    if (!canDeliver(rights, collection.kind, collection.key)) return false;
    const canContinue =
      nextMessage.message === null ||
      (await deliverChange(run, hook, collection, nextMessage.message));
    if (!canContinue) return false;
    if (nextMessage.scannedThrough > collection.position) {
      ledger.moveTo(collection.id, nextMessage.scannedThrough);
      run.hasProgress = true;
    }
    collection.position = nextMessage.scannedThrough;
    if (nextMessage.isAtEnd) return false;
    if (nextMessage.message) deliveredCount += 1;
  }
  return !run.isStopped;
}

async function deliverChange(
  run: RunState,
  hook: Webhook,
  { id }: LaggingCollection,
  message: WebhookMessage,
) {
  const { service, ledger } = run;
  const attempt = await sendMessage(service, hook, message, (ledger.failure?.tries ?? 0) + 1);
  ledger.addAttempt(attempt);
  if (!isDelivered(attempt)) {
    await recordFailure(run, hook, id, attempt);
    return false;
  }
  if (!run.isStopped) {
    ledger.failure = null;
    await publishRetry(run);
  }
  return true;
}

async function disableWithoutRights(run: RunState, hook: Webhook): Promise<void> {
  if (run.isStopped) return;
  await stopWebhook(run, hook, "disabled", makerEndedReason);
}

/** Records a failed attempt. Parallel failures in one run count once. */
async function recordFailure(
  run: RunState,
  hook: Webhook,
  collection: number,
  attempt: DeliveryResult,
): Promise<void> {
  if (run.isStopped) return;
  run.isStopped = true;
  const tries = (run.ledger.failure?.tries ?? 0) + 1;
  const delayMs = retryDelayMs(tries);
  if (attempt.status === 410) {
    await stopWebhook(run, hook, "disabled", "The receiver answered 410 Gone.");
  } else if (delayMs === undefined) {
    await stopWebhook(
      run,
      hook,
      "failing",
      `${tries} attempts failed. Last error: ${attempt.error ?? ""}`,
    );
  } else {
    const nextAt = run.service.clock.now() + delayMs;
    run.ledger.failure = { tries, nextAt, collection, error: attempt.error };
    await publishRetry(run);
  }
}

/**
 * Stops a webhook at its current positions until someone resumes it.
 * If it changed concurrently, the next run uses the changed webhook.
 */
async function stopWebhook(
  run: RunState,
  hook: Webhook,
  state: WebhookState,
  reason: string,
): Promise<void> {
  run.isStopped = true;
  const { databases, clock, random } = run.service;
  const at = clock.now();
  const stopped = { ...hook, state, reason, updatedAt: at };
  const result = await updateWebhookRow(databases, stopped, null, [], {
    at,
    actor: "system",
    action: state === "failing" ? "webhook.fail" : "webhook.disable",
    collectionId: null,
    subject: `webhook:${hook.id}`,
    version: nextVersion(hook.version, databases.timeline),
    session: null,
    requestId: random.uuid(),
    sentRequestId: null,
    detail: null,
  });
  // The update also removed the pending retry.
  if (result === "stored") {
    run.storedRetryAt = null;
    run.ledger.failure = null;
  } else run.hasMore = true;
}
