/** How one try to send a message went. */
export interface Tried {
  /** Of the receiver's answer; null where none came. */
  status: number | null;
  milliseconds: number;
  /** The first 1 KiB of the receiver's answer. */
  answer: string | null;
  /** Why there was no answer, or why it was no success. */
  error: string | null;
}

/** One try, as a webhook's object keeps it. */
export interface Delivery extends Tried {
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  /** The `webhook-id`, the same for each try of a message. */
  message: string;
  type: string;
  /** `app:KEY` or `form:KEY`; null for a test. */
  collection: string | null;
  /** The number of the change, and the id of its item; null for a test. */
  change: number | null;
  item: string | null;
  /** From 1; 0 where it was sent by hand. */
  attempt: number;
}

/** Tries that failed in a row, and when the next one is. */
export interface Waiting {
  tries: number;
  nextAt: number;
}

/** What a webhook's object tells: tries, newest first, and what it waits for after a failure. */
export interface DeliveryReport {
  deliveries: Delivery[];
  failure: Waiting | null;
}

export const mostDeliveries = 5000;
export const deliveriesKept = 30 * 24 * 60 * 60 * 1000;

export function isDelivered({ status }: Pick<Tried, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** `dlv_42` is the 42nd try of its webhook. */
export function deliveryId(number: number): string {
  return `dlv_${String(number).padStart(12, "0")}`;
}

export function deliveryNumber(id: string): number | undefined {
  return /^dlv_\d{12}$/.test(id) ? Number(id.slice(4)) : undefined;
}
