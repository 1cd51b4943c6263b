import { DurableObject } from "cloudflare:workers";
import { mayTell, nextMessage, rightsOfMaker } from "#actions/deliveries.ts";
import { placesPerCollection } from "#domain/item/item.ts";
import { deliveriesKept, type Delivery, type DeliveryReport } from "#domain/webhook/delivery.ts";
import { webhookTypes, type Webhook } from "#domain/webhook/webhook.ts";
import { findWebhook } from "#store/home/webhooks.ts";
import { Ledger } from "./ledger.ts";
import { sendMessage, sendTest } from "./send.ts";
import { tellAll, type Told } from "./deliver.ts";

/** Changes that are made within this time are looked for at once. */
const gathering = 1000;
/** After a fault of ours, or of storage. */
const afterFault = 10_000;
/** An alarm that is so late is lost. */
const lost = 5000;

/**
 * One object per webhook: it follows the changes feed from its own places and sends what it finds, woken by alarm.
 * Between tries it holds nothing: no timer, no connection, no memory that matters.
 */
export class WebhookSender extends DurableObject<Bindings> {
  #kept: Ledger | undefined;
  #telling: Promise<Told> | undefined;

  /** Made when it is first needed, so that an object that has forgotten all stores nothing. */
  get #ledger(): Ledger {
    return (this.#kept ??= new Ledger(this.ctx.storage));
  }

  /** There may be something to tell; gives the milliseconds until it is looked for. One alarm serves a burst. */
  async wake(id: string): Promise<number> {
    this.#ledger.id = id;
    const now = Date.now();
    return (await this.#lookBy(now + gathering)) - now;
  }

  /** What failed is forgotten: the next try is now, and the first. */
  async resume(id: string): Promise<void> {
    this.#ledger.id = id;
    this.#ledger.failure = null;
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Sets the alarm to this moment, or to that of the next try, unless it is earlier; gives when it is. */
  async #lookBy(wanted: number): Promise<number> {
    const at = Math.max(wanted, this.#ledger.failure?.nextAt ?? 0);
    const set = await this.ctx.storage.getAlarm();
    if (set !== null && set <= at && set > Date.now() - lost) return Math.max(set, Date.now());
    await this.ctx.storage.setAlarm(at);
    return at;
  }

  /** May come twice, late, or beside itself. What fails here is tried again by an alarm of our own, for ever. */
  override async alarm(): Promise<void> {
    const { id } = this.#ledger;
    if (id === undefined) return;
    let next: number | null = Date.now() + afterFault;
    try {
      this.#telling ??= tellAll(this.env, this.#ledger, id);
      const told = await this.#telling;
      if (told === "gone") {
        await this.forget();
        return;
      }
      ({ next } = told);
    } catch (error) {
      console.error(JSON.stringify({ event: "webhook", webhook: id, error: String(error) }));
    } finally {
      this.#telling = undefined;
    }
    if (next !== null) await this.#lookBy(next);
  }

  async sendTest(id: string): Promise<Delivery> {
    return this.#ledger.add(await sendTest(this.env, await this.#hook(id)));
  }

  /** Sends again what a try told of, as it is now and where its maker may read it now. */
  async redeliver(id: string, number: number): Promise<Delivery | undefined> {
    const before = this.#ledger.find(number);
    if (!before) return undefined;
    const hook = await this.#hook(id);
    if (before.change === null) return this.#ledger.add(await sendTest(this.env, hook));
    const message = await this.#messageOf(hook, before.change);
    if (message) {
      return this.#ledger.add(
        await sendMessage(this.env, hook, { ...message, type: before.type }, 0),
      );
    }
    const error = "It was not sent: it is kept no longer, or the webhook's maker may not read it.";
    const nothing = { status: null, milliseconds: 0, answer: null, error };
    return this.#ledger.add({ ...before, ...nothing, at: Date.now(), attempt: 0 });
  }

  async #messageOf(hook: Webhook, change: number) {
    const { DB } = this.env;
    const [rights, { message }] = await Promise.all([
      rightsOfMaker(DB, hook.maker, Date.now()),
      nextMessage(
        DB,
        { ...hook, types: [...webhookTypes] },
        Math.floor(change / placesPerCollection),
        change - 1,
      ),
    ]);
    const [kind, key = ""] = message?.collection.split(":") ?? [];
    const may = rights && mayTell(rights, kind === "app" ? "app" : "form", key);
    return may && message?.number === change ? message : undefined;
  }

  report(before: number | null, limit: number): DeliveryReport {
    const { failure } = this.#ledger;
    const deliveries = this.#ledger.deliveries(before, limit, Date.now() - deliveriesKept);
    return { deliveries, failure };
  }

  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#kept = undefined;
  }

  async #hook(id: string): Promise<Webhook> {
    const hook = await findWebhook(this.env.DB, id);
    if (!hook) throw new Error(`Webhook ${id} is gone.`);
    return hook;
  }
}
