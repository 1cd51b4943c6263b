import { mayTell, nextMessage, rightsOfMaker, type Message } from "#actions/deliveries.ts";
import { numbersOf } from "#domain/item/item.ts";
import { isDelivered, type Tried, pauseAfter } from "#domain/webhook/delivery.ts";
import { listensTo, type Webhook, type WebhookState } from "#domain/webhook/webhook.ts";
import { readHeads, readStarts } from "#store/home/listeners.ts";
import { findWebhook, updateWebhook } from "#store/home/webhooks.ts";
import type { Ledger } from "./ledger.ts";
import { sendMessage } from "./send.ts";

/** Collections that are told beside each other; each one's changes are told one after another. */
const lanes = 4;
/** What one run does, so that none takes long: the next one goes on at once. D1 takes 1,000 queries, six in a step. */
const runFor = 20_000;
const stepsPerRun = 150;

interface Run {
  env: Bindings;
  ledger: Ledger;
  id: string;
  until: number;
  steps: number;
  /** Nothing more is sent: a try failed, or the webhook is not what it was. */
  stopped: boolean;
  unfinished: boolean;
}

interface Behind {
  id: number;
  kind: "app" | "form";
  key: string;
  place: number;
}

export type Told = "gone" | { next: number | null };

/** Tells all that there is to tell; gives when to go on, null where nothing is left or nothing may be sent. */
export async function tellAll(env: Bindings, ledger: Ledger, id: string): Promise<Told> {
  const now = Date.now();
  const { failure } = ledger;
  const hook = await findWebhook(env.DB, id);
  if (!hook) return "gone";
  if (hook.state !== "active") return { next: null };
  if (failure && failure.nextAt > now) return { next: failure.nextAt };
  const behind = await collectionsBehind(env, ledger, hook);
  const run = { env, ledger, id, until: now + runFor, steps: stepsPerRun };
  const state: Run = { ...run, stopped: false, unfinished: false };
  // After a failure one message shows whether the receiver is back: the one that failed.
  if (failure) {
    const first = behind.find((each) => each.id === failure.collection) ?? behind[0];
    if (first) await tellCollection(state, hook, first, 1);
  }
  const queue = behind.values();
  const lane = async () => {
    for (const each of queue) await tellCollection(state, hook, each, Infinity);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { next: ledger.failure?.nextAt ?? (state.unfinished ? Date.now() : null) };
}

/** Those that have changes behind what was told of them. */
async function collectionsBehind(
  env: Bindings,
  ledger: Ledger,
  { id, collections }: Webhook,
): Promise<Behind[]> {
  const [heads, starts] = await Promise.all([
    readHeads(env.DB, collections),
    readStarts(env.DB, id),
  ]);
  const places = ledger.places();
  return heads.flatMap(({ last, ...head }) => {
    const start = starts[head.id] ?? numbersOf(head.id).above;
    const place = Math.max(start, places.get(head.id) ?? 0);
    return last > place ? [{ ...head, place }] : [];
  });
}

/**
 * Tells a collection's changes in order, at most so many. What the webhook is, and what its maker may read, is looked
 * up for each one, beside the change itself.
 */
async function tellCollection(
  run: Run,
  found: Webhook,
  behind: Behind,
  most: number,
): Promise<void> {
  const { env, ledger } = run;
  let hook = found;
  for (let told = 0; told < most && !run.stopped;) {
    if (run.steps <= 0 || Date.now() >= run.until) {
      run.unfinished = true;
      return;
    }
    run.steps -= 1;
    const [now, rights, next] = await Promise.all([
      findWebhook(env.DB, run.id),
      rightsOfMaker(env.DB, hook.maker, Date.now()),
      nextMessage(env.DB, hook, behind.id, behind.place),
    ]);
    if (now?.state !== "active") {
      run.stopped = true;
      return;
    }
    if (now.version !== hook.version) {
      hook = now;
      continue;
    }
    if (!rights) return endRevoked(run, hook);
    if (!listensTo(hook, `${behind.kind}:${behind.key}`)) return;
    // What may not be read now keeps its place, in case it may be again.
    if (!mayTell(rights, behind.kind, behind.key)) return;
    const isTold = next.message === null || (await tellOne(run, hook, behind, next.message));
    if (!isTold) return;
    if (next.through > behind.place) ledger.moveTo(behind.id, next.through);
    behind.place = next.through;
    if (next.atEnd) return;
    if (next.message) told += 1;
  }
}

async function tellOne(run: Run, hook: Webhook, { id }: Behind, message: Message) {
  const { env, ledger } = run;
  const tried = await sendMessage(env, hook, message, (ledger.failure?.tries ?? 0) + 1);
  ledger.add(tried);
  if (!isDelivered(tried)) {
    await failed(run, hook, id, tried);
    return false;
  }
  if (!run.stopped) ledger.failure = null;
  return true;
}

async function endRevoked(run: Run, hook: Webhook): Promise<void> {
  if (run.stopped) return;
  const reason = "It tells what its maker may read, who has been revoked, removed, or has expired.";
  await end(run, hook, "disabled", reason);
}

/** Several lanes that fail at once are one failure. */
async function failed(run: Run, hook: Webhook, collection: number, tried: Tried): Promise<void> {
  if (run.stopped) return;
  run.stopped = true;
  const tries = (run.ledger.failure?.tries ?? 0) + 1;
  const pause = pauseAfter(tries);
  if (tried.status === 410) {
    await end(run, hook, "disabled", "The receiver answered 410: it is gone.");
  } else if (pause === undefined) {
    await end(run, hook, "failing", `${tries} tries failed. The last one: ${tried.error ?? ""}`);
  } else run.ledger.failure = { tries, nextAt: Date.now() + pause, collection };
}

/** It waits in its place until it is resumed. Where somebody changed it meanwhile, that change is tried first. */
async function end(run: Run, hook: Webhook, state: WebhookState, reason: string): Promise<void> {
  run.stopped = true;
  const at = Date.now();
  const ended = await updateWebhook(run.env.DB, { ...hook, state, reason, updatedAt: at }, null, {
    at,
    actor: "system",
    action: state === "failing" ? "webhook.fail" : "webhook.disable",
    collectionId: null,
    subject: `webhook:${hook.id}`,
    version: hook.version + 1,
    session: null,
    requestId: crypto.randomUUID(),
    sentRequestId: null,
  });
  if (ended) run.ledger.failure = null;
  else run.unfinished = true;
}
