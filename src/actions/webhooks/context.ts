import type { SigningKeys } from "../../domain/credential/signature";
import type { Delivery, DeliveryReport } from "../../domain/webhook/delivery";
import type { ActionContext } from "../context";

/** The objects of webhooks, each of which sends the messages of one. */
export interface WebhookObjects {
  /** Says that there may be something to send; gives the milliseconds within which it is looked for. */
  wake(id: string): Promise<number>;
  /** Forgets that tries failed: the next one is now. */
  resume(id: string): Promise<void>;
  /** Sends a message that tells of nothing. */
  test(id: string): Promise<Delivery>;
  /** Sends a message again; nothing where there is no such try. */
  redeliver(id: string, number: number): Promise<Delivery | undefined>;
  /** What was tried, from before this number on. */
  report(id: string, before: number | null, limit: number): Promise<DeliveryReport>;
  /** Forgets all that it knows. */
  forget(id: string): Promise<void>;
}

/** What managing webhooks needs besides. */
export interface WebhookContext extends ActionContext {
  keys: SigningKeys;
  objects: WebhookObjects;
  /** 32 random bytes. */
  random(): Uint8Array;
  /** Whether receivers on one's own machine are allowed, as `npm run dev` does. */
  localReceivers: boolean;
}
