/** The result of one attempt to send a message. */
export interface DeliveryResult {
  /** The status of the receiver's response. Null without a response. */
  status: number | null;
  milliseconds: number;
  /** The first 1 KiB of the receiver's response. */
  answer: string | null;
  /** The reason why the attempt failed. Null on success. */
  error: string | null;
}

/** One attempt in the form that the webhook's object stores. */
export interface Delivery extends DeliveryResult {
  number: number;
  /** Milliseconds since 1970. */
  at: number;
  /** The `webhook-id`, the same for every attempt to send a message. */
  message: string;
  type: string;
  /** `app:KEY` or `form:KEY`. Null for a test. */
  collection: string | null;
  /** The number of the change and the id of its item. Null for a test. */
  change: number | null;
  item: string | null;
  /** Counts from 1; 0 for a test or a manual resend. */
  attempt: number;
}

export interface RetryState {
  /** The number of consecutive failed attempts. */
  tries: number;
  /** The time of the next attempt, in milliseconds since 1970. */
  nextAt: number;
}

/** The attempts of a webhook, newest first, and its pending retry after a failure. */
export interface DeliveryReport {
  deliveries: Delivery[];
  failure: RetryState | null;
}

export const maxDeliveries = 5000;
export const deliveryRetentionMs = 30 * 24 * 60 * 60 * 1000;

export function isDelivered({ status }: Pick<DeliveryResult, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** `dlv_000000000042` is the webhook's 42nd attempt. */
export function formatDeliveryId(number: number): string {
  return `dlv_${String(number).padStart(12, "0")}`;
}

export function parseDeliveryId(id: string): number | undefined {
  return /^dlv_\d{12}$/.test(id) ? Number(id.slice(4)) : undefined;
}

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The delay after each failed attempt. */
const retryDelaysMs = [
  10 * secondMs,
  minuteMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** Returns the milliseconds until the next attempt. Undefined after the last one. */
export function retryDelayMs(failedAttempts: number): number | undefined {
  return retryDelaysMs[failedAttempts - 1];
}

// Standard Webhooks: a secret is `whsec_` plus the key in base64. A signature is the HMAC-SHA256 of id, time and body.

const secretPrefix = "whsec_";
const encoder = new TextEncoder();

/** Creates a secret from 32 random bytes. */
export function createSigningSecret(randomBytes: Uint8Array): string {
  return secretPrefix + randomBytes.toBase64();
}

/** The signed parts of a message. */
export interface SignableMessage {
  /** The same for every attempt. */
  id: string;
  /** The time of this attempt, in milliseconds since 1970. */
  at: number;
  body: string;
}

/**
 * Builds headers with which the receiver verifies sender, time and body of a message. Each secret adds one signature.
 */
export async function buildSignatureHeaders(
  subtle: SubtleCrypto,
  secrets: readonly string[],
  { id, at, body }: SignableMessage,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(at / 1000));
  const text = encoder.encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(
    secrets.map((secret) => createSignature(subtle, secret, text)),
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}

async function createSignature(
  subtle: SubtleCrypto,
  secret: string,
  text: Uint8Array,
): Promise<string> {
  const bytes = Uint8Array.fromBase64(secret.slice(secretPrefix.length));
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  return `v1,${new Uint8Array(await subtle.sign("HMAC", key, text)).toBase64()}`;
}

/** The health of a webhook's deliveries, as its object knows it. */
export interface DeliveryHealth {
  /** The attempts to send events in the last 24 hours, and how many of them the receiver accepted. */
  attempts: number;
  delivered: number;
  /**
   * The number of changes that the webhook still has to report. Includes changes that its view or fields may exclude.
   */
  queued: number;
}
