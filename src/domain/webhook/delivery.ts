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

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long to wait after each try that failed (contract, section 14). */
const pauses = [
  10 * second,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Milliseconds until the next try, after so many have failed; undefined where it was the last one. */
export function pauseAfter(failed: number): number | undefined {
  return pauses[failed - 1];
}

/** Standard Webhooks: `whsec_` and the key in base64; signatures are HMAC-SHA256 of id, time and body. */

const prefix = "whsec_";
const encoder = new TextEncoder();

/** Makes a secret of `random`, 32 bytes. */
export function makeSigningSecret(random: Uint8Array): string {
  return prefix + random.toBase64();
}

/** One message as it is signed. */
export interface Signed {
  /** The same for each try. */
  id: string;
  /** Milliseconds since 1970: of this try. */
  at: number;
  body: string;
}

/** The headers that tell who sent a message, when and that it is whole; one signature for each secret. */
export async function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: Signed,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const text = encoder.encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => signature(secret, text)));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function signature(secret: string, text: Uint8Array): Promise<string> {
  const bytes = Uint8Array.fromBase64(secret.slice(prefix.length));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return `v1,${new Uint8Array(await crypto.subtle.sign("HMAC", key, text)).toBase64()}`;
}
