import { canDeliver, findMakerRights } from "#actions/deliveries.ts";
import { loadNextMessage } from "#actions/webhook-messages.ts";
import { logWebhookError } from "#domain/events.ts";
import type { Resources } from "#domain/credential/credential.ts";
import { itemNumberRange, sequencesPerCollection } from "#domain/item/item.ts";
import {
  deliveryRetentionMs,
  type Delivery,
  type DeliveryHealth,
  type DeliveryReport,
} from "#domain/webhook/delivery.ts";
import { listReportedActions } from "#domain/webhook/events.ts";
import { listensTo, webhookTypes, type Webhook } from "#domain/webhook/webhook.ts";
import { countChangesIn } from "#store/home/listeners.ts";
import { findWebhook } from "#store/home/webhooks.ts";
import { Ledger } from "./ledger.ts";
import { sendMessage, sendTest, type SenderService } from "./send.ts";
import { deliverAll, findLaggingCollections, type DeliveryRun } from "./deliver.ts";

/** The delay after a wake-up. One run then sends all changes of a burst. */
const gatherMs = 1000;
/** The delay after an internal or storage error. */
const retryAfterErrorMs = 10_000;
/** The delay while the database is being restored. */
const pauseMs = 60_000;
/** The period of the attempts that the health report counts. */
const healthPeriodMs = 24 * 60 * 60 * 1000;
/** An alarm that is later than this counts as lost. */
const lostAfterMs = 5000;

/** The remote interface of a sender. Each call crosses the network. */
export type SenderStub = {
  [Method in Exclude<keyof Sender, "alarm">]: (
    ...args: Parameters<Sender[Method]>
  ) => Promise<Awaited<ReturnType<Sender[Method]>>>;
};

/**
 * One object per webhook. Its alarm reads the changes feed from the stored positions and sends the changes. Between
 * attempts, it holds no timer and no connection, so it can be evicted at any time.
 */
export class Sender {
  readonly #ctx: DurableObjectState;
  readonly #service: SenderService;
  #openLedger: Ledger | undefined;
  #run: Promise<DeliveryRun> | undefined;

  constructor(ctx: DurableObjectState, service: SenderService) {
    this.#ctx = ctx;
    this.#service = service;
  }

  /** Opens the ledger on first use, so that a deleted webhook's object stores nothing. */
  get #ledger(): Ledger {
    return (this.#openLedger ??= new Ledger(this.#ctx.storage));
  }

  /** Schedules a run after a possible change and returns its delay in milliseconds. One alarm serves a burst. */
  async wake(id: string): Promise<number> {
    this.#ledger.id = id;
    const now = this.#now();
    return (await this.#runBy(now + gatherMs)) - now;
  }

  /** Clears the failure and retries now, as attempt 1. */
  async resume(id: string): Promise<void> {
    this.#ledger.id = id;
    this.#ledger.failure = null;
    await this.#ctx.storage.setAlarm(this.#now());
  }

  /** Ensures an alarm by this time, but no earlier than the next retry. Returns the time of the alarm. */
  async #runBy(time: number): Promise<number> {
    const at = Math.max(time, this.#ledger.failure?.nextAt ?? 0);
    const alarmAt = await this.#ctx.storage.getAlarm();
    if (alarmAt !== null && alarmAt <= at && alarmAt > this.#now() - lostAfterMs)
      return Math.max(alarmAt, this.#now());
    await this.#ctx.storage.setAlarm(at);
    return at;
  }

  /**
   * Runs deliveries. Alarms may repeat, be late or overlap. After an error, sets the next alarm itself, so that it
   * never gives up.
   */
  async alarm(): Promise<void> {
    const { id } = this.#ledger;
    if (id === undefined) return;
    if (this.#service.settings.isPaused) {
      await this.#runBy(this.#now() + pauseMs);
      return;
    }
    let nextRunAt: number | null = this.#now() + retryAfterErrorMs;
    try {
      this.#run ??= deliverAll(this.#service, this.#ledger, id);
      const result = await this.#run;
      if (result === "gone") {
        await this.forget();
        return;
      }
      ({ nextRunAt } = result);
    } catch (error) {
      logWebhookError(this.#service, id, error);
    } finally {
      this.#run = undefined;
    }
    if (nextRunAt !== null) await this.#runBy(nextRunAt);
  }

  async sendTest(id: string): Promise<Delivery> {
    return this.#ledger.addAttempt(await sendTest(this.#service, await this.#getWebhook(id)));
  }

  /**
   * Resends the change of an earlier attempt in its current form, if the webhook's maker may still read it. Returns
   * undefined if the attempt belongs to other collections, or to one that the webhook no longer covers.
   */
  async redeliver(
    id: string,
    number: number,
    collections: Resources = "all",
  ): Promise<Delivery | undefined> {
    const original = this.#ledger.findDelivery(number);
    if (!original) return undefined;
    const hook = await this.#getWebhook(id);
    const { collection } = original;
    const isVisible =
      collection === null ||
      (listensTo(hook, collection) && (collections === "all" || collections.includes(collection)));
    if (!isVisible) return undefined;
    if (original.change === null)
      return this.#ledger.addAttempt(await sendTest(this.#service, hook));
    const message = await this.#loadMessage(hook, original);
    if (message) {
      return this.#ledger.addAttempt(
        await sendMessage(this.#service, hook, { ...message, type: original.type }, 0),
      );
    }
    const error =
      "The event was not sent. Its change is no longer stored, the webhook's maker cannot read it, or it is no event of the webhook's view.";
    const unsent = { status: null, milliseconds: 0, answer: null, error };
    return this.#ledger.addAttempt({ ...original, ...unsent, at: this.#now(), attempt: 0 });
  }

  /** Loads the message of an earlier attempt, whatever types and fields the webhook selects now. */
  async #loadMessage(hook: Webhook, { change, type, collection }: Delivery) {
    if (change === null) return undefined;
    const types = webhookTypes.filter((each) => each === type);
    const { databases } = this.#service;
    const [rights, { message }] = await Promise.all([
      findMakerRights(databases.home, hook.maker, this.#now()),
      loadNextMessage(
        this.#service,
        { ...hook, types, changedFields: null },
        { id: Math.floor(change / sequencesPerCollection), name: collection ?? "" },
        change - 1,
      ),
    ]);
    const [kind, key = ""] = message?.collection.split(":") ?? [];
    const isReadable = rights && canDeliver(rights, kind === "app" ? "app" : "form", key);
    return isReadable && message?.number === change ? message : undefined;
  }

  report(before: number | null, limit: number, collections: Resources = "all"): DeliveryReport {
    const { failure } = this.#ledger;
    const since = this.#now() - deliveryRetentionMs;
    const deliveries = this.#ledger.listDeliveries(before, limit, since, collections);
    return { deliveries, failure };
  }

  /** Returns the health of the webhook's deliveries, for lists. */
  async health(id: string): Promise<DeliveryHealth> {
    const { databases } = this.#service;
    const hook = await this.#getWebhook(id);
    const lagging = await findLaggingCollections(this.#service, this.#ledger, hook);
    const ranges = lagging.map(({ id: collection, position }) => ({
      collection,
      number: position,
      below: itemNumberRange(collection).below,
    }));
    return {
      ...this.#ledger.countAttempts(this.#now() - healthPeriodMs),
      queued: await countChangesIn(databases, ranges, listReportedActions(hook)),
    };
  }

  async forget(): Promise<void> {
    await this.#ctx.storage.deleteAlarm();
    await this.#ctx.storage.deleteAll();
    this.#openLedger = undefined;
  }

  #now(): number {
    return this.#service.clock.now();
  }

  async #getWebhook(id: string): Promise<Webhook> {
    const hook = await findWebhook(this.#service.databases.home, id);
    if (!hook) throw new Error(`Webhook ${id} is gone.`);
    return hook;
  }
}
